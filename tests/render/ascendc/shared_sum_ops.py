"""Ops whose cores may share the sums of products."""

from __future__ import annotations

from dataclasses import replace

from generated_ops import PRODUCTS

from opforge.spec.model import OpSpec


def _shared(name: str) -> OpSpec:
    op = next(each for each in PRODUCTS if each.type == name)
    return replace(op, type=f"Shared{name}", batch_invariant=False)


# Both operands as they are stored, both transposed with two results, and a result wider than the operands.
SHARED_SUMS = (_shared("PlainMatmul"), _shared("TwoProducts"), _shared("WideProduct"))

# With an epilogue: two products, bias and activation, one of everything (residual, optional inputs, transposed, two results).
FUSED_SUMS = (_shared("SwiGLU"), _shared("Linear"), _shared("MatmulLeakyRelu"), _shared("Everything"))
