"""The part of ops with matrix products in the package for PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.program import BackwardFunction, Derivative, Program, TorchSide

if TYPE_CHECKING:
    from opforge.kinds.products.product_kernel import MultiplyingKernel


@dataclass(frozen=True)
class ProductsTorch(TorchSide):
    """The torch side of ops whose inputs have matching symbols. Leading dimensions are rows."""

    kernel: MultiplyingKernel

    @property
    def nature(self) -> str:
        return "matrix products and the rest of the expression in one kernel"

    @property
    def summary(self) -> str:
        return (
            "Matrix products and the rest of the expression in one kernel; "
            "leading dimensions of the first operand are rows."
        )

    def gradient(self, kernel: str) -> str:
        products = self.kernel.expression.products
        names = " and ".join(f"`{product.name}`" for product in products)
        again = "are computed" if len(products) > 1 else "is computed"
        return (
            f"Its gradient is derived from the expression. {names} {again} again in the backward pass, not kept. The "
            f"kernel `{kernel}` differentiates the rest of the expression; PyTorch's own products give the gradients "
            "of the operands."
        )

    @property
    def refused_shapes(self) -> str:
        return "a symbol has two sizes, or more than int32 holds, or a rank is wrong"

    @property
    def autocasts(self) -> bool:
        return True

    @property
    def measured_fields(self) -> Mapping[str, Sequence[str]]:
        shape = self.kernel.shape
        return {"left": shape.left, "right": shape.right, "products": (*shape.rows, shape.n, shape.k)}

    def makes_shape(self, inputs: AbstractSet[str], operators: AbstractSet[str]) -> bool:  # noqa: ARG002
        return "matmul" in operators

    def output_shape(self, shapes: Sequence[str]) -> str:  # noqa: ARG002
        from opforge.render.torch.spelling import product

        graph = self.kernel.expression
        first = graph.products[0]
        left, right = (graph[operand].name or "" for operand in first.operands)
        return f"({product(left, right, first.transposed)}).shape"

    def summed_over(self, name: str) -> str | None:
        shape = self.kernel.shape
        return shape.k if name in (*shape.left, *shape.right) else None

    def derivatives(self, program: Program) -> Mapping[str, Derivative]:
        from opforge.kinds.products.derivative import product_derivative
        from opforge.render.torch.signature import signature_of

        kernel, gradient = self.kernel, program.gradient(self.kernel)
        if kernel.backward is None:
            return {}
        inner = None if gradient is None else signature_of(program, gradient)
        signature = signature_of(program, kernel)
        return {kernel.op.type: product_derivative(signature, kernel.shape, kernel.backward, inner)}

    def backward_function(self, program: Program, prefix: str) -> BackwardFunction | None:
        from opforge.kinds.products.cpp_derivative import ProductsBackward

        return ProductsBackward(program, self.kernel, prefix).function()
