"""The only part of opforge that prints. Results go to stdout; what is said about the work goes to stderr.

On a terminal a running step is shown with its time; elsewhere each line is written once, plain and complete.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.status import Status

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]

SCHEMA = 1  # of every --json output; raised when a field changes its meaning or goes away


class Console:
    """Prints for one command. It is an ``opforge.progress.Progress``: hand it to whatever takes its time.

    Steps may overlap and may be told from several threads.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self.quiet = quiet
        self._lock = threading.RLock()
        self._running: list[str] = []
        self._status: Status | None = None

    def result(self, text: str) -> None:
        """What the command was asked for: to stdout, also when quiet."""
        self._stop()
        click.echo(text)

    def json(self, fields: Mapping[str, Json]) -> None:
        """A result for programs: one JSON object with ``"schema": 1`` first."""
        import json  # noqa: PLC0415

        self.result(json.dumps({"schema": SCHEMA, **fields}, indent=2, ensure_ascii=False))

    def start(self, step: str, why: str = "") -> None:
        """A step begins."""
        if self.quiet:
            return
        with self._lock:
            self._stop()
            click.secho(f"  {step}: {why}" if why else f"  {step}", err=True, dim=True)
            self._running.append(step)
            self._spin()

    def finish(self, step: str, outcome: str) -> None:
        """A step ended."""
        with self._lock:
            self._stop()
            if step in self._running:
                self._running.remove(step)
            if not self.quiet:
                click.echo(f"  {step}: {outcome}", err=True)
            self._spin()

    def note(self, text: str) -> None:
        """One line that a user should see once."""
        with self._lock:
            self._stop()
            if not self.quiet:
                click.echo(text, err=True)
            self._spin()

    def warning(self, text: str) -> None:
        """Something that will surprise the user later; not hidden by ``--quiet``."""
        self._stop()
        click.echo(click.style("warning: ", fg="yellow") + text, err=True)

    def error(self, text: str) -> None:
        """A rendered error. Its first word is coloured on a terminal."""
        self._stop()
        head, colon, rest = text.partition(":")
        click.echo(click.style(head + colon, fg="red", bold=True) + rest, err=True)

    def usage(self, error: click.ClickException) -> None:
        """A wrong command line: what is wrong, and where its help is."""
        context = error.ctx if isinstance(error, click.UsageError) else None
        self.error(f"error: {error.format_message()}")
        if context is not None:
            click.echo(f"  help: {context.command_path} --help", err=True)

    def bug(self, error: Exception) -> None:
        """An error nobody foresaw: the whole traceback, and what to do with it."""
        import traceback  # noqa: PLC0415

        self._stop()
        click.echo("".join(traceback.format_exception(error)), err=True, nl=False)
        self.error(f"internal error: {type(error).__name__}: {error}")
        click.echo("  help: this is a bug of opforge; please report it with the lines above and opforge.yaml", err=True)

    def _spin(self) -> None:
        """On a terminal, show what is running."""
        if not self._running or self.quiet or not sys.stderr.isatty():
            return
        from rich.console import Console as RichConsole  # noqa: PLC0415  (60 ms, and only for a terminal)
        from rich.markup import escape  # noqa: PLC0415

        self._status = RichConsole(stderr=True).status(escape(", ".join(self._running)))
        self._status.start()

    def _stop(self) -> None:
        if self._status is not None:
            self._status.stop()
            self._status = None


def current() -> Console:
    """The console of the running command; a fresh one outside of any."""
    context = click.get_current_context(silent=True)
    found = context.find_object(Console) if context else None
    return found or Console()
