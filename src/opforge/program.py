"""Defines Program and Kernel, which rendering, build and printing start from.

Each kind of kernel is a subclass of ``Kernel`` in a folder of its own below ``kinds``. Code outside of that folder does
not ask for a kernel's kind; it calls the functions of ``Kernel``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING

from opforge.errors import InternalError
from opforge.fileset import File, FileSet
from opforge.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from typing_extensions import Self

    from opforge.ir.backward import Backward
    from opforge.ir.graph import Graph
    from opforge.plan.split_plan import RankedPlan
    from opforge.plan.vector_model import Arguments
    from opforge.soc import Soc, SocVersion
    from opforge.spec.combinations import Row
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
    """The code that computes an op's results on the host in double precision, for ``aclnn/golden_op.h``.

    ``operands`` are made once for all elements, ``elements`` for each; ``results`` name one element of each output.
    ``row_results``: the outputs, by index, that have one element for each row. ``in_row``: a C++ condition on
    ``fromEnd``, whether a row has that dimension. ``whole_shape``: the C++ expression of the shape that rows are of.
    ``totals``: each result has one element, made of all rows; ``elements`` are then made once.
    """

    elements: tuple[Variable, ...]
    results: tuple[str, ...]
    operands: tuple[Variable, ...] = ()
    row_results: tuple[int, ...] = ()
    in_row: str = ""
    whole_shape: str = "WholeShape(inputTensors)"
    totals: bool = False


@dataclass(frozen=True)
class TrialCase:
    """Shapes that the programs of ``aclnn/`` try: of all input tensors (a list has several), and of all outputs."""

    note: str
    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]


@dataclass(frozen=True)
class SharedHeader:
    """A header that kernels of a project share, and its form; ``slots``: the form depends on the types of cores."""

    name: str
    form: str
    slots: bool = True


@dataclass(frozen=True)
class Derivative:
    """Two functions of _ops.py: one saves the forward's tensors (empty without a derivative), one is the backward."""

    setup_lines: tuple[str, ...]
    signature: str
    lines: tuple[str, ...]
    scalars: bool


@dataclass(frozen=True)
class GivenGrad:
    """A gradient that may be missing: its local, the parameter, and what makes zeros in its stead."""

    name: str
    given: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class KernelCall:
    """A call of an operator of op-plugin."""

    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class BackwardFunction:
    """A C++ function ``<name>`` of op-plugin that returns the gradients of ``inputs``."""

    name: str
    schema: str
    taken: OpSpec  # the op with the arguments that the function takes beside the gradients
    inputs: tuple[str, ...]
    differentiable: tuple[str, ...]  # the outputs whose gradients the function takes first
    returns: str
    parameters: tuple[str, ...]
    grads: tuple[GivenGrad, ...]
    variables: tuple[Variable, ...]  # what the kernel of the gradients takes beside its inputs
    kernel: KernelCall | None
    results: tuple[Variable, ...]
    formula: tuple[str, ...]  # lines of derivatives.yaml, without the name


@dataclass(frozen=True)
class TestTable:
    """The table of one kind's ops, for tests that all kinds share: a module below tests/ and a name in it."""

    module: str
    name: str


@dataclass(frozen=True)
class TorchSide(ABC):
    """The part of a kernel's kind in the package for PyTorch. Texts are source code or English."""

    kernel: Kernel

    @property
    @abstractmethod
    def nature(self) -> str:
        """The description in the op's docstring if the spec has no ``doc``."""

    @property
    @abstractmethod
    def summary(self) -> str:
        """The description in the README if the spec has no ``doc``."""

    @property
    def promise(self) -> str:
        """The README's sentence on what results do not depend on, if the kernel promises any."""
        return ""

    @abstractmethod
    def gradient(self, kernel: str) -> str:
        """The README's sentence on the gradient; ``kernel`` is the op type of the gradient's kernel, or empty."""

    @property
    def refused_shapes(self) -> str:
        """The shapes that raise ValueError, for the docstring."""
        return "the shapes do not match, or have more than 8 dimensions"

    @property
    def autocasts(self) -> bool:
        """Whether torch.autocast casts the op's tensors to the region's dtype, as for torch.matmul."""
        return False

    @property
    def measured_fields(self) -> Mapping[str, Sequence[str]]:
        """Further fields of the op in ``benchmarks/cases.py``: names of inputs or dimensions."""
        return {}

    def makes_shape(self, inputs: AbstractSet[str], operators: AbstractSet[str]) -> bool:  # noqa: ARG002
        """Whether a value computed from these inputs by these operators of the IR has the outputs' shape."""
        return True

    def output_shape(self, shapes: Sequence[str]) -> str:
        """A Python expression of the outputs' shape, computed from ``shapes``, the inputs', for other values."""
        raise InternalError(f"{self.kernel.op.type}: every value has the outputs' shape, not one of {shapes}")

    def summed_over(self, name: str) -> str | None:  # noqa: ARG002
        """The dimension over which the op sums terms with this input; None if it sums nothing."""
        return None

    @abstractmethod
    def derivatives(self, program: Program) -> Mapping[str, Derivative]:
        """The derivatives of the op and of its gradient's op, by type; absent types cannot be differentiated."""

    def backward_function(self, program: Program, prefix: str) -> BackwardFunction | None:  # noqa: ARG002
        """The derivative in C++ for op-plugin, if any; all its names begin with ``prefix``."""
        return None


