"""Reads the ASCENDC_TPL_* of a preprocessed kernel: for which template arguments it is compiled, under which key.

Page: Utils-API/Tiling模板编程/模板参数定义. The header template_argument.h leaves
the arguments of its macros in the text as strings.
"""

from __future__ import annotations

import ast
import itertools
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

# Kernel types by the numbers of ASCENDC_TPL_AIV_ONLY and its kin.
TPL_KERNEL_TYPES = {
    0: "KERNEL_TYPE_AIV_ONLY",
    1: "KERNEL_TYPE_AIC_ONLY",
    4: "KERNEL_TYPE_MIX_AIV_1_0",
    5: "KERNEL_TYPE_MIX_AIC_1_0",
    6: "KERNEL_TYPE_MIX_AIC_1_1",
    7: "KERNEL_TYPE_MIX_AIC_1_2",
    8: "KERNEL_TYPE_AICORE",
    9: "KERNEL_TYPE_VECTORCORE",
    10: "KERNEL_TYPE_MIX_AICORE",
    11: "KERNEL_TYPE_MIX_VECTOR_CORE",
}

INPUT_BIAS, OUTPUT_BIAS = 100000000, 900000000
_UI_RANGE, _UI_LIST, _UI_MIX = range(3)
_KEY_BITS = 64
_ONE_BIT = {"BOOL": 1}
# What stands beside the parameters in an ASCENDC_TPL_ARGS_SEL.
_SETTINGS = ("KERNEL_TYPE", "DETERMINISTIC", "TILING_STRUCT")


class TemplateError(Exception):
    """The declarations contradict each other, or the documentation."""


@dataclass(frozen=True)
class Names:
    """The numbers behind C_DT_* and C_FORMAT_*, and the C++ types of the former."""

    data_types: Mapping[str, int]
    formats: Mapping[str, int]
    cpp_types: Mapping[int, str]


@dataclass(frozen=True)
class Parameter:
    """One template parameter with its declared or selected values; ``bits`` is its width in the key."""

    kind: str
    name: str
    bits: int
    values: tuple[int, ...]


@dataclass(frozen=True)
class Combination:
    """One instance of the kernel."""

    key: int
    arguments: tuple[str, ...]  # as C++
    kernel_type: str  # KERNEL_TYPE_*; "" where nothing is said


@dataclass(frozen=True)
class _Call:
    """``sim_tpl(kind, argument, ...)`` of the text."""

    kind: str
    arguments: tuple[str, ...]
    parts: tuple[_Call, ...]


@dataclass(frozen=True)
class Column:
    """Data types and formats of the inputs and outputs of this compilation."""

    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    input_formats: tuple[int, ...]
    output_formats: tuple[int, ...]


def combinations(text: str, names: Names, column: Column) -> tuple[Combination, ...]:
    """Empty for a kernel without templates. Raises TemplateError."""
    # A header without a guard, included twice, declares the same twice: that is one declaration.
    declarations = list(dict.fromkeys(_notes(text, "ASCENDC_TPL_ARGS_DECL")))
    selections = list(dict.fromkeys(_notes(text, "ASCENDC_TPL_SEL")))
    if not declarations and not selections:
        return ()
    if len(declarations) != 1 or len(selections) != 1:
        count = f"{len(declarations)} and {len(selections)}"
        raise TemplateError(f"a kernel has one ASCENDC_TPL_ARGS_DECL and one ASCENDC_TPL_SEL; found: {count}")
    declared = tuple(_parameter(call, names, 0) for call in _calls(declarations[0]))
    width = sum(parameter.bits for parameter in declared)
    if width > _KEY_BITS:
        raise TemplateError(f"ASCENDC_TPL_ARGS_DECL: the parameters take {width} bits, a tiling key has {_KEY_BITS}")
    found: dict[int, Combination] = {}
    for selection in _calls(selections[0]):
        for combination in _instances(selection, declared, names, column):
            if combination.key in found:
                raise TemplateError(f"ASCENDC_TPL_SEL: {', '.join(combination.arguments)} is selected twice")
            found[combination.key] = combination
    if not found:
        raise TemplateError("ASCENDC_TPL_SEL selects nothing for the data types of this compilation")
    return tuple(found.values())


