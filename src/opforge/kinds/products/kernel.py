"""op_kernel of one op with matrix products: the kernel class and the entry function."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from opforge.frozen import dataclass
from opforge.kinds.products.plan import MatmulPlan
from opforge.naming import snake
from opforge.render.ascendc.cpp_layout import comment, fill
from opforge.render.ascendc.cpp_names import TensorNames, tensor_names
from opforge.render.ascendc.entry import AICORE, instance
from opforge.render.ascendc.instruction_spelling import float_literal
from opforge.render.ascendc.members import given_member
from opforge.render.ascendc.vector_code import VectorForm, WrittenTensor, input_queue, output_queue, vector_form
from opforge.spec.model import OpSpec

# Where tensors of each kind are read or written for some rows of a tile.
_SLOT, _OUTPUT, _ROW = "slotPlace", "outputPlace", "rowPlace"


@dataclass(frozen=True)
class MatmulEntryForm:
    """Context of ``kinds/products/entry.cpp``."""

    op_type: str
    stem: str
    coupled: bool
    signature: str
    instance: str
    init_call: str
    deep_init_call: str


@dataclass(frozen=True)
class Operand:
    """A matrix that the cube core reads."""

    address: str
    gm: str
    type: str


@dataclass(frozen=True)
class ReadTensor:
    """A tensor that the epilogue reads: products, and inputs."""

    queue: str
    type: str


@dataclass(frozen=True)
class MatmulKernelForm:
    """Context of ``kinds/products/kernel.h``."""

    op_type: str
    stem: str
    guard: str
    coupled: bool
    formulas: tuple[str, ...]
    vector: VectorForm
    template_line: str
    left_matrix: str
    right_matrix: str
    init_signature: str
    product_count: int
    operands: tuple[Operand, ...]
    init_lines: tuple[str, ...]
    multiply_lines: tuple[str, ...]
    place_lines: tuple[str, ...]
    copy_in_lines: tuple[str, ...]
    compute_call: str
    compute_signature: str
    left_once: bool
    read: tuple[ReadTensor, ...]
    written: tuple[WrittenTensor, ...]


def _init_arguments(plan: MatmulPlan) -> list[str]:
    return [*(tensor_names(a).address for a in plan.arguments), "userWorkspace", "tilingData", "pipe"]


def matmul_entry_form(plan: MatmulPlan) -> MatmulEntryForm:
    """The entry: what CANN calls, once per core."""
    stem = snake(plan.op_type)
    arguments = [*(f"GM_ADDR {tensor_names(a).address}" for a in plan.arguments), "GM_ADDR workspace", "GM_ADDR tiling"]
    init = _init_arguments(plan)
    return MatmulEntryForm(
        op_type=plan.op_type,
        stem=stem,
        coupled=plan.coupled,
        signature=fill(f'extern "C" __global__ __aicore__ void {stem}(', arguments, ")", room=2),
        instance=instance(plan.op_type, [tensor_names(a).macro for a in plan.arguments]),
        init_call=fill("op.Init(", init, ");", indent=8),
        deep_init_call=fill("op.Init(", init, ");", indent=12),
    )


def _tensors(plan: MatmulPlan) -> Mapping[str, TensorNames]:
    """Names of what the epilogue reads and writes. Products are float32, whatever the storage types."""
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


def _operands(plan: MatmulPlan) -> tuple[Operand, ...]:
    """Each matrix once, in declaration order."""
    used = {*plan.shape.left, *plan.shape.right}
    names = [tensor_names(a) for a in plan.inputs if a.name in used]
    return tuple(Operand(t.address, t.gm, t.type) for t in names)


def _init_lines(plan: MatmulPlan, tensors: Mapping[str, TensorNames]) -> tuple[str, ...]:
    """Queues of all tensors of the epilogue."""
    numbers = {p.name: number for number, p in enumerate(plan.multiplications)}
    otherwise = dict(plan.optional)
    lines = []
    for argument in plan.epilogue.arguments:
        name = argument.name
        address = f"productSlots.ProductAddress({numbers[name]})" if name in numbers else tensors[name].address
        arguments = ["pipe", address, "kBuffers", "tilingData.epilogueElements"]
        if name in numbers:
            arguments += ["tilingData.innerCount > 0", "0.0f"]
        elif name in otherwise:
            arguments += [f"tilingData.{given_member(name)} != 0", float_literal(otherwise[name])]
        lines.append(fill(f"{tensors[name].queue}.Init(", arguments, ");", indent=8))
    return tuple(lines)


def _multiply_lines(plan: MatmulPlan) -> tuple[str, ...]:
    """Messages to the cube core: the left matrix once for all products, if it is the same."""
    left_turned, right_turned = plan.shape.transposed
    matrices = {a.name: tensor_names(a).gm for a in plan.inputs}
    left_place = "tile.row" if left_turned else "tile.row * tiling->innerCount"
    right_place = "tile.column * tiling->innerCount" if right_turned else "tile.column"
    lines = []
    if _left_once(plan):
        lines += [
            "if (tile.row != leftRow) {",
            f"    matmulObj.SetTensorA({matrices[plan.shape.left[0]]}[{left_place}]{', true' if left_turned else ''});",
            "    leftRow = tile.row;",
            "}",
        ]
    for number, product in enumerate(plan.multiplications):
        if not _left_once(plan):
            turned = ", true" if left_turned else ""
            lines.append(f"matmulObj.SetTensorA({matrices[product.left]}[{left_place}]{turned});")
        turned = ", true" if right_turned else ""
        lines.append(f"matmulObj.SetTensorB({matrices[product.right]}[{right_place}]{turned});")
        awaited = "true" if number == plan.products - 1 else "false"
        way = ("tile_io::kCoupled", "false") if plan.coupled else ("false", "true")
        destination = f"productSlots.At(slot, {number})"
        lines.append(f"matmulObj.template IterateAll<{way[0]}>({destination}, 0, {way[1]}, {awaited});")
    return tuple(lines)


def _left_once(plan: MatmulPlan) -> bool:
    return len(plan.shape.left) == 1


def _place_lines(used: list[str], *, coupled: bool) -> tuple[str, ...]:
    """Where some rows of a tile are; ``offset`` is their place in results and in tensors of the results' shape."""
    offset = "(tile.row + done) * tiling->columnCount + tile.column"
    lines = [f"const int64_t offset = {offset};"]
    place = "const tile_io::Place"
    if _SLOT in used:
        pitch = "slotPitch" if coupled else "tile.columns"
        if coupled:
            lines.append(f"const uint32_t {pitch} = tiling->tileColumns;")
        lines.append(f"{place} {_SLOT}{{productSlots.OffsetOf(slot) + done * {pitch}, {pitch}, 1}};")
    if _OUTPUT in used:
        lines.append(f"{place} {_OUTPUT}{{offset, tiling->columnCount, 1}};")
    if _ROW in used:
        lines.append(f"{place} {_ROW}{{tile.column, 0, 1}};")
    return tuple(lines)


