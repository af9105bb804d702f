"""Explains codes and texts for this machine: matches, with the results of their checks."""

from __future__ import annotations

from opforge.explain.codes.code import Code
from opforge.explain.local_checks import own_look, run_check
from opforge.explain.machine import Machine
from opforge.explain.matching import CodeMatch, Match, explain
from opforge.frozen import dataclass


@dataclass(frozen=True)
class Explanation:
    """One explanation: ``line`` is None for a code from the command line; ``here`` is what the check found."""

    key: str
    line: int | None
    text: str
    title: str
    cause: str
    own_look: str
    here: tuple[str, ...]
    fix: str
    source: str


def explanations(machine: Machine, text: str) -> list[Explanation]:
    """Every known failure in a text, the most likely root first."""
    return [_of_match(machine, match) for match in explain(text)]


def explained_code(machine: Machine, code: Code) -> Explanation:
    """The explanation of a code."""
    return _of_code(machine, code, None, code.number)


def _of_match(machine: Machine, match: Match | CodeMatch) -> Explanation:
    if isinstance(match, CodeMatch):
        return _of_code(machine, match.code, match.line, match.text)
    cause = match.cause
    look, here = _looked(machine, cause.check, cause.look)
    return Explanation(cause.key, match.line, match.text, cause.title, cause.cause, look, here, cause.fix, cause.source)


def _of_code(machine: Machine, code: Code, line: int | None, text: str) -> Explanation:
    look, here = _looked(machine, code.check, "")
    return Explanation(code.number, line, text, f"{code.number} {code.name}", code.cause, look, here, code.fix, "")


def _looked(machine: Machine, check: tuple[str, ...], otherwise: str) -> tuple[str, tuple[str, ...]]:
    """How a person does the check, and what it found here; ``otherwise`` and nothing if there is no check."""
    return (own_look(check), tuple(run_check(machine, check))) if check else (otherwise, ())
