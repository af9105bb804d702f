"""Lowers the kernel IR to Ascend C's vector instructions, on values without buffers.

``z = where(x > y, x, 0.0)`` becomes ``Compare`` and ``Select``. Matrix products are values like inputs; only the
arithmetic on them is lowered here. A comparison is a mask of bits; it becomes 1.0 and 0.0 only for operators that need
numbers.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import field
from typing import TYPE_CHECKING

from opforge.errors import InternalError
from opforge.frozen import dataclass
from opforge.ir.graph import BINARY, COMPARE
from opforge.ir.rows import row_values
from opforge.plan.axpy_peephole import added_in_place
from opforge.plan.coefficient_blocks import with_blocks
from opforge.plan.operators import UNARY, binary, comparison, where
from opforge.plan.peephole import tidied
from opforge.plan.steps import REDUCING, SUM_ROWS, Emitter, Lowered, Value
from opforge.plan.stored_results import marked
from opforge.plan.vector_model import HostScalar, ScalarOperand
from opforge.plan.whole_numbers import WHOLE_OPERATORS, comparison_of_integers, where_of_integers
from opforge.spec.language import REDUCTIONS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from opforge.ir.graph import Graph, Node
    from opforge.plan.steps import Step
    from opforge.plan.vector_model import ComputeDtype


@dataclass
class _Lowering(Emitter):
    graph: Graph = field(kw_only=True)
    taken_names: frozenset[str] = frozenset()
    optional: Mapping[int, float | None] = field(default_factory=dict)  # casts of optional inputs
    columns: frozenset[str] = frozenset()
    rows: frozenset[str] = frozenset()
    alone: frozenset[int] = frozenset()
    stored: frozenset[int] = frozenset()  # casts to int32 that storing the value makes, which rounds in the same way
    inputs: list[Value] = field(default_factory=list)
    products: list[Value] = field(default_factory=list)
    values: dict[int, Value] = field(default_factory=dict)  # by node
    masks: dict[int, Value] = field(default_factory=dict)  # by node, for comparisons and nodes used as masks
    scalars: dict[int, HostScalar] = field(default_factory=dict)

    def tile(self, node: int) -> Value:
        """The tile of a node's numbers; those of a comparison, and of elements, are made on first use."""
        if node not in self.values and self.graph[node].op == "arange":
            self.values[node] = self.emit("Arange", row=False)
        elif node not in self.values:
            self.values[node] = self.number(self.masks[node])
        return self.values[node]

    def mask(self, node: int) -> Value:
        """The mask of a node: a comparison, or a node whose values are 1.0 and 0.0."""
        if node not in self.masks:
            self.masks[node] = self.is_set(self.tile(node))
        return self.masks[node]

    def operand(self, node: int) -> Value | ScalarOperand:
        return self.scalar_of(self.graph[node]) if self.graph[node].scalar else self.tile(node)

    def scalar_of(self, node: Node) -> ScalarOperand:
        """A literal is written into the kernel; op_host computes other scalars into the tiling data."""
        dtype = _dtype(node)
        if node.value is not None:
            return ScalarOperand(value=node.value, dtype=dtype)
        if node.id not in self.scalars:
            used = {s.name for s in self.scalars.values()}  # an attribute may be used in float32 and in int32
            name = f"{node.name}{'' if node.element is None else node.element}" if node.op == "attr" else ""
            name = name if name and name not in used else self._fresh_name()
            self.scalars[node.id] = HostScalar(name, node.id, dtype)
        return ScalarOperand(name=self.scalars[node.id].name, dtype=dtype)

    def _fresh_name(self) -> str:
        used = {*self.taken_names, *(s.name for s in self.scalars.values())}
        return next(name for i in range(len(used) + 1) if (name := f"scalar{i}") not in used)

    def lower(self, node: Node, *, row: bool) -> None:
        self.row = row
        if node.op == "matmul":
            self.values[node.id] = dataclasses.replace(self.value(), product=node.name)
            self.products.append(self.values[node.id])
        elif node.op in COMPARE:
            compared = comparison_of_integers if self.graph[node.operands[0]].dtype == "int32" else comparison
            self.masks[node.id] = compared(self, node.op, *(self.operand(o) for o in node.operands))
        elif node.op == "where":
            mask, chosen = self.mask(node.operands[0]), where_of_integers if node.dtype == "int32" else where
            self.values[node.id] = chosen(self, mask, *(self.operand(o) for o in node.operands[1:]))
        elif node.op == "given_or":
            self.values[node.id] = self.tile(node.operands[0])
        elif node.op == "cast":
            self.cast(node)
        elif node.op in REDUCTIONS:
            self.values[node.id] = self.reduced(REDUCING[node.op], self.tile(node.operands[0]))
        elif node.op in WHOLE_OPERATORS and node.dtype == "int32":
            self.values[node.id] = WHOLE_OPERATORS[node.op](self, *(self.operand(o) for o in node.operands))
        elif node.op in UNARY:
            self.values[node.id] = UNARY[node.op](self, self.tile(node.operands[0]))
        elif node.op in BINARY:
            self.overwrites = node.id in self.alone
            self.values[node.id] = binary(self, node.op, *(self.operand(o) for o in node.operands))
            self.overwrites = False
        else:
            raise InternalError(f"the IR operator {node.op!r} has no vector instructions")

    def cast(self, node: Node) -> None:
        """A load, or a step between float32 and int32; stores belong to the tile."""
        source = self.graph[node.operands[0]]
        if source.op == "input":
            loaded = self.value(name=source.name, dtype=_dtype(node))
            self.values[node.id] = dataclasses.replace(
                loaded,
                otherwise=self.optional.get(node.id),
                column=source.name in self.columns,
                row=source.name in self.rows,
            )
            self.inputs.append(self.values[node.id])
        elif node.id in self.stored:
            self.values[node.id] = self.tile(source.id)
        elif node.text is not None:
            self.values[node.id] = self.emit("Wrap", self.tile(source.id), mode=node.text)
        elif node.dtype != "storage":
            # As torch's Tensor.to: to the nearest float32, ties to even, and towards zero to an integer.
            mode = "CAST_RINT" if node.dtype == "float32" else "CAST_TRUNC"
            self.values[node.id] = self.emit("Cast", self.tile(source.id), mode=mode, dtype=_dtype(node))


