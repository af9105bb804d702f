"""Renders the derivative of an elementwise op as torch source: a call of its kernel, and sums over broadcast axes."""

from __future__ import annotations

from collections.abc import Mapping

from opforge.program import Derivative
from opforge.render.layout import python_call, python_results, python_return, python_unpacking
from opforge.render.torch.derivative import backward_definition
from opforge.render.torch.reference import operand_name
from opforge.render.torch.signature import Signature, torch_dtype
from opforge.render.torch.spelling import Names, number
from opforge.spec.arguments import input_kind


def elementwise_derivative(signature: Signature, kernel: Signature | None) -> Derivative:
    """The derivative by the op's backward; ``kernel`` is the signature of the gradient's kernel, if it has one.

    Without a backward, no output depends smoothly on an input, so no input has a gradient.
    """
    backward = signature.kernel.backward
    return _Formula(signature, backward.gradients if backward is not None else {}, kernel).derivative()


class _Formula:
    def __init__(self, signature: Signature, gradients: Mapping[str, str], kernel: Signature | None) -> None:
        self.signature, graph = signature, signature.kernel.expression
        self.kernel = kernel
        self.gradients = gradients
        self.grads = tuple(f"grad_{name}" for name in signature.outputs)
        self.results = {name: f"grad_{name}" for name in signature.inputs}
        self.tensors = tuple(t.name for t in signature.op.inputs if input_kind(t) == "tensor")
        read = kernel.inputs if kernel is not None else ()
        self.kept = [name for name in self.tensors if name in read]
        numbers = [name for name in signature.inputs if name in read and name not in self.tensors]
        self.numbers = [*numbers, *(kernel.attrs if kernel is not None else ())]
        self.values = {operand_name(graph, node): node.value for node in graph.nodes if node.op == "given_or"}
        local = Names((*signature.names, *self.grads, *self.results.values(), "torch", "_broadcast", "ctx"))
        self.made = {name: local.new(f"{name}_wide") for name in (kernel.outputs if kernel is not None else ())}
        self.stand_in = {name: local.new(f"{name}_or") for name in self.kept if name in self.values}

    def derivative(self) -> Derivative:
        lines: list[str] = []
        if not self.gradients:
            lines.append(python_return(["None"] * (len(self.results) + len(self.signature.attrs)), 4))
        else:
            if self.kept:
                lines.append(python_unpacking(self.kept, "ctx.saved_tensors", 4))
            lines += [f"{result}: Tensor | None = None" for result in self.results.values()]
            lines += self._kernel_part()
            for name in self.tensors:
                if self.gradients.get(name) in self.grads and not self._through(name):
                    lines += self._gradient(name, 4)
            lines.append(python_return([*self.results.values(), *("None" for _ in self.signature.attrs)], 4))
        alone = len(self.results) + len(self.signature.attrs) == 1
        return Derivative(
            setup_lines=tuple(self._setup()) if self.gradients else (),
            signature=backward_definition(self.signature, "Tensor | None" if alone else "tuple[Tensor | None, ...]"),
            lines=tuple(lines),
            scalars=False,
        )

    def _through(self, name: str) -> bool:
        """Whether an input's gradient comes from the kernel."""
        return self.gradients.get(name) in self.made

    def _kernel_part(self) -> list[str]:
        """The kernel's call and its gradients, conditional if other gradients do not need the kernel."""
        through = [name for name in self.tensors if self._through(name)]
        if not through or self.kernel is None:
            return []
        others = [t.name for t in self.signature.op.inputs if t.name in self.gradients and t.name not in through]
        column = 8 if others else 4
        block = [line for name in self.stand_in for line in self._given(self.kernel, name, column)]
        block.append(self._call(self.kernel, column))
        for name in through:
            block += self._gradient(name, column)
        if not others:
            return block
        condition = " or ".join(self._wanted(name) for name in through)
        return [f"if {condition}:", *(f"    {line}" for line in block)]

    def _call(self, kernel: Signature, column: int) -> str:
        arguments = []
        for name in kernel.inputs:
            given = f"ctx.{name}" if name in self.numbers else name
            arguments.append(self.stand_in.get(name, given))
        arguments += [f"ctx.{name}" for name in kernel.attrs]
        call = f"torch.ops.{self.signature.package}.{kernel.function}("
        return python_results(list(self.made.values()), call, arguments, column)

    def _given(self, kernel: Signature, name: str, column: int) -> list[str]:
        """An optional input as the tensor that the kernel needs: the number if it is left out."""
        columns = kernel.input_columns
        place = kernel.inputs.index(name)
        mine = [row[place] for row in columns]
        value = number(self.values[name])
        alike, dtype = self.grads[0], ""
        for other, tensor in enumerate(kernel.op.inputs):
            plain = tensor.name not in self.stand_in and input_kind(tensor) == "tensor"
            if plain and [row[other] for row in columns] == mine:
                alike = tensor.name
                break
        else:
            alike, dtype = self._by_row(kernel, name)
        local = self.stand_in[name]
        head = f"{local} = {name} if {name} is not None else {alike}.new_full("
        return [python_call(head, ["()", value, *([f"dtype={dtype}"] if dtype else [])], ")", column)]

    def _by_row(self, kernel: Signature, name: str) -> tuple[str, str]:
        """A required tensor of the kernel, and the optional tensor's dtype by that tensor's."""
        inputs, columns = kernel.op.inputs, kernel.input_columns
        always = [i for i, t in enumerate(inputs) if t.name not in self.stand_in and input_kind(t) == "tensor"]
        place = kernel.inputs.index(name)
        if len({row[place] for row in columns}) == 1:
            return inputs[always[0]].name, torch_dtype(columns[0][place])
        rows = {tuple(row[i] for i in always): row[place] for row in columns}
        comma = "," if len(always) == 1 else ""
        items = [f"({', '.join(map(torch_dtype, key))}{comma}): {torch_dtype(value)}" for key, value in rows.items()]
        key = f"({', '.join(f'{inputs[i].name}.dtype' for i in always)}{comma})"
        return inputs[always[0]].name, f"{{{', '.join(items)}}}[{key}]"

    def _wanted(self, name: str) -> str:
        """The condition that an input's gradient is needed. torch omits trailing arguments that have their defaults."""
        place = self.signature.inputs.index(name)
        if name in self.signature.defaults:
            return f"any(ctx.needs_input_grad[{place}:{place + 1}])"
        return f"ctx.needs_input_grad[{place}]"

    def _gradient(self, name: str, column: int) -> list[str]:
        source = self.gradients[name]
        items = [self.made.get(source, source), f"ctx.shape_{name}", f"ctx.dtype_{name}"]
        call = python_call(f"{self.results[name]} = _broadcast.summed_to(", items, ")", column + 4)
        return [f"if {self._wanted(name)}:", f"    {call}"]

    def _setup(self) -> list[str]:
        inputs = (*self.signature.inputs, *self.signature.attrs)
        reached = [name for name in self.tensors if name in self.gradients]
        used = {*self.kept, *self.numbers, *reached}
        lines = [python_unpacking([name if name in used else "_" for name in inputs], "inputs", 4)]
        if self.kept:
            lines.append(python_call("ctx.save_for_backward(", self.kept, ")", 4))
        lines += [f"ctx.{name} = {name}" for name in self.numbers]
        optional = self.signature.optional
        for name in reached:
            block = [f"ctx.shape_{name} = {name}.shape", f"ctx.dtype_{name} = {name}.dtype"]
            lines += [f"if {name} is not None:", *(f"    {line}" for line in block)] if name in optional else block
        return lines
