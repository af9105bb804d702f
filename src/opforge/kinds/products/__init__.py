"""Matrix products with what follows them: cube cores multiply tile by tile, vector cores compute the rest of each."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from opforge.errors import InternalError
from opforge.frozen import dataclass
from opforge.ir.product_shapes import ProductShape, product_shape
from opforge.kinds.expression_kernel import ExpressionKernel
from opforge.program import Golden, SharedHeader

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opforge.fileset import File
    from opforge.ir.graph import Graph
    from opforge.kinds.products.plan import MatmulPlan
    from opforge.kinds.products.torch_side import ProductsTorch
    from opforge.plan.vector_model import Plan
    from opforge.program import Program, TestPart, TrialCase
    from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class Products(ExpressionKernel):
    """The kernel of an op with matrix products."""

    @classmethod
    def takes(cls, op: OpSpec, graph: Graph | None) -> bool:
        return graph is not None and bool(graph.products)

    @cached_property
    def shape(self) -> ProductShape:
        """What every product of the op is."""
        shape = product_shape(self.op, self.expression)
        if shape is None:
            raise InternalError(f"{self.op.type} has no products")
        return shape

    @cached_property
    def plan(self) -> MatmulPlan:
        from opforge.kinds.products.plan import plan_products

        return plan_products(self.op, self.expression, self.shape, self.socs)

    @property
    def vector(self) -> Plan:
        return self.plan.epilogue

    @cached_property
    def torch(self) -> ProductsTorch:
        from opforge.kinds.products.torch_side import ProductsTorch

        return ProductsTorch(self)

    @property
    def leading_rows(self) -> bool:
        return True

    def device_files(self) -> tuple[File, ...]:
        from opforge.kinds.products.files import device_files

        return device_files(self)

    def headers(self) -> tuple[SharedHeader, ...]:
        split = SharedHeader("op_host/matmul_split.h", "kinds/products/matmul_split.h")
        return (split, SharedHeader("op_kernel/tile_matmul.h", "kinds/products/tile_matmul.h"), *super().headers())

    @property
    def golden(self) -> Golden:
        from opforge.kinds.products.golden import element_lines, operand_lines

        return Golden(element_lines(self.op, self.expression), operand_lines(self.op, self.shape))

    def trial_cases(self) -> tuple[TrialCase, ...]:
        from opforge.kinds.products.golden import trial_cases

        return trial_cases(self.op, self.shape)

    def launch_files(self) -> tuple[File, ...]:
        from opforge.kinds.products.files import launch_files

        return launch_files(self)

    @classmethod
    def test_files(cls, program: Program, kernels: Sequence[Products]) -> tuple[File, ...]:
        from opforge.kinds.products.tests import test_files

        return test_files(program, kernels)

    @classmethod
    def test_parts(cls, program: Program, kernels: Sequence[Products]) -> Mapping[str, TestPart]:
        from opforge.kinds.products.shared_tests import test_parts

        return test_parts(program, kernels)

    def describe(self) -> tuple[str, ...]:
        from opforge.kinds.products.description import describe

        return describe(self.plan)
