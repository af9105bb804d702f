"""Contexts of op_kernel for an op with matrix products: the kernel class and the entry function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from opforge.frozen import dataclass
from opforge.kinds.products.plan import MatmulPlan
from opforge.naming import snake
from opforge.render.ascendc.cpp_names import TensorNames, tensor_names
from opforge.render.ascendc.entry import addresses
from opforge.render.ascendc.instruction_spelling import Call, float_literal
from opforge.render.ascendc.members import given_member
from opforge.render.ascendc.vector_code import VectorForm, WrittenTensor, input_queue, output_queue, vector_form
from opforge.spec.model import OpSpec

# The offset in GM for some rows of a tile, by kind of tensor.
_SLOT, _OUTPUT, _ROW = "slotPlace", "outputPlace", "rowPlace"


@dataclass(frozen=True)
class MatmulEntryForm:
    """Context of ``entry.cpp`` of ``kinds/products`` and ``kinds/products/cubes``.

    ``workspace`` is the kernel's name of it when it is launched directly. ``widens``: vector cores widen a bias.
    """

    op_type: str
    stem: str
    coupled: bool
    parameters: tuple[str, ...]
    types: tuple[str, ...]
    init_arguments: tuple[str, ...]
    workspace: str = "userWorkspace"
    widens: bool = False


@dataclass(frozen=True)
class Operand:
    """A matrix that the cube core reads."""

    address: str
    gm: str
    type: str


@dataclass(frozen=True)
class Side:
    """The common part of the left or right matrices; ``gm`` is the first one, ``place`` the offset of a tile."""

    gm: str
    type: str
    transposed: bool
    place: str


@dataclass(frozen=True)
class Product:
    """One request to the cube core: two matrices, and whether the vector core waits for the result."""

    number: int
    left: str
    right: str
    awaited: str


@dataclass(frozen=True)
class ReadTensor:
    """A tensor that the epilogue reads, a product or an input: its queue, and the rows to copy."""

    queue: str
    type: str
    rows: str
    place: str


@dataclass(frozen=True)
class MatmulKernelForm:
    """Context of ``kinds/products/kernel.h``. ``left_once``: the left matrix is the same for all products."""

    op_type: str
    stem: str
    guard: str
    coupled: bool
    shares_sums: bool
    formula: str
    vector: VectorForm
    types: tuple[str, ...]
    left: Side
    right: Side
    init_parameters: tuple[str, ...]
    product_count: int
    operands: tuple[Operand, ...]
    parts: tuple[Call, ...]
    queues: tuple[Call, ...]
    products: tuple[Product, ...]
    output_place: bool
    row_place: bool
    arguments: tuple[str, ...]
    parameters: tuple[str, ...]
    left_once: bool
    read: tuple[ReadTensor, ...]
    written: tuple[WrittenTensor, ...]


def matmul_entry_form(plan: MatmulPlan) -> MatmulEntryForm:
    """The entry function, which CANN calls once per core."""
    tensors = [tensor_names(a) for a in plan.arguments]
    return MatmulEntryForm(
        op_type=plan.op_type,
        stem=snake(plan.op_type),
        coupled=plan.coupled,
        parameters=addresses(tensors, "workspace", "tiling"),
        types=tuple(t.macro for t in tensors),
        init_arguments=(*(t.address for t in tensors), "userWorkspace", "tilingData", "pipe"),
    )


def _tensors(plan: MatmulPlan) -> Mapping[str, TensorNames]:
    """The names of the tensors that the epilogue reads and writes. Products are always float32."""
    products = {p.name for p in plan.multiplications}
    tensors = {}
    for argument in plan.epilogue.arguments:
        names = tensor_names(argument)
        if argument.name in products:
            names = replace(names, type="float", place=_SLOT)
        elif not argument.output:
            names = replace(names, place=_ROW if argument.name in plan.shape.row_vectors else _OUTPUT)
        tensors[argument.name] = names
    return tensors


def sides(plan: MatmulPlan, row: str = "tile.row", column: str = "tile.column") -> tuple[Side, Side]:
    """The left matrices, tiled by rows, and the right ones, tiled by columns; ``row`` and ``column`` begin a tile."""
    matrices = {a.name: tensor_names(a) for a in plan.inputs}
    left, right = matrices[plan.shape.left[0]], matrices[plan.shape.right[0]]
    left_turned, right_turned = plan.shape.transposed
    return (
        Side(left.gm, left.type, left_turned, row if left_turned else f"{row} * tiling->innerCount"),
        Side(right.gm, right.type, right_turned, f"{column} * tiling->innerCount" if right_turned else column),
    )


def operands(plan: MatmulPlan) -> tuple[Operand, ...]:
    """Each matrix once, in declaration order."""
    used = {*plan.shape.left, *plan.shape.right}
    names = [tensor_names(a) for a in plan.inputs if a.name in used]
    return tuple(Operand(t.address, t.gm, t.type) for t in names)


def _queues(plan: MatmulPlan, tensors: Mapping[str, TensorNames]) -> tuple[Call, ...]:
    """The queues of the epilogue's tensors."""
    numbers = {p.name: number for number, p in enumerate(plan.multiplications)}
    otherwise = dict(plan.optional)
    queues = []
    for argument in plan.epilogue.arguments:
        name = argument.name
        address = _product_address(plan, numbers[name]) if name in numbers else tensors[name].address
        arguments = ["pipe", address, "kBuffers", "tilingData.epilogueElements"]
        if name in numbers:
            arguments += ["tilingData.innerCount > 0", "0.0f"]
        elif name in otherwise:
            arguments += [f"tilingData.{given_member(name)} != 0", float_literal(otherwise[name])]
        queues.append(Call(f"{tensors[name].queue}.Init", tuple(arguments)))
    return tuple(queues)