@dataclass(frozen=True)
class Kernel(ABC):
    """The kernel of one op, for all SoCs of its project: they share its source."""

    op: OpSpec
    socs: tuple[Soc, ...]
    graph: Graph | None  # the op's expression; None for an op without one
    backward: Backward | None = None  # None if opforge derives no backward
    gradient_of: str | None = None  # the type of the op whose gradients it computes

    @classmethod
    @abstractmethod
    def takes(cls, op: OpSpec, graph: Graph | None) -> bool:
        """Whether an op with this expression gets a kernel of this kind."""

    @property
    def label(self) -> str:
        """The name of its kind, for lists that people read."""
        return type(self).__name__.lower()

    @property
    @abstractmethod
    def plan(self) -> Arguments:
        """Tile sizes, buffers and tiling data. Raises PlanError for a SoC, dtype or size that does not fit."""

    @property
    @abstractmethod
    def torch(self) -> TorchSide:
        """The kind's part of the package for PyTorch."""

    @property
    def expressed(self) -> bool:
        """Whether the op has an expression."""
        return self.graph is not None

    @property
    def expression(self) -> Graph:
        """The graph. Raises InternalError for an op without an expression."""
        if self.graph is None:
            raise InternalError(f"{self.op.type} has no expression")
        return self.graph

    @property
    def computable(self) -> bool:
        """Whether PyTorch can compute the op, from its expression or by its reference."""
        return self.expressed or self.op.reference is not None

    @property
    def authored(self) -> bool:
        """Whether a person writes the kernel's body. Only that person knows which shapes it accepts."""
        return False

    @property
    def skeleton(self) -> str:
        """The file for the handwritten body; empty if the body is elsewhere or generated."""
        return ""

    def in_project(self, edited: Callable[[str], str | None]) -> Self:  # noqa: ARG002
        """The kernel of a project that has edited files: ``edited`` gives the text of one, None for other paths."""
        return self

    @property
    def broadcasts(self) -> bool:
        """Whether the outputs have the broadcast shape of all inputs."""
        return False

    @property
    def leading_alike(self) -> bool:
        """Whether leading dimensions of inputs must be equal, because they are reduced."""
        return False

    @property
    def leading_rows(self) -> bool:
        """Whether leading dimensions are rows: only the first tensor with leading dimensions has them."""
        return False

    @property
    def coupled(self) -> bool:
        """Whether its source also supports cores that combine a cube and a vector core."""
        return False

    @property
    def synchronised(self) -> bool:
        """Whether cores wait for each other in launches with some tiling key."""
        return bool(self.spread_keys)

    @property
    def spread_keys(self) -> tuple[str, ...]:
        """The tiling keys with which cores wait for each other: constants of its host tiling."""
        return ()

    @property
    def own_shapes(self) -> bool:
        """Whether op_host computes a separate shape for each output; otherwise all outputs have one shape."""
        return False

    @property
    def waits_for_all(self) -> bool:
        """Whether its cores wait for each other, so that all must be free when it starts."""
        return False

    @property
    def takes_lists(self) -> bool:
        """Whether op_host reads each input as a list of tensors, of any length."""
        return False

    @property
    def golden(self) -> Golden | None:
        """C++ that computes the results on the host; None for an op without an expression."""
        return None

    def pattern_files(self, pattern: str, package: str) -> FileSet:  # noqa: ARG002
        """The author's files and the reference that an op begins with under a pattern; others have none."""
        return FileSet()

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
        """The shapes that the programs of ``aclnn/`` try."""

    @property
    def launched(self) -> bool:
        """Whether the project has programs that launch it without aclnn; of some kernels only the author knows how."""
        return False

    def launch_files(self) -> tuple[File, ...]:
        """The programs that launch it without aclnn."""
        return ()

    @property
    def plan_members(self) -> tuple[str, ...]:
        """The members of a SplitPlan that its host tiling takes, for `opforge tune`; none if it takes no plan."""
        return ()

    def trial_files(self, row: Row) -> tuple[File, ...]:  # noqa: ARG002
        """The program that tries plans of a kernel with ``plan_members`` for one combination of dtypes."""
        return ()

    def split_plans(self, shapes: Mapping[str, Shape], row: Row, chip: SocVersion) -> tuple[RankedPlan, ...]:  # noqa: ARG002
        """All plans for inputs of these shapes, the likely fastest first; none without ``plan_members``."""
        return ()

    @classmethod
    @abstractmethod
    def test_files(cls, program: Program, kernels: Sequence[Self]) -> tuple[File, ...]:
        """The project's tests for ops of this kind only."""

    @classmethod
    def test_table(cls) -> TestTable | None:
        """The table of ops of this kind; None where they take no part in the tests that ops of all kinds share."""
        return None

    @abstractmethod
    def describe(self) -> tuple[str, ...]:
        """The plan as text for people, one fact per line."""


@dataclass(frozen=True)
class Program:
    """A spec with its kernels: the kernel of each op, followed by its gradient's kernel if it has one."""

    spec: Spec
    kernels: tuple[Kernel, ...]
    graphs: Mapping[str, Graph] = field(init=False, compare=False, repr=False)  # by op type

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

    def in_project(self, edited: Callable[[str], str | None]) -> Program:
        """The program of a project that has edited files: ``edited`` gives the text of one, None for other paths."""
        return replace(self, kernels=tuple(kernel.in_project(edited) for kernel in self.kernels))

    def only(self, op_type: str) -> Program:
        """The program of one of the ops, with the kernel of its gradients."""
        kept = tuple(kernel for kernel in self.kernels if op_type in (kernel.op.type, kernel.gradient_of))
        return replace(self, kernels=kept)

    def gradient(self, kernel: Kernel) -> Kernel | None:
        """The kernel of an op's gradient, or None."""
        return next((each for each in self.kernels if each.gradient_of == kernel.op.type), None)
