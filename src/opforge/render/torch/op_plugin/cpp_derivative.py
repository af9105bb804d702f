"""The derivative of an op as a C++ function of op-plugin, and its formula in derivatives.yaml.

The derivative's kernel is an operator of its own. As for _ops.py, the kinds of kernels supply the code around it. Local
variables are lowerCamel; arguments never are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from opforge.dtypes import DTYPES
from opforge.ir.backward import Backward
from opforge.ir.graph import Output
from opforge.naming import lower_camel
from opforge.program import BackwardFunction, GivenGrad, Kernel, KernelCall, Program, Variable
from opforge.render.torch.op_plugin.cpp_backward_totals import CppTotals
from opforge.render.torch.op_plugin.function_schema import UNSAVED, parameters, schema
from opforge.render.torch.op_plugin.output_expressions import cpp_dtype, cpp_size
from opforge.render.torch.reference import operand_name
from opforge.render.torch.signature import Signature, signature_of
from opforge.spec.arguments import input_kind
from opforge.spec.model import OpSpec, TensorSpec


class CppBackward(ABC):
    """Writes the backward function of one op; ``prefix`` begins all names."""

    def __init__(self, program: Program, kernel: Kernel, prefix: str) -> None:
        gradient = program.gradient(kernel)
        self.signature = signature_of(program, kernel)
        self.graph = kernel.expression
        self.kernel = None if gradient is None else signature_of(program, gradient)
        backward = kernel.backward or Backward(None, None, {})
        self.gradients, self.of_rows, self.saved = backward.gradients, backward.of_rows, backward.saved
        # Outputs that have gradients: those that are not integers for every dtype of the inputs.
        self.differentiable = tuple(t.name for t in kernel.op.outputs if any(DTYPES[d].floating for d in t.dtypes))
        self.prefix = prefix
        self.values = {operand_name(self.graph, n): n.value for n in self.graph.nodes if n.op == "given_or"}
        self.totals = CppTotals(self.signature, backward.totals, self.values) if backward.totals is not None else None

    @property
    def reached(self) -> AbstractSet[str]:
        """Inputs that have a gradient in addition to those that the backward names."""
        return frozenset()

    @property
    def row_results(self) -> list[Output]:
        """The results with one element for each row."""
        return [output for output in self.graph.outputs if output.row is not None]

    @abstractmethod
    def gradient(self, name: str, grads: Mapping[str, str]) -> str:
        """The gradient of an input; ``grads`` has the expressions of the kernel's gradients, given and computed."""

    def made(self, tensor: TensorSpec, grad: str) -> str | None:  # noqa: ARG002
        """The computed value of a kernel parameter that is not an input of the op; None for an input."""
        return None

    @abstractmethod
    def stand_in(self, kernel: Signature, name: str, grad: str) -> tuple[str, str]:
        """Size and options of the tensor that replaces a missing optional input."""

    def function(self) -> BackwardFunction | None:
        """The function; None if the op has no derivative."""
        signature, name = self.signature, self.prefix + self.signature.function
        tensors = [tensor for tensor in signature.op.inputs if input_kind(tensor) == "tensor"]
        inputs = tuple(t.name for t in tensors if t.name in self.gradients or t.name in self.reached)
        if not inputs or signature.written:
            return None
        taken = Signature(replace(signature.kernel, op=self._taken()), signature.package)
        if any(attr.type == UNSAVED for attr in taken.op.attrs):
            return None
        differentiable = self.differentiable
        several = len(differentiable) > 1
        head = schema(taken, f"{name}_backward").partition("(")[2].rpartition(") -> ")[0]
        grads = ", ".join(f"Tensor{'?' if several else ''} grad_{output}" for output in differentiable)
        made = ", ".join(f"Tensor grad_{given}" for given in inputs)
        returned = "Tensor" if len(inputs) == 1 else f"({made})"
        cpp = "const c10::optional<at::Tensor>& grad_{}" if several else "const at::Tensor& grad_{}"
        # An only output is called `result` in derivatives.yaml.
        result = {signature.outputs[0]: "result"} if len(signature.outputs) == 1 else {}
        arguments = ", ".join((*(result.get(each, each) for each in taken.inputs), *taken.attrs))
        given = ", ".join(f"grads[{i}]" for i in range(len(differentiable))) if several else "grad"
        rest = [tensor.name for tensor in tensors if tensor.name not in inputs]
        missing = self._grads()
        call: KernelCall | None = None
        sources = {f"grad_{output}": f"grad_{output}" for output in differentiable}
        sources |= {grad.given: grad.name for grad in missing}
        for output in self.row_results:  # the kernel takes gradients of the rank of the inputs
            grad = f"grad_{output.name}"
            if output.row == "dropped" and grad in sources:
                sources[grad] = self._of_inputs_rank(sources[grad])
        variables: list[Variable] = []
        if self.totals is not None:
            variables += self.totals.variables(sources)
            sources |= self.totals.results
        if self.kernel is not None:
            before, passed = self._kernel_call(self.kernel, sources)
            variables += before
            call = KernelCall(f"{self.prefix}{self.kernel.function}", passed)
            results = [f"std::get<{place}>(kernelGradients)" for place in range(len(self.kernel.outputs))]
            alone = len(results) == 1
            sources |= zip(self.kernel.outputs, ["kernelGradients"] if alone else results, strict=True)
        return BackwardFunction(
            name=f"{name}_backward",
            schema=f"{name}_backward({grads}, {head}) -> {returned}",
            taken=taken.op,
            inputs=inputs,
            differentiable=differentiable,
            returns="at::Tensor" if len(inputs) == 1 else f"::std::tuple<{', '.join(['at::Tensor'] * len(inputs))}>",
            parameters=(*(cpp.format(output) for output in differentiable), *parameters(taken)),
            grads=missing,
            variables=tuple(variables),
            kernel=call,
            results=tuple(self._results(inputs, sources)),
            formula=(
                f"{', '.join(inputs)}: {name}_backward({given}, {arguments})",
                *(f"{tensor}: non_differentiable" for tensor in rest),
                *self._output_differentiability(),
            ),
        )

    def _output_differentiability(self) -> list[str]:
        """The line that derivatives.yaml needs beside integers: torch refuses them as results with a gradient."""
        said = [name in self.differentiable for name in self.signature.outputs]
        return [] if all(said) else [f"output_differentiability: [{', '.join(map(str, said))}]"]

    def _of_inputs_rank(self, grad: str) -> str:
        """The gradient of a result without the reduced dimensions, with these. Inputs may be numbers, without any."""
        given, axes = self.graph.axes.unsqueezed(grad), self.graph.axes
        return f"({self.signature.required[0]}.dim() > 0 ? {given} : {grad})" if axes.dim else given

    def _taken(self) -> OpSpec:
        """The op with what the backward takes as inputs and attributes: all tensors, and all others that it reads."""
        op, kernel, totals = self.signature.op, self.kernel, self.totals
        read = {*kernel.inputs, *kernel.attrs} if kernel is not None else set()
        read |= {self.graph.axes.attribute} if any(output.row == "dropped" for output in self.graph.outputs) else set()
        read |= {*totals.inputs, *totals.attrs} if totals is not None else set()
        inputs = tuple(t for t in op.inputs if input_kind(t) == "tensor" or t.name in read)
        inputs += tuple(replace(tensor, optional=False) for tensor in op.outputs if tensor.name in self.saved)
        return replace(op, inputs=inputs, attrs=tuple(attr for attr in op.attrs if attr.name in read))

    def _grads(self) -> tuple[GivenGrad, ...]:
        """The gradients of several outputs that are read. Each may be missing."""
        signature = self.signature
        if len(self.differentiable) == 1:
            return ()
        read = {*self.gradients.values(), *(self.kernel.inputs if self.kernel is not None else ())}
        read |= set(self.totals.graph.inputs) if self.totals is not None else set()
        made = []
        for place, tensor in enumerate(signature.op.outputs):
            if f"grad_{tensor.name}" not in read:
                continue
            options = f"{signature.first}.options().dtype({cpp_dtype(signature, place)})"
            arguments = (cpp_size(signature, tensor), options)
            made.append(GivenGrad(lower_camel(f"grad_{tensor.name}_given"), f"grad_{tensor.name}", arguments))
        return tuple(made)

    def _results(self, inputs: Sequence[str], grads: Mapping[str, str]) -> Iterator[Variable]:
        """The gradients of the inputs; ``grads`` has the expressions of the kernel's gradients, given and computed."""
        for name in inputs:
            value = self.gradient(name, grads)
            if name in self.signature.optional:
                value = f"{name}.has_value() ? {value} : at::Tensor()"
            yield Variable("at::Tensor", lower_camel(f"result_{name}"), value)

    def _kernel_call(self, kernel: Signature, grads: Mapping[str, str]) -> tuple[tuple[Variable, ...], tuple[str, ...]]:
        """The values that are computed for the derivative's kernel, and the kernel's arguments."""
        grad = next(iter(grads.values()))
        values = self.values
        arguments, variables = [], []
        without = self.graph.unsqueezed | {output.name for output in self.row_results if output.row == "dropped"}
        for tensor in kernel.op.inputs:
            name = tensor.name
            value = None if name in grads else self.made(tensor, grad)
            if name not in grads and value is None and name in values:
                size, options = self.stand_in(kernel, name, grad)
                value = f"{name}.has_value() ? *{name} : at::full({size}, {values[name]!r}, {options})"
            if value is not None:
                variables.append(Variable("at::Tensor", lower_camel(f"value_{name}"), value))
            given = self.graph.axes.unsqueezed(name) if name in without else name
            arguments.append(grads.get(name, given) if value is None else variables[-1].name)
        return tuple(variables), (*arguments, *kernel.attrs)
