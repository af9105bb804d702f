"""Cuts graphs that reduce the values of all rows: what comes before, row by row, and what is made of all rows.

``y = mean(sum(x * x, -1))`` is rows, ``values0 = sum(x * x, -1)``, and totals, ``y = sum(values0) / values0.numel()``,
of which the values of all rows are one row. Of its gradient, what is made of all rows comes first:
``total0 = grad_y / rows``, then ``grad_x = total0 * 2 * x``.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType

from opforge.frozen import dataclass
from opforge.ir.builder import GraphBuilder
from opforge.ir.graph import Graph, Node, RowDimension
from opforge.ir.graph_printer import print_formulas
from opforge.ir.legality import STORAGE
from opforge.ir.rows import total_values, whole_shape
from opforge.spec.axes import ALL
from opforge.spec.combinations import Row, combinations
from opforge.spec.dimensions import print_dim
from opforge.spec.language import PARTS, TOTALS
from opforge.spec.model import OpSpec, Override, TensorSpec


@dataclass(frozen=True)
class Part:
    """One part of an op: an op of its own."""

    op: OpSpec
    graph: Graph


def cut_at_totals(op: OpSpec, graph: Graph) -> tuple[Part, Part]:
    """The rows of an op, whose results are float32 with one element for each row, and the totals of these.

    The parts are named ``<op>Rows`` and ``<op>Totals``. Each dtype combination of the op is one of each part.
    """
    names = dict(zip(_reduced(graph), _fresh(graph, "values"), strict=False))
    values = {name: node for node, name in names.items()}
    rows = _copied(graph, values, {}, dict.fromkeys(values, "dropped"))
    totals = _totals(graph, names)
    dims = tuple(map(print_dim, graph.axes.dropped(whole_shape(op))))
    made = tuple(TensorSpec(name, ("float32",), dims) for name in values)
    first, second = PARTS
    return Part(_op(op, first, op.inputs, made, rows), rows), Part(_op(op, second, made, op.outputs, totals), totals)


def part_columns(op: OpSpec, part: OpSpec) -> tuple[int, ...]:
    """The combination of dtypes of a part for each combination of the op."""
    own = combinations(part)
    return tuple(own.index(row) for row in _rows(op, part, combinations(op)))


def _op(
    op: OpSpec, suffix: str, inputs: tuple[TensorSpec, ...], outputs: tuple[TensorSpec, ...], graph: Graph
) -> OpSpec:
    """A part of an op, with the dtypes that the op's combinations give its tensors."""
    bare = dataclasses.replace(
        op, type=f"{op.type}{suffix}", inputs=inputs, outputs=outputs, tree=None, backward=False, dtype_product=False
    )

    def typed(rows: Iterable[Row]) -> Iterator[TensorSpec]:
        columns = zip(*dict.fromkeys(_rows(op, bare, rows)), strict=True)
        for tensor, dtypes in zip((*inputs, *outputs), columns, strict=True):
            yield dataclasses.replace(tensor, dtypes=dtypes)

    tensors = tuple(typed(combinations(dataclasses.replace(op, overrides=()))))
    socs = {override.soc: tuple(combinations(op, override.soc)) for override in op.overrides}
    return dataclasses.replace(
        bare,
        inputs=tensors[: len(inputs)],
        outputs=tensors[len(inputs) :],
        compute=print_formulas(graph, {tensor.name: tensor.dtypes for tensor in tensors}),
        overrides=tuple(Override(soc, tuple(typed(rows))) for soc, rows in socs.items() if rows),
    )


def _rows(op: OpSpec, part: OpSpec, rows: Iterable[Row]) -> Iterator[Row]:
    """The op's combinations, of the part's tensors."""
    places = {tensor.name: place for place, tensor in enumerate((*op.inputs, *op.outputs))}
    tensors = [tensor.name for tensor in (*part.inputs, *part.outputs)]
    for row in rows:
        yield tuple(row[places[name]] if name in places else "float32" for name in tensors)


