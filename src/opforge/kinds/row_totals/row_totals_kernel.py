"""The kernel of an op that reduces the values of all rows: its plan, which its other parts read."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.expression_kernel import ExpressionKernel

if TYPE_CHECKING:
    from opforge.kinds.row_totals.plan import RowTotalsPlan
    from opforge.plan.vector_model import Plan


@dataclass(frozen=True)
class RowTotalsKernel(ExpressionKernel):
    """A kernel with the plans of the rows and of the totals."""

    @cached_property
    def plan(self) -> RowTotalsPlan:
        from opforge.kinds.row_totals.plan import plan_row_totals

        return plan_row_totals(self.op, self.expression, self.socs)

    @property
    def vector(self) -> Plan:
        return self.plan.rows.plan.whole
