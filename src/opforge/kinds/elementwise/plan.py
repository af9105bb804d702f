"""Plans an elementwise op: vector instructions over tiles of all its tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.plan.banks import shifted_places
from opforge.plan.coupled import check_vector
from opforge.plan.lowering import lower
from opforge.plan.ub_buffers import allocate
from opforge.plan.vector import arguments_of, check_socs, rows_of, vector_plan

if TYPE_CHECKING:
    from opforge.ir.graph import Graph
    from opforge.plan.vector_model import Plan
    from opforge.soc import Soc
    from opforge.spec.model import OpSpec

# Instructions that read two tiles: with fewer, copying the tiles takes longer than all of them.
_FEWEST_PAIRS = 3


def plan_elementwise(op: OpSpec, graph: Graph, socs: tuple[Soc, ...]) -> Plan:
    """The plan of an elementwise op for all ``socs``, which share the kernel's source.

    Raises PlanError, with the numbers, for a SoC or dtype that generated kernels do not support, for more tensors than
    queue buffers, and for an expression whose smallest tile exceeds the unified buffer.
    """
    rows = rows_of(op, socs)
    check_socs(op, rows, socs)
    lowered = lower(graph)
    allocation = allocate(lowered)
    shifted = shifted_places(allocation.instructions, _FEWEST_PAIRS)
    plan = vector_plan(op, arguments_of(op, lowered), lowered, socs, allocation=allocation, shifted=shifted)
    check_vector(plan, socs, rows)
    return plan
