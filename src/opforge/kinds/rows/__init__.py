"""The kind of ops with reductions: vector cores run the expression over tiles of whole rows."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.rows.rows_kernel import RowsKernel
from opforge.kinds.shared_headers import ROWS, SYMBOLS, row_headers
from opforge.program import Golden, SharedHeader, TestTable
from opforge.spec.axes import LAST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opforge.fileset import File
    from opforge.ir.graph import Graph
    from opforge.kinds.rows.plan import RowsPlan
    from opforge.kinds.rows.torch_side import RowsTorch
    from opforge.plan.split_plan import RankedPlan
    from opforge.program import Program, Shape, TrialCase
    from opforge.soc import SocVersion
    from opforge.spec.combinations import Row
    from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class Rows(RowsKernel):
    """The kernel of an op with reductions."""

    @classmethod
    def takes(cls, op: OpSpec, graph: Graph | None) -> bool:
        return graph is not None and bool(graph.reductions) and not graph.products

    @cached_property
    def torch(self) -> RowsTorch:
        from opforge.kinds.rows.torch_side import RowsTorch

        return RowsTorch(self)

    @cached_property
    def along(self) -> RowsPlan | None:
        """The plan for rows along the innermost dimension, where only a call knows which dimension is reduced."""
        from opforge.kinds.rows.plan import plan_rows

        if not self.expression.axes.dim:
            return None
        return plan_rows(self.op, replace(self.expression, axes=LAST), self.socs)

    @property
    def broadcasts(self) -> bool:
        return not self.own_shapes

    @property
    def own_shapes(self) -> bool:
        return any(output.row is not None or output.summed for output in self.expression.outputs)

    @property
    def leading_alike(self) -> bool:
        return self.expression.axes.alike

    @property
    def spread_keys(self) -> tuple[str, ...]:
        return ("kSpreadKey", *(("kSpreadAcrossKey",) if self.expression.axes.dim else ()))

    @property
    def waits_for_all(self) -> bool:
        return bool(self.expression.sums)

    @property
    def golden(self) -> Golden:
        from opforge.kinds.rows.golden import golden_of

        return golden_of(self.op, self.expression)

    def device_files(self) -> tuple[File, ...]:
        from opforge.kinds.rows.kernel import kernel_form
        from opforge.kinds.vector_kernel import device_files
        from opforge.naming import snake
        from opforge.render.ascendc.ascendc_files import form_file

        form, passes, along = kernel_form(self.op, self.plan, spreads=True), self.plan.pass_counts, self.along
        if along is None:
            return device_files(self, "kinds/rows", form, passes)
        second = kernel_form(self.op, along, spreads=True, part="Along")
        path = f"op_kernel/{snake(self.op.type)}_along_kernel.h"
        return (
            *device_files(self, "kinds/rows", form, passes, along.whole),
            form_file(path, "kinds/rows/kernel.h", second),
        )

    def headers(self) -> tuple[SharedHeader, ...]:
        return (ROWS, SYMBOLS, *row_headers(multiplies=self.plan.multiplies), *super().headers())

    def trial_cases(self) -> tuple[TrialCase, ...]:
        from opforge.render.ascendc.trials import symbol_cases

        cases = symbol_cases(self.op, own_shapes=True)
        # The programs visit the elements of rows: they compute no result of a row without any.
        return tuple(
            case
            for case in cases
            if all(0 in shape for shape in case.outputs) or not any(0 in shape for shape in case.inputs)
        )

    def launch_files(self) -> tuple[File, ...]:
        from opforge.kinds.vector_kernel import launch_files

        return launch_files(self, "kinds/rows")

    @property
    def plan_members(self) -> tuple[str, ...]:
        return ("cores", "tile_rows")

    def trial_files(self, row: Row) -> tuple[File, ...]:
        from opforge.kinds.vector_kernel import plan_trial_files

        return plan_trial_files(self, "kinds/rows", row)

    def split_plans(self, shapes: Mapping[str, Shape], row: Row, chip: SocVersion) -> tuple[RankedPlan, ...]:
        from opforge.kinds.rows.row_plans import row_plans

        # Which rows are in a tile is part of how sums over all rows are computed.
        whole_rows = self.expression.axes.along and not self.vector.sums
        return row_plans(self.vector.tiles, shapes.values(), row, chip, whole_rows=whole_rows)

    @classmethod
    def test_files(cls, program: Program, kernels: Sequence[Rows]) -> tuple[File, ...]:
        from opforge.kinds.rows.tests import test_files

        return test_files(program, kernels)

    @classmethod
    def test_table(cls) -> TestTable | None:
        return TestTable("row_cases", "ROWS")

    def describe(self) -> tuple[str, ...]:
        from opforge.kinds.rows.description import describe

        return describe(self.plan, self.along)
