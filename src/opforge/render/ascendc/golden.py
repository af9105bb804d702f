"""aclnn/golden_<op>.h: what an op gives, in C++ doubles from its graph, and the shapes on which programs try it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from opforge.ir.graph import Graph, Node
from opforge.ir.shapes import ProductShape, product_shape
from opforge.naming import snake
from opforge.render.ascendc.layout import assign, comment, fill
from opforge.render.ascendc.scalars import SPELLINGS
from opforge.spec.model import AttrSpec, AttrType, AttrValue, OpSpec

Shape = tuple[int, ...]

_ACL = {"float32": "ACL_FLOAT", "float16": "ACL_FLOAT16", "bfloat16": "ACL_BF16"}
_FLOAT = re.compile(r"\b(\d+\.\d+(?:e-?\d+)?)f\b")
_SPELLINGS = {
    **{name: _FLOAT.sub(r"\1", spelling) for name, spelling in SPELLINGS.items()},
    "min": "Min({a}, {b})",
    "max": "Max({a}, {b})",
}

# Elementwise: shapes that all tensors have, and a row that is repeated.
_EQUAL: tuple[tuple[str, Shape], ...] = (
    ("one element", (1,)),
    ("less than a block", (31,)),
    ("several dimensions", (2, 3, 257)),
    ("every core at work", (7, 40961)),
    ("no elements", (0, 5)),
)
_REPEATED: tuple[Shape, Shape] = ((5, 67), (67,))
# Products: leading dimensions, inner dimension and columns.
_SIZES: tuple[tuple[str, Shape, int, int], ...] = (
    ("one element", (1,), 1, 1),
    ("less than a tile", (3,), 17, 33),
    ("several tiles", (2, 65), 129, 257),
    ("no inner elements: products are zero", (4,), 0, 5),
    ("no rows", (0,), 16, 16),
)


@dataclass(frozen=True)
class TrialShapes:
    """Shapes of inputs and results as C++ braces, and what they are tried for."""

    note: str
    shapes: str


@dataclass(frozen=True)
class GoldenForm:
    """Context of ``aclnn/golden_op.h``."""

    op_type: str
    stem: str
    guard: str
    trials: tuple[TrialShapes, ...]
    types: tuple[str, ...]
    formulas: tuple[str, ...]
    operand_lines: tuple[str, ...]
    element_lines: tuple[str, ...]


def golden_form(op: OpSpec, graph: Graph) -> GoldenForm:
    """The golden of one op."""
    stem, shape = snake(op.type), product_shape(op, graph)
    tensors = [*op.inputs, *op.outputs]
    return GoldenForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        trials=tuple(_trials(op, shape)),
        types=tuple(_braces([_ACL[t.dtypes[column]] for t in tensors]) for column in range(op.columns)),
        formulas=tuple(part for line in op.compute.splitlines() for part in comment(line.strip())),
        operand_lines=tuple(_operand_lines(op, shape)) if shape else (),
        element_lines=tuple(_element_lines(op, graph, shape)),
    )


def attr_value(attr: AttrSpec) -> AttrValue:
    """What the programs pass for an attribute: its default, or a value that changes something."""
    if attr.default is not None:
        return attr.default
    others: dict[AttrType, AttrValue] = {
        "bool": True,
        "int": 2,
        "float": 1.5,
        "str": "",
        "list_int": (2, 3),
        "list_float": (1.5,),
        "list_bool": (True, False),
    }
    return others[attr.type]


def _braces(items: list[str]) -> str:
    return f"{{{', '.join(items)}}}"


def _trial(note: str, inputs: list[str], results: list[str]) -> TrialShapes:
    return TrialShapes(note, fill("{", [_braces(inputs), _braces(results)], "}", indent=4, room=1))


def _shape(shape: Shape) -> str:
    return _braces([str(extent) for extent in shape])


def _trials(op: OpSpec, shape: ProductShape | None) -> list[TrialShapes]:
    if shape is not None:
        return _product_trials(op, shape)
    count, results = len(op.inputs), len(op.outputs)
    trials = [_trial(note, [_shape(each)] * count, [_shape(each)] * results) for note, each in _EQUAL]
    if count > 1:
        whole, row = map(_shape, _REPEATED)
        trials.append(_trial("a repeated row", [whole, *[row] * (count - 1)], [whole] * results))
    return trials


def _product_trials(op: OpSpec, shape: ProductShape) -> list[TrialShapes]:
    trials = []
    for note, leading, inner, columns in _SIZES:
        sizes = {shape.k: inner, shape.n: columns}
        if shape.rows != ("...",):
            sizes = {shape.rows[0]: math.prod(leading), **sizes}
        extents = {name: (size,) for name, size in sizes.items()} | {"...": leading}

        def of(dims: tuple[str, ...], extents: dict[str, Shape] = extents) -> str:
            return _shape(tuple(e for dim in dims for e in ((int(dim),) if dim.isdigit() else extents[dim])))

        results = [of((*shape.rows, shape.n))] * len(op.outputs)
        trials.append(_trial(note, [of(tensor.dims) for tensor in op.inputs], results))
        if any(tensor.optional for tensor in op.inputs):
            inputs = ["kMissing" if tensor.optional else of(tensor.dims) for tensor in op.inputs]
            trials.append(_trial(f"{note}, without what is optional", inputs, results))
    return trials


def _operand_lines(op: OpSpec, shape: ProductShape) -> list[str]:
    """The matrices and their sizes. A tensor is called as in the spec, our own names hold a capital letter."""
    matrices = {*shape.left, *shape.right}
    lines = [
        f"const HostTensor& {t.name}Matrix = theInputs[{i}];" for i, t in enumerate(op.inputs) if t.name in matrices
    ]
    left, right = f"{shape.left[0]}Matrix.shape", f"{shape.right[0]}Matrix.shape"
    lines.append(f"const size_t innerSize = {right}[{1 if shape.transposed[1] else 0}];")
    lines.append(f"const size_t columnCount = {right}[{0 if shape.transposed[1] else 1}];")
    if shape.transposed[0]:
        lines.append(f"const size_t rowCount = {left}[1];")
    return lines


def _element_lines(op: OpSpec, graph: Graph, shape: ProductShape | None) -> list[str]:
    lines = []
    if shape is not None:
        lines += [
            "const size_t theRow = theIndex / columnCount;",
            "const size_t theColumn = theIndex % columnCount;",
        ]
    titles = _titles(op, graph)
    names: dict[int, str] = {}
    for node in _needed(graph):
        operands = [names[i] for i in node.operands if i in names]
        if node.op == "cast":  # rounding to storage types is what the tolerance is for
            names[node.id] = operands[0]
            continue
        names[node.id] = name = titles.get(node.id, f"valueOf{node.id}")
        lines.append(_declared(name, _value(op, graph, node, operands)))
    lines += [f"(*theResults)[{i}].values[theIndex] = {names[each.node]};" for i, each in enumerate(graph.outputs)]
    return lines


def _declared(name: str, value: str) -> str:
    head, bracket, rest = value.partition("(")
    if bracket and rest.endswith(")") and " " not in head:
        return assign(f"const double {name}", f"{head}(", rest[:-1].split(", "), ");", indent=8)
    return f"const double {name} = {value};"


def _needed(graph: Graph) -> list[Node]:
    """The nodes that results depend on; operands of products are read as matrices."""
    wanted = {output.node for output in graph.outputs}
    for node in reversed(graph.nodes):
        if node.id in wanted and node.op != "matmul":
            wanted.update(node.operands)
    return [node for node in graph.nodes if node.id in wanted]


def _titles(op: OpSpec, graph: Graph) -> dict[int, str]:
    """Nodes that have a name in the spec: inputs, attributes, products, and what a result is."""
    titles = {node.id: node.name for node in graph.nodes if node.name is not None and node.op != "matmul"}
    taken = {tensor.name for tensor in (*op.inputs, *op.outputs)} | set(titles.values())
    titles |= {node.id: node.name for node in graph.products if node.name is not None and node.name not in taken}
    for output in graph.outputs:
        node = graph[output.node]
        while node.op == "cast":
            node = graph[node.operands[0]]
        titles.setdefault(node.id, output.name)
    return titles


def _value(op: OpSpec, graph: Graph, node: Node, operands: list[str]) -> str:
    if node.op == "input":
        return f"theInputs[{_place(op, node)}].At(theIndex)"
    if node.op == "attr":
        return _number(float(attr_value(next(a for a in op.attrs if a.name == node.name))))
    if node.op == "const":
        return _number(node.value or 0.0)
    if node.op == "given_or":
        return f"theInputs[{_place(op, _input(graph, node))}].Missing() ? {_number(node.value or 0.0)} : {operands[0]}"
    if node.op == "matmul":
        left, right = (graph[i].name for i in node.operands)
        of_left = "theRow, rowCount" if node.transposed[0] else "theRow * innerSize, 1"
        of_right = "theColumn * innerSize, 1" if node.transposed[1] else "theColumn, columnCount"
        return f"Dot({left}Matrix, {of_left}, {right}Matrix, {of_right}, innerSize)"
    return _SPELLINGS[node.op].format(a=operands[0], b=operands[min(1, len(operands) - 1)], c=operands[-1])


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
