"""The pairs that are compared: an op of ops.yaml, and a public operator that computes the same.

Both are called with the same data, and both are judged by the same golden, in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from programs import Program
from torch import Tensor
from torch.nn import functional

EPS = 1e-6
ALPHA = 0.3
FLOATS = ("float16", "bfloat16", "float32")
HALVES = FLOATS[:2]
# Many short rows, rows of models, a row longer than a tile in most ops, and one that does not fit UB.
SHAPES = ((64, 128), (1024, 40), (512, 1024), (48, 4096), (8, 11008), (4, 100003))

Values = Mapping[str, Tensor]


@dataclass(frozen=True)
class Pair:
    """One comparison.

    ``inputs``: x, r and m have all elements (m is a mask), w and b those of one row; the operands of a product of sizes
    M, K and N are left [M, K], right [K, N] or columns [N, K], and bias [N]. ``theirs``: the arguments of the public
    operator.
    ``names``, ``their_names``: the results in the order of each side. ``shapes``: what opforge.yaml gets for tensors
    whose shape ``opforge adopt`` cannot find. ``program``: where the public kernel is not an operator.
    """

    op: str
    folder: str
    dtypes: tuple[str, ...]
    inputs: str
    theirs: Callable[[Values], list[Any]]
    golden: Callable[[Values], dict[str, Tensor]]
    names: str
    their_names: str
    shapes: Mapping[str, str]
    sizes: tuple[tuple[int, ...], ...] = SHAPES
    program: Program | None = None


def _root(x: Tensor) -> Tensor:
    return ((x * x).mean(-1, keepdim=True) + EPS).rsqrt()


def _rms(x: Tensor, w: Tensor) -> dict[str, Tensor]:
    return {"y": x * _root(x) * w, "rstd": _root(x)}


def _normed(x: Tensor, w: Tensor, b: Tensor) -> dict[str, Tensor]:
    mean = x.mean(-1, keepdim=True)
    return {"y": (x - mean) * _root(x - mean) * w + b, "mean": mean, "rstd": _root(x - mean)}


def _quantized(x: Tensor) -> dict[str, Tensor]:
    scale = x.abs().amax(-1, keepdim=True) / 127
    return {"y": (x / scale).round(), "scale": scale}


def _sum(v: Values) -> Tensor:
    return v["x"] + v["r"]


def _cast(v: Values) -> dict[str, Tensor]:
    made = _rms(_sum(v), v["w"])
    return {"y": made["y"], "y2": made["y"], "rstd": made["rstd"], "x": _sum(v)}


def _all(v: Values) -> list[Any]:
    return [*v.values()]


def _with_eps(v: Values) -> list[Any]:
    return [*v.values(), EPS]


_ROWS = dict.fromkeys(("x", "x1", "x2", "gx", "y", "y1", "y2"), "[..., H]")
_COLUMNS = dict.fromkeys(("gamma", "beta", "smooth_scales", "smooth_scale1", "smooth_scale2"), "[H]")
_NORM = {**_ROWS, **_COLUMNS, "mean": "[..., 1]", "rstd": "[..., 1]", "normalized_shape": "[1]"}
_QUANT = {**_ROWS, **_COLUMNS, "scale": "[...]", "scale1": "[...]", "scale2": "[...]"}
_SOFTMAX = {"out": "[...]"}
_FLAT = dict.fromkeys(("x", "y", "z", "self", "out"), "[...]")
_EXPERIMENTAL = "ops-nn/experimental/activation"


def _flat(op: str, public: str, function: Callable[..., Tensor], *more: Any) -> Pair:
    """An elementwise pair; ``more``: attributes of the public operator."""
    return Pair(
        f"flat_{op}", f"{_EXPERIMENTAL}/{public}", ("float16", "float32"), "x", lambda v: [*v.values(), *more],
        lambda v: {"y": function(*v.values())}, "y", "y", _FLAT,
    )  # fmt: skip


PAIRS = (
    Pair(
        "row_rms_norm", "ops-nn/norm/rms_norm", FLOATS, "x w", _with_eps,
        lambda v: _rms(v["x"], v["w"]), "y rstd", "y rstd", _NORM,
    ),
    Pair(
        "row_gemma_rms_norm", "ops-nn/norm/gemma_rms_norm", FLOATS, "x w", _with_eps,
        lambda v: _rms(v["x"], 1 + v["w"]), "y rstd", "y rstd", _NORM,
    ),
    Pair(
        "row_add_rms_norm", "ops-nn/norm/add_rms_norm", FLOATS, "x r w", _with_eps,
        lambda v: {**_rms(_sum(v), v["w"]), "x": _sum(v)}, "y rstd x", "y rstd x", _NORM,
    ),
    Pair(
        "row_add_rms_norm_cast", "ops-nn/norm/add_rms_norm_cast", HALVES, "x r w", _with_eps,
        _cast, "y y2 rstd x", "y y2 rstd x", _NORM,
    ),
    Pair(
        "row_layer_norm", "ops-nn/norm/layer_norm_v4", FLOATS, "x w b",
        lambda v: [v["x"], torch.tensor([v["x"].shape[-1]], dtype=torch.int32), v["w"], v["b"], EPS],
        lambda v: _normed(v["x"], v["w"], v["b"]), "y mean rstd", "y mean rstd", _NORM,
    ),
    Pair(
        "row_deep_norm", "ops-nn/norm/deep_norm", FLOATS, "x r b w", lambda v: [*v.values(), ALPHA, EPS],
        lambda v: _normed(v["x"] * ALPHA + v["r"], v["w"], v["b"]), "mean rstd y", "mean rstd y", _NORM,
    ),
    Pair(
        "row_softmax", "cann-ops/src/math/inplace_attn_softmax", FLOATS, "x", _all,
        lambda v: {"y": torch.softmax(v["x"], -1)}, "y", "y", _SOFTMAX,
    ),
    Pair(
        "row_log_softmax", "ops-nn/experimental/activation/log_softmax_v2", FLOATS, "x", _all,
        lambda v: {"y": torch.log_softmax(v["x"], -1)}, "y", "y", _SOFTMAX,
    ),
    Pair(
        "row_masked_softmax", "ops-nn/vfusion/scaled_masked_softmax_v2", FLOATS, "x m",
        lambda v: [v["x"][None, None], v["m"][None, None], 1.0, False],
        lambda v: {"y": torch.softmax(torch.where(v["m"] > 0, -10000.0, v["x"]), -1)}, "y", "y", _SOFTMAX,
    ),
    Pair(
        "row_dynamic_quant", "ops-nn/quant/dynamic_quant", HALVES, "x", _all,
        lambda v: _quantized(v["x"]), "y scale", "y scale", _QUANT,
    ),
    Pair(
        "row_rms_norm_dynamic_quant", "ops-nn/norm/rms_norm_dynamic_quant", HALVES, "x w",
        lambda v: [v["x"], v["w"], None, None, EPS],
        lambda v: _quantized(_rms(v["x"], v["w"])["y"]), "y scale", "y scale", _QUANT,
    ),
    Pair(
        "row_add_rms_norm_dynamic_quant", "ops-nn/norm/add_rms_norm_dynamic_quant", HALVES, "x r w",
        lambda v: [*v.values(), None, None, None, EPS],
        lambda v: {**_quantized(_rms(_sum(v), v["w"])["y"]), "x": _sum(v)}, "y x scale", "y y2 x scale scale2", _QUANT,
    ),
    _flat("gelu_tanh", "gelu", lambda x: functional.gelu(x, approximate="tanh")),
    _flat("mish", "mish", functional.mish),
    _flat("silu", "swish", functional.silu, 1.0),
    _flat("softplus", "softplus", functional.softplus),
    _flat("hardswish", "hard_swish_v2", functional.hardswish),
    _flat("log_sigmoid", "logsigmoid_v2", functional.logsigmoid),
    _flat("celu", "celu_v3", functional.celu, 1.0),
)  # fmt: skip


def _whole(name: str, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of an input in a case."""
    if name in ("x", "r", "m"):
        return shape
    products = {"left": shape[:2], "right": shape[1:], "columns": shape[:0:-1]}
    return products.get(name, shape[-1:])


def inputs_of(pair: Pair, shape: tuple[int, ...], dtype: str) -> dict[str, Tensor]:
    """The data of a case, the same for both sides: normal numbers, and a mask that is set for three of ten elements."""
    made = {}
    for seed, name in enumerate(pair.inputs.split()):
        generator = torch.Generator().manual_seed(seed)
        if name == "m":
            made[name] = torch.rand(shape, generator=generator) < 0.3
        else:
            made[name] = torch.randn(_whole(name, shape), generator=generator).to(getattr(torch, dtype))
    return made


def worst_errors(pair: Pair, inputs: Values, results: Mapping[str, Tensor]) -> dict[str, list[float]]:
    """Of each result with a golden: the largest error, and the mean one, of the golden's largest magnitude."""
    found = {}
    for name, golden in pair.golden({name: value.double() for name, value in inputs.items()}).items():
        error = (results[name].double().reshape(golden.shape) - golden).abs() / golden.abs().max()
        found[name] = [float(f"{float(number):.3g}") for number in (error.max(), error.mean())]
    return found
