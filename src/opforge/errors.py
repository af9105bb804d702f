"""Every error opforge raises on purpose, one tree, one exit code per class.

An error says what is wrong, where, why, and what to do. It never prints: the console in ``opforge.cli`` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass

if TYPE_CHECKING:  # `opforge --help` has no paths
    from pathlib import Path


@dataclass(frozen=True)
class Location:
    """A place in a user's file. Lines and columns count from 1; ``length`` is the width of the caret line."""

    file: Path | None
    line: int
    column: int
    length: int = 1

    def __str__(self) -> str:
        return f"{self.file or '<command line>'}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Problem:
    """One mistake in a user's text: what, where, the text of that line, and what to do."""

    what: str
    where: Location | None = None
    line_text: str | None = None
    hint: str | None = None

    def render(self) -> str:
        """The problem as a user reads it: ``file:line:column: what``, the source line, a caret, the hint."""
        what = _clipped(self.what)
        lines = [f"{self.where}: {what}" if self.where else what]
        if self.where and self.line_text is not None:
            number = str(self.where.line)
            gutter = " " * len(number)
            text, before = _window(self.line_text, self.where.column - 1)
            lead = "".join("\t" if c == "\t" else " " for c in text[:before])
            reach = self.where.length if len(text) < _WIDEST else min(self.where.length, len(text) - before)
            lines += [f" {number} | {text}", f" {gutter} | {lead}{'^' * max(1, reach)}"]
        if self.hint:
            lines.append(f"  help: {_clipped(self.hint)}")
        return "\n".join(lines)


_LONGEST = 800  # characters shown of a sentence
_WIDEST = 200  # characters shown of a source line
_BEFORE = 80  # of these, characters before the caret


def _window(line: str, start: int) -> tuple[str, int]:
    """The part of a line that is shown, and the caret's column in that part."""
    if len(line) <= _WIDEST:
        return line, start
    cut = max(0, min(start - _BEFORE, len(line) - _WIDEST))
    shown = line[cut : cut + _WIDEST]
    shown = ("…" + shown[1:]) if cut else shown
    return (shown[:-1] + "…") if cut + _WIDEST < len(line) else shown, start - cut


def _clipped(text: str) -> str:
    """The text, with the middle cut out if it is too long, for example because it quotes a very long word."""
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST // 2]}…{text[-_LONGEST // 2 :]}"


class OpforgeError(Exception):
    """An error that a user can act on: ``what`` in one line, a ``hint`` on what to do, ``detail`` shown unchanged."""

    exit_code = 1
    title = "error"

    def __init__(self, what: str, *, hint: str | None = None, detail: str | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.detail = detail

    def render(self) -> str:
        """The whole message, without colour."""
        lines = [f"{self.title}: {self.what}"]
        if self.detail:
            lines.append(self.detail.rstrip())
        if self.hint:
            lines.append(f"  help: {self.hint}")
        return "\n".join(lines)


class UsageError(OpforgeError):
    """The command line names something that does not exist, or combines options that exclude each other."""

    exit_code = 2


_MOST_SHOWN = 100  # problems of one file


class SpecError(OpforgeError):
    """One or more problems in opforge.yaml or in a --compute expression; all are reported at once."""

    exit_code = 3

    def __init__(self, problems: tuple[Problem, ...] | list[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems[0].what if self.problems else "the spec is wrong")

    def render(self) -> str:
        """Every problem with its place, then how many there are."""
        count, shown = len(self.problems), self.problems[:_MOST_SHOWN]
        first = f", of which these are the first {_MOST_SHOWN}" if count > _MOST_SHOWN else ""
        tail = f"\n{count} errors{first}" if count > 1 else ""
        return "\n".join(f"{self.title}: {p.render()}" for p in shown) + tail


class PlanError(OpforgeError):
    """An op does not fit its SoC; the message has the numbers."""

    exit_code = 4


class ProjectError(OpforgeError):
    """A project on disk is not in the state that a command needs: it exists already, is edited, or has no spec."""

    exit_code = 5


class ToolkitError(OpforgeError):
    """No usable toolkit, compiler or CMake, or one of them does not work."""

    exit_code = 6


class EnvironmentProblem(OpforgeError):  # noqa: N818  (EnvironmentError is a built-in)
    """The Python environment lacks torch, has wrong versions, or is not writable."""

    exit_code = 7


class BuildError(OpforgeError):
    """A build step failed or did not produce an expected artifact.

    ``interrupted`` says that a signal ended a tool: its outputs may be incomplete. ``problems`` has the first error of
    each op, if the build went on after the first one.
    """

    exit_code = 8
    interrupted = False
    problems: tuple[Problem, ...] = ()


class InstallError(OpforgeError):
    """The run package or the wheel could not be installed, loaded or removed."""

    exit_code = 9


class TemplateError(OpforgeError):
    """A project template that cannot be found, fetched, trusted or rendered; ``problem`` has its place, where known."""

    exit_code = 10

    def __init__(
        self, what: str, *, hint: str | None = None, detail: str | None = None, problem: Problem | None = None
    ) -> None:
        super().__init__(what, hint=hint, detail=detail)
        self.problem = problem

    def render(self) -> str:
        """With a place, the message has the same form as a problem of a spec."""
        return f"{self.title}: {self.problem.render()}" if self.problem else super().render()


class MeasureError(OpforgeError):
    """A measuring program of the project did not finish, or its report cannot be read."""

    exit_code = 11


class InternalError(OpforgeError):
    """opforge broke one of its own rules: a bug in opforge that users should report."""

    exit_code = 70
    title = "internal error"
