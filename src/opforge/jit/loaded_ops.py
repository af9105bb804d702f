"""The ops that this process has loaded. It keeps the first op of each type, so a changed op gets another type."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any

from opforge.install.op_owners import look_up, ops_of

Op = Callable[..., Any]

LOCK = threading.RLock()  # held while an op is made

_VERSIONS: dict[str, list[str]] = {}  # by the requested type: the contents in order of their versions
_FUNCTIONS: dict[str, Op] = {}  # by content


def loaded(content: str) -> Op | None:
    """The op of this content, if this process has loaded it."""
    return _FUNCTIONS.get(content)


def versioned(op_type: str, content: str) -> str:
    """The op type for a content: ``SoftClip``, and ``SoftClipV2`` if ``SoftClip`` is another op in this process.

    CANN's libraries keep the first op of a type: what they have loaded cannot be replaced.
    """
    versions = _VERSIONS.setdefault(op_type, _installed(op_type))
    if content not in versions:
        versions.append(content)
    number = versions.index(content) + 1
    return op_type if number == 1 else f"{op_type}V{number}"


def remember(content: str, function: Op) -> None:
    """Records a loaded op."""
    _FUNCTIONS[content] = function


def _installed(op_type: str) -> list[str]:
    """A version that stands for an installed package's op of this type; empty if there is none."""
    return ["installed"] if any(op_type in ops_of(folder) for folder in look_up(os.environ)) else []
