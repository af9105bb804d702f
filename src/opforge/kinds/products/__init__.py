"""The kind of ops with matrix products: cube cores multiply tile by tile, and vector cores compute the epilogue."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.products.product_kernel import ProductKernel
from opforge.kinds.shared_headers import SYMBOLS
from opforge.program import Golden, SharedHeader, TestTable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opforge.fileset import File
    from opforge.kinds.products.torch_side import ProductsTorch
    from opforge.plan.split_plan import RankedPlan
    from opforge.program import Program, Shape, TrialCase
    from opforge.soc import SocVersion
    from opforge.spec.combinations import Row


SHARED_SUMS = (
    SharedHeader("op_host/opforge/inner_split.h", "kinds/products/parts/inner_split.h", slots=False),
    SharedHeader("op_kernel/opforge/product_parts.h", "kinds/products/parts/product_parts.h", slots=False),
)

BIAS_ROWS = SharedHeader("op_kernel/opforge/bias_rows.h", "kinds/products/cubes/bias_rows.h", slots=False)

SUMMED_QUEUE = SharedHeader("op_kernel/opforge/summed_queue.h", "kinds/products/fused/summed_queue.h", slots=False)


@dataclass(frozen=True)
class Products(ProductKernel):
    """The kernel of an op with matrix products."""

    @cached_property
    def torch(self) -> ProductsTorch:
        from opforge.kinds.products.torch_side import ProductsTorch

        return ProductsTorch(self)

    def device_files(self) -> tuple[File, ...]:
        from opforge.kinds.products.files import device_files

        return device_files(self)

    def headers(self) -> tuple[SharedHeader, ...]:
        split = SharedHeader("op_host/opforge/matmul_split.h", "kinds/products/matmul_split.h")
        if self.plan.shares_sums and self.plan.cubes_alone:
            return (split, SYMBOLS, *SHARED_SUMS)
        if self.plan.cubes_alone:
            return (split, SYMBOLS, BIAS_ROWS) if self.plan.biases else (split, SYMBOLS)
        cube = SharedHeader("op_kernel/opforge/tile_matmul.h", "kinds/products/tile_matmul.h")
        summed = (*SHARED_SUMS, SUMMED_QUEUE) if self.plan.shares_sums else ()
        return (split, SYMBOLS, cube, *summed, *super().headers())

    @property
    def golden(self) -> Golden:
        from opforge.kinds.products.golden import golden_of

        return golden_of(self.op, self.expression, self.shape)

    def trial_cases(self) -> tuple[TrialCase, ...]:
        from opforge.kinds.products.golden import LONG_SUMS, trial_cases

        shared = not self.op.batch_invariant
        return trial_cases(self.op, self.shape, LONG_SUMS) if shared else trial_cases(self.op, self.shape)

    @property
    def spread_keys(self) -> tuple[str, ...]:
        return ("kPartsKey",) if self.plan.shares_sums else ()

    def launch_files(self) -> tuple[File, ...]:
        from opforge.kinds.products.files import launch_files

        return launch_files(self)

    @property
    def plan_members(self) -> tuple[str, ...]:
        parts = ("inner_parts",) if self.plan.shares_sums else ()
        return ("cores", "tile_rows", "tile_columns", *parts, "load_blocks", "tile_group")

    def trial_files(self, row: Row) -> tuple[File, ...]:
        from opforge.kinds.products.files import plan_trial_files

        return plan_trial_files(self, row)

    def split_plans(self, shapes: Mapping[str, Shape], row: Row, chip: SocVersion) -> tuple[RankedPlan, ...]:
        from opforge.kinds.products.product_plans import product_plans

        return product_plans(self.op, self.plan, shapes, row, chip)

    @classmethod
    def test_files(cls, program: Program, kernels: Sequence[ProductKernel]) -> tuple[File, ...]:
        from opforge.kinds.products.tests import test_files

        return test_files(program, kernels)

    @classmethod
    def test_table(cls) -> TestTable | None:
        return TestTable("product_cases", "PRODUCTS")

    def describe(self) -> tuple[str, ...]:
        from opforge.kinds.products.description import describe

        return describe(self.plan)
