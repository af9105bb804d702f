"""The vector instructions of a plan as C++: buffers, views of tensors, one call a line, and what closes the views."""

from __future__ import annotations

from collections.abc import Mapping

from opforge.plan.model import FloatBuffer, Plan
from opforge.render.ascendc.layout import assign
from opforge.render.ascendc.names import LocalNames, TensorNames

_TENSOR = "AscendC::LocalTensor<float>"


def float_constants(plan: Plan, names: LocalNames, tensors: Mapping[str, TensorNames]) -> tuple[str, ...]:
    """``kX = 0``, ``kY = kX + kFloatBuffersOf<TypeX>`` and so on: a chain, as buffers exist or not by storage type."""

    def size(buffer: FloatBuffer) -> str:
        return f"tile_io::kFloatBuffersOf<{tensors[buffer.stands_for].type}>" if buffer.stands_for else "1"

    lines, place = [], "0"
    for buffer in plan.floats:
        constant = _float_constant(names, tensors, buffer)
        lines.append(f"static constexpr uint32_t {constant} = {place};")
        place = f"{constant} + {size(buffer)}"
    return (*lines, f"static constexpr uint32_t kFloatBuffers = {place};")


def _float_constant(names: LocalNames, tensors: Mapping[str, TensorNames], buffer: FloatBuffer) -> str:
    if buffer.stands_for:
        return tensors[buffer.stands_for].constant
    local = names.of(buffer.place)
    return f"k{local[:1].upper()}{local[1:]}"


def open_lines(
    plan: Plan, names: LocalNames, tensors: Mapping[str, TensorNames], *, tile: str, capacity: str
) -> tuple[str, ...]:
    """Views of all tensors, temporaries and masks; ``capacity`` is the member of the tiling data that sizes them."""
    own = {b.stands_for for b in plan.floats}

    def floats(name: str) -> str:
        return f"Floats<{tensors[name].constant}>()" if name in own else f"{_TENSOR}()"

    lines = []
    for argument in plan.inputs:
        if argument.moved:
            t = tensors[argument.name]
            call = [floats(argument.name), tile, t.place]
            lines.append(assign(f"{_TENSOR} {t.name}", f"{t.member}.Open(", call, ");", indent=8))
    for home in plan.homes:
        if home.copies is None:
            where = floats(home.output) if home.place.kind == "output" else home.place.name
            member = tensors[home.output].member
            lines.append(assign(f"{_TENSOR} {home.output}", f"{member}.Open(", [where], ");", indent=8))
    lines += [
        f"{_TENSOR} {names.of(b.place)} = Floats<{_float_constant(names, tensors, b)}>();"
        for b in plan.floats
        if not b.stands_for
    ]
    for number in range(plan.masks):
        offset = f"{number} * tiling_->{capacity} / kMaskBits"
        lines.append(f"AscendC::LocalTensor<uint8_t> {names.mask}{number} = masks_.template Get<uint8_t>()[{offset}];")
    return tuple(lines)


def close_lines(plan: Plan, tensors: Mapping[str, TensorNames]) -> tuple[str, ...]:
    """Results are handed on, and what was read is given back."""
    copies = [f"{tensors[h.output].member}.StoreCopy({h.copies}, elementCount);" for h in plan.homes if h.copies]
    outputs = [f"{tensors[h.output].member}.Close({h.output}, elementCount);" for h in plan.homes if not h.copies]
    inputs = [f"{tensors[a.name].member}.Close({a.name});" for a in plan.inputs if a.moved]
    return (*copies, *outputs, *inputs)
