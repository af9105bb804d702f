"""What a spec says, as frozen values: the only form in which the rest of opforge sees opforge.yaml.

``spec.read.parse`` builds these, ``spec.yaml_printer`` writes them back: parsing what was printed gives the same.
Places play no part in equality: two specs that say the same are equal. The one kept is compute's (``OpSpec.source``),
because ``ir`` still has to point into it.
"""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from opforge.frozen import dataclass
from opforge.spec.source import Passage

AttrType = Literal["int", "float", "bool", "str", "list_int", "list_float", "list_bool"]
AttrValue = int | float | bool | str | tuple[int, ...] | tuple[float, ...] | tuple[bool, ...]
OpDefCalls = tuple[tuple[str, str], ...]  # further calls of OpDef: a method and its arguments as C++ text
SHAPE_BY_KERNEL = "OutputShapeDependOnCompute"  # of those calls: an output's


@dataclass(frozen=True)
class TensorSpec:
    """A tensor argument. ``dtypes`` is the column list as in OpDef: column i of all tensors is one combination.

    In an op with ``dtype_product`` it is a list of choices; ``combinations`` gives the rows of either kind of op.
    """

    name: str
    dtypes: tuple[str, ...]
    # "..." first, then symbols, integers or, in outputs, arithmetic: what ``dimensions`` parses. A scalar has none.
    dims: tuple[str, ...] = ("...",)
    dtypes_given: bool = True  # False: taken over from another tensor, and not printed
    optional: bool = False  # an input that a caller may leave out
    dynamic: bool = False  # a list of tensors, as many as a caller gives
    scalar: bool = False  # a number on the host (aclScalar); with dynamic, a list of numbers
    value_depend: Literal["required", "optional"] | None = None  # an input whose values the host code reads
    formats: tuple[str, ...] = ()  # one a column, without FORMAT_; empty: ND everywhere
    contiguous: bool = True  # False: the kernel takes strided memory (IgnoreContiguous)
    inplace: str | None = None  # of an output: the input whose memory it is written to, and whose facts it has
    opdef: OpDefCalls = ()

    @property
    def shaped(self) -> bool:
        """Whether its kernel says the shape of this output; ``dims`` are then the largest ones."""
        return any(method == SHAPE_BY_KERNEL for method, _ in self.opdef)

    @property
    def plain(self) -> bool:
        """Whether it is one tensor on the device, of format ND."""
        nd = all(name == "ND" for name in self.formats)
        return not self.dynamic and not self.scalar and self.value_depend is None and nd


@dataclass(frozen=True)
class AttrSpec:
    """An attribute; with a default it is optional. A list's default is a tuple, which may be empty."""

    name: str
    type: AttrType
    default: AttrValue | None = None

    @property
    def required(self) -> bool:
        """Whether a caller must give it."""
        return self.default is None


@dataclass(frozen=True)
class Override:
    """What one SoC has instead of an op's own columns: the tensors whose dtypes or formats differ there.

    Of a tensor, name, dtypes and formats count; ``dtypes_given`` says that it is stated there, not taken over.
    """

    soc: str
    tensors: tuple[TensorSpec, ...]


@dataclass(frozen=True)
class OpSpec:
    """One op. Inputs, attrs and outputs are in declaration order: OpDef's, the kernel's and the aclnn call's.

    An op without ``compute`` is written by hand: its kernel begins as a skeleton.
    """

    type: str  # UpperCamel: "VectorAdd"
    inputs: tuple[TensorSpec, ...]
    attrs: tuple[AttrSpec, ...]
    outputs: tuple[TensorSpec, ...]
    compute: str = ""  # the text as written: one assignment a line; empty: written by hand
    doc: str | None = None
    outputs_given: bool = False  # False: derived from compute, and not printed
    backward: bool = True
    reference: str | None = None  # "module:function" in torch, of a module of the project's Python package
    dtype_product: bool = False  # every choice of dtypes with every other, instead of columns
    overrides: tuple[Override, ...] = ()
    sources: tuple[str, ...] = ()  # op_host and op_kernel files; empty: the usual ones
    opdef: OpDefCalls = ()
    source: Passage | None = field(default=None, compare=False, repr=False)  # where compute stands; None: in no file

    @property
    def handwritten(self) -> bool:
        """Whether nothing says what it computes, so that its kernel is its author's."""
        return not self.compute


@dataclass(frozen=True)
class ProjectSpec:
    """What the ops of one project share. ``package`` is the Python package, ``vendor`` the OPP's."""

    name: str
    package: str
    vendor: str
    version: str
    soc: tuple[str, ...]
    license: str | None = None
    host_cpp: int = 11  # the C++ standard of op_host, which CANN's own functions have at 11
    include: tuple[str, ...] = ()  # folders of headers for op_host and op_kernel, by their paths from the project
    features: tuple[str, ...] | None = None  # of ``spec.features``; None: all

    def has(self, feature: str) -> bool:
        """Whether the project has a feature."""
        return self.features is None or feature in self.features


@dataclass(frozen=True)
class Allowed:
    """What the simulated device lets pass: breaches of a rule, of an op, in a source of its kernel; None: any.

    ``file`` is the end of the source's path. ``warn``: with a warning, else without a word.
    """

    why: str
    rule: str | None = None
    op: str | None = None
    file: str | None = None
    warn: bool = False


@dataclass(frozen=True)
class SimulatorSpec:
    """How the simulated device judges kernels. ``rules`` None: ``as_device`` tells for each op."""

    rules: str | None = None  # "device" or "documented"
    allow: tuple[Allowed, ...] = ()

    def as_device(self, op: OpSpec) -> bool:
        """Whether what devices do not enforce is a warning for this op: unless said, for one that was adopted."""
        return bool(op.sources) if self.rules is None else self.rules == "device"


@dataclass(frozen=True)
class Spec:
    """A whole opforge.yaml."""

    project: ProjectSpec
    ops: tuple[OpSpec, ...]
    edition: int = 1
    simulator: SimulatorSpec = SimulatorSpec()
