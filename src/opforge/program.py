"""A program: everything that follows from a spec for its kernels. Rendering, building and printing start from it.

Each kind of kernel is a subclass of ``Kernel`` in a folder of its own below ``kinds``. Code outside of that folder does
not ask for a kernel's kind; it calls the functions of ``Kernel``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from opforge.errors import InternalError
from opforge.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    from typing_extensions import Self

    from opforge.fileset import File
    from opforge.ir.backward import Backward
    from opforge.ir.graph import Graph
    from opforge.plan.vector_model import Arguments
    from opforge.soc import Soc
    from opforge.spec.model import AttrSpec, OpSpec, Spec

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Variable:
    """A constant of a C++ function: its type, its name, and the expression that it is."""

    type: str
    name: str
    value: str


@dataclass(frozen=True)
class Golden:
    """What computes an op's results on the host in double precision, as ``aclnn/golden_op.h`` has it.

    ``operands`` are made once for all elements, ``elements`` for each; ``results`` name one element of each output.
    """

    elements: tuple[Variable, ...]
    results: tuple[str, ...]
    operands: tuple[Variable, ...] = ()


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
class Derivative:
    """Two functions of _ops.py: what the forward keeps (nothing where an op has no derivative), and the backward."""

    setup_lines: tuple[str, ...]
    signature: str
    lines: tuple[str, ...]
    scalars: bool


@dataclass(frozen=True)
class BackwardFunction:
    """A C++ function ``<name>`` of op-plugin that gives the gradients of ``inputs``."""

    name: str
    schema: str
    taken: OpSpec  # the op with what the function is given beside the gradients
    inputs: tuple[str, ...]
    returns: str
    parameters: tuple[str, ...]
    lines: tuple[str, ...]
    formula: tuple[str, ...]  # lines of derivatives.yaml, without the name


@dataclass(frozen=True)
class TestPart:
    """What ops of one kind put into a test that ops of all kinds share: names by module, texts by place in the test."""

    imports: Mapping[str, tuple[str, ...]]
    texts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TorchSide(ABC):
    """What differs by the kind of an op's kernel in the package for PyTorch. Texts are source code or English."""

    kernel: Kernel

    @property
    @abstractmethod
    def nature(self) -> str:
        """What a docstring says behind the op's name, where the spec has no text of its own."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """What the README says of the op, where the spec has no text of its own."""

    @abstractmethod
    def gradient(self, kernel: str) -> str:
        """Where the gradient comes from, for the README; ``kernel`` is the op type of its kernel, if it has one."""

    @property
    def refused_shapes(self) -> str:
        """Which shapes raise ValueError, for the docstring."""
        return "the shapes do not go together, or have more than 8 dimensions"

    @property
    def autocasts(self) -> bool:
        """Whether torch.autocast casts its tensors to the region's dtype, as it does for torch.matmul."""
        return False

    @property
    def measured_fields(self) -> tuple[str, ...]:
        """Further fields of the op in ``benchmarks/cases.py``."""
        return ()

    def makes_shape(self, inputs: AbstractSet[str], operators: AbstractSet[str]) -> bool:  # noqa: ARG002
        """Whether a value that is made of these inputs by these operators of the IR has the outputs' shape."""
        return True

    def shape_line(self, target: str, shapes: Sequence[str]) -> str:
        """A statement for the outputs' shape in Python, where a value may lack it; ``shapes`` are those of inputs."""
        raise InternalError(f"{self.kernel.op.type}: every value has the outputs' shape, not {target} of {shapes}")

    def summed_over(self, name: str) -> str | None:  # noqa: ARG002
        """The dimension over which the op sums terms with this input; None: it sums nothing."""
        return None

    @abstractmethod
    def derivatives(self, program: Program) -> Mapping[str, Derivative]:
        """Of the op and of the kernel of its gradients, by type; others refuse to be differentiated."""

    def backward_function(self, program: Program, prefix: str) -> BackwardFunction | None:  # noqa: ARG002
        """The derivative in C++ for op-plugin, where ``prefix`` begins all names."""
        return None


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
    @abstractmethod
    def torch(self) -> TorchSide:
        """What differs by its kind in the package for PyTorch."""

    @property
    def expressed(self) -> bool:
        """Whether an expression says what it computes."""
        return self.graph is not None

    @property
    def expression(self) -> Graph:
        """The graph, of a kernel that has one."""
        if self.graph is None:
            raise InternalError(f"{self.op.type} has no expression")
        return self.graph

    @property
    def computable(self) -> bool:
        """Whether PyTorch can compute what it computes: by the expression, or by a reference."""
        return self.expressed or self.op.reference is not None

    @property
    def authored(self) -> bool:
        """Whether the body of the kernel is its author's: only the author knows what it takes."""
        return False

    @property
    def skeleton(self) -> str:
        """The file in which the author writes the body; empty where it is elsewhere, or generated."""
        return ""

    @property
    def broadcasts(self) -> bool:
        """Whether the outputs have the shape that all inputs broadcast to."""
        return False

    @property
    def leading_rows(self) -> bool:
        """Whether leading dimensions are rows: those of the first tensor that has some, and none of others."""
        return False

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
    def host_attributes(self) -> tuple[AttrSpec, ...]:
        """The attributes that op_host reads for the tiling."""

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

    @classmethod
    def test_parts(cls, program: Program, kernels: Sequence[Self]) -> Mapping[str, TestPart]:  # noqa: ARG003
        """What ops of this kind put into tests that ops of all kinds share, by the tests' names."""
        return {}

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
