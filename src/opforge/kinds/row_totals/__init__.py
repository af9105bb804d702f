"""The kind of ops that reduce rows, and then the values of all rows: vector cores compute one part after the other."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.row_totals.row_totals_kernel import RowTotalsKernel
from opforge.kinds.shared_headers import ROWS, SYMBOLS, kernel_header, row_headers
from opforge.program import Golden, SharedHeader, TestTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.fileset import File
    from opforge.ir.graph import Graph
    from opforge.kinds.row_totals.torch_side import RowTotalsTorch
    from opforge.program import Program, TrialCase
    from opforge.spec.model import AttrSpec, OpSpec


@dataclass(frozen=True)
class RowTotals(RowTotalsKernel):
    """The kernel of an op that reduces the values of all rows."""

    @classmethod
    def takes(cls, op: OpSpec, graph: Graph | None) -> bool:
        return graph is not None and bool(graph.totals)

    @cached_property
    def torch(self) -> RowTotalsTorch:
        from opforge.kinds.row_totals.torch_side import RowTotalsTorch

        return RowTotalsTorch(self)

    @property
    def own_shapes(self) -> bool:
        return True

    @property
    def leading_alike(self) -> bool:
        return True

    @property
    def waits_for_all(self) -> bool:
        return True

    @property
    def golden(self) -> Golden:
        from opforge.kinds.row_totals.golden import golden_of

        return golden_of(self.op, self.expression)

    def host_attributes(self) -> tuple[AttrSpec, ...]:
        from opforge.render.ascendc.scalars import tiling_attributes

        parts = (self.plan.rows, self.plan.totals)
        read = [tiling_attributes(each.part.op, each.part.graph, each.plan.whole.scalars) for each in parts]
        return tuple(attr for attr in self.op.attrs if any(attr in attrs for attrs in read))

    def device_files(self) -> tuple[File, ...]:
        from opforge.kinds.row_totals.files import device_files

        return device_files(self)

    def headers(self) -> tuple[SharedHeader, ...]:
        from opforge.render.ascendc.vector_code import calls_functions

        host = (ROWS, SYMBOLS)
        multiplies = any(each.plan.multiplies for each in (self.plan.rows, self.plan.totals))
        device = [*row_headers(multiplies=multiplies), kernel_header("tile_io.h")]
        plans = (self.plan.rows.plan.whole, self.plan.totals.plan.whole)
        device += [kernel_header("vector_math.h")] if any(map(calls_functions, plans)) else []
        return (*host, *device)

    def trial_cases(self) -> tuple[TrialCase, ...]:
        from opforge.render.ascendc.trials import symbol_cases

        cases = symbol_cases(self.op, own_shapes=True)
        # The programs visit the elements of rows: they compute no result of no elements.
        return tuple(case for case in cases if not any(0 in shape for shape in case.inputs))

    def launch_files(self) -> tuple[File, ...]:
        from opforge.kinds.row_totals.files import launch_files

        return launch_files(self)

    @classmethod
    def test_files(cls, program: Program, kernels: Sequence[RowTotals]) -> tuple[File, ...]:
        from opforge.kinds.row_totals.tests import test_files

        return test_files(program, kernels)

    @classmethod
    def test_table(cls) -> TestTable | None:
        return TestTable("row_total_cases", "ROW_TOTALS")

    def describe(self) -> tuple[str, ...]:
        from opforge.kinds.row_totals.description import describe

        return describe(self.plan)
