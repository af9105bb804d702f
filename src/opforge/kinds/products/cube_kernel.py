"""Contexts of op_kernel for an op whose results are matrix products: the cube cores write them, and nothing follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.products.kernel import MatmulEntryForm, Operand, Side, operands, sides
from opforge.naming import snake
from opforge.render.ascendc.cpp_names import tensor_names
from opforge.render.ascendc.entry import addresses

if TYPE_CHECKING:
    from opforge.kinds.products.plan import MatmulPlan
    from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class CubeProduct:
    """One product of the kernel: two matrices, the result that it is, and the name of a part of that."""

    left: str
    right: str
    result: str
    part: str


@dataclass(frozen=True)
class CubeKernelForm:
    """Context of ``kinds/products/cubes/kernel.h``."""

    op_type: str
    stem: str
    guard: str
    formula: str
    types: tuple[str, ...]
    left: Side
    right: Side
    result_type: str
    init_parameters: tuple[str, ...]
    operands: tuple[Operand, ...]
    products: tuple[CubeProduct, ...]


def cube_entry_form(plan: MatmulPlan) -> MatmulEntryForm:
    """The entry function, which CANN calls once per core."""
    tensors = [tensor_names(argument) for argument in plan.arguments]
    return MatmulEntryForm(
        op_type=plan.op_type,
        stem=snake(plan.op_type),
        coupled=False,
        parameters=addresses(tensors, "workspace", "tiling"),
        types=tuple(tensor.macro for tensor in tensors),
        init_arguments=(*(tensor.address for tensor in tensors), "tilingData"),
        workspace="workspace",
    )


def cube_kernel_form(op: OpSpec, plan: MatmulPlan) -> CubeKernelForm:
    """The kernel class: each core multiplies some tiles."""
    stem = snake(plan.op_type)
    names = {argument.name: tensor_names(argument) for argument in plan.arguments}
    written = [names[result] for result in plan.results]
    left, right = sides(plan, "row", "column")
    return CubeKernelForm(
        op_type=plan.op_type,
        stem=stem,
        guard=stem.upper(),
        formula=op.compute,
        types=tuple(f"typename {each.type}" for each in names.values()),
        left=left,
        right=right,
        result_type=written[0].type,
        init_parameters=(*addresses(names.values()), f"const {plan.op_type}TilingData& tilingData"),
        operands=(*operands(plan), *(Operand(each.address, each.gm, each.type) for each in written)),
        products=tuple(
            CubeProduct(names[product.left].gm, names[product.right].gm, result.gm, f"{result.gm}Part")
            for product, result in zip(plan.multiplications, written, strict=True)
        ),
    )
