"""Plans an op that reduces the values of all rows: the rows, and then the totals, of which those values are one row.

The values stay float32 in the workspace between the two parts. A core computes the totals in one fixed order, so that
they do not depend on the number of cores.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.ir.totals_cut import cut_at_totals
from opforge.kinds.rows.plan import plan_rows
from opforge.plan.vector_model import Argument, Arguments
from opforge.spec.combinations import combinations

if TYPE_CHECKING:
    from opforge.ir.graph import Graph
    from opforge.ir.totals_cut import Part
    from opforge.kinds.rows.plan import RowsPlan
    from opforge.soc import Soc
    from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class PlannedPart:
    """A part of the op and its plan, that of an op with rows."""

    part: Part
    plan: RowsPlan


@dataclass(frozen=True)
class RowTotalsPlan(Arguments):
    """The plan of one op. ``arguments`` are the op's, in declaration order; ``rows`` come first, then ``totals``."""

    arguments: tuple[Argument, ...]
    rows: PlannedPart
    totals: PlannedPart

    @property
    def values(self) -> tuple[Argument, ...]:
        """The values that the rows leave in the workspace for the totals."""
        return self.totals.plan.inputs


def plan_row_totals(op: OpSpec, graph: Graph, socs: tuple[Soc, ...]) -> RowTotalsPlan:
    """The plan for all ``socs``, which share the kernel's source. Raises PlanError as ``plan_rows`` does."""
    rows, totals = (PlannedPart(part, plan_rows(part.op, part.graph, socs)) for part in cut_at_totals(op, graph))
    columns = zip(*combinations(op), strict=True)
    arguments = tuple(
        replace(argument, dtypes=dtypes)
        for argument, dtypes in zip((*rows.plan.inputs, *totals.plan.outputs), columns, strict=True)
    )
    return RowTotalsPlan(arguments, rows, totals)
