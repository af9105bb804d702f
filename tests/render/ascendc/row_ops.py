"""Ops with reductions over rows: what models have, and values and masks of rows wherever they can stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from generated_ops import ALL

from opforge.spec.model import AttrSpec, OpSpec, TensorSpec
from tests.parsed import parsed

X = TensorSpec("x", ALL, ("...", "H"))
W = TensorSpec("w", ALL, ("H",))
B = TensorSpec("b", ALL, ("H",))
ALPHA = AttrSpec("alpha", "float", 1.5)


def op(
    name: str, inputs: Sequence[TensorSpec], compute: str, rows: Sequence[str] = (), kept: Sequence[str] = ()
) -> OpSpec:
    """``rows`` and ``kept`` name the results with one element for each row."""
    lines = [line.split(" = ")[0] for line in compute.splitlines()]
    outputs = [name for line in lines[-1:] for name in line.split(", ")]
    dims = dict.fromkeys(rows, ("...",)) | dict.fromkeys(kept, ("...", "1"))
    made = tuple(TensorSpec(name, ALL, dims.get(name, ("...", "H"))) for name in outputs)
    attrs = (ALPHA,) if "alpha" in compute else ()
    return parsed(OpSpec(name, tuple(inputs), attrs, made, compute))


ROWS = (
    op("RmsNorm", (X, W), "y = rms_norm(x, w, 1e-6)"),
    op("LayerNorm", (X, W, B), "y = layer_norm(x, w, b)"),
    op("Softmax", (X,), "y = softmax(x, -1)"),
    op("LogSumExp", (X,), "y = logsumexp(x, -1)", rows=["y"]),
    op(
        "AddRmsNorm",
        (X, replace(X, name="r"), W),
        "t = x + r\ns = rsqrt(mean(t * t, -1, keepdim=True) + 1e-6)\ny, total, rstd = t * s * w, t, s",
        kept=["rstd"],
    ),
    op(
        "Statistics",
        (X,),
        "m, v, lo, hi = mean(x, -1), var(x, -1), amin(x, -1), amax(x, -1)",
        rows=["m", "v", "lo", "hi"],
    ),
    # Values of rows on both sides of every operator, in comparisons, as masks and as what is chosen; functions of
    # vector_math.h of values of rows; a literal, an attribute and a size beside them.
    op(
        "Sides",
        (X, W),
        "s = mean(x, -1, keepdim=True)\n"
        "t = amax(abs(x), -1, keepdim=True) + 1.0\n"
        "a = (s - x) / t + t / (x * x + t) - min(s, x) + max(x, s) * (x - t)\n"
        "c = where(s > 0.25, x, w) + where(x > s, s, t) + where(s < t, x * alpha, t)\n"
        "y = a + c + tanh(s) * gelu(x) + erf(t * x) * (2.0 - s) + where(s > t, s, 1.0 / t)",
    ),
    # Three reductions, each of what the one before gave: four passes over a row in parts.
    op(
        "Deep",
        (X, W),
        "a = mean(x, -1, keepdim=True)\n"
        "d = mean(abs(x - a) * w, -1, keepdim=True)\n"
        "e = sum(exp(-abs(x - a) - d * d), -1, keepdim=True)\n"
        "y = (x - a) / e + d",
    ),
    # An optional weight, a tensor of one element a row, and integers and masks beside floats.
    op(
        "Odd",
        (
            X,
            TensorSpec("r", ALL, ("...", "1")),
            TensorSpec("m", ("bool",) * 3, ("...", "H")),
            TensorSpec("i", ("int32",) * 3, ("H",)),
            replace(W, optional=True),
        ),
        "s = sum(where(m, x, 0.0) * where(present(w), w, 1.0), -1, keepdim=True)\ny = x + s * r + cast(i * 2, float32)",
    ),
)
