"""An op that a caller requests, and how it becomes a function of this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from opforge.cli.shared.console import Console
from opforge.frozen import dataclass
from opforge.jit.errors_shown import errors_shown
from opforge.jit.kept_projects import content_of, make_op
from opforge.jit.loaded_ops import LOCK, Op, loaded, remember, versioned


@dataclass(frozen=True)
class RequestedOp:
    """An op type, everything else that the op is made of, and the function that writes its project.

    ``write`` gets the folder and the op type, which may be another one than the requested ``name``.
    """

    name: str
    parts: tuple[object, ...]
    write: Callable[[Path, str], None]


def made(function: str, request: Callable[[], RequestedOp], *, verbose: bool) -> Op:
    """The requested op, built if it is new and loaded if this process does not have it. ``function``: the caller's.

    Raises OpforgeError, whose text is the whole message.
    """
    with LOCK, errors_shown(function):
        op = request()
        content = content_of(op.name, *op.parts)
        known = loaded(content)
        if known is None:
            op_type = versioned(op.name, content)
            known = make_op(
                op_type,
                content_of(content, op_type),
                lambda root: op.write(root, op_type),
                Console(quiet=not verbose),
            )
            remember(content, known)
    return known
