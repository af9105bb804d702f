"""The kind of elementwise ops with broadcasting: vector cores run the expression over tiles of all tensors."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.expression_kernel import ExpressionKernel
from opforge.kinds.shared_headers import COLLAPSE, ROWS, SYMBOLS
from opforge.program import SharedHeader, TestTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opforge.fileset import File
    from opforge.ir.graph import Graph
    from opforge.kinds.elementwise.torch_side import ElementwiseTorch
    from opforge.plan.split_plan import RankedPlan
    from opforge.plan.vector_model import Plan
    from opforge.program import Program, Shape, TrialCase
    from opforge.soc import SocVersion
    from opforge.spec.combinations import Row
    from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class Elementwise(ExpressionKernel):
    """The kernel of an elementwise op."""

    @classmethod
    def takes(cls, op: OpSpec, graph: Graph | None) -> bool:
        return graph is not None and not graph.products and not graph.reductions

    @cached_property
    def plan(self) -> Plan:
        from opforge.kinds.elementwise.plan import plan_elementwise

        return plan_elementwise(self.op, self.expression, self.socs)

    @property
    def vector(self) -> Plan:
        return self.plan

    @cached_property
    def torch(self) -> ElementwiseTorch:
        from opforge.kinds.elementwise.torch_side import ElementwiseTorch

        return ElementwiseTorch(self)

    @property
    def broadcasts(self) -> bool:
        return True

    def device_files(self) -> tuple[File, ...]:
        from opforge.kinds.elementwise.kernel import kernel_form
        from opforge.kinds.vector_kernel import device_files

        return device_files(self, "kinds/elementwise", kernel_form(self.op, self.plan))

    def headers(self) -> tuple[SharedHeader, ...]:
        from opforge.render.ascendc.members import bound_inputs

        host = [COLLAPSE, SharedHeader("op_host/opforge/elementwise.h", "kinds/elementwise/elementwise.h")]
        host += [SYMBOLS] if bound_inputs(self.op) else []
        host += [ROWS] if self.expression.dim else []
        return (*host, *super().headers())

    def trial_cases(self) -> tuple[TrialCase, ...]:
        from opforge.render.ascendc.trials import plain_cases, symbol_cases

        plain = all(tensor.dims == ("...",) for tensor in self.op.inputs if not tensor.scalar)
        return tuple(plain_cases(self.op) if plain else symbol_cases(self.op))

    def launch_files(self) -> tuple[File, ...]:
        from opforge.kinds.vector_kernel import launch_files

        return launch_files(self, "kinds/elementwise")

    @property
    def plan_members(self) -> tuple[str, ...]:
        return ("cores", "tile_elements")

    def trial_files(self, row: Row) -> tuple[File, ...]:
        from opforge.kinds.vector_kernel import plan_trial_files

        return plan_trial_files(self, "kinds/elementwise", row)

    def split_plans(self, shapes: Mapping[str, Shape], row: Row, chip: SocVersion) -> tuple[RankedPlan, ...]:
        from opforge.kinds.elementwise.elementwise_plans import elementwise_plans

        return elementwise_plans(self.plan.tiles, shapes.values(), row, chip)

    @classmethod
    def test_files(cls, program: Program, kernels: Sequence[Elementwise]) -> tuple[File, ...]:
        from opforge.kinds.elementwise.tests import test_files

        return test_files(program, kernels)

    @classmethod
    def test_table(cls) -> TestTable | None:
        return TestTable("op_cases", "OPS")

    def describe(self) -> tuple[str, ...]:
        from opforge.plan.printer import buffer_lines, optional_lines, tile_lines, vector_lines

        return (
            f"plan {self.op.type}",
            "buffers, per tile:",
            *buffer_lines(self.plan),
            *optional_lines(self.plan),
            *vector_lines(self.plan),
            "tiles:",
            *tile_lines(self.plan),
            "tiling keys:",
            "  0: all inputs have the output's shape; its elements are split over the cores in 512-byte lines",
            "  1: broadcast; tiles of rows and columns of the collapsed shape are split over the cores",
        )
