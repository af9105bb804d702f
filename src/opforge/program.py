"""A program: everything that follows from a spec for its kernels. Rendering, building and printing start from it.

Each kind of kernel is a subclass of ``Kernel`` in a folder of its own below ``kinds``. Code outside of that folder does
not ask for a kernel's kind; it calls the functions of ``Kernel``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from opforge.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence

    from typing_extensions import Self

    from opforge.fileset import File
    from opforge.ir.backward import Backward
    from opforge.ir.graph import Graph
    from opforge.plan.vector_model import Arguments
    from opforge.soc import Soc
    from opforge.spec.model import OpSpec, Spec

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Golden:
    """C++ that computes an op's results on the host in double precision, as ``aclnn/golden_op.h`` has it.

    ``operand_lines`` run once for a result, ``element_lines`` for each of its elements.
    """

    element_lines: tuple[str, ...]
    operand_lines: tuple[str, ...] = ()


@dataclass(frozen=True)
class TrialCase:
    """Shapes that the programs of ``aclnn/`` try: of all input tensors, a list has several, and of all outputs."""

    note: str
    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]


@dataclass(frozen=True)
class SharedHeader:
    """A header that kernels of a project share, and its form; ``slots``: the form asks which cores there are."""

    name: str
    form: str
    slots: bool = True


@dataclass(frozen=True)
class Kernel(ABC):
    """The kernel of one op, for all SoCs of its project at once: they share its source."""

    op: OpSpec
    socs: tuple[Soc, ...]
    graph: Graph | None  # what it computes; None where opforge does not know that
    backward: Backward | None = None  # how gradients get through the op; None where opforge does not derive that
    gradient_of: str | None = None  # the type of the op whose gradients it computes

    @classmethod
    @abstractmethod
    def takes(cls, op: OpSpec, graph: Graph | None) -> bool:
        """Whether an op with this expression gets a kernel of this kind."""

    @property
    @abstractmethod
    def plan(self) -> Arguments:
        """How it runs. Raises PlanError for a SoC, dtype or size that kernels of its kind do not support."""

    @property
    def coupled(self) -> bool:
        """Whether its source is for cores that are cube and vector core in one, too."""
        return False

    @property
    def own_shapes(self) -> bool:
        """Whether op_host gives each output a shape of its own; else all outputs have one shape."""
        return False

    @property
    def golden(self) -> Golden | None:
        """What it gives, computed on the host; None where nothing says that."""
        return None

    @abstractmethod
    def device_files(self) -> tuple[File, ...]:
        """Its sources in op_kernel, and its tiling in op_host."""

    @abstractmethod
    def headers(self) -> tuple[SharedHeader, ...]:
        """The headers that its sources share with other kernels."""

    @abstractmethod
    def attribute_lines(self) -> tuple[str, ...]:
        """Statements of op_host that read the attributes."""

    @abstractmethod
    def trial_cases(self) -> tuple[TrialCase, ...]:
        """What the programs of ``aclnn/`` try."""

    @property
    def launched(self) -> bool:
        """Whether there are programs that launch it without aclnn; of some kernels only the author knows how."""
        return False

    def launch_files(self) -> tuple[File, ...]:
        """The programs that launch it without aclnn."""
        return ()

    @classmethod
    @abstractmethod
    def test_files(cls, program: Program, kernels: Sequence[Self]) -> tuple[File, ...]:
        """The project's tests of all its ops of this kind, beside those that ops of every kind have."""

    @abstractmethod
    def describe(self) -> tuple[str, ...]:
        """Every fact of the plan, one a line, for people."""


@dataclass(frozen=True)
class Program:
    """A spec with its kernels: those of its ops, each followed by the one of its gradients, if it has one."""

    spec: Spec
    kernels: tuple[Kernel, ...]
    graphs: Mapping[str, Graph] = field(init=False, compare=False, repr=False)  # by op type, of those that have one

    def __post_init__(self) -> None:
        graphs = {kernel.op.type: kernel.graph for kernel in self.kernels if kernel.graph is not None}
        object.__setattr__(self, "graphs", graphs)

    @property
    def ops(self) -> tuple[OpSpec, ...]:
        """Every op that has a kernel."""
        return tuple(kernel.op for kernel in self.kernels)

    @property
    def public(self) -> tuple[Kernel, ...]:
        """The kernels of the spec's own ops."""
        return tuple(kernel for kernel in self.kernels if kernel.gradient_of is None)

    def gradient(self, kernel: Kernel) -> Kernel | None:
        """The kernel of an op's gradients."""
        return next((each for each in self.kernels if each.gradient_of == kernel.op.type), None)
