"""Renders the derivative of an op with matrix products as a C++ function of op-plugin.

As in _ops.py, the products are computed again, and ATen's products and sums turn the kernel's gradients into those of
the inputs.
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from opforge.ir.graph import Node
from opforge.render.torch.op_plugin.cpp_derivative import CppBackward
from opforge.render.torch.signature import Signature
from opforge.spec.model import TensorSpec

if TYPE_CHECKING:
    from opforge.kinds.products.product_kernel import MultiplyingKernel
    from opforge.program import Program


class ProductsBackward(CppBackward):
    """Sums one term for each product that uses the input, and one more if the epilogue reads it."""

    def __init__(self, program: Program, kernel: MultiplyingKernel, prefix: str) -> None:
        super().__init__(program, kernel, prefix)
        self.shape = kernel.shape
        self.products = {node.name or "": node for node in self.graph.products}

    @property
    def reached(self) -> AbstractSet[str]:
        return {name for made, node in self.products.items() if made in self.gradients for name in self._operands(node)}

    def made(self, tensor: TensorSpec, grad: str) -> str | None:
        if tensor.name not in self.products:
            return None
        node = self.products[tensor.name]
        left, right = self._operands(node)
        dtypes = next(each.dtypes for each in self.signature.op.inputs if each.name == left)
        cast = f".to({grad}.scalar_type())" if tensor.dtypes != dtypes else ""
        return f"{_product(left, right, node.transposed)}{cast}"

    def stand_in(self, kernel: Signature, name: str, grad: str) -> tuple[str, str]:  # noqa: ARG002
        size = f"{{{grad}.size(-1)}}" if name in self.shape.row_vectors else f"{grad}.sizes()"
        return self._columns if self.graph.reductions else size, f"{grad}.options()"

    @property
    def _columns(self) -> str:
        """The size of a row of the products."""
        place = 0 if self.shape.transposed[1] else 1
        return f"{self.shape.right[0]}.sizes().slice({place}, 1)"

    def gradient(self, name: str, grads: Mapping[str, str]) -> str:
        made = self.kernel.op.outputs if self.kernel is not None else ()
        dtypes = {tensor.name: tensor.dtypes for tensor in made}
        dtypes |= {f"grad_{tensor.name}": tensor.dtypes for tensor in self.signature.op.outputs}
        given = {tensor.name: tensor.dtypes for tensor in self.signature.op.inputs}
        row_grads = {f"grad_{output.name}" for output in self.row_results}
        whole = {
            held: f"{text}.expand(at::infer_size({text}.sizes(), {self._columns}))" if held in row_grads else text
            for held, text in grads.items()
        }
        folds = self.shape.rows == ("...",)

        def rows(tensor: str) -> str:
            return f"custom_op::folded({tensor})" if folds else tensor

        def cast(holder: str, target: str, at: str) -> str:
            return whole[holder] if dtypes[holder] == given[target] else f"{whole[holder]}.to({at}scalar_type())"

        terms = []
        for product, node in self.products.items():
            holder = self.gradients.get(product)
            left, right = self._operands(node)
            if holder is None or name not in (left, right):
                continue
            grad = cast(holder, left, f"{left}.")
            first, second = node.transposed
            if name == left:
                turned = _product(right, grad, (second, True))
                terms.append(turned if first else _product(grad, right, (False, not second)))
            if name == right:
                folded, kept = rows(grad), rows(left)
                turned = _product(folded, kept, (True, first))
                terms.append(turned if second else _product(kept, folded, (not first, False)))
        holder = self.gradients.get(name)
        if holder is not None:
            grad = cast(holder, name, f"{name}->" if name in self.signature.optional else f"{name}.")
            terms.append(f"custom_op::folded({grad}).sum(0)" if name in self.shape.row_vectors else grad)
        return " + ".join(terms)

    def _operands(self, node: Node) -> tuple[str, str]:
        left, right = (self.graph[operand].name or "" for operand in node.operands)
        return left, right


def _product(left: str, right: str, transposed: tuple[bool, bool]) -> str:
    return f"at::matmul({left}{'.mT()' if transposed[0] else ''}, {right}{'.mT()' if transposed[1] else ''})"
