"""The kind of ops with rows of matrix products: cube cores multiply, then vector cores compute the rows."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.product_rows.product_rows_kernel import ProductRowsKernel
from opforge.kinds.shared_headers import ROWS, SYMBOLS, row_headers
from opforge.program import Golden, SharedHeader, TestTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.fileset import File
    from opforge.kinds.product_rows.torch_side import ProductRowsTorch
    from opforge.program import Program, TrialCase


@dataclass(frozen=True)
class ProductRows(ProductRowsKernel):
    """The kernel of an op with rows of matrix products."""

    @cached_property
    def torch(self) -> ProductRowsTorch:
        from opforge.kinds.product_rows.torch_side import ProductRowsTorch

        return ProductRowsTorch(self)

    @property
    def own_shapes(self) -> bool:
        return any(output.row is not None for output in self.expression.outputs)

    @property
    def waits_for_all(self) -> bool:
        return True

    def device_files(self) -> tuple[File, ...]:
        from opforge.kinds.product_rows.files import device_files

        return device_files(self)

    def headers(self) -> tuple[SharedHeader, ...]:
        host = (
            SharedHeader("op_host/opforge/matmul_split.h", "kinds/products/matmul_split.h"),
            ROWS,
            SYMBOLS,
        )
        device = (
            SharedHeader("op_kernel/opforge/product_tiling.h", "kinds/product_rows/product_tiling.h", slots=False),
            SharedHeader("op_kernel/opforge/tile_matmul.h", "kinds/products/tile_matmul.h"),
            SharedHeader("op_kernel/opforge/whole_products.h", "kinds/product_rows/whole_products.h", slots=False),
            *row_headers(multiplies=self.plan.rows.multiplies),
        )
        return (*host, *device, *super().headers())

    @property
    def golden(self) -> Golden:
        from opforge.kinds.product_rows.golden import golden_of

        return golden_of(self.op, self.expression, self.shape)

    def trial_cases(self) -> tuple[TrialCase, ...]:
        from opforge.kinds.product_rows.golden import trial_cases

        return trial_cases(self.op, self.shape)

    def launch_files(self) -> tuple[File, ...]:
        from opforge.kinds.product_rows.files import launch_files

        return launch_files(self)

    @classmethod
    def test_files(cls, program: Program, kernels: Sequence[ProductRowsKernel]) -> tuple[File, ...]:
        from opforge.kinds.product_rows.tests import test_files

        return test_files(program, kernels)

    @classmethod
    def test_table(cls) -> TestTable | None:
        return TestTable("product_row_cases", "PRODUCT_ROWS")

    def describe(self) -> tuple[str, ...]:
        from opforge.kinds.product_rows.description import describe

        return describe(self.plan)