def _product_address(plan: MatmulPlan, number: int) -> str:
    return f"ProductAddress(userWorkspace, {number})" if plan.shares_sums else f"productSlots.ProductAddress({number})"


def _parts(plan: MatmulPlan, tensors: Mapping[str, TensorNames]) -> tuple[Call, ...]:
    """The calls by which queues of products add parts, if cores may share the sums."""
    if not plan.shares_sums:
        return ()
    counts = ("tilingData.epilogueElements", "tilingData.partCount", "tilingData.partElements")
    return tuple(
        Call(f"{tensors[product.name].queue}.InitParts", ("pipe", _product_address(plan, number), *counts))
        for number, product in enumerate(plan.multiplications)
    )


def _products(plan: MatmulPlan) -> tuple[Product, ...]:
    """Requests to the cube core, which serves them in order: the vector core waits for the last."""
    gm = {a.name: tensor_names(a).gm for a in plan.inputs}
    last = plan.products - 1
    return tuple(
        Product(number, gm[product.left], gm[product.right], "true" if number == last else "false")
        for number, product in enumerate(plan.multiplications)
    )


def matmul_kernel_form(op: OpSpec, plan: MatmulPlan) -> MatmulKernelForm:
    """The kernel class: products as requests to the cube core, the epilogue as the plan's instructions."""
    stem = snake(plan.op_type)
    epilogue = plan.epilogue
    tensors = _tensors(plan)
    maybe = {p.name for p in plan.multiplications} | {name for name, _ in plan.optional}
    read = [(tensors[a.name], input_queue(tensors[a.name], a, optional=a.name in maybe)) for a in epilogue.inputs]
    if plan.shares_sums:
        read = [(t, q.replace("OptionalInQueue", "SummedQueue") if t.place == _SLOT else q) for t, q in read]
    used = [p for p in (_SLOT, _OUTPUT, _ROW) if any(names.place == p for names, _ in read)]
    names = [tensor_names(a) for a in plan.arguments]
    others = ("GM_ADDR userWorkspace", f"const {plan.op_type}TilingData& tilingData", "AscendC::TPipe& pipe")
    left, right = sides(plan)
    return MatmulKernelForm(
        op_type=plan.op_type,
        stem=stem,
        guard=stem.upper(),
        coupled=plan.coupled,
        shares_sums=plan.shares_sums,
        formula=op.compute,
        vector=vector_form(epilogue, tensors, "rows"),
        types=tuple(f"typename {t.type}" for t in names),
        left=left,
        right=right,
        init_parameters=(*addresses(names), *others),
        product_count=plan.products,
        operands=operands(plan),
        parts=_parts(plan, tensors),
        queues=_queues(plan, tensors),
        products=_products(plan),
        output_place=_OUTPUT in used,
        row_place=_ROW in used,
        arguments=("rows", *used),
        parameters=("const tile_io::Tile& rows", *(f"const tile_io::Place& {place}" for place in used)),
        left_once=len(plan.shape.left) == 1,
        read=tuple(ReadTensor(t.queue, queue, _rows(t, plan), t.place) for t, queue in read),
        written=tuple(WrittenTensor(tensors[a.name].queue, output_queue(tensors[a.name], a)) for a in epilogue.outputs),
    )


def _rows(tensor: TensorNames, plan: MatmulPlan) -> str:
    return "wholeRows" if plan.coupled and tensor.place == _SLOT else "rows"