def cut_gradients(graph: Graph, ones: Iterable[str]) -> tuple[Graph | None, Graph | None]:
    """Cuts a graph of gradients: the values of all rows, and the rest, which reads them as ``total0``, ``total1``.

    ``ones`` are the inputs that are the gradients of results made of all rows. Gradients that are made of all rows are
    results of the first graph. Either graph is None if it has no results.

    Which rows have the largest or smallest value is also found in the first graph, with a number for each row: if the
    rest computed the values again, in another order, none might be equal to the extreme.
    """
    given = frozenset(ones)
    extremes = {node.id for node in graph.nodes if _finds_extreme(graph, node)}
    made = total_values(graph.nodes, given) | extremes
    results = {output.name: graph[output.node].operands[0] for output in graph.outputs}
    read = {o for node in graph.nodes if node.id not in made for o in node.operands if o in made}
    read |= {node for node in results.values() if node in made and _loaded(graph, node) in given}
    names = {node: _loaded(graph, node) for node in read if _loaded(graph, node) in given}
    fresh = dict(zip(sorted(read - names.keys()), _fresh(graph, "total"), strict=False))
    first = {name: node for node, name in fresh.items()}
    first |= {name: node for name, node in results.items() if node in made and node not in names}
    rest = {name: node for name, node in results.items() if name not in first}
    of_rows: dict[str, RowDimension] = {o.name: o.row for o in graph.outputs if o.row is not None and o.name in rest}
    return (
        _copied(graph, first, {}, {name: "kept" if node in extremes else "one" for name, node in first.items()})
        if first
        else None,
        _copied(graph, rest, names | fresh, of_rows) if rest else None,
    )


def _finds_extreme(graph: Graph, node: Node) -> bool:
    """Whether it compares the values of rows with the largest or smallest one."""
    return node.op == "eq" and any(graph[operand].op in ("amax_all", "amin_all") for operand in node.operands)


def _reduced(graph: Graph) -> list[int]:
    """The values of rows that TOTALS read, without duplicates."""
    return list(dict.fromkeys(node.operands[0] for node in graph.totals))


def _loaded(graph: Graph, place: int) -> str:
    """The input that a node loads; empty for other nodes."""
    node = graph[place]
    source = graph[node.operands[0]] if node.op == "cast" else node
    return source.name or "" if source.op == "input" else ""


def _fresh(graph: Graph, stem: str) -> Iterator[str]:
    """``stem0``, ``stem1``, ...: names that the graph does not have."""
    taken = {*(node.name for node in graph.nodes), *(output.name for output in graph.outputs)}
    return (name for number in itertools.count() if (name := f"{stem}{number}") not in taken)


def _copied(
    graph: Graph,
    results: Mapping[str, int],
    given: Mapping[int, str],
    rows: Mapping[str, RowDimension] = MappingProxyType({}),
) -> Graph:
    """The graph of some nodes as results; the nodes ``given`` are inputs of these names."""
    builder = GraphBuilder()
    value: dict[int, int] = {}
    for node in graph.nodes:
        if node.id in given:
            value[node.id] = builder.input(given[node.id])
        elif node.op == "given_or":
            value[node.id] = builder.given_or(_loaded(graph, node.operands[0]), node.value or 0.0)
        elif all(operand in value or graph[operand].op == "input" for operand in node.operands):
            copied = builder.copy(graph, node, value)
            if copied is not None:
                value[node.id] = copied
    made = builder.finish({name: value[node] for name, node in results.items()}, rows, graph.axes)
    return dataclasses.replace(made, unsqueezed=graph.unsqueezed)


def _totals(graph: Graph, names: Mapping[int, str]) -> Graph:
    """The results from the values of rows, which are the elements of one row."""
    builder = GraphBuilder()
    totals, first = total_values(graph.nodes), next(iter(names.values()))
    value: dict[int, int] = {}
    for node in graph.nodes:
        if node.op in TOTALS:
            value[node.id] = builder.apply(node.op.removesuffix("_all"), builder.input(names[node.operands[0]]))
        elif node.op == "rows":
            value[node.id] = builder.size(first, None, node.dtype)
        elif (node.scalar and node.op != "size") or (node.id in totals and node.dtype != STORAGE):
            value[node.id] = builder.copy(graph, node, value) or 0
    results = {output.name: value[graph[output.node].operands[0]] for output in graph.outputs}
    return builder.finish(results, dict.fromkeys(results, "dropped"), ALL)
