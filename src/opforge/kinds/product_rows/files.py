"""Renders the files of the kernel of an op with rows of matrix products.

The kernel class is that of an op with rows: it reads the products from the workspace like any other input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.kinds.launcher import DirectForm, direct_form, launcher_files
from opforge.kinds.product_rows.tiling import host_tiling_form
from opforge.kinds.rows.kernel import kernel_form
from opforge.kinds.vector_kernel import tiling_form
from opforge.naming import snake
from opforge.render.ascendc.ascendc_files import form_file
from opforge.render.ascendc.cpp_names import tensor_names
from opforge.render.ascendc.entry import addresses
from opforge.render.ascendc.trials import launched_row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opforge.fileset import File
    from opforge.kinds.product_rows.plan import ProductRowsPlan
    from opforge.kinds.product_rows.product_rows_kernel import ProductRowsKernel

_FORMS = "kinds/product_rows"


@dataclass(frozen=True)
class ProductCall:
    """The addresses of a product's operands, and its number."""

    left: str
    right: str
    number: int


@dataclass(frozen=True)
class ProductRowsEntryForm:
    """Context of ``kinds/product_rows/entry.cpp``. ``operands``: template arguments of the products."""

    op_type: str
    stem: str
    parameters: tuple[str, ...]
    operands: tuple[str, ...]
    products: tuple[ProductCall, ...]
    types: tuple[str, ...]
    init_arguments: tuple[str, ...]


@dataclass(frozen=True)
class ProductRowsDirectForm(DirectForm):
    """Context of ``kinds/product_rows/direct.cpp``; ``operands`` and ``products`` as in the entry."""

    operands: tuple[str, ...]
    products: tuple[ProductCall, ...]


def device_files(kernel: ProductRowsKernel) -> tuple[File, ...]:
    """Kernel, entry and tiling."""
    op, plan, stem = kernel.op, kernel.plan, snake(kernel.op.type)
    given = {product.name: "tilingData.productTiling.innerCount > 0" for product in plan.multiplications}
    rows = kernel_form(op, plan.rows, given, spreads=False)
    return (
        form_file(f"op_host/{stem}_host_tiling.h", f"{_FORMS}/host_tiling.h", host_tiling_form(op, plan)),
        form_file(f"op_kernel/{stem}.cpp", f"{_FORMS}/entry.cpp", _entry_form(kernel)),
        form_file(f"op_kernel/{stem}_kernel.h", "kinds/rows/kernel.h", rows),
        form_file(
            f"op_kernel/{stem}_tiling.h",
            "kinds/rows/tiling.h",
            tiling_form(op, plan.graph, plan.rows.whole, multiplies=True, spreads=False),
        ),
    )


def launch_files(kernel: ProductRowsKernel) -> tuple[File, ...]:
    """The programs that launch the kernel without aclnn."""
    plan = kernel.plan
    _, row = launched_row(kernel.op, kernel.socs[0].name)
    stored = {a.name: DTYPES[dtype].kernel for a, dtype in zip(plan.arguments, row, strict=True)}
    plain = direct_form(kernel, "KERNEL_TYPE_MIX_AIC_1_2", "userWorkspace", _init_arguments(plan))
    direct = ProductRowsDirectForm(
        op_type=plain.op_type,
        stem=plain.stem,
        dtypes=plain.dtypes,
        parameters=plain.parameters,
        kernel_type=plain.kernel_type,
        types=_types(plan, stored),
        init_arguments=plain.init_arguments,
        operands=_operands(plan, stored),
        products=_products(plan),
    )
    return launcher_files(kernel, _FORMS, direct)


def _entry_form(kernel: ProductRowsKernel) -> ProductRowsEntryForm:
    plan = kernel.plan
    tensors = [tensor_names(a) for a in plan.arguments]
    stored = {a.name: names.macro for a, names in zip(plan.arguments, tensors, strict=True)}
    return ProductRowsEntryForm(
        op_type=kernel.op.type,
        stem=snake(kernel.op.type),
        parameters=addresses(tensors, "workspace", "tiling"),
        operands=_operands(plan, stored),
        products=_products(plan),
        types=_types(plan, stored),
        init_arguments=_init_arguments(plan),
    )


def _operands(plan: ProductRowsPlan, stored: Mapping[str, str]) -> tuple[str, ...]:
    """The template arguments of the products: the type of each side's matrices, and whether they are transposed."""
    first, (left, right) = plan.multiplications[0], plan.shape.transposed
    turned = {True: "true", False: "false"}
    return (stored[first.left], turned[left], stored[first.right], turned[right])


def _products(plan: ProductRowsPlan) -> tuple[ProductCall, ...]:
    address = {a.name: tensor_names(a).address for a in plan.arguments}
    return tuple(
        ProductCall(address[product.left], address[product.right], number)
        for number, product in enumerate(plan.multiplications)
    )


def _types(plan: ProductRowsPlan, stored: Mapping[str, str]) -> tuple[str, ...]:
    """The template arguments of the rows' kernel: products are float32."""
    return tuple(stored.get(a.name, "float") for a in plan.rows.arguments)


def _init_arguments(plan: ProductRowsPlan) -> tuple[str, ...]:
    numbers = {product.name: number for number, product in enumerate(plan.multiplications)}
    addressed = (
        f"whole_products::Address(userWorkspace, productTiling, {numbers[a.name]})"
        if a.name in numbers
        else tensor_names(a).address
        for a in plan.rows.arguments
    )
    return (*addressed, "tilingData", "pipe")
