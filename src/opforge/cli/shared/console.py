"""Prints, as the only module of opforge. Results go to stdout, progress and errors to stderr.

A terminal shows running steps with their times. Elsewhere, and on a dumb terminal (TERM=dumb), each line is printed
once, complete and without colour. NO_COLOR (https://no-color.org) switches colours off.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from pathlib import Path

    from _typeshed import DataclassInstance
    from rich.progress import Progress as Bar

    from opforge.errors import OpforgeError, Problem

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]

_INFINITE = float("inf")

SCHEMA = 1  # of every --json output; raised when a field changes its meaning or is removed


class Console:
    """Prints for one command. It is an ``opforge.progress.Progress``, for functions that take long.

    Steps may overlap and may be reported from several threads.
    """

    def __init__(
        self,
        *,
        quiet: bool = False,
        verbose: bool = False,
        as_json: bool = False,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.quiet = quiet
        self.verbose = verbose  # each process is shown, and each step that does not run
        self.as_json = as_json  # errors are then results, too: {"schema": 1, "error": {...}}
        self._lock = threading.RLock()
        self._running: dict[str, float] = {}  # names and start times
        self._bar: Bar | None = None
        self._processes = 0
        self._dumb = environ.get("TERM") == "dumb"
        self._color = False if self._dumb or environ.get("NO_COLOR") else None  # None: on a terminal

    def result(self, text: str) -> None:
        """Prints a result to stdout, also with ``--quiet``."""
        self._stop()
        click.echo(text, color=self._color)

    def passed_on(self, text: str, *, err: bool) -> None:
        """Prints a part of another command's output, also with ``--quiet``."""
        self._stop()
        click.echo(text, nl=False, err=err, color=self._color)

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
            self._say(click.style(f"  {step}: {why}" if why else f"  {step}", dim=True))
            self._running[step] = time.monotonic()
            self._spin()

    def finish(self, step: str, outcome: str) -> None:
        """A step ended."""
        with self._lock:
            self._stop()
            self._running.pop(step, None)
            if not self.quiet:
                self._say(f"  {step}: {outcome}")
            self._spin()

    def skip(self, step: str, why: str) -> None:
        """A step does not run. Shown with ``--verbose``."""
        if self.verbose:
            self.note(f"  {step}: {why}")

    def process_started(self, command: Sequence[str], cwd: Path) -> int:
        """A process starts: its number and its command, which a shell can run again. For ``--verbose``."""
        import shlex  # noqa: PLC0415

        words = shlex.join(command)
        if not _is_current(cwd):
            words = f"cd {shlex.quote(str(cwd))} && {words}"
        with self._lock:
            self._processes += 1
            number = self._processes
            self.note(click.style(f"[{number}] {words}", dim=True))
        return number

    def process_ended(self, number: int, code: int | None, seconds: float) -> None:
        """A process ended: its time, and its status if that is not 0."""
        if code is None:
            status = ", not finished"
        elif code < 0:
            status = f", ended by signal {-code}"
        else:
            status = f", exit status {code}" if code else ""
        self.note(click.style(f"[{number}] {seconds:.1f} s{status}", dim=True))

    def note(self, text: str) -> None:
        """One line that a user should see once."""
        with self._lock:
            self._stop()
            if not self.quiet:
                self._say(text)
            self._spin()

    @contextmanager
    def busy(self, name: str) -> Iterator[None]:
        """Shows on a terminal that the block is running; leaves no output."""
        with self._lock:
            self._running[name] = time.monotonic()
            self._stop()
            self._spin()
        try:
            yield
        finally:
            with self._lock:
                self._running.pop(name, None)
                self._stop()
                self._spin()

    def warning(self, text: str) -> None:
        """Prints a warning, also with ``--quiet``."""
        self._stop()
        self._say(click.style("warning: ", fg="yellow") + text)

    def error(self, text: str) -> None:
        """A rendered error. Its first word is coloured on a terminal."""
        self._stop()
        head, colon, rest = text.partition(":")
        self._say(click.style(head + colon, fg="red", bold=True) + rest)

    def failure(self, error: OpforgeError) -> None:
        """An error that ends the command."""
        if self.as_json:
            self.json({"error": error_fields(error)})
        else:
            self.error(error.render())

    def explained(self, title: str, cause: str, fix: str) -> None:
        """Prints what is known about a failure that was shown."""
        self._stop()
        self._say(click.style(f"known: {title}", bold=True) + f"\n  cause: {cause}\n  fix:   {fix}")

    def usage(self, error: click.ClickException) -> None:
        """Prints the error of a wrong command line with a pointer to the help; for a bare group, its help."""
        if isinstance(error, click.exceptions.NoArgsIsHelpError):
            if not self.as_json:
                self._say(error.format_message())
                return
            error = click.UsageError("Missing command.", error.ctx)
        context = error.ctx if isinstance(error, click.UsageError) else None
        hint = None if context is None else f"{context.command_path} --help"
        self.ended("UsageError", error.exit_code, error.format_message(), hint)

    def ended(self, kind: str, exit_code: int, what: str, hint: str | None = None) -> None:
        """Reports an end that is not an OpforgeError: a wrong command line, Ctrl-C, a full disk."""
        if self.as_json:
            fields: dict[str, Json] = {"class": kind, "exit_code": exit_code, "what": what}
            self.json({"error": fields | ({"hint": hint} if hint else {})})
            return
        self.error(f"error: {what}")
        if hint is not None:
            self._say(f"  help: {hint}")

    def bug(self, error: Exception, exit_code: int) -> None:
        """Prints an unexpected error: the whole traceback and how to report it."""
        import traceback  # noqa: PLC0415

        self._stop()
        self._say("".join(traceback.format_exception(error)).rstrip("\n"))
        what = f"{type(error).__name__}: {error}"
        if self.as_json:
            self.ended("InternalError", exit_code, what, "please report it")
            return
        self.error(f"internal error: {what}")
        self._say("  help: this is a bug in opforge; please report it with the lines above and opforge.yaml")

    def _say(self, text: str) -> None:
        click.echo(text, err=True, color=self._color)

    def _spin(self) -> None:
        """Shows the running steps and their times on a terminal."""
        if not self._running or self.quiet or self._dumb or not sys.stderr.isatty():
            return
        from rich.console import Console as RichConsole  # noqa: PLC0415  (60 ms, and only for a terminal)
        from rich.markup import escape  # noqa: PLC0415
        from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

        console = RichConsole(stderr=True)
        columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
        self._bar = Progress(*columns, console=console, transient=True, get_time=time.monotonic)
        for name, began in self._running.items():
            task = self._bar.add_task(escape(name), total=None)
            self._bar.tasks[task].start_time = began
        self._bar.start()

    def _stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None


