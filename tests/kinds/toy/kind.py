"""A kind of kernel from outside of opforge: the sum of squares over the last dimension, a reduction with a tail.

It takes ops without an expression whose reference is ``golden:sum_of_squares``. What it needs is in this folder: plan,
forms of both languages, its side in the package for PyTorch with a backward, and test cases of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

from opforge.errors import PlanError
from opforge.fileset import File
from opforge.frozen import dataclass
from opforge.ir.graph import Graph
from opforge.naming import snake
from opforge.plan.vector_model import Argument, Arguments
from opforge.program import Derivative, Kernel, Program, SharedHeader, TorchSide, TrialCase
from opforge.render.ascendc.ascendc_files import kernel_files
from opforge.render.forms import add_forms
from opforge.render.torch.derivative import backward_definition
from opforge.render.torch.signature import signature_of
from opforge.render.torch.torch_files import form_file
from opforge.spec.combinations import combinations
from opforge.spec.model import AttrSpec, OpSpec

TILE = 2048  # elements of a row that the kernel takes at once

add_forms(Path(__file__).parent / "forms")


@dataclass(frozen=True)
class SumPlan(Arguments):
    """What the kernel is given, and how much of a row it takes at once."""

    arguments: tuple[Argument, ...]
    tile: int


@dataclass(frozen=True)
class KernelForm:
    """Context of the forms of the kernel."""

    op_type: str
    stem: str
    guard: str
    x: str
    y: str
    tile: int


@dataclass(frozen=True)
class TestForm:
    """Context of ``code/torch/kinds/toy/sums_tests.py``."""

    package: str
    functions: tuple[str, ...]
    tile: int


@dataclass(frozen=True)
class SumOfSquares(Kernel):
    """Each core has whole rows, and adds up the squares of a row tile by tile."""

    @classmethod
    def takes(cls, op: OpSpec, graph: Graph | None) -> bool:
        return graph is None and op.reference == "golden:sum_of_squares"

    @cached_property
    def plan(self) -> SumPlan:
        op = self.op
        if len(op.inputs) != 1 or op.inputs[0].dims != ("...", "N") or [t.dims for t in op.outputs] != [("...",)]:
            raise PlanError(f"{op.type} must have one input of shape [..., N] and one output of shape [...]")
        if any(dtype != "float32" for row in combinations(op) for dtype in row):
            raise PlanError(f"{op.type} must be of float32")
        x, y = op.inputs[0], op.outputs[0]
        return SumPlan((Argument(x.name, ("float32",)), Argument(y.name, ("float32",), output=True)), TILE)

    @cached_property
    def torch(self) -> SumOfSquaresTorch:
        return SumOfSquaresTorch(self)

    def device_files(self) -> tuple[File, ...]:
        stem = snake(self.op.type)
        x, y = (argument.name for argument in self.plan.arguments)
        form = KernelForm(self.op.type, stem, stem.upper(), x, y, TILE)
        return kernel_files("kinds/toy", stem, host_tiling=form, entry=form, kernel=form, tiling=form)

    def headers(self) -> tuple[SharedHeader, ...]:
        return ()

    def host_attributes(self) -> tuple[AttrSpec, ...]:
        return ()

    def trial_cases(self) -> tuple[TrialCase, ...]:
        return (TrialCase("rows with a tail", ((3, TILE + 5),), ((3,),)),)

    @classmethod
    def test_files(cls, program: Program, kernels: Sequence[SumOfSquares]) -> tuple[File, ...]:
        functions = tuple(signature_of(program, kernel).function for kernel in kernels)
        form = TestForm(program.spec.project.package, functions, TILE)
        return (form_file("kinds/toy", "sums_tests.py", "tests", form, "test_sums.py"),)

    def describe(self) -> tuple[str, ...]:
        return (f"plan {self.op.type}", f"rows in tiles of {TILE} elements")


@dataclass(frozen=True)
class SumOfSquaresTorch(TorchSide):
    """The gradient is 2 x times that of the row's sum, by ATen."""

    kernel: SumOfSquares

    @property
    def nature(self) -> str:
        return "the sum of squares over the last dimension"

    @property
    def summary(self) -> str:
        return "The sum of squares over the last dimension."

    def gradient(self, kernel: str) -> str:  # noqa: ARG002
        return "Its gradient is computed by PyTorch's own operators."

    def derivatives(self, program: Program) -> Mapping[str, Derivative]:
        signature = signature_of(program, self.kernel)
        x, y = (argument.name for argument in self.kernel.plan.arguments)
        setup = (f"({x},) = inputs", f"ctx.save_for_backward({x})")
        lines = (f"({x},) = ctx.saved_tensors", f"return 2 * {x} * grad_{y}.unsqueeze(-1)")
        derivative = Derivative(setup, backward_definition(signature, "Tensor"), lines, scalars=False)
        return {self.kernel.op.type: derivative} if self.kernel.op.backward else {}
