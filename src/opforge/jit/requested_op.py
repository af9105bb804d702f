"""An op that a caller requests, and how it becomes a function of this process."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from opforge.cli.shared.console import Console
from opforge.frozen import dataclass
from opforge.jit.errors_shown import errors_shown, files_named_as
from opforge.jit.kept_projects import KeptProject, content_of
from opforge.jit.loaded_ops import LOCK, Op, free_type, loaded, remember
from opforge.jit.process_activation import activate


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
            console = Console(quiet=not verbose)
            toolkit = activate(console)
            op_type = free_type(op.name)
            project = KeptProject(op_type, content_of(content, op_type))
            with files_named_as(op.name, op_type):
                project.write(lambda root: op.write(root, op_type), console)
                known = project.function(toolkit, console)
            remember(op_type, content, known)
    return known