def error_fields(error: OpforgeError) -> Mapping[str, Json]:
    """An error for programs: class, exit code and texts; for a spec, each problem with its place."""
    from opforge.errors import BuildError, SpecError, TemplateError  # noqa: PLC0415  (only for an error)

    problems: tuple[Problem, ...] = ()
    if isinstance(error, (SpecError, BuildError)):
        problems = error.problems
    elif isinstance(error, TemplateError) and error.problem is not None:
        problems = (error.problem,)
    fields: dict[str, Json] = {"class": type(error).__name__, "exit_code": error.exit_code, "what": error.what}
    fields |= {"hint": error.hint} if error.hint else {}
    fields |= {"detail": error.detail} if error.detail else {}
    if problems:
        fields["problems"] = [problem_fields(problem) for problem in problems]
    return {**fields, "message": error.render()}


def problem_fields(problem: Problem) -> Mapping[str, Json]:
    """A problem and its place."""
    fields: dict[str, Json] = {"what": problem.what}
    if problem.where is not None:
        where = problem.where
        fields["file"] = None if where.file is None else str(where.file)
        fields |= {"line": where.line, "column": where.column, "length": where.length, "text": problem.line_text}
    return fields | ({"hint": problem.hint} if problem.hint else {})


def jsonable_fields(value: DataclassInstance) -> dict[str, Json]:
    """The fields of a dataclass as JSON values."""
    import dataclasses  # noqa: PLC0415

    return {field.name: jsonable(getattr(value, field.name)) for field in dataclasses.fields(value) if field.repr}


def jsonable(value: object) -> Json:
    """A value as JSON: dataclasses as objects, sequences as lists, other types as text."""
    import dataclasses  # noqa: PLC0415

    if isinstance(value, float) and not -_INFINITE < value < _INFINITE:
        return str(value)  # "inf", "-inf", "nan": JSON has no numbers for them
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return jsonable_fields(value)
    if isinstance(value, Mapping):
        return {str(key): jsonable(item) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return [jsonable(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted(str(item) for item in value)
    return str(value)


def _is_current(folder: Path) -> bool:
    try:
        return folder.samefile(".")
    except OSError:
        return False


def current() -> Console:
    """The console of the running command; a new one outside a command."""
    context = click.get_current_context(silent=True)
    found = context.find_object(Console) if context else None
    return found or Console()