def _instances(selection: _Call, declared: Sequence[Parameter], names: Names, column: Column) -> Iterator[Combination]:
    """What one ASCENDC_TPL_ARGS_SEL stands for, without what belongs to other data types."""
    told = _kernel_type_of(selection, names)
    selected = _selected(selection, {parameter.name: parameter.bits for parameter in declared}, names)
    choices = [_choices(parameter, selected.get(parameter.name), column) for parameter in declared]
    for values in itertools.product(*choices):
        key, shift, kernel_type = 0, 0, told
        for parameter, value in zip(declared, values, strict=True):
            key |= (parameter.values.index(value) if parameter.kind == "UINT" else value) << shift
            shift += parameter.bits
            if parameter.kind == "SHARED_KERNEL_TYPE":
                kernel_type = _kernel_type(value)
        arguments = (_argument(parameter, value, names) for parameter, value in zip(declared, values, strict=True))
        yield Combination(key, tuple(arguments), kernel_type)


def _kernel_type_of(selection: _Call, names: Names) -> str:
    """What stands beside the parameters: ASCENDC_TPL_KERNEL_TYPE_SEL; "" without one."""
    told = ""
    for call in selection.parts:
        if call.kind == "DETERMINISTIC" and _value(call.arguments[1], names) != 0:
            raise TemplateError("ASCENDC_TPL_DETERMINISTIC_SEL(true): there is no simulation of such kernels")
        if call.kind == "KERNEL_TYPE":
            told = _kernel_type(_value(call.arguments[1], names))
    return told


def _selected(selection: _Call, bits: Mapping[str, int], names: Names) -> dict[str, Parameter]:
    """The selected parameters by name; ``bits`` are the widths of the declared ones."""
    selected: dict[str, Parameter] = {}
    for call in selection.parts:
        if call.kind not in _SETTINGS:
            name = call.arguments[0].removeprefix("sim_")
            if name not in bits:
                raise TemplateError(f"ASCENDC_TPL_{call.kind}_SEL({name}): ASCENDC_TPL_ARGS_DECL has no such parameter")
            selected[name] = _parameter(call, names, bits[name])
    return selected


def _choices(declared: Parameter, selected: Parameter | None, column: Column) -> list[int]:
    """The values that one parameter takes in turn."""
    name = declared.name
    if selected is None:
        raise TemplateError(f"ASCENDC_TPL_ARGS_SEL lacks {name} of ASCENDC_TPL_ARGS_DECL")
    if selected.kind != declared.kind:
        raise TemplateError(
            f"{name} is a {declared.kind} where it is declared, a {selected.kind} in ASCENDC_TPL_ARGS_SEL"
        )
    for value in selected.values:
        if value not in declared.values:
            raise TemplateError(f"ASCENDC_TPL_{selected.kind}_SEL({name}): {value} is none of the declared values")
    bound = _bound(declared, column)
    plain = [value for value in selected.values if value < INPUT_BIAS] or ([] if bound is None else [bound])
    return [value for value in plain if bound is None or value == bound]


def _bound(parameter: Parameter, column: Column) -> int | None:
    """What ASCENDC_TPL_INPUT(x) or ASCENDC_TPL_OUTPUT(x) of the declaration stands for; the first counts."""
    for value in parameter.values:
        if value < INPUT_BIAS:
            continue
        is_output = value >= OUTPUT_BIAS
        index = value - (OUTPUT_BIAS if is_output else INPUT_BIAS)
        types = column.outputs if is_output else column.inputs
        if index >= len(types):
            side = "OUTPUT" if is_output else "INPUT"
            raise TemplateError(f"ASCENDC_TPL_{side}({index}) of {parameter.name}: the op has {len(types)} of them")
        if parameter.kind == "FORMAT":
            return (column.output_formats if is_output else column.input_formats)[index]
        return types[index]
    return None


