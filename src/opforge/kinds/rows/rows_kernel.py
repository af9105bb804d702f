"""The kernel of an op with rows: its plan, which its other parts read."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.expression_kernel import ExpressionKernel

if TYPE_CHECKING:
    from opforge.kinds.rows.plan import RowsPlan
    from opforge.plan.vector_model import Plan


@dataclass(frozen=True)
class RowsKernel(ExpressionKernel):
    """A kernel with the plan of an op with reductions."""

    @cached_property
    def plan(self) -> RowsPlan:
        from opforge.kinds.rows.plan import plan_rows

        return plan_rows(self.op, self.expression, self.socs)

    @property
    def vector(self) -> Plan:
        return self.plan.whole
