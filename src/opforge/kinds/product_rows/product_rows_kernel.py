"""The kernel of an op with rows of matrix products: the ops that it takes, and its plan."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.products.product_kernel import MultiplyingKernel

if TYPE_CHECKING:
    from opforge.ir.graph import Graph
    from opforge.kinds.product_rows.plan import ProductRowsPlan
    from opforge.plan.vector_model import Plan
    from opforge.spec.model import AttrSpec, OpSpec


@dataclass(frozen=True)
class ProductRowsKernel(MultiplyingKernel):
    """A kernel that computes whole products first, and then their rows."""

    @classmethod
    def takes(cls, op: OpSpec, graph: Graph | None) -> bool:
        return graph is not None and bool(graph.products) and bool(graph.reductions)

    @cached_property
    def plan(self) -> ProductRowsPlan:
        from opforge.kinds.product_rows.plan import plan_product_rows

        return plan_product_rows(self.op, self.expression, self.shape, self.socs)

    @property
    def vector(self) -> Plan:
        return self.plan.rows.whole

    def host_attributes(self) -> tuple[AttrSpec, ...]:
        from opforge.render.ascendc.scalars import tiling_attributes

        return tiling_attributes(self.op, self.plan.graph, self.vector.scalars)
