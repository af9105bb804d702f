"""A spec as read, before anything is checked: words with places, from a file or from a command line alike."""

from __future__ import annotations

from dataclasses import dataclass

from opforge.spec.source import Passage, Token


@dataclass(frozen=True)
class TensorDraft:
    """A tensor. ``dtypes`` and ``dims`` None: nothing said; ``wrong``: something was, and has been reported."""

    name: Token
    dtypes: tuple[Token, ...] | None = None
    dims: tuple[Token, ...] | None = None
    optional: Token | None = None
    wrong: bool = False


@dataclass(frozen=True)
class AttrDraft:
    """An attribute. ``type`` None was reported already; ``quoted`` says that the default stood in quotes."""

    name: Token
    type: Token | None
    default: Token | None = None
    quoted: bool = False


@dataclass(frozen=True)
class OpDraft:
    """An op. ``inputs`` or ``compute`` None was reported already; ``by_use``: ``present(x)`` makes x optional."""

    type: Token
    inputs: tuple[TensorDraft, ...] | None
    attrs: tuple[AttrDraft, ...]
    outputs: tuple[TensorDraft, ...] | None
    compute: Passage | None
    doc: str | None = None
    backward: Token | None = None
    by_use: bool = False


@dataclass(frozen=True)
class ProjectDraft:
    """The project block. ``name`` None was reported already; the others default."""

    name: Token | None
    package: Token | None = None
    vendor: Token | None = None
    version: Token | None = None
    soc: tuple[Token, ...] | None = None
    license: Token | None = None
