"""The ops that this process has loaded. It keeps the first op of each type, so a changed op gets another type."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from typing import Any

from opforge.install.op_owners import look_up, ops_of
from opforge.jit.process_activation import PROCESS

Op = Callable[..., Any]
PREFIX = "jit_"  # of packages and vendors, which must not have the names of installed ones

LOCK = threading.RLock()  # held while an op is made

_TYPES: set[str] = set()
_FUNCTIONS: dict[str, Op] = {}  # by content


def loaded(content: str) -> Op | None:
    """The op of this content, if this process has loaded it."""
    return _FUNCTIONS.get(content)


def free_type(op_type: str) -> str:
    """``SoftClip``, or ``SoftClipV2`` and so on if this process or an installed package has an op of that type.

    CANN's libraries keep the first op of a type: what they have loaded cannot be replaced.
    """
    installed = (folder for folder in look_up(PROCESS) if not folder.name.startswith(PREFIX))  # others: a parent's
    taken = _TYPES.union(*map(ops_of, installed))
    names = itertools.chain([op_type], (f"{op_type}V{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in taken)


def remember(op_type: str, content: str, function: Op) -> None:
    """Records a loaded op."""
    _TYPES.add(op_type)
    _FUNCTIONS[content] = function
