"""The option ``--on``: runs the command on another machine."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from opforge.cli.shared.console import Console, current

if TYPE_CHECKING:
    from opforge.remote.command import Command

_Function = TypeVar("_Function", bound=Callable[..., Any])
_OURS = frozenset({"on", "python", "start"})  # parameters that this side uses


def on_option(does: str) -> Callable[[_Function], _Function]:
    """The option ``--on``; ``does`` completes its help text."""
    return click.option("--on", metavar="ssh://HOST", help=f"{does}; --python is a path there. See docs/remote.md.")


def given_words(ctx: click.Context) -> list[str]:
    """The command line of the running command again, without ``--on``, ``--python`` and ``--project``."""
    words: list[str] = [str(ctx.info_name)]
    rest: list[str] = []
    for parameter in ctx.command.params:
        name, value = str(parameter.name), ctx.params.get(str(parameter.name))
        if name in _OURS or ctx.get_parameter_source(name) is not click.core.ParameterSource.COMMANDLINE:
            continue
        if isinstance(parameter, click.Argument):
            rest += map(str, value if isinstance(value, tuple) else (value,))
        elif name in ctx.params:
            option = max(parameter.opts, key=len)
            values = value if isinstance(value, tuple) else [value]
            words += [option] if value is True else [f"{option}={one}" for one in values]
    return [*words, *(["--", *rest] if rest else [])]


def run_elsewhere(
    ctx: click.Context, on: str, start: Path, python: Path | None, change: Callable[[Command], Command] | None = None
) -> int:
    """Runs the running command on the machine ``on``, with the Python there. Returns its exit status.

    ``change`` may choose what the command brings back, and how its output is shown.
    """
    from opforge.cli.shared.runners import new_runner  # noqa: PLC0415
    from opforge.remote.address import read_address  # noqa: PLC0415
    from opforge.remote.command import Command  # noqa: PLC0415
    from opforge.remote.connection import Connection  # noqa: PLC0415
    from opforge.remote.job import RemoteJob  # noqa: PLC0415
    from opforge.scaffold.project_root import find_root  # noqa: PLC0415

    console = current()
    how = ["-q"] if console.quiet else ["-v"] if console.verbose else []
    name, *words = given_words(ctx)
    there = [] if python is None else [f"--python={python}"]
    command = Command((*how, name, *there, *words), str(python or "python3"))
    command = command if change is None else change(command)
    root = find_root(start).resolve()
    connection = Connection(read_address(on), new_runner(), root, dict(os.environ), terminal=sys.stdin.isatty())
    try:
        ended = RemoteJob(connection, root, _Screen(console, err=not command.merged)).run(command)
    finally:
        connection.close()
    if ended.output:
        console.result(ended.output.rstrip("\n"))
    return ended.code


class _Screen:
    """Shows the command's output as it comes, and notes on lines of their own."""

    def __init__(self, console: Console, *, err: bool) -> None:
        self.console, self.err = console, err
        self._open = False  # the last line has no end yet

    def note(self, text: str) -> None:
        """One line about the job and its machine."""
        if self._open:
            self.output("\n")
        self.console.note(text)

    def output(self, text: str) -> None:
        """A part of the command's output; that of a quiet command has only results and errors."""
        if text:
            self.console.passed_on(text, err=self.err)
            self._open = not text.endswith("\n")
