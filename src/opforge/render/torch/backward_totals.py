"""The values of all rows in a backward, as torch source: ATen computes them before the kernel of the gradients."""

from __future__ import annotations

from collections.abc import Mapping

from opforge.ir.graph import COMPARE, Graph
from opforge.render.torch.loaded_inputs import loads, wrapping_dtypes
from opforge.render.torch.reference import number_tensor
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import ATOM, Names, Writer, number, result_of
from opforge.render.torch.statements import Statements
from opforge.spec.arguments import input_kind


class Totals:
    """The statements for ``graph``: it reads gradients of outputs, and inputs and attributes of the op."""

    def __init__(self, signature: Signature, graph: Graph) -> None:
        self.signature = signature
        self.graph = graph

    @property
    def inputs(self) -> tuple[str, ...]:
        """The inputs of the op that it reads, also those of which it needs the sizes alone."""
        return tuple(name for name in self.signature.inputs if name in self.graph.inputs)

    @property
    def attrs(self) -> tuple[str, ...]:
        """The attributes of the op that it reads."""
        return tuple(name for name in self.signature.attrs if name in self.graph.attrs)

    def write(self, body: Statements, local: Names, values: Mapping[str, float | None]) -> Mapping[str, str]:
        """Appends the statements; the local name of each result. ``values`` stand for optional inputs."""
        graph, op = self.graph, self.signature.op
        grads = [name for name in graph.inputs if name not in self.signature.inputs]
        first = f"grad_{self.signature.outputs[0]}"
        wide = local.new("wide")
        body.assign(wide, f"torch.promote_types({first}.dtype, torch.float32)")
        loaded = {graph[n.operands[0]].name for n in graph.nodes if n.op == "cast"}
        come = loads(op, graph, [*grads, *self.inputs])
        names = {name: name for name in grads} | {name: self.signature.spelled(name) for name in self.inputs}
        names |= {name: f"ctx.{name}" for name in self.attrs}
        for tensor in op.inputs:
            if tensor.name in self.inputs and input_kind(tensor) == "number":
                names[tensor.name] = local.new(f"{tensor.name}_number")
                given = f"ctx.{tensor.name}"
                if tensor.name in values:
                    given = f"{number(values[tensor.name])} if {given} is None else {given}"
                body.assign(tensor.name, given)
                body.assign(names[tensor.name], number_tensor(tensor, wide, first))
            elif tensor.name in self.inputs and tensor.name in values:
                names[tensor.name] = local.new(f"{tensor.name}_given")
                missing = f"{first}.new_full((), {number(values[tensor.name])})"
                body.assign(names[tensor.name], f"{missing} if {tensor.name} is None else {tensor.name}")
        like = {text: text for text in wrapping_dtypes(graph)}  # the op's tensors keep their names
        for each, suffix, dtype in ((come.wide, "in_float", wide), (come.whole, "in_int32", "torch.int32")):
            for name in (name for name in each if name in loaded):
                made = local.new(f"{name}_{suffix}")
                body.assign(made, f"{names[name]}.to({dtype})")
                names[name] = made
        writer = Writer(graph, names, local, wide, masks=come.masks, like=like)
        results: dict[str, str] = {}
        for output in graph.outputs:
            node = result_of(graph, output.node)
            results[output.name] = local.new(output.name if output.name not in self._taken() else f"{output.name}_one")
            if graph[node].op in COMPARE:
                mask = writer.value(node, body)
                body.assign(results[output.name], f"{mask.within(ATOM)}.to({wide})")
            else:
                writer.assign(node, results[output.name], body)
        return results

    def _taken(self) -> frozenset[str]:
        """The names that the backward's results have."""
        return frozenset(f"grad_{name}" for name in self.signature.inputs)