def _argument(parameter: Parameter, value: int, names: Names) -> str:
    if parameter.kind != "DATATYPE":
        return str(value)
    if value not in names.cpp_types:
        raise TemplateError(f"ASCENDC_TPL_DATATYPE_DECL({parameter.name}): kernels have no type for data type {value}")
    return names.cpp_types[value]


def _kernel_type(value: int) -> str:
    if value not in TPL_KERNEL_TYPES:
        raise TemplateError(f"ASCENDC_TPL_KERNEL_TYPE_SEL: {value} is not a kernel type")
    return TPL_KERNEL_TYPES[value]


def _parameter(call: _Call, names: Names, bits: int) -> Parameter:
    """``bits`` is 0 for a declaration, which says them."""
    name, *texts = call.arguments
    values = [_value(text, names) for text in texts]
    if call.kind == "UINT":
        if bits == 0:
            bits, *values = values
        values = _written_out(name.removeprefix("sim_"), values)
        if len([value for value in values if value < INPUT_BIAS]) > 1 << bits:
            raise TemplateError(
                f"ASCENDC_TPL_UINT_DECL({name.removeprefix('sim_')}): {len(values)} values do not fit {bits} bits"
            )
    else:
        bits = _ONE_BIT.get(call.kind, 8)
    plain = name.removeprefix("sim_")
    if not values:
        raise TemplateError(f"{plain} has no values")
    if len(set(values)) != len(values):
        raise TemplateError(f"{plain} has a value twice: {values}")
    return Parameter(call.kind, plain, bits, tuple(values))


def _written_out(name: str, values: list[int]) -> list[int]:
    """The values of ASCENDC_TPL_UI_RANGE, _LIST and _MIX, one by one."""
    mode, *rest = values or [-1]
    if mode == _UI_LIST:
        return rest
    if mode not in (_UI_RANGE, _UI_MIX) or not rest or len(rest) < 1 + 2 * rest[0]:
        raise TemplateError(
            f"{name}: ASCENDC_TPL_UI_RANGE, _LIST or _MIX and as many numbers as it asks for are missing"
        )
    ranges = rest[1 : 1 + 2 * rest[0]]
    found = [value for low, high in zip(ranges[::2], ranges[1::2], strict=True) for value in range(low, high + 1)]
    return found + (rest[1 + 2 * rest[0] :] if mode == _UI_MIX else [])


_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.floordiv,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
}


def _value(text: str, names: Names) -> int:
    """An integer expression of literals, or the name of a data type or format."""
    word = text.strip().split("::")[-1]
    if word in names.data_types:
        return names.data_types[word]
    if word in names.formats:
        return names.formats[word]
    plain = re.sub(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", text).replace("true", "1").replace("false", "0")

    def number(node: ast.AST) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            return int(_OPERATORS[type(node.op)](number(node.left), number(node.right)))
        raise ValueError

    try:
        return number(ast.parse(plain.strip(), mode="eval").body)
    except (SyntaxError, ValueError) as error:
        raise TemplateError(
            f"{text.strip()}: a value of a template parameter is a number, a macro of one, C_DT_* or C_FORMAT_*"
        ) from error


def _notes(text: str, name: str) -> list[str]:
    """What the macros have left in the text."""
    found = re.findall(rf'static_assert\(sizeof\("((?:\\.|[^"\\])*)"\) != 0, "{name}"\)', text)
    return [re.sub(r"\\(.)", r"\1", note) for note in found]


def _calls(text: str) -> tuple[_Call, ...]:
    """The calls of sim_tpl that stand side by side in the text."""
    return tuple(_call(part) for part in _split(text))


def _call(text: str) -> _Call:
    match = re.fullmatch(r"sim_tpl\((\w+),?(.*)\)", text, re.DOTALL)
    if match is None:
        raise TemplateError(f"{text}: not an ASCENDC_TPL_* macro")
    arguments = tuple(_split(match[2]))
    return _Call(match[1], arguments, tuple(map(_call, arguments)) if match[1] == "ARGS" else ())


def _split(text: str) -> list[str]:
    """At the commas outside of parentheses; the last may be followed by nothing."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]
