"""The values of all rows in a backward, in C++: ATen computes them before the kernel of the gradients."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from opforge.ir.graph import Graph
from opforge.naming import lower_camel
from opforge.program import Variable
from opforge.render.torch.backward_totals import Totals
from opforge.render.torch.loaded_inputs import loads
from opforge.render.torch.op_plugin.cpp_writer import CppWriter, cpp_number
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names
from opforge.spec.arguments import input_kind
from opforge.spec.model import TensorSpec
from opforge.spec.value_kinds import kinds_of


class CppTotals(Totals):
    """The variables for ``graph``. ``results`` has the variable of each of its results once they are written."""

    def __init__(self, signature: Signature, graph: Graph, values: Mapping[str, float | None]) -> None:
        super().__init__(signature, graph)
        self.values = values
        grads = (f"grad_{name}" for name in signature.outputs)
        self.local = Names((*signature.inputs, *signature.attrs, *grads))
        self.results = {output.name: self.local.new(lower_camel(output.name)) for output in graph.outputs}

    def variables(self, grads: Mapping[str, str]) -> Iterator[Variable]:
        """The variables, in order; ``grads`` has the expressions of the outputs' gradients."""
        graph, first = self.graph, next(iter(grads.values()))
        wide = self.local.new("wide")
        yield Variable("at::ScalarType", wide, f"c10::promoteTypes({first}.scalar_type(), at::kFloat)")
        tensors = {tensor.name: tensor for tensor in self.signature.op.inputs if tensor.name in graph.inputs}
        come = loads(self.signature.op, graph, [*(name for name in grads if name in graph.inputs), *tensors])
        loaded = {graph[node.operands[0]].name for node in graph.nodes if node.op == "cast"}
        loaded -= {name for name, tensor in tensors.items() if input_kind(tensor) == "number"}
        given: dict[str, str] = {}
        names = {attr: attr for attr in self.attrs}
        for name in (name for name in graph.inputs if name in grads or name in tensors):
            given[name] = names[name] = grads.get(name, name)
            if name in tensors:
                tensor = tensors[name]
                text = self._tensor(tensor, first, wide)
                given[name] = names[name] = text
                if text != name:
                    given[name] = names[name] = self.local.new(lower_camel(f"{name}_given"))
                    yield Variable("at::Tensor", given[name], text)
            dtype = "at::kInt" if name in come.whole else wide if name in come.wide else ""
            if name in loaded and dtype:
                names[name] = self.local.new(lower_camel(f"{name}_loaded"))
                yield Variable("at::Tensor", names[name], f"{given[name]}.to({dtype})")
        writer = CppWriter(graph, names, given, local=self.local, wide=wide, masks=come.masks)
        yield from writer.write(self.results)

    def _tensor(self, tensor: TensorSpec, like: str, wide: str) -> str:
        """An input as a tensor of the rank of the rows; the number that stands for a missing one has no dimensions."""
        name = tensor.name
        value = cpp_number(self.values[name]) if name in self.values else ""
        if input_kind(tensor) == "number":
            (kind,) = kinds_of(tensor.dtypes)
            dtype = {"mask": "at::kBool", "int": "at::kInt"}.get(kind, wide)
            text = f"{name}.value_or({value})" if value else name
            return f"at::scalar_tensor({text}, {like}.options().dtype({dtype}))"
        if value:
            return f"{name}.has_value() ? *{name} : at::full({{}}, {value}, {like}.options())"
        return self.signature.spelled(name)
