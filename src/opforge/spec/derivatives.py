"""Decides which ops have a backward: those that can be differentiated and whose gradients autograd can use."""

from __future__ import annotations

from opforge.dtypes import DTYPES
from opforge.spec.model import OpSpec


def why_no_backward(op: OpSpec) -> str | None:
    """Why an op cannot have a backward; None if it can. It then has one unless the spec says ``backward: false``."""
    if op.handwritten and op.reference is None and op.gradient is None:
        return "without `compute` or `reference` there is nothing to differentiate"
    written = next((output for output in op.outputs if output.inplace is not None), None)
    if written is not None:
        return (
            f"`{written.name}` is written to `{written.inplace}`: autograd does not support a backward of in-place ops"
        )
    differentiable = [t for t in op.inputs if not t.scalar and t.value_depend is None]
    if not any(DTYPES[dtype].floating for tensor in differentiable for dtype in tensor.dtypes):
        return "no input has a dtype that a gradient can have"
    if not any(DTYPES[dtype].floating for tensor in op.outputs for dtype in tensor.dtypes):
        return "no output has a dtype that a gradient can have"
    return None
