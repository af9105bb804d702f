"""The kind of ops without an expression: opforge writes all except the kernel body, which starts as a skeleton."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.shared_headers import SYMBOLS
from opforge.naming import snake
from opforge.program import Kernel, SharedHeader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Self

    from opforge.fileset import File, FileSet
    from opforge.ir.graph import Graph
    from opforge.kinds.handwritten.plan import HandwrittenPlan
    from opforge.kinds.handwritten.torch_side import HandwrittenTorch
    from opforge.program import Program, TrialCase
    from opforge.spec.model import AttrSpec, OpSpec


@dataclass(frozen=True)
class Handwritten(Kernel):
    """The kernel of a handwritten op. ``whole`` lists files without a generated header, from older versions."""

    whole: frozenset[str] = frozenset()

    @classmethod
    def takes(cls, op: OpSpec, graph: Graph | None) -> bool:
        return graph is None

    @cached_property
    def plan(self) -> HandwrittenPlan:
        from opforge.kinds.handwritten.plan import plan_handwritten

        return plan_handwritten(self.op, self.socs)

    @property
    def takes_lists(self) -> bool:
        return True

    @property
    def own_shapes(self) -> bool:
        return True

    @cached_property
    def torch(self) -> HandwrittenTorch:
        from opforge.kinds.handwritten.torch_side import HandwrittenTorch

        return HandwrittenTorch(self)

    @property
    def authored(self) -> bool:
        return True

    @property
    def skeleton(self) -> str:
        return "" if self.op.sources else f"op_kernel/{snake(self.op.type)}_kernel.h"

    def in_project(self, edited: Callable[[str], str | None]) -> Self:
        from opforge.kinds.handwritten.files import generated_headers

        headers = {} if self.op.sources else generated_headers(self.op)
        texts = {path: edited(path) for path in headers}
        whole = (path for path, text in texts.items() if text is not None and f'"{headers[path]}"' not in text)
        return replace(self, whole=frozenset(whole))

    def device_files(self) -> tuple[File, ...]:
        from opforge.kinds.handwritten.files import device_files

        return device_files(self.op, self.plan, self.whole)

    def pattern_files(self, pattern: str, package: str) -> FileSet:
        from opforge.kinds.handwritten.patterns import pattern_files

        return pattern_files(pattern, self.op, self.plan, self.socs, package)

    def headers(self) -> tuple[SharedHeader, ...]:
        return () if self.op.sources else (SYMBOLS,)

    def host_attributes(self) -> tuple[AttrSpec, ...]:
        return self.op.attrs

    def trial_cases(self) -> tuple[TrialCase, ...]:
        from opforge.render.ascendc.trials import symbol_cases

        if any(tensor.own_shape for tensor in self.op.outputs):
            return ()  # only the author's function knows the shapes of results
        return tuple(symbol_cases(self.op, own_shapes=True))

    @classmethod
    def test_files(cls, program: Program, kernels: Sequence[Handwritten]) -> tuple[File, ...]:
        from opforge.kinds.handwritten.tests import test_files

        return test_files(program, kernels)

    def describe(self) -> tuple[str, ...]:
        plan = self.plan
        lines = [f"plan {self.op.type}, whose kernel is handwritten", "the kernel gets:"]
        for argument in plan.arguments:
            kind = "output" if argument.output else "input"
            kind = "list of tensors" if argument.name in plan.lists else kind
            kind = f"optional {kind}" if argument.name in plan.optional else kind
            over = f", over {argument.inplace}" if argument.inplace else ""
            lines.append(f"  {argument.name}: {kind}, {'/'.join(dict.fromkeys(argument.dtypes))}{over}")
        return (*lines, *(f"  {name}: attribute, in the tiling data" for name in plan.attrs))
