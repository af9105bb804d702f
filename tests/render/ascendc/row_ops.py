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


def in_float32(made: OpSpec, name: str) -> OpSpec:
    """The op with one result in float32 in each column."""
    outputs = (replace(t, dtypes=("float32",) * len(ALL)) if t.name == name else t for t in made.outputs)
    return replace(made, outputs=tuple(outputs))


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
        "a = (s - x) / t + t / (x * x + t) - minimum(s, x) + maximum(x, s) * (x - t)\n"
        "c = where(s > 0.25, x, w) + where(x > s, s, t) + where(s < t, x * alpha, t)\n"
        "y = a + c + tanh(s) * gelu(x) + erf(t * x) * (2.0 - s) + where(s > t, s, 1.0 / t)",
    ),
    # What depends on columns only: in place, repeated in a tile, and of a column that is read twice.
    op(
        "Columns",
        (X, W, B, replace(W, name="g")),
        "s = rsqrt(mean(x * x, -1, keepdim=True) + 1e-6)\n"
        "y = x * s * (1.0 + w) + where(x > 0.0, 2.0 * b - alpha, x) * (g + 1.0) - g",
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
        "s = sum(where(m, x, 0.0) * where(present(w), w, 1.0), -1, keepdim=True)\n"
        "y, t = x + s * r + cast(i * 2, float32), s * s",
        kept=["t"],
    ),
)

# Inputs with one element for each row.
R = TensorSpec("r", ALL, ("...", "1"))
ROW_INPUTS = (
    # Before a reduction, in what is computed from it alone, as a mask, and as a result beside reductions.
    op(
        "Given",
        (X, R, TensorSpec("n", ("int32",) * 3, ("...", "1")), TensorSpec("m", ("bool",) * 3, ("...", "1")), W),
        "s = exp(r) * 0.5\n"
        "t = amax(abs(x * s), -1, keepdim=True) + r * r\n"
        "y, z = where(r > 0.25, x, w) * t + where(m, x, s) - cast(n, float32) * x, t + tanh(r)",
        kept=["z"],
    ),
    # Two reductions, one after the other, and a value that is needed before and after them.
    op(
        "Scaled",
        (X, R),
        "d = x * r - mean(x * r, -1, keepdim=True)\ny = d * rsqrt(mean(d * d, -1, keepdim=True) + 1.0 + r * r)",
    ),
    op(
        "Alone",
        (X,),
        "d = x * 2.0 - mean(x * 2.0, -1, keepdim=True)\ny = d * rsqrt(mean(d * d, -1, keepdim=True) + 1.0)",
    ),
    op("Weighted", (X, R), "y = sum(x * x, -1, keepdim=True) * r", kept=["y"]),
    # Results without the dimension of a row, of inputs without it.
    op(
        "Masked",
        (X, replace(R, name="w", dims=("...",)), TensorSpec("m", ("bool",) * 3, ("...",))),
        "y = where(m, logsumexp(x, -1), 0.5) * w",
        rows=["y"],
    ),
    # One element for all rows.
    op("Tempered", (X, replace(R, name="s", dims=())), "y = softmax(x * s, -1) - s"),
    # A number of the caller.
    op(
        "Numbered",
        (X, replace(R, name="a", dims=(), scalar=True)),
        "y = sum(x * x + a, -1, keepdim=True) * a + a",
        kept=["y"],
    ),
    # An input that may be missing, as a value of rows and beside elements.
    op(
        "Optional",
        (X, replace(R, optional=True), W),
        "k = where(present(r), r, 0.5)\ny, z = x * exp(k) * w, sum(x * x * k, -1, keepdim=True) * k + tanh(k)",
        kept=["z"],
    ),
    # Its gradients read the result that is float32 in each column.
    in_float32(
        op("Keeping", (X, W), "s = rsqrt(mean(x * x, -1, keepdim=True) + 1e-6)\ny, rstd = x * s * w, s", kept=["rstd"]),
        "rstd",
    ),
)


def over(name: str, shapes: str, compute: Sequence[str], results: str = "") -> OpSpec:
    """An op of the shapes ``x: B N H; w: H``; ``results`` are those of results that have one element for each row."""
    given = [text.split(": ") for text in shapes.split("; ")]
    inputs = [TensorSpec(tensor, ALL, tuple(dims.split())) for tensor, dims in given]
    outputs = compute[-1].split(" = ")[0].split(", ")
    own = dict(text.split(":") for text in results.split("; ")) if results else {}
    dims = {each: tuple(own[each].split()) if each in own else inputs[0].dims for each in outputs}
    made = tuple(TensorSpec(each, ALL, dims[each]) for each in outputs)
    return parsed(OpSpec(name, tuple(inputs), (), made, "\n".join(compute)))


# Reductions over dimensions other than the last one alone: along the last dimension and others, over all of them, and
# across tiles.
AXES = (
    over("MeanOfAll", "x: ...", ["y = mean(x)"], "y:"),
    over("CentredOnAll", "x: ...; r: ...", ["t = x * r", "y = (t - mean(t)) / (std(t) + 1.0)"]),
    over(
        "LastTwo",
        "x: ... N H; w: H",
        ["y, m = x * w - amax(x * w, (-2, -1), keepdim=True), sum(x, (-1, -2))"],
        "m:...",
    ),
    over(
        "BatchNorm",
        "x: B N H; w: N 1",
        ["d = x - mean(x, (0, 2), keepdim=True)", "y = d * rsqrt(mean(d * d, (0, 2), keepdim=True) + 1e-5) * w"],
    ),
    over("Moments", "x: B N H", ["m, v = mean(x, (0, 2)), var(x, (0, 2))"], "m:N; v:N"),
    over("SoftmaxAcross", "x: ... N H", ["y = softmax(x, -2)"]),
    over(
        "NormAcross",
        "x: B N H; r: B 1 H; w: N 1; g: H",
        [
            "d = x * r - mean(x * r, 1, keepdim=True)",
            "v = mean(d * d, 1, keepdim=True)",
            "y, rstd = where(v > 0.5, d, d * 2.0) * rsqrt(v + 1e-6) * w + g, rsqrt(v + 1e-6)",
        ],
        "rstd:B 1 H",
    ),
    over("LeastOfFirst", "x: N H", ["y, lo, hi = x - mean(x, 0), amin(x, 0), amax(abs(x), 0)"], "lo:H; hi:H"),
    over("AcrossTwo", "x: B M N H", ["y, total = x - sum(x, (0, 2), keepdim=True), sum(x, (0, 2))"], "total:M H"),
)
