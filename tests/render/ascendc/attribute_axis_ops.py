"""Ops that reduce one dimension of tensors of any rank: an attribute gives it, or it is the first one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from generated_ops import ALL

from opforge.spec.model import AttrSpec, OpSpec, TensorSpec
from tests.parsed import parsed

DIM = AttrSpec("dim", "int", -1, axis=True)


KEPT, DROPPED = "...kept", "...dropped"


def over_dim(
    name: str,
    inputs: str,
    compute: Sequence[str],
    attrs: Sequence[AttrSpec] = (DIM,),
    results: Mapping[str, str] = MappingProxyType({"y": "..."}),
) -> OpSpec:
    """An op of inputs ``[...]``. ``results`` are the shapes of its results by name."""
    tensors = tuple(TensorSpec(each, ALL, ("...",)) for each in inputs.split())
    made = tuple(TensorSpec(each, ALL, (dim,)) for each, dim in results.items())
    return parsed(OpSpec(name, tensors, tuple(attrs), made, "\n".join(compute)))


ATTRIBUTE_AXES = (
    over_dim("SoftmaxOver", "x", ["y = softmax(x, dim)"]),
    over_dim("LogSoftmaxOver", "x", ["y = log_softmax(x, dim)"]),
    # Sizes of the dimension, several reductions, two inputs, the attribute as a number.
    over_dim(
        "NormOver",
        "x w",
        [
            "d = x - mean(x, dim, keepdim=True)",
            "v = var(x, dim, 0, keepdim=True)",
            "y = d * w * rsqrt(v + 1e-5) + amax(abs(x), dim, keepdim=True) * dim",
        ],
    ),
    over_dim("CentredOnFirst", "x", ["y = x - mean(x, 0, keepdim=True)"], ()),
    # Results with one element for each row.
    over_dim("SumOver", "x", ["y = sum(x, dim)"], results={"y": DROPPED}),
    over_dim(
        "MomentsOver",
        "x w",
        ["m = mean(x, dim, keepdim=True)", "v = var(x, dim, 0)", "d = (x - m) * w"],
        results={"m": KEPT, "v": DROPPED, "d": "..."},
    ),
    over_dim("NormsOver", "x", ["n = norm(x, 2, dim)", "s = logsumexp(x, dim)"], results={"n": DROPPED, "s": DROPPED}),
    # Its gradient reduces nothing.
    over_dim("MeanProductOver", "x w", ["y = mean(x * w, dim)"], results={"y": DROPPED}),
    over_dim("LargestOfFirst", "x", ["y = amax(x, 0)"], (), {"y": DROPPED}),
)
