"""The derivative of an op as a C++ function of op-plugin, and its formula in derivatives.yaml.

The kernel of the derivative is an operator of its own; what stands around it the kinds of kernels know, as for _ops.py.
Locals are lowerCamel, which no argument is.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from opforge.naming import lower_camel
from opforge.program import BackwardFunction, Kernel, Program
from opforge.render.layout import assign, fill
from opforge.render.torch.op_plugin.function_schema import parameters, schema
from opforge.render.torch.op_plugin.output_expressions import cpp_dtype, cpp_size
from opforge.render.torch.reference import operand_name
from opforge.render.torch.signature import Signature, signature_of
from opforge.spec.arguments import input_kind
from opforge.spec.model import OpSpec, TensorSpec


class CppBackward(ABC):
    """Writes the function of one op; ``prefix`` begins all names."""

    def __init__(self, program: Program, kernel: Kernel, prefix: str) -> None:
        gradient = program.gradient(kernel)
        self.signature = signature_of(program, kernel)
        self.graph = kernel.expression
        self.kernel = None if gradient is None else signature_of(program, gradient)
        self.gradients: Mapping[str, str] = {} if kernel.backward is None else kernel.backward.gradients
        self.prefix = prefix

    @property
    def reached(self) -> AbstractSet[str]:
        """Inputs with gradients beside those that the backward names."""
        return frozenset()

    @abstractmethod
    def gradient(self, name: str, grads: Mapping[str, str]) -> str:
        """The gradient of an input; ``grads`` are sources of what the kernel is given and gives."""

    def made(self, tensor: TensorSpec, grad: str) -> str | None:  # noqa: ARG002
        """What the kernel takes and no input is: the value that is computed for it."""
        return None

    @abstractmethod
    def stand_in(self, kernel: Signature, name: str, grad: str) -> tuple[str, str]:
        """Size and options of a tensor that stands for an optional input that is not given."""

    def function(self) -> BackwardFunction | None:
        """The function; None: the op has no derivative."""
        signature, name = self.signature, self.prefix + self.signature.function
        tensors = [tensor for tensor in signature.op.inputs if input_kind(tensor) == "tensor"]
        inputs = tuple(t.name for t in tensors if t.name in self.gradients or t.name in self.reached)
        if not inputs or signature.written:
            return None
        several = len(signature.outputs) > 1
        taken = Signature(replace(signature.kernel, op=self._taken()), signature.package)
        head = schema(taken, f"{name}_backward").partition("(")[2].rpartition(") -> ")[0]
        grads = ", ".join(f"Tensor{'?' if several else ''} grad_{output}" for output in signature.outputs)
        made = ", ".join(f"Tensor grad_{given}" for given in inputs)
        returned = "Tensor" if len(inputs) == 1 else f"({made})"
        cpp = "const c10::optional<at::Tensor>& grad_{}" if several else "const at::Tensor& grad_{}"
        arguments = ", ".join((*taken.inputs, *taken.attrs))
        given = ", ".join(f"grads[{i}]" for i in range(len(signature.outputs))) if several else "grad"
        rest = [tensor.name for tensor in tensors if tensor.name not in inputs]
        return BackwardFunction(
            name=f"{name}_backward",
            schema=f"{name}_backward({grads}, {head}) -> {returned}",
            taken=taken.op,
            inputs=inputs,
            returns="at::Tensor" if len(inputs) == 1 else f"::std::tuple<{', '.join(['at::Tensor'] * len(inputs))}>",
            parameters=(*(cpp.format(output) for output in signature.outputs), *parameters(taken)),
            lines=tuple(self._lines(inputs, several=several)),
            formula=(
                f"{', '.join(inputs)}: {name}_backward({given}, {arguments})",
                *(f"{tensor}: non_differentiable" for tensor in rest),
            ),
        )

    def _taken(self) -> OpSpec:
        """Beside gradients: all tensors, and what its kernel reads. Autograd cannot keep all."""
        op, kernel = self.signature.op, self.kernel
        read = (*kernel.inputs, *kernel.attrs) if kernel is not None else ()
        inputs = tuple(t for t in op.inputs if input_kind(t) == "tensor" or t.name in read)
        return replace(op, inputs=inputs, attrs=tuple(attr for attr in op.attrs if attr.name in read))

    def _lines(self, inputs: Sequence[str], *, several: bool) -> Iterator[str]:
        signature = self.signature
        grads = {f"grad_{output}": f"grad_{output}" for output in signature.outputs}
        if several:
            for place, tensor in enumerate(signature.op.outputs):
                local = lower_camel(f"grad_{tensor.name}_given")
                options = f"{signature.first}.options().dtype({cpp_dtype(signature, place)})"
                grads[f"grad_{tensor.name}"] = local
                yield f"at::Tensor {local};"
                yield f"if (grad_{tensor.name}.has_value() && grad_{tensor.name}->defined()) {{"
                yield f"    {local} = *grad_{tensor.name};"
                yield "} else {"
                size = cpp_size(signature, tensor, own=True)
                yield f"    {fill(f'{local} = at::zeros(', [size, options], ');', 8)}"
                yield "}"
        if self.kernel is not None:
            yield from self._kernel_call(self.kernel, grads)
            for place, output in enumerate(self.kernel.outputs):
                alone = len(self.kernel.outputs) == 1
                grads[output] = "kernelGradients" if alone else f"std::get<{place}>(kernelGradients)"
        results = []
        for name in inputs:
            value = self.gradient(name, grads)
            if name in signature.optional:
                value = f"{name}.has_value() ? {value} : at::Tensor()"
            results.append(lower_camel(f"result_{name}"))
            yield assign(f"at::Tensor {results[-1]}", f"{value};", indent=4)
        yield f"return {results[0]};" if len(results) == 1 else f"return std::make_tuple({', '.join(results)});"

    def _kernel_call(self, kernel: Signature, grads: Mapping[str, str]) -> Iterator[str]:
        """The call of the derivative's kernel, and what is computed for it."""
        grad = next(iter(grads.values()))
        values = {operand_name(self.graph, n): n.value for n in self.graph.nodes if n.op == "given_or"}
        arguments = []
        for tensor in kernel.op.inputs:
            local = lower_camel(f"value_{tensor.name}")
            if tensor.name in grads:
                arguments.append(grads[tensor.name])
                continue
            value = self.made(tensor, grad)
            if value is not None:
                yield assign(f"at::Tensor {local}", f"{value};", indent=4)
            elif tensor.name in values:
                size, options = self.stand_in(kernel, tensor.name, grad)
                full = f"at::full({size}, {values[tensor.name]!r}, {options})"
                yield assign(f"at::Tensor {local}", f"{tensor.name}.has_value() ? *{tensor.name} : {full};", indent=4)
            else:
                local = tensor.name
            arguments.append(local)
        called = f"auto kernelGradients = op_api::{self.prefix}{kernel.function}("
        yield fill(called, (*arguments, *kernel.attrs), ");", 4)
