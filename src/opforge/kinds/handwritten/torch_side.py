"""The torch side of a handwritten op, whose results only its reference can compute."""

from __future__ import annotations

from collections.abc import Mapping

from opforge.frozen import dataclass
from opforge.program import Derivative, Program, TorchSide


@dataclass(frozen=True)
class HandwrittenTorch(TorchSide):
    """The torch side of ops with arguments of every type and outputs with their own shapes."""

    @property
    def nature(self) -> str:
        return "with a kernel written by hand"

    @property
    def summary(self) -> str:
        from opforge.spec.op_sources import kernel_among

        where = self.kernel.skeleton or kernel_among(self.kernel.op.sources)
        return f"Its kernel is written by hand, in `{where}`."

    def gradient(self, kernel: str) -> str:  # noqa: ARG002
        op = self.kernel.op
        if op.gradient is not None:
            return f"`{op.gradient}` computes its gradient."
        return f"Its gradient is that of its reference, `{op.reference}`."

    def derivatives(self, program: Program) -> Mapping[str, Derivative]:
        from opforge.kinds.handwritten.derivative import reference_derivative
        from opforge.render.torch.signature import signature_of

        op = self.kernel.op
        if op.gradient is not None:
            from opforge.kinds.handwritten.named_derivative import named_derivative

            kernel = next(each for each in program.public if each.op.type == op.gradient)
            made = named_derivative(signature_of(program, self.kernel), signature_of(program, kernel))
            return {op.type: made}
        if not op.backward or op.reference is None:
            return {}
        return {op.type: reference_derivative(signature_of(program, self.kernel))}
