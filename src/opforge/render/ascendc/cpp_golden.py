"""aclnn/golden_<op>.h: computes an op in C++ doubles from its graph, and lists the shapes that programs try."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.ir.graph import MEASURES, Graph, Node
from opforge.naming import snake
from opforge.program import Golden, Variable
from opforge.render.ascendc.scalars import SPELLINGS
from opforge.render.ascendc.trials import TrialShapes, result_places, trials_of, type_rows
from opforge.spec.axes import LAST
from opforge.spec.model import OpSpec, TensorSpec
from opforge.spec.samples import sample_attr

if TYPE_CHECKING:
    from opforge.program import Kernel

# How to spell operators that read whole tensors, by their names in the IR.
Whole = Mapping[str, Callable[[Node], str]]
# The type and the value of a node's variable, from the names of the nodes so far and the spelling of an operator.
Spell = Callable[[Node, Mapping[int, str], Callable[[list[str]], str]], tuple[str, str]]

_FLOAT = re.compile(r"\b(\d+\.\d+(?:e-?\d+)?)f\b")
_SPELLINGS = {
    **{name: _FLOAT.sub(r"\1", spelling) for name, spelling in SPELLINGS.items()},
    "min": "Min({a}, {b})",
    "max": "Max({a}, {b})",
}
_BITS = "static_cast<double>(static_cast<int64_t>({a}) SIGN static_cast<int64_t>({b}))"
# Of integers; a double has every quotient of two int32.
OF_INTEGERS = {
    "floor_divide": "{b} == 0.0 ? 0.0 : std::floor({a} / {b})",
    "remainder": "{b} == 0.0 ? {a} : {a} - {b} * std::floor({a} / {b})",
    "fmod": "{b} == 0.0 ? {a} : std::fmod({a}, {b})",
    **{f"bitwise_{name}": _BITS.replace("SIGN", sign) for name, sign in (("and", "&"), ("or", "|"), ("xor", "^"))},
    "bitwise_not": "-1.0 - {a}",
    "bitwise_left_shift": "std::ldexp({a}, static_cast<int>({b}))",
    "bitwise_right_shift": "std::floor(std::ldexp({a}, -static_cast<int>({b})))",
}


@dataclass(frozen=True)
class GoldenResult:
    """An element of a result: its index, and its value."""

    index: str
    value: str


@dataclass(frozen=True)
class GoldenForm:
    """Context of ``aclnn/golden_op.h``.

    ``computed``: the expected results can be computed. ``broadcast``: an element depends on the shape of the results;
    ``rows``: it depends on a whole row; ``numbers``: and on the numbers of its elements. ``totals``: each result has
    one element, which depends on all rows. ``unsqueezed``: the indices of the inputs without the dimension of a row.
    ``in_row``: the condition that a row has all of a dimension; it may depend on the rank.
    """

    op_type: str
    stem: str
    guard: str
    trials: tuple[TrialShapes, ...]
    types: tuple[tuple[str, ...], ...]
    places: tuple[int, ...]
    computed: bool
    rows: bool
    numbers: bool
    totals: bool
    in_row: str
    in_row_of_rank: bool
    whole_shape: str
    formula: str
    operands: tuple[Variable, ...]
    broadcast: bool
    unsqueezed: tuple[str, ...]
    elements: tuple[Variable, ...]
    results: tuple[GoldenResult, ...]


def golden_form(kernel: Kernel, soc: str) -> GoldenForm:
    """The golden of one op and the trials of its programs. Not every op has a golden."""
    op, golden = kernel.op, kernel.golden
    stem = snake(op.type)
    elements = golden.elements if golden is not None else ()
    return GoldenForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        trials=trials_of(op, kernel.trial_cases()),
        types=type_rows(op, soc),
        places=result_places(op),
        computed=golden is not None,
        rows=any("OfRow(" in variable.value for variable in elements),
        numbers=any("NumberInRow(" in variable.value for variable in elements),
        totals=golden is not None and golden.totals,
        in_row=golden.in_row if golden is not None else "",
        in_row_of_rank=golden is not None and "rank" in golden.in_row,
        whole_shape=golden.whole_shape if golden is not None else "",
        formula=op.compute,
        operands=golden.operands if golden is not None else (),
        broadcast=any("resultShape" in variable.value for variable in elements),
        unsqueezed=tuple(str(place) for place, tensor in enumerate(op.inputs) if tensor.unsqueezed),
        elements=elements,
        results=_results(golden) if golden is not None else (),
    )


def _results(golden: Golden) -> tuple[GoldenResult, ...]:
    of_rows = "RowOf(elementIndex, resultShape)"
    return tuple(
        GoldenResult(of_rows if place in golden.row_results else "elementIndex", value)
        for place, value in enumerate(golden.results)
    )


def _plain(node: Node, names: Mapping[int, str], value: Callable[[list[str]], str]) -> tuple[str, str]:
    return "double", value([names[i] for i in node.operands if i in names])


def golden_of(
    op: OpSpec, graph: Graph, whole: Whole = MappingProxyType({}), spell: Spell = _plain, kind: str = "double"
) -> Golden:
    """The code for one element of each result.

    ``whole`` spells the operators that read whole tensors; their values are of the C++ type ``kind``.
    """
    variables = []
    titles = _titles(op, graph, whole)
    names: dict[int, str] = {}
    for node in _needed(graph, whole):
        operands = [names[i] for i in node.operands if i in names]
        if node.op == "cast" and not node.text and not _truncates(op, graph, node):  # the tolerance covers rounding
            names[node.id] = operands[0]
            continue
        names[node.id] = name = titles.get(node.id, f"valueOf{node.id}")
        if node.op in whole:
            variables.append(Variable(kind, name, whole[node.op](node)))
        else:
            own, value = spell(node, names, partial(_value, op, graph, node))
            variables.append(Variable(own, name, value))
    return Golden(tuple(variables), tuple(names[output.node] for output in graph.outputs))


def _needed(graph: Graph, whole: Whole) -> list[Node]:
    """The nodes that are computed per element, and the whole-tensor nodes that these read."""
    wanted = {output.node for output in graph.outputs}
    for node in reversed(graph.nodes):
        if node.id in wanted and node.op not in (*whole, *MEASURES):
            wanted.update(node.operands)
    return [node for node in graph.nodes if node.id in wanted]


def _titles(op: OpSpec, graph: Graph, whole: Whole) -> dict[int, str]:
    """Variable names that come from the spec: inputs, attributes, assignments and results."""
    named = [node for node in graph.nodes if node.name is not None and node.op != "says"]
    named = [node for node in named if node.element is None]
    titles = {node.id: node.name or "" for node in named if node.op not in whole}
    taken = {tensor.name for tensor in (*op.inputs, *op.outputs)} | set(titles.values())
    titles |= {node.id: node.name or "" for node in named if node.op in whole and node.name not in taken}
    for output in graph.outputs:
        node = graph[output.node]
        while node.op == "cast" and not node.text and not _truncates(op, graph, node):
            node = graph[node.operands[0]]
        titles.setdefault(node.id, output.name)
    return titles


def _truncates(op: OpSpec, graph: Graph, node: Node) -> bool:
    """Whether a cast turns a float into an integer, which truncates."""
    if graph[node.operands[0]].dtype != "float32" or node.dtype == "float32":
        return False
    dtypes = {dtype for each in graph.outputs if each.node == node.id for dtype in _output(op, each.name).dtypes}
    return node.dtype == "int32" or any(not DTYPES[dtype].floating and dtype != "bool" for dtype in dtypes)


def _output(op: OpSpec, name: str) -> TensorSpec:
    return next(tensor for tensor in op.outputs if tensor.name == name)


def _value(op: OpSpec, graph: Graph, node: Node, operands: list[str]) -> str:
    if node.op == "input":
        return f"inputTensors[{_place(op, node)}].At(elementIndex, resultShape)"
    if node.op == "attr":
        value = sample_attr(next(a for a in op.attrs if a.name == node.name))
        value = value[node.element] if node.element is not None and isinstance(value, tuple) else value
        return _number(float(value) if isinstance(value, int | float) else 0.0)
    if node.op == "says":
        return _number(float(sample_attr(next(a for a in op.attrs if a.name == node.name)) == node.text))
    if node.op in MEASURES:
        return f"static_cast<double>({_measure(op, graph, node)})"
    if node.op == "cast":
        return f"std::trunc({operands[0]})" if node.text is None else _wrapped(op, node.text, operands[0])
    if node.op == "const":
        return _number(node.value or 0.0)
    if node.op == "given_or":
        return (
            f"inputTensors[{_place(op, _input(graph, node))}].Missing() ? {_number(node.value or 0.0)} : {operands[0]}"
        )
    whole = OF_INTEGERS.get(node.op) if node.dtype == "int32" else None
    return (whole or _SPELLINGS[node.op]).format(a=operands[0], b=operands[min(1, len(operands) - 1)], c=operands[-1])


def _measure(op: OpSpec, graph: Graph, node: Node) -> str:
    """An integer that depends on shapes alone, or the number of an element of a row."""
    if node.op == "rows":
        return "RowCount(resultShape)"
    if node.op == "arange":
        last = "elementIndex % static_cast<size_t>(resultShape.back())"
        return last if graph.axes == LAST else "NumberInRow(elementIndex, resultShape)"
    tensor = f"inputTensors[{_place(op, graph[node.operands[0]])}]"
    if isinstance(node.axis, str):
        return f"{tensor}.shape[{'0' if node.axis == '0' else f'{tensor}.shape.size() - 1'}]"
    return f"{tensor}.values.size()" if node.axis is None else f"{tensor}.shape[{tensor}.shape.size() - {-node.axis}]"


def _wrapped(op: OpSpec, dtype: str, value: str) -> str:
    """An integer wrapped around in a dtype, or in that of a tensor: ``x.dtype``."""
    tensor, _, like = dtype.partition(".")
    if not like:
        return f"static_cast<double>(static_cast<{DTYPES[dtype].kernel}>(static_cast<int64_t>({value})))"
    place = next(i for i, each in enumerate(op.inputs) if each.name == tensor)
    type_ = f"inputTensors[{place}].type"
    return f"FromBits(ToBits({value}, {type_}) & (~uint64_t{{0}} >> (64 - 8 * BytesOf({type_}))), {type_})"


def _place(op: OpSpec, node: Node) -> int:
    return next(i for i, tensor in enumerate(op.inputs) if tensor.name == node.name)


def _input(graph: Graph, node: Node) -> Node:
    while node.op != "input":
        node = graph[node.operands[0]]
    return node


def _number(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    limits = "std::numeric_limits<double>::"
    return f"{limits}quiet_NaN()" if math.isnan(value) else f"{'-' if value < 0 else ''}{limits}infinity()"
