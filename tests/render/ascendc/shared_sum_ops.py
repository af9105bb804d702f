"""Ops whose cores may share the sums of products."""

from __future__ import annotations

from dataclasses import replace

from generated_ops import ALL, PRODUCTS

from opforge.spec.model import OpSpec, TensorSpec


def _shared(name: str) -> OpSpec:
    op = next(each for each in PRODUCTS if each.type == name)
    return replace(op, type=f"Shared{name}", batch_invariant=False)


# Both operands as they are stored, both transposed with two results, and a result wider than the operands.
SHARED_SUMS = (_shared("PlainMatmul"), _shared("TwoProducts"), _shared("WideProduct"))

# With an epilogue: two products, a transposed weight and an optional bias, an attribute, and a residual.
_RESIDUAL = OpSpec(
    "SharedResidual",
    (TensorSpec("a", ALL, ("K", "M")), TensorSpec("b", ALL, ("K", "N")), TensorSpec("residual", ALL, ("M", "N"))),
    (),
    (TensorSpec("y", ALL, ("M", "N")),),
    "y = relu(a.T @ b) + residual",
    batch_invariant=False,
)
FUSED_SUMS = (_shared("SwiGLU"), _shared("Linear"), _shared("MatmulLeakyRelu"), _RESIDUAL)
