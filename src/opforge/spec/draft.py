"""A spec as read, before any check: words with places, from a file or the command line."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.spec.source import Passage, Token


@dataclass(frozen=True)
class OpDefCallDraft:
    """A method of OpDef with one argument for each call."""

    method: Token
    arguments: tuple[Token, ...]


@dataclass(frozen=True)
class ValuesDraft:
    """The values of an input that tests draw."""

    min: Token | None = None
    below: Token | None = None
    unique: Token | None = None
    sorted: Token | None = None


@dataclass(frozen=True)
class SizeDraft:
    """The supported sizes of a symbol."""

    symbol: Token
    min: Token | None = None
    max: Token | None = None
    multiple_of: Token | None = None


@dataclass(frozen=True)
class TensorDraft:
    """A tensor. ``dtypes`` and ``dims`` None: not given. ``wrong``: given, and already reported as wrong."""

    name: Token
    dtypes: tuple[Token, ...] | None = None
    dims: tuple[Token, ...] | None = None
    optional: Token | None = None
    wrong: bool = False
    formats: tuple[Token, ...] | None = None
    dynamic: Token | None = None
    scalar: Token | None = None
    value_depend: Token | None = None
    contiguous: Token | None = None
    inplace: Token | None = None
    values: ValuesDraft | None = None
    own_shape: Token | None = None  # the word `handwritten` in place of dimensions
    opdef: tuple[OpDefCallDraft, ...] = ()


@dataclass(frozen=True)
class ItemDraft:
    """An entry of a list of values, and whether it was quoted."""

    value: Token
    quoted: bool


@dataclass(frozen=True)
class AttrDraft:
    """An attribute. ``type`` None: already reported. ``quoted``: the default was quoted.

    If the default is a list, ``items`` has its entries and ``default`` its place.
    """

    name: Token
    type: Token | None
    default: Token | None = None
    quoted: bool = False
    items: tuple[ItemDraft, ...] | None = None
    opdef: tuple[OpDefCallDraft, ...] = ()


@dataclass(frozen=True)
class OverrideDraft:
    """A SoC and the tensors that have their own columns on it."""

    soc: Token
    tensors: tuple[TensorDraft, ...]


@dataclass(frozen=True)
class OpDraft:
    """An op; without ``compute`` it is handwritten.

    ``inputs`` None and ``wrong``: already reported. ``by_use``: ``present(x)`` makes x optional.
    """

    type: Token
    inputs: tuple[TensorDraft, ...] | None
    attrs: tuple[AttrDraft, ...]
    outputs: tuple[TensorDraft, ...] | None
    compute: Passage | None
    doc: str | None = None
    backward: Token | None = None
    by_use: bool = False
    wrong: bool = False
    reference: Token | None = None
    dtype_product: Token | None = None
    batch_invariant: Token | None = None
    overrides: tuple[OverrideDraft, ...] = ()
    sources: tuple[Token, ...] | None = None
    sizes: tuple[SizeDraft, ...] = ()
    opdef: tuple[OpDefCallDraft, ...] = ()


@dataclass(frozen=True)
class ProjectDraft:
    """The project block. ``name`` None: already reported. The other fields have defaults."""

    name: Token | None
    package: Token | None = None
    vendor: Token | None = None
    version: Token | None = None
    soc: tuple[Token, ...] | None = None
    license: Token | None = None
    host_cpp: Token | None = None
    allow_multiple_definition: Token | None = None
    define: tuple[Token, ...] | None = None
    include: tuple[Token, ...] | None = None
    features: tuple[Token, ...] | None = None


@dataclass(frozen=True)
class AllowDraft:
    """An entry of ``allow``. ``wrong``: a misspelled key was reported."""

    at: Token
    rule: Token | None = None
    op: Token | None = None
    file: Token | None = None
    level: Token | None = None
    why: Token | None = None
    wrong: bool = False


@dataclass(frozen=True)
class SimulatorDraft:
    """The simulator block."""

    rules: Token | None = None
    allow: tuple[AllowDraft, ...] = ()
