"""A spec as read, before anything is checked: words with places, from a file or from a command line alike."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.spec.source import Passage, Token


@dataclass(frozen=True)
class OpDefCallDraft:
    """A method of OpDef and its arguments: one, or as many as it is called."""

    method: Token
    arguments: tuple[Token, ...]


@dataclass(frozen=True)
class TensorDraft:
    """A tensor. ``dtypes`` and ``dims`` None: nothing said; ``wrong``: something was, and has been reported."""

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
    opdef: tuple[OpDefCallDraft, ...] = ()


@dataclass(frozen=True)
class ItemDraft:
    """An entry of a list of values, and whether it stood in quotes."""

    value: Token
    quoted: bool


@dataclass(frozen=True)
class AttrDraft:
    """An attribute. ``type`` None was reported already; ``quoted`` says that the default stood in quotes.

    A default that is a list stands in ``items``, its place in ``default``.
    """

    name: Token
    type: Token | None
    default: Token | None = None
    quoted: bool = False
    items: tuple[ItemDraft, ...] | None = None


@dataclass(frozen=True)
class OverrideDraft:
    """A SoC and the tensors that have columns of their own there."""

    soc: Token
    tensors: tuple[TensorDraft, ...]


@dataclass(frozen=True)
class OpDraft:
    """An op; without ``compute`` it is written by hand.

    ``inputs`` None was reported already, as was compute where ``wrong``; ``by_use``: ``present(x)`` makes x optional.
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
    overrides: tuple[OverrideDraft, ...] = ()
    sources: tuple[Token, ...] | None = None
    opdef: tuple[OpDefCallDraft, ...] = ()


@dataclass(frozen=True)
class ProjectDraft:
    """The project block. ``name`` None was reported already; the others default."""

    name: Token | None
    package: Token | None = None
    vendor: Token | None = None
    version: Token | None = None
    soc: tuple[Token, ...] | None = None
    license: Token | None = None
    host_cpp: Token | None = None
    include: tuple[Token, ...] | None = None
    features: tuple[Token, ...] | None = None


@dataclass(frozen=True)
class AllowDraft:
    """An entry of ``allow``. ``wrong``: a misspelled key of it has been reported."""

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
