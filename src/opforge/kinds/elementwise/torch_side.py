"""The part of elementwise ops in the package for PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.program import BackwardFunction, Derivative, Program, TorchSide

if TYPE_CHECKING:
    from opforge.kinds.expression_kernel import ExpressionKernel
    from opforge.spec.model import TensorSpec


@dataclass(frozen=True)
class ElementwiseTorch(TorchSide):
    """The torch side of ops whose inputs have any shapes that broadcast."""

    kernel: ExpressionKernel

    @property
    def nature(self) -> str:
        return "elementwise with NumPy's broadcasting rule"

    @property
    def summary(self) -> str:
        return "Elementwise, with NumPy's broadcasting rule."

    def gradient(self, kernel: str) -> str:
        return f"Its gradient is derived from the expression, and computed by the kernel `{kernel}`."

    def makes_shape(self, inputs: AbstractSet[str], operators: AbstractSet[str]) -> bool:  # noqa: ARG002
        tensors = [tensor for tensor in self.kernel.op.inputs if not tensor.scalar]
        met = [tensor for tensor in tensors if tensor.name in inputs]
        return all(tensor in met or any(_covers(other, tensor) for other in met) for tensor in tensors)

    def output_shape(self, shapes: Sequence[str]) -> str:
        return f"torch.broadcast_shapes({', '.join(shapes)})"

    def derivatives(self, program: Program) -> Mapping[str, Derivative]:
        from opforge.kinds.elementwise.derivative import elementwise_derivative
        from opforge.kinds.expression_kernel import ExpressionKernel
        from opforge.render.torch.derivative import derivative_of
        from opforge.render.torch.signature import signature_of

        gradient = program.gradient(self.kernel)
        kernel = None if gradient is None else signature_of(program, gradient)
        made: dict[str, Derivative] = {}
        if self.kernel.op.backward:
            made[self.kernel.op.type] = elementwise_derivative(signature_of(program, self.kernel), kernel)
        if kernel is not None:
            second = gradient.derivative if isinstance(gradient, ExpressionKernel) else None
            if second is not None:
                made[kernel.op.type] = derivative_of(kernel, second)
        return made

    def backward_function(self, program: Program, prefix: str) -> BackwardFunction | None:
        from opforge.kinds.elementwise.cpp_derivative import ElementwiseBackward

        return ElementwiseBackward(program, self.kernel, prefix).function()


def _covers(tensor: TensorSpec, other: TensorSpec) -> bool:
    """Whether a tensor has the dimensions of another one, which therefore does not widen it."""
    named = other.dims[:1] != ("...",)
    last = tensor.dims[max(len(tensor.dims) - len(other.dims), 0) :]
    return named and last == other.dims and not tensor.optional
