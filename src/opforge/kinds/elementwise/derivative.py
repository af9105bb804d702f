"""Renders the derivative of an elementwise op as torch source: a call of its kernel, and sums over broadcast axes."""

from __future__ import annotations

from collections.abc import Mapping

from opforge.ir.backward import Backward
from opforge.ir.rows import covering_inputs
from opforge.program import Derivative
from opforge.render.torch.backward_totals import Totals
from opforge.render.torch.derivative import gradients_definition, keep, return_gradients, start_gradients
from opforge.render.torch.reference import operand_name
from opforge.render.torch.signature import Signature, torch_dtype
from opforge.render.torch.spelling import Names, number
from opforge.render.torch.statements import Statements
from opforge.spec.arguments import input_kind


def elementwise_derivative(signature: Signature, kernel: Signature | None) -> Derivative:
    """The derivative by the op's backward; ``kernel`` is the signature of the gradient's kernel, if it has one.

    Without a backward, no output depends smoothly on an input, so no input has a gradient.
    """
    backward = signature.kernel.backward
    return _Formula(signature, backward, kernel).derivative()


class _Formula:
    def __init__(self, signature: Signature, backward: Backward | None, kernel: Signature | None) -> None:
        self.signature, graph = signature, signature.kernel.expression
        self.kernel = kernel
        self.outputs, self.unsqueezed = graph.outputs, graph.unsqueezed
        self.axes = graph.axes.named({name: f"ctx.{name}" for name in signature.attrs})
        self.dropped = {output.name for output in graph.outputs if output.row == "dropped"}
        backward = backward or Backward(None, None, {})
        self.gradients, self.of_rows, self.saved = backward.gradients, backward.of_rows, backward.saved
        self.totals = Totals(signature, backward.totals) if backward.totals is not None else None
        self.grads = tuple(f"grad_{name}" for name in signature.outputs)
        self.results = {name: f"grad_{name}" for name in signature.inputs}
        self.tensors = tuple(t.name for t in signature.op.inputs if input_kind(t) == "tensor")
        read = {*(kernel.inputs if kernel is not None else ()), *(self.totals.inputs if self.totals else ())}
        self.kept = [*(name for name in self.tensors if name in read), *self.saved]
        numbers = [name for name in signature.inputs if name in read and name not in self.tensors]
        attrs = {*(kernel.attrs if kernel is not None else ()), *(self.totals.attrs if self.totals else ())}
        attrs |= {graph.axes.attribute} if self.dropped else set()
        self.numbers = [*numbers, *(name for name in signature.attrs if name in attrs)]
        self.values = {operand_name(graph, node): node.value for node in graph.nodes if node.op == "given_or"}
        local = Names((*signature.names, *self.grads, *self.results.values(), "torch", "_broadcast", "ctx"))
        self.made = {name: local.new(f"{name}_wide") for name in (kernel.outputs if kernel is not None else ())}
        given = kernel.inputs if kernel is not None else ()
        self.stand_in = {name: local.new(f"{name}_or") for name in self.kept if name in self.values and name in given}
        self.local = local
        self.whole: Mapping[str, str] = {}  # what is made of all rows, by name

    def derivative(self) -> Derivative:
        body, results = Statements(), tuple(self.results.values())
        if self.gradients:
            if self.kept:
                body.unpack(self.kept, "ctx.saved_tensors")
            start_gradients(body, results)
            if self.totals is not None:
                self.whole = self.totals.write(body, self.local, self.values)
            self._kernel_part(body)
            for name in self.tensors:
                if name in self.gradients and not self._through(name):
                    self._gradient(name, body)
        return_gradients(body, self.signature, results if self.gradients else ["None"] * len(results))
        return Derivative(
            setup_lines=tuple(self._setup().lines) if self.gradients else (),
            signature=gradients_definition(self.signature),
            lines=tuple(body.lines),
            scalars=False,
        )

    def _through(self, name: str) -> bool:
        """Whether an input's gradient comes from the kernel."""
        return self.gradients.get(name) in self.made

    def _kernel_part(self, body: Statements) -> None:
        """The kernel's call and its gradients, conditional if other gradients do not need the kernel."""
        through = [name for name in self.tensors if self._through(name)]
        if not through or self.kernel is None:
            return
        others = [t.name for t in self.signature.op.inputs if t.name in self.gradients and t.name not in through]
        with body.when(" or ".join(self._wanted(name) for name in through) if others else ""):
            for name, local in self.stand_in.items():
                body.assign(local, self._given(self.kernel, name))
            function = f"torch.ops.{self.signature.package}.{self.kernel.function}"
            body.assign_results(list(self.made.values()), function, self._arguments(self.kernel))
            for name in through:
                self._gradient(name, body)

    def _arguments(self, kernel: Signature) -> list[str]:
        arguments = []
        for name in kernel.inputs:
            given = f"ctx.{name}" if name in self.numbers else self._of_inputs_rank(name)
            arguments.append(self.stand_in.get(name, given))
        return [*arguments, *(f"ctx.{name}" for name in kernel.attrs)]

    def _of_inputs_rank(self, name: str) -> str:
        """A tensor as the kernel takes it. If only a call knows the dimension, inputs may be numbers, without any."""
        given = self._whole_rank(name)
        sized = (each for each in self.tensors if each in self.gradients and each not in self.signature.optional)
        if given == name or not self.axes.dim or (like := next(sized, None)) is None:
            return given
        return f"{given} if ctx.shape_{like} else {name}"

    def _whole_rank(self, name: str) -> str:
        """A tensor, with the reduced dimensions if it is an input or the gradient of a result without them."""
        if name in self.whole:
            return self.whole[name]
        without = self.dropped | {f"grad_{output}" for output in self.dropped} | self.unsqueezed
        return self.axes.unsqueezed(name) if name in without else name

    def _given(self, kernel: Signature, name: str) -> str:
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
        arguments = [self._shape(kernel, name), value, *([f"dtype={dtype}"] if dtype else [])]
        return f"{name} if {name} is not None else {alike}.new_full({', '.join(arguments)})"

    def _shape(self, kernel: Signature, name: str) -> str:
        """The shape of the number that stands for an optional tensor: a row, where rows are as long as others."""
        last = kernel.op.inputs[kernel.inputs.index(name)].dims[-1]
        if last == "...":
            return "()"
        along = next(t.name for t in kernel.op.inputs if t.dims[-1:] == (last,) and t.name not in self.stand_in)
        return f"({along}.shape[-1],)"

    def _by_row(self, kernel: Signature, name: str) -> tuple[str, str]:
        """A required tensor of the kernel, and the optional tensor's dtype as an expression over its dtype."""
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

    def _gradient(self, name: str, body: Statements) -> None:
        source = self.gradients[name]
        with body.when(self._wanted(name)):
            value = self.made.get(source) or self._whole_rank(source)
            if others := self._others(name):
                shapes = ", ".join((f"{value}.shape", *(f"ctx.shape_{other}" for other in others)))
                value = f"{value}.expand(torch.broadcast_shapes({shapes}))"
            summed = f"_broadcast.summed_to({value}, ctx.shape_{name}, ctx.dtype_{name})"
            body.assign(self.results[name], self.axes.squeezed(summed) if name in self.unsqueezed else summed)

    def _others(self, name: str) -> tuple[str, ...]:
        """The inputs whose shapes count in a gradient that has one element for each row, or one alone."""
        if name in self.of_rows:
            return ()
        source = self.gradients[name]
        rows = {f"grad_{output.name}" for output in self.outputs if output.row is not None}
        made = {output.name for output in self.totals.graph.outputs} if self.totals is not None else set()
        return covering_inputs(self.signature.op, name) if source in rows | made else ()

    def _setup(self) -> Statements:
        having = [name for name in self.tensors if name in self.gradients]
        others = {other for name in having for other in self._others(name)}
        reached = [name for name in self.tensors if name in self.gradients or name in others]
        setup = keep(self.signature, self.kept, self.numbers, reached, self.saved)
        for name in reached:
            with setup.when(f"{name} is not None" if name in self.signature.optional else ""):
                setup.assign(f"ctx.shape_{name}", f"{self._whole_rank(name)}.shape")
                setup.assign(f"ctx.dtype_{name}", f"{name}.dtype")
        return setup
