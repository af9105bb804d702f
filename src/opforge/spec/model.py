"""A spec as frozen values: the only form of opforge.yaml that the rest of opforge uses.

``spec.read.parse`` makes them and ``spec.yaml_printer`` prints them; parsing the printed text gives equal values.
Equality ignores places. The only place kept is compute's (``OpSpec.source``), because errors of ``ir`` point into it.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import Literal

from opforge.errors import InternalError
from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.spec.dimensions import Dim, Size, parse_dim
from opforge.spec.source import Passage, plain_passage
from opforge.spec.tree import Compute

AttrType = Literal["int", "float", "bool", "str", "list_int", "list_float", "list_bool"]
AttrValue = int | float | bool | str | tuple[int, ...] | tuple[float, ...] | tuple[bool, ...]
OpDefCalls = tuple[tuple[str, str], ...]  # further calls of OpDef: a method and its arguments as C++ text
EDITION = 2  # of opforge.yaml
SHAPE_BY_KERNEL = "OutputShapeDependOnCompute"  # one of these calls, of an output
VERSION = "Version"  # one of an optional input or attribute: the first aclnn function that takes it


@dataclass(frozen=True)
class Values:
    """The values of an input that tests, bench and verify draw: ``min <= value < below``.

    A bound is the text of a number, or of arithmetic over symbols and int attributes.
    """

    min: str | None = None
    below: str | None = None
    unique: bool = False  # no two elements are equal
    sorted: bool = False  # ascending along the last dimension


ANY_VALUES = Values()


@dataclass(frozen=True)
class SizeRange:
    """The sizes of a named dimension that the op supports, for tests, bench and verify."""

    symbol: str
    min: int = 0
    max: int | None = None
    multiple_of: int = 1


@dataclass(frozen=True)
class TensorSpec:
    """A tensor argument. ``dtypes`` is a list of columns, as in OpDef: column i of all tensors is one combination.

    In an op with ``dtype_product`` it is a list of choices. ``combinations`` gives the rows in both cases.
    """

    name: str
    dtypes: tuple[str, ...]
    # As ``dimensions`` parses them: "..." first, then symbols, integers or, in outputs, arithmetic. A scalar has none.
    dims: tuple[str, ...] = ("...",)
    dtypes_given: bool = True  # False: copied from another tensor, and not printed
    optional: bool = False  # an input that callers may leave out
    dynamic: bool = False  # a list of tensors of any length
    count: str | None = None  # of an output's list: the input's list or the int attribute that gives its length
    scalar: bool = False  # a number on the host (aclScalar); with dynamic, a list of numbers
    value_depend: Literal["required", "optional"] | None = None  # an input whose values the host code reads
    formats: tuple[str, ...] = ()  # one per column, without FORMAT_; empty: always ND
    contiguous: bool = True  # False: the kernel takes strided memory (IgnoreContiguous)
    own_shape: bool = False  # of an output: its author writes the function that computes its shape; dims say nothing
    # Of an input: it has one element for each row that compute reduces, and not that dimension.
    unsqueezed: bool = False
    inplace: str | None = None  # for an output: the input whose memory and properties it has
    values: Values = ANY_VALUES  # of an input
    opdef: OpDefCalls = ()

    @cached_property
    def dimensions(self) -> tuple[Dim, ...]:
        """``dims`` as trees."""
        return tuple(map(parse_dim, self.dims))

    @property
    def met_dimensions(self) -> tuple[Dim, ...]:
        """``dimensions`` as they meet those of other inputs."""
        return (*self.dimensions, Size(1)) if self.unsqueezed else self.dimensions

    @property
    def shaped(self) -> bool:
        """Whether the kernel decides the shape of this output; ``dims`` are then the largest ones."""
        return any(method == SHAPE_BY_KERNEL for method, _ in self.opdef)

    @property
    def plain(self) -> bool:
        """Whether it is one tensor on the device, of format ND."""
        nd = all(name == "ND" for name in self.formats)
        return not self.dynamic and not self.scalar and self.value_depend is None and nd


@dataclass(frozen=True)
class AttrSpec:
    """An attribute; with a default it is optional. A list's default is a tuple, which may be empty.

    ``axis``: it gives the dimension that the op reduces.
    """

    name: str
    type: AttrType
    default: AttrValue | None = None
    opdef: OpDefCalls = ()
    axis: bool = False

    @property
    def required(self) -> bool:
        """Whether a caller must give it."""
        return self.default is None


@dataclass(frozen=True)
class Override:
    """The columns of one SoC, which replace the op's own: the tensors whose dtypes or formats differ.

    Of a tensor, only name, dtypes and formats count. ``dtypes_given`` says that the override states the tensor.
    """

    soc: str
    tensors: tuple[TensorSpec, ...]


@dataclass(frozen=True)
class OpSpec:
    """One op. Inputs, attrs and outputs are in declaration order, as in OpDef, the kernel and the aclnn call.

    An op without ``compute`` is handwritten: its kernel begins as a skeleton.
    """

    type: str  # UpperCamel: "VectorAdd"
    inputs: tuple[TensorSpec, ...]
    attrs: tuple[AttrSpec, ...]
    outputs: tuple[TensorSpec, ...]
    compute: str = ""  # the text as written: one assignment per line; empty: handwritten
    doc: str | None = None
    outputs_given: bool = False  # False: derived from compute, and not printed
    backward: bool = True
    gradient: str | None = None  # the op of the project that computes the gradients, by type
    reference: str | None = None  # "module:function", a torch function in a module of the project's Python package
    dtype_product: bool = False  # combine every dtype with every other, instead of columns
    batch_invariant: bool = True  # False: the order of a product's sums may depend on its shape
    overrides: tuple[Override, ...] = ()
    sources: tuple[str, ...] = ()  # op_host and op_kernel files; empty: the default ones
    sizes: tuple[SizeRange, ...] = ()
    opdef: OpDefCalls = ()
    source: Passage | None = field(default=None, compare=False, repr=False)  # the place of compute, if any
    tree: Compute | None = field(default=None, compare=False, repr=False)  # compute, parsed

    @property
    def aclnn(self) -> str:
        """The aclnn function that takes all arguments; of an op with ``Version`` calls, that of the highest version."""
        return f"aclnn{self.type}V{self._version}" if self._version else f"aclnn{self.type}"

    @property
    def aclnn_header(self) -> str:
        """The header that declares it."""
        stem = f"aclnn_{snake(self.type)}"
        return f"{stem}_v{self._version}.h" if self._version else f"{stem}.h"

    @property
    def _version(self) -> int:
        calls = [call for tensor in self.inputs for call in tensor.opdef]
        calls += [call for attr in self.attrs for call in attr.opdef]
        return max((int(text) for method, text in calls if method == VERSION), default=0)

    @property
    def handwritten(self) -> bool:
        """Whether the op has no expression, so that a person writes its kernel."""
        return not self.compute

    @property
    def expression(self) -> Compute:
        """``compute``, parsed, of an op that has one."""
        if self.tree is None:
            raise InternalError(f"{self.type} has no expression")
        return self.tree

    @property
    def passage(self) -> Passage:
        """The text of ``compute``, which knows its place if it stands in a file."""
        return self.source if self.source is not None else plain_passage(self.compute)


@dataclass(frozen=True)
class ProjectSpec:
    """The settings that ops of a project share. ``package`` is the Python package, ``vendor`` the OPP's vendor."""

    name: str
    package: str
    vendor: str
    version: str
    soc: tuple[str, ...]
    license: str | None = None
    host_cpp: int = 11  # the C++ standard of op_host; CANN's CMake functions use 11
    allow_multiple_definition: bool = False  # op_host has a function in several files; the linker takes the first
    define: tuple[str, ...] = ()  # NAME or NAME=value, which the compilers of op_host define
    include: tuple[str, ...] = ()  # folders of headers for op_host and op_kernel, relative to the project
    features: tuple[str, ...] | None = None  # names of ``spec.features``; None: all

    def has(self, feature: str) -> bool:
        """Whether the project has a feature."""
        return self.features is None or feature in self.features


@dataclass(frozen=True)
class Allowed:
    """Breaches that the simulated device allows: of a rule, by an op, in a source of its kernel. None: any.

    ``file`` is the end of the source's path. ``warn``: allowed with a warning, instead of silently.
    """

    why: str
    rule: str | None = None
    op: str | None = None
    file: str | None = None
    warn: bool = False


@dataclass(frozen=True)
class SimulatorSpec:
    """The simulated device's rules for kernels. ``rules`` None: ``as_device`` decides for each op."""

    rules: str | None = None  # "device" or "documented"
    allow: tuple[Allowed, ...] = ()

    def as_device(self, op: OpSpec) -> bool:
        """Whether rules that devices do not enforce only warn for this op. The default: only for adopted ops."""
        return bool(op.sources) if self.rules is None else self.rules == "device"


@dataclass(frozen=True)
class Spec:
    """A whole opforge.yaml."""

    project: ProjectSpec
    ops: tuple[OpSpec, ...]
    edition: int = EDITION
    simulator: SimulatorSpec = SimulatorSpec()
