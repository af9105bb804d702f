"""Ops that reduce one dimension of tensors of any rank: an attribute gives it, or it is the first one."""

from __future__ import annotations

from collections.abc import Sequence

from generated_ops import ALL

from opforge.spec.model import AttrSpec, OpSpec, TensorSpec
from tests.parsed import parsed

DIM = AttrSpec("dim", "int", -1, axis=True)


def over_dim(name: str, inputs: str, compute: Sequence[str], attrs: Sequence[AttrSpec] = (DIM,)) -> OpSpec:
    """An op of inputs ``[...]``."""
    tensors = tuple(TensorSpec(each, ALL, ("...",)) for each in inputs.split())
    outputs = compute[-1].split(" = ")[0].split(", ")
    made = tuple(TensorSpec(each, ALL, ("...",)) for each in outputs)
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
)
