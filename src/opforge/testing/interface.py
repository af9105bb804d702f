"""Checks whether this opforge.testing works with a project's benchmarks/cases.py."""

from __future__ import annotations

import ast
import operator
import re
import sys
from pathlib import Path
from typing import NoReturn

from opforge import testing

NAME = "TESTING"  # in cases.py: ">=1.0,<2"
WRONG_PROJECT = 5  # the exit status if files of the project must change; the opforge command uses the same

_TERM = re.compile(r"\s*(>=|<)\s*(\d+)(?:\.(\d+))?\s*")
_COMPARE = {">=": operator.ge, "<": operator.lt}


def cases_of(root: Path, interface: tuple[int, int] = testing.INTERFACE) -> Path:
    """The file benchmarks/cases.py of the project at ``root``.

    Ends the process if the file is missing or requires another interface than ``interface``. The file is parsed but not
    run, because its imports may fail with another interface.
    """
    cases = root / "benchmarks" / "cases.py"
    if not cases.is_file():
        refuse(f"{root} has no benchmarks/cases.py", "run the program in the folder of a project")
    problem = mismatch(cases, interface)
    if problem is not None:
        refuse(*problem)
    return cases


def mismatch(cases: Path, interface: tuple[int, int] = testing.INTERFACE) -> tuple[str, str] | None:
    """The problem with the range that the file states, and a hint; None if ``interface`` is in it."""
    try:
        wanted = wanted_interface(cases)
    except SyntaxError as error:
        return f"benchmarks/cases.py:{error.lineno}: {error.msg}", "correct the file"
    if wanted is None:
        return (
            "benchmarks/cases.py does not say which versions of opforge.testing it works with",
            f'if an older opforge made it, type `opforge update`; else add the line {NAME} = ">=1.0,<2"',
        )
    terms = [_TERM.fullmatch(term) for term in wanted.split(",")]
    bounds = [(term[1], (int(term[2]), int(term[3] or 0))) for term in terms if term is not None]
    if len(bounds) < len(terms):
        return f"benchmarks/cases.py: {NAME} = {wanted!r} is not a valid range", 'expected one such as ">=1.0,<2"'
    if all(_COMPARE[sign](interface, bound) for sign, bound in bounds):
        return None
    here = Path(testing.__file__).parent
    version = ".".join(map(str, interface))
    too_old = any(sign == ">=" and interface < bound for sign, bound in bounds)
    return (
        f"benchmarks/cases.py works with opforge.testing {wanted}; the version in {here} is {version}",
        _newer(here) if too_old else "type `opforge update`: it changes the file, and keeps your edits",
    )


def wanted_interface(cases: Path) -> str | None:
    """The range that the file states; None if it states none. Raises SyntaxError."""
    tree = ast.parse(cases.read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            if NAME in names and isinstance(node.value.value, str):
                return node.value.value
    return None


def _newer(here: Path) -> str:
    copied = "_opforge" in here.parts
    return "type `opforge vendor testing`: it replaces that copy" if copied else "install a later opforge"


def refuse(what: str, hint: str) -> NoReturn:
    """Ends the process with an error in the form of opforge's own errors."""
    print(f"error: {what}\n  help: {hint}", file=sys.stderr)
    sys.exit(WRONG_PROJECT)
