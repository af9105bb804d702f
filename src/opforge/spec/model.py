"""What a spec says, as frozen values: the only form in which the rest of opforge sees opforge.yaml.

``spec.parse`` builds these, ``spec.printer`` writes them back; parsing what was printed gives the same values.
Places play no part in equality: two specs that say the same are equal. The one kept is compute's (``OpSpec.source``),
because ``ir`` still has to point into it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from opforge.spec.source import Passage

AttrType = Literal["int", "float", "bool", "str"]
AttrValue = int | float | bool | str


@dataclass(frozen=True)
class TensorSpec:
    """A tensor argument. ``dtypes`` is the column list as in OpDef: column i of all tensors is one combination."""

    name: str
    dtypes: tuple[str, ...]
    dims: tuple[str, ...] = ("...",)  # "...", a symbol, or an integer's digits
    dtypes_given: bool = True  # False: taken over from the first input, and not printed
    optional: bool = False  # an input that a caller may leave out


@dataclass(frozen=True)
class AttrSpec:
    """A scalar attribute; with a default it is optional."""

    name: str
    type: AttrType
    default: AttrValue | None = None

    @property
    def required(self) -> bool:
        """Whether a caller must give it."""
        return self.default is None


@dataclass(frozen=True)
class OpSpec:
    """One op. Inputs, attrs and outputs are in declaration order: OpDef's, the kernel's and the aclnn call's."""

    type: str  # UpperCamel: "VectorAdd"
    inputs: tuple[TensorSpec, ...]
    attrs: tuple[AttrSpec, ...]
    outputs: tuple[TensorSpec, ...]
    compute: str  # the text as written: one assignment a line
    doc: str | None = None
    outputs_given: bool = False  # False: derived from compute, and not printed
    backward: bool = True
    source: Passage | None = field(default=None, compare=False, repr=False)  # where compute stands; None: in no file

    @property
    def elementwise(self) -> bool:
        """Whether it has no matrix products: then all tensors are ``[...]``."""
        return all(tensor.dims == ("...",) for tensor in self.inputs)

    @property
    def columns(self) -> int:
        """Number of supported dtype combinations."""
        return len(self.inputs[0].dtypes)


@dataclass(frozen=True)
class ProjectSpec:
    """What the ops of one project share. ``package`` is the Python package, ``vendor`` the OPP's."""

    name: str
    package: str
    vendor: str
    version: str
    soc: tuple[str, ...]
    license: str | None = None


@dataclass(frozen=True)
class Spec:
    """A whole opforge.yaml."""

    project: ProjectSpec
    ops: tuple[OpSpec, ...]
    edition: int = 1
