"""The common base of kernels generated from an expression."""

from __future__ import annotations

from abc import abstractmethod
from functools import cached_property
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.shared_headers import kernel_header
from opforge.program import Golden, Kernel, SharedHeader

if TYPE_CHECKING:
    from opforge.ir.graph import Graph
    from opforge.plan.vector_model import Plan
    from opforge.spec.model import AttrSpec


@dataclass(frozen=True)
class ExpressionKernel(Kernel):
    """The kernel of an op with an expression; its vector cores run a plan of instructions."""

    @property
    @abstractmethod
    def vector(self) -> Plan:
        """The plan of the vector cores."""

    @cached_property
    def derivative(self) -> Graph | None:
        """The graph of its gradients, for PyTorch's operators; None if no output depends smoothly on an input."""
        from opforge.ir.differentiate import gradients

        return gradients(self.op, self.expression)

    @property
    def coupled(self) -> bool:
        return self.vector.coupled

    @property
    def launched(self) -> bool:
        return True

    def host_attributes(self) -> tuple[AttrSpec, ...]:
        from opforge.render.ascendc.scalars import tiling_attributes

        return tiling_attributes(self.op, self.expression, self.vector.scalars)

    def headers(self) -> tuple[SharedHeader, ...]:
        from opforge.render.ascendc.vector_code import calls_functions, calls_integer_functions

        needed = [kernel_header("tile_io.h")]
        needed += [kernel_header("integer_math.h", slots=False)] if calls_integer_functions(self.vector) else []
        needed += [kernel_header("vector_math.h")] if calls_functions(self.vector) else []
        needed += [kernel_header("whole_blocks.h", slots=False)] if self.coupled else []
        return tuple(needed)

    @property
    def golden(self) -> Golden:
        from opforge.render.ascendc.cpp_golden import golden_of

        return golden_of(self.op, self.expression)