def _dtype(node: Node) -> ComputeDtype:
    return "int32" if node.dtype == "int32" else "float32"


def _alone(graph: Graph) -> frozenset[int]:
    """Sums and products of one tensor, which no other node reads, and a number: it can be computed in place."""
    uses = Counter(operand for node in graph.nodes for operand in node.operands)
    found = set()
    for node in graph.nodes:
        tensors = [operand for operand in node.operands if not graph[operand].scalar]
        if node.op in ("add", "sub", "mul") and len(tensors) == 1 and uses[tensors[0]] == 1:
            found.add(node.id)
    return frozenset(found)


def _stored(graph: Graph, rows: Collection[int]) -> frozenset[int]:
    """Casts of values of rows to int32 that only outputs read: values of rows are float32."""
    read = {operand for node in graph.nodes if node.dtype != "storage" for operand in node.operands}
    casts = (n for n in graph.nodes if n.op == "cast" and n.dtype == "int32" and n.id in rows)
    return frozenset(n.id for n in casts if graph[n.operands[0]].dtype == "float32" and n.id not in read)


def _sums_early(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps, with each sum over all rows where its operand is made, so that this need not be kept."""
    sums = [step for step in steps if step.name == SUM_ROWS]
    made = {step.target for step in steps}
    ordered = [each for each in sums if each.sources[0] not in made]
    for step in steps:
        if step not in sums:
            ordered += [step, *(each for each in sums if each.sources[0] == step.target)]
    return tuple(ordered)


def lower(graph: Graph, columns: Collection[str] = (), given: Collection[str] = ()) -> Lowered:
    """The graph as vector instructions, without the casts between storage and compute dtypes, which the tile does.

    ``columns`` are the inputs that are the same for all rows of a tile, ``given`` those with one element for each row.
    """
    names = frozenset(n.name for n in graph.nodes if n.name) | {o.name for o in graph.outputs}
    optional = {node.operands[0]: node.value for node in graph.nodes if node.op == "given_or"}
    rows = row_values(graph.nodes, given)
    low = _Lowering(
        graph=graph,
        columns=frozenset(columns),
        rows=frozenset(given),
        alone=_alone(graph),
        stored=_stored(graph, rows),
        taken_names=names,
        optional=optional,
    )
    for node in graph.nodes:
        # op_host computes the scalars that tensors need. An input is loaded by its cast or by a product.
        if not node.scalar and node.op not in ("input", "arange"):
            low.lower(node, row=node.id in rows)
    outputs = []
    low.row = False
    for output in graph.outputs:
        value = low.operand(graph[output.node].operands[0])
        made = value if isinstance(value, Value) else low.filled(value)
        if output.summed:
            outputs.append((output.name, low.sum_of_rows(made)))
        else:
            outputs.append((output.name, low.whole(made) if output.row is None else made))
    results = [value for _, value in outputs]
    steps = _sums_early(with_blocks(marked(tidied(low.steps, results), outputs)))
    scalars = tuple(low.scalars.values())
    return Lowered(tuple(low.inputs), tuple(low.products), added_in_place(steps, results), tuple(outputs), scalars)
