"""Contexts of the entry functions of products whose cores may share the sums: each core takes a part of K."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.kinds.launcher import DirectForm, direct_form
from opforge.kinds.products.cube_kernel import cube_entry_form
from opforge.kinds.products.kernel import MatmulEntryForm, matmul_entry_form
from opforge.render.ascendc.cpp_names import tensor_names
from opforge.render.ascendc.trials import launched_row

if TYPE_CHECKING:
    from collections.abc import Mapping

    from opforge.kinds.products.plan import MatmulPlan
    from opforge.kinds.products.product_kernel import ProductKernel
    from opforge.spec.combinations import Row


@dataclass(frozen=True)
class SharedProduct:
    """The addresses of a product's operands and of the result that it is, and its number."""

    left: str
    right: str
    result: str
    number: int


@dataclass(frozen=True)
class SharedSumsEntryForm(MatmulEntryForm):
    """Context of ``kinds/products/parts/entry.cpp``. ``operands``: template arguments of the products."""

    operands: tuple[str, ...] = ()
    result_type: str = ""
    products: tuple[SharedProduct, ...] = ()


@dataclass(frozen=True)
class SharedSumsDirectForm(DirectForm):
    """Context of ``kinds/products/parts/direct.cpp``; the fields of products as in the entry."""

    operands: tuple[str, ...]
    result_type: str
    products: tuple[SharedProduct, ...]


def shared_sums_entry_form(plan: MatmulPlan) -> SharedSumsEntryForm:
    """The entry function, which CANN calls once per core."""
    types = {argument.name: tensor_names(argument).macro for argument in plan.arguments}
    entry = cube_entry_form(plan) if plan.cubes_alone else matmul_entry_form(plan)
    return SharedSumsEntryForm(
        **vars(entry),
        operands=_operands(plan, types),
        result_type=types[plan.results[0]] if plan.cubes_alone else "",
        products=_products(plan),
    )


def shared_sums_direct_form(kernel: ProductKernel, row: Row | None = None) -> SharedSumsDirectForm:
    """The entry function for direct launches, for one combination of dtypes: ``row``, or that of ``aclnn/``."""
    plan = kernel.plan
    dtypes = row or launched_row(kernel.op, kernel.socs[0].name)[1]
    types = {a.name: DTYPES[dtype].kernel for a, dtype in zip(plan.arguments, dtypes, strict=True)}
    init_arguments = shared_sums_entry_form(plan).init_arguments
    plain = direct_form(kernel, "KERNEL_TYPE_MIX_AIC_1_2", "userWorkspace", init_arguments, row)
    return SharedSumsDirectForm(
        **vars(plain),
        operands=_operands(plan, types),
        result_type=types[plan.results[0]] if plan.cubes_alone else "",
        products=_products(plan),
    )


def _operands(plan: MatmulPlan, types: Mapping[str, str]) -> tuple[str, ...]:
    """The template arguments of the products: both sides, and the tiling data."""
    left, right = plan.shape.left[0], plan.shape.right[0]
    turned = tuple("true" if each else "false" for each in plan.shape.transposed)
    return (types[left], turned[0], types[right], turned[1], f"{plan.op_type}TilingData")


def _products(plan: MatmulPlan) -> tuple[SharedProduct, ...]:
    address = {argument.name: tensor_names(argument).address for argument in plan.arguments}
    results = [address[result] for result in plan.results] or [""] * plan.products
    return tuple(
        SharedProduct(address[product.left], address[product.right], result, number)
        for number, (product, result) in enumerate(zip(plan.multiplications, results, strict=True))
    )