def _rows(tensor: TensorNames, plan: MatmulPlan) -> str:
    return "wholeRows" if plan.coupled and tensor.place == _SLOT else "rows"


def _matrix(operand: str, turned: bool) -> str:
    position = "AscendC::TPosition::GM, CubeFormat::ND"
    return f"matmul::MatmulType<{position}, {operand}{', true' if turned else ''}>"


def matmul_kernel_form(op: OpSpec, plan: MatmulPlan) -> MatmulKernelForm:
    """The kernel class: its products as messages to the cube core, its epilogue as the plan's instructions."""
    stem = snake(plan.op_type)
    epilogue = plan.epilogue
    tensors = _tensors(plan)
    read = [tensors[a.name] for a in epilogue.inputs]
    products = {p.name for p in plan.multiplications}
    maybe = products | {name for name, _ in plan.optional}
    used = [p for p in (_SLOT, _OUTPUT, _ROW) if any(t.place == p for t in read)]
    operands = _operands(plan)
    types = {a.name: tensor_names(a).type for a in plan.inputs}
    init = [
        *(f"GM_ADDR {tensor_names(a).address}" for a in plan.arguments),
        "GM_ADDR userWorkspace",
        f"const {plan.op_type}TilingData& tilingData",
        "AscendC::TPipe& pipe",
    ]
    parameters = ["const tile_io::Tile& rows", *(f"const tile_io::Place& {p}" for p in used)]
    return MatmulKernelForm(
        op_type=plan.op_type,
        stem=stem,
        guard=stem.upper(),
        coupled=plan.coupled,
        formulas=tuple(part for line in op.compute.splitlines() for part in comment(line.strip())),
        vector=vector_form(epilogue, tensors, "rows"),
        template_line=fill("template <", [f"typename {tensor_names(a).type}" for a in plan.arguments], ">"),
        left_matrix=_matrix(types[plan.shape.left[0]], plan.shape.transposed[0]),
        right_matrix=_matrix(types[plan.shape.right[0]], plan.shape.transposed[1]),
        init_signature=fill(f"{AICORE}Init(", init, ")", indent=4, room=2),
        product_count=plan.products,
        operands=operands,
        init_lines=_init_lines(plan, tensors),
        multiply_lines=_multiply_lines(plan),
        place_lines=_place_lines(used, coupled=plan.coupled),
        copy_in_lines=tuple(f"{t.queue}.CopyIn({_rows(t, plan)}, {t.place});" for t in read),
        compute_call=fill("Compute(", ["rows", *used], ");", indent=12),
        compute_signature=fill(f"{AICORE}Compute(", parameters, ")", indent=4, room=2),
        left_once=_left_once(plan),
        read=tuple(
            ReadTensor(tensors[a.name].queue, input_queue(tensors[a.name], a, optional=a.name in maybe))
            for a in epilogue.inputs
        ),
        written=tuple(WrittenTensor(tensors[a.name].queue, output_queue(tensors[a.name], a)) for a in epilogue.outputs),
    )
