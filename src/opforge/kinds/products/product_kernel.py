"""The kernel of an op with matrix products: the ops that it takes, and its plan. ``Products`` adds the files."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from opforge.errors import InternalError
from opforge.frozen import dataclass
from opforge.ir.product_shapes import ProductShape, product_shape
from opforge.kinds.expression_kernel import ExpressionKernel

if TYPE_CHECKING:
    from opforge.ir.graph import Graph
    from opforge.kinds.products.plan import MatmulPlan
    from opforge.plan.vector_model import Plan
    from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class MultiplyingKernel(ExpressionKernel):
    """A kernel whose products all have the same shape."""

    @cached_property
    def shape(self) -> ProductShape:
        """The common shape of the op's products."""
        shape = product_shape(self.op, self.expression)
        if shape is None:
            raise InternalError(f"{self.op.type} has no products")
        return shape

    @property
    def leading_rows(self) -> bool:
        return True


@dataclass(frozen=True)
class ProductKernel(MultiplyingKernel):
    """A kernel whose vector cores compute an elementwise epilogue, tile by tile of the products."""

    @classmethod
    def takes(cls, op: OpSpec, graph: Graph | None) -> bool:
        return graph is not None and bool(graph.products) and not graph.reductions

    @cached_property
    def plan(self) -> MatmulPlan:
        from opforge.kinds.products.plan import plan_products

        return plan_products(self.op, self.expression, self.shape, self.socs)

    @property
    def vector(self) -> Plan:
        return self.plan.epilogue
