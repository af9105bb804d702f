"""Renders the derivative of an elementwise op as a C++ function of op-plugin."""

from __future__ import annotations

from collections.abc import Mapping

from opforge.ir.rows import covering_inputs
from opforge.render.torch.op_plugin.cpp_derivative import CppBackward
from opforge.render.torch.signature import Signature
from opforge.spec.arguments import input_kind


class ElementwiseBackward(CppBackward):
    """Calls the gradient's kernel and sums over broadcast axes with ATen."""

    def gradient(self, name: str, grads: Mapping[str, str]) -> str:
        at = f"{name}->" if name in self.signature.optional else f"{name}."
        source = self.gradients[name]
        grad = grads[source]
        made = self.totals.results if self.totals is not None else {}
        if name not in self.of_rows and source in {*made, *(f"grad_{output.name}" for output in self.row_results)}:
            sizes = [f"{at}sizes()", *(f"{other}.sizes()" for other in covering_inputs(self.signature.op, name))]
            grad = f"custom_op::spread({grad}, {{{', '.join(sizes)}}})"
        axes = self.graph.axes
        if name in self.graph.unsqueezed:
            summed = axes.squeezed(f"at::sum_to({grad}, {axes.unsqueezed(name)}.sizes())")
        else:
            summed = f"at::sum_to({grad}, {at}sizes())"
        return f"{summed}.to({at}scalar_type())"

    def stand_in(self, kernel: Signature, name: str, grad: str) -> tuple[str, str]:
        """The number in place of an optional input, as a tensor with the dtype of a required one."""
        mine = [row[kernel.inputs.index(name)] for row in kernel.input_columns]
        last = kernel.op.inputs[kernel.inputs.index(name)].dims[-1]
        known = [t.name for t in kernel.op.inputs if t.dims[-1:] == (last,) and t.name not in self.signature.optional]
        size = "{}" if last == "..." else f"{{{known[0]}.size(-1)}}"
        for place, tensor in enumerate(kernel.op.inputs):
            given = tensor.name.startswith("grad_") or tensor.name not in self.signature.optional
            if given and input_kind(tensor) == "tensor" and [row[place] for row in kernel.input_columns] == mine:
                made = self.totals.results if self.totals is not None else {}
                alike = grad if tensor.name.startswith("grad_") else made.get(tensor.name, tensor.name)
                return size, f"{alike}.options()"
        return size, f"{grad}.options()"
