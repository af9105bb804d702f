"""Ops with rows of matrix products: norms, a softmax, all kinds of operands and results, rows of two products."""

from __future__ import annotations

from generated_ops import ALL

from opforge.spec.model import AttrSpec, OpSpec, TensorSpec
from tests.parsed import parsed

SCALE = AttrSpec("scale", "float", 0.125)


def over(name: str, shapes: str, compute: str, results: str = "", optional: str = "") -> OpSpec:
    """An op of the shapes ``x: ... K; w: K N``; ``results`` are those of results with one element for each row."""
    given = dict(text.split(": ") for text in shapes.split("; "))
    inputs = tuple(
        TensorSpec(each, ALL, tuple(dims.split()), optional=each == optional) for each, dims in given.items()
    )
    left = next(iter(given.values())).split()
    rows = left[:-1] if "x.T" not in compute else left[1:]
    own = dict(text.split(":") for text in results.split("; ")) if results else {}
    outputs = compute.splitlines()[-1].split(" = ")[0].split(", ")
    made = tuple(TensorSpec(each, ALL, tuple(own[each].split()) if each in own else (*rows, "N")) for each in outputs)
    return parsed(OpSpec(name, inputs, (SCALE,) if "scale" in compute else (), made, compute))


PRODUCT_ROWS = (
    over("MatmulRMSNorm", "x: ... K; w: K N; gamma: N", "y = rms_norm(x @ w, gamma)"),
    over("MatmulSoftmax", "x: ... K; w: K N", "y = softmax(x @ w * scale, -1)"),
    over(
        "MatmulLayerNorm",
        "x: M K; w: N K; residual: M N; gamma: N; beta: N",
        "y = layer_norm(x @ w.T + residual, gamma, beta)",
    ),
    # Two products, an optional row, results with one element for each row beside a whole one.
    over(
        "GatedNorm",
        "x: ... K; a: K N; b: K N; gamma: N",
        "t = silu(x @ a) * (x @ b)\n"
        "rstd = rsqrt(mean(t * t, -1, keepdim=True) + 1e-6)\n"
        "y, root, most = t * rstd * where(present(gamma), gamma, 1.0), rstd, amax(t, -1)",
        results="root:... 1; most:...",
        optional="gamma",
    ),
    # A transposed left operand, and only one element for each row.
    over("MatmulLogSumExp", "x: K M; w: K N", "y = logsumexp(x.T @ w, -1)", results="y:M"),
)
