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
        return f"Its gradient is that of its reference, `{self.kernel.op.reference}`."

    def derivatives(self, program: Program) -> Mapping[str, Derivative]:
        from opforge.kinds.handwritten.derivative import reference_derivative
        from opforge.render.torch.signature import signature_of

        op = self.kernel.op
        if not op.backward or op.reference is None:
            return {}
        return {op.type: reference_derivative(signature_of(program, self.kernel))}
