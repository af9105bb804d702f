"""Ops with the number of an extreme along other dimensions than the last one, and their meaning in torch."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from generated_ops import ALL
from torch import Tensor

from opforge.frozen import dataclass
from opforge.spec.model import AttrSpec, OpSpec, TensorSpec
from tests.parsed import parsed

DIM = AttrSpec("dim", "int", -1, axis=True)
DROPPED, KEPT = "...dropped", "...kept"


@dataclass(frozen=True)
class IndexOp:
    """An op and its results in torch, from its inputs and the dimension that a call gives, if it does."""

    op: OpSpec
    meaning: Callable[..., tuple[Tensor, ...]]


def index_op(
    name: str, shapes: str, compute: Sequence[str], results: str, meaning: Callable[..., tuple[Tensor, ...]]
) -> IndexOp:
    """Shapes are written ``x: B C H; w: H``, results ``i: B H, int64``; without a dtype, they have that of x."""
    given = [text.split(": ") for text in shapes.split("; ")]
    inputs = tuple(TensorSpec(tensor, ALL, tuple(dims.split())) for tensor, dims in given)
    made = []
    for text in results.split("; "):
        dims, _, dtype = text.partition(": ")[2].partition(", ")
        made.append(TensorSpec(text.split(": ")[0], (dtype,) * 3 if dtype else ALL, tuple(dims.split())))
    attrs = (DIM,) if any("dim)" in line or "dim," in line for line in compute) else ()
    return IndexOp(parsed(OpSpec(name, inputs, attrs, tuple(made), "\n".join(compute))), meaning)


INDEX_AXES = (
    # Segmentation: the class of each pixel.
    index_op("ArgMaxOfChannels", "x: B C H", ["i = argmax(x, 1)"], "i: B H, int64", lambda x: (x.argmax(1),)),
    index_op(
        "ArgMinOfFirst",
        "x: C H",
        ["i = cast(argmin(x, dim=0, keepdim=True), int32)"],
        "i: 1 H, int32",
        lambda x: (x.argmin(0, keepdim=True).int(),),
    ),
    index_op(
        "MaxOfLines", "x: ... C H", ["v, i = max(x, -2)"], "v: ... H; i: ... H, int64", lambda x: tuple(x.max(-2))
    ),
    # Inputs whose dimensions cannot be merged; the dimensions stay.
    index_op(
        "MinOfPlanes",
        "x: ... A C H; w: A 1 H",
        ["v, i = min(x * w, -3, keepdim=True)"],
        "v: ... 1 C H; i: ... 1 C H, int64",
        lambda x, w: tuple((x * w).min(-3, keepdim=True)),
    ),
    # Indices as numbers, beside the numbers of the elements in a whole result.
    index_op(
        "BetweenExtremes",
        "x: ... C H",
        [
            "i = cast(argmax(x, -2, keepdim=True), float32)",
            "j = cast(argmin(x, -2, keepdim=True), float32)",
            "y = x * (j - i)",
        ],
        "y: ... C H",
        lambda x: (x * (x.argmin(-2, keepdim=True) - x.argmax(-2, keepdim=True)),),
    ),
    # The dimension of a call, and the first one of a tensor of any rank.
    index_op("ArgMaxOver", "x: ...", ["i = argmax(x, dim)"], f"i: {DROPPED}, int64", lambda x, dim: (x.argmax(dim),)),
    index_op(
        "MaxOver",
        "x: ...",
        ["v, i = max(x, dim, keepdim=True)"],
        f"v: {KEPT}; i: {KEPT}, int64",
        lambda x, dim: tuple(x.max(dim, keepdim=True)),
    ),
    index_op(
        "MinOfAnyRank",
        "x: ...",
        ["v, i = min(x, 0)"],
        f"v: {DROPPED}; i: {DROPPED}, int64",
        lambda x: tuple(x.min(0)),
    ),
)
