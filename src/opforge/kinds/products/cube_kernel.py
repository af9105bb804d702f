"""Contexts of op_kernel for an op whose results are matrix products: the cube cores write them, and nothing follows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.launcher import DirectForm, direct_form
from opforge.kinds.products.kernel import MatmulEntryForm, Operand, Side, operands, sides
from opforge.naming import snake
from opforge.render.ascendc.cpp_names import tensor_names
from opforge.render.ascendc.entry import addresses
from opforge.render.ascendc.members import given_member

if TYPE_CHECKING:
    from opforge.kinds.products.plan import MatmulPlan
    from opforge.kinds.products.product_kernel import ProductKernel
    from opforge.render.ascendc.cpp_names import TensorNames
    from opforge.spec.combinations import Row
    from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class CubeProduct:
    """One product of the kernel: two matrices, the result that it is, and the name of a part of that.

    ``bias`` is what the sums begin with. ``fill_arguments`` are those of the call that fills the result with it.
    """

    left: str
    right: str
    result: str
    part: str
    bias: str
    fill_arguments: tuple[str, ...]


@dataclass(frozen=True)
class WidenedBias:
    """A bias that vector cores widen, and the cube core's name of it, with the arguments of its place."""

    type: str
    gm: str
    in_cube: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class CubeDirectForm(DirectForm):
    """Context of ``kinds/products/cubes/direct.cpp``."""

    widens: bool


@dataclass(frozen=True)
class CubeKernelForm:
    """Context of ``kinds/products/cubes/kernel.h``. ``given`` says whether an optional bias is there."""

    op_type: str
    stem: str
    guard: str
    formula: str
    types: tuple[str, ...]
    left: Side
    right: Side
    result_type: str
    biased: bool
    widens: bool
    bias_type: str
    bias_in_cube: str
    biases: tuple[WidenedBias, ...]
    given: str
    init_parameters: tuple[str, ...]
    operands: tuple[Operand, ...]
    products: tuple[CubeProduct, ...]


def cube_entry_form(plan: MatmulPlan) -> MatmulEntryForm:
    """The entry function, which CANN calls once per core."""
    tensors = [tensor_names(argument) for argument in plan.arguments]
    widens = plan.widens_bias
    return MatmulEntryForm(
        op_type=plan.op_type,
        stem=snake(plan.op_type),
        coupled=False,
        parameters=addresses(tensors, "workspace", "tiling"),
        types=tuple(tensor.macro for tensor in tensors),
        init_arguments=(*(tensor.address for tensor in tensors), *(["userWorkspace"] if widens else []), "tilingData"),
        workspace="userWorkspace" if widens else "workspace",
        widens=widens,
    )


def cube_direct_form(kernel: ProductKernel, row: Row | None = None) -> CubeDirectForm:
    """The entry function for direct launches, for one combination of dtypes: ``row``, or that of ``aclnn/``."""
    entry = cube_entry_form(kernel.plan)
    plain = direct_form(kernel, "KERNEL_TYPE_MIX_AIC_1_2", entry.workspace, entry.init_arguments, row)
    return CubeDirectForm(**vars(plain), widens=entry.widens)


def cube_kernel_form(op: OpSpec, plan: MatmulPlan) -> CubeKernelForm:
    """The kernel class: each core multiplies some tiles."""
    stem = snake(plan.op_type)
    names = {argument.name: tensor_names(argument) for argument in plan.arguments}
    written = [names[result] for result in plan.results]
    biases = [names[bias] for bias in plan.biases]
    widened = _widened(plan, list(dict.fromkeys(biases)))
    added = [bias.gm for bias in biases] or [""] * len(written)
    in_cube = {bias.gm: bias.in_cube for bias in widened}
    given = next((f"tiling->{given_member(name)} != 0" for name, _ in plan.optional), "")
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
        biased=bool(biases),
        widens=bool(widened),
        bias_type=biases[0].type if biases else "float",
        bias_in_cube=_in_cube(biases[0].type, widened) if biases else "float",
        biases=widened,
        given=given,
        init_parameters=(
            *addresses(names.values()),
            *(("GM_ADDR userWorkspace",) if widened else ()),
            f"const {plan.op_type}TilingData& tilingData",
        ),
        operands=(
            *operands(plan),
            *(Operand(each.address, each.gm, each.type) for each in (*dict.fromkeys(biases), *written)),
        ),
        products=tuple(
            CubeProduct(
                names[product.left].gm,
                names[product.right].gm,
                result.gm,
                f"{result.gm}Part",
                in_cube.get(bias, bias),
                (result.gm, bias, given or "true", "tiling->rowCount", "tiling->columnCount"),
            )
            for product, result, bias in zip(plan.multiplications, written, added, strict=True)
        ),
    )


def _widened(plan: MatmulPlan, biases: list[TensorNames]) -> tuple[WidenedBias, ...]:
    """The biases that vector cores widen, in the slots of the workspace."""
    if not plan.widens_bias:
        return ()
    return tuple(
        WidenedBias(
            bias.type,
            bias.gm,
            f"{bias.gm}InCube",
            (bias.address, "userWorkspace", str(number), str(len(biases)), "tilingData.biasPitch"),
        )
        for number, bias in enumerate(biases)
    )


def _in_cube(type_name: str, widened: tuple[WidenedBias, ...]) -> str:
    """The type in which the cube core adds a bias."""
    return f"bias_rows::InCube<{type_name}>" if widened else type_name
