"""The mechanical part of plain English: forms of sentences that readers must read twice, and the length of pages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "opforge"
PAGES = (
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
)
# Pages with the simulator's own messages and rules, whose texts are written in C++.
WRITTEN_BY_THE_SIMULATOR = {"docs/rules.md", "docs/kernel_api.md", "docs/host_api.md", "docs/toolkit_differences.md"}

MOST_WORDS = {"ARCHITECTURE.md": 1400, "CONTRIBUTING.md": 500}
MOST_COLUMNS = 120

# "`x` is no dtype": write "is not a valid dtype". "There is no compiler" and "no longer" are allowed.
IS_NO = re.compile(r"(?<!\b[Tt]here )\b(?:is|are) no (?!longer\b|more\b)[\w`]+")
INVERTED = re.compile(r"\b(?:of whom|whatever [\w ]+ is not|it is no|nobody|soonest|None of)\b")
# The first word of a docstring that is a clause instead of a noun.
CLAUSE = re.compile(r"(?:What|Where|Which|Whatever|Whoever)\b")


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if PACKAGE / "simulator" not in path.parents)


def inverted(text: str) -> list[str]:
    """The phrases of a text that the rules do not allow."""
    return [found[0] for form in (IS_NO, INVERTED) for found in form.finditer(text)]


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str, ast.Constant]]:
    """Line, text and node of every docstring of a module."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body:
            first = node.body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                yield first.lineno, first.value.value, first.value


def messages(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and text of every string of a module that is not a docstring; a slot of an f-string is ``x``."""
    parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    documented = {id(node) for _, _, node in docstrings(tree)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield node.lineno, "".join(str(p.value) if isinstance(p, ast.Constant) else "x" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts | documented:
            yield node.lineno, node.value


def findings(name: str, text: str) -> list[str]:
    """What breaks the rules in a module's docstrings and messages."""
    tree = ast.parse(text)
    lines = [f"{name}:{line}: {phrase}" for line, said in messages(tree) for phrase in inverted(said)]
    for line, said, _ in docstrings(tree):
        lines += [f"{name}:{line}: {phrase}" for phrase in inverted(said)]
        if CLAUSE.match(said):
            lines.append(f"{name}:{line}: {said.splitlines()[0]}")
    return lines


def test_docstrings_and_messages_are_plain() -> None:
    found = [line for path in modules() for line in findings(str(path.relative_to(ROOT)), path.read_text("utf-8"))]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"""What a plan says."""', ["m.py:1: What a plan says."]),
        ('"""Where a step ends."""', ["m.py:1: Where a step ends."]),
        ('def f():\n    """Which names are free."""', ["m.py:2: Which names are free."]),
        ('x = f"`{y}` is no dtype"', ["m.py:1: is no dtype"]),
        ('x = "those are no masks"', ["m.py:1: are no masks"]),
        ('def f():\n    """None where nobody says it."""', ["m.py:2: nobody"]),
        ('"""The plan."""\nx = "there is no compiler"\ny = "`x` is not a valid dtype"', []),
        ('x = "the project is no longer there"', []),
        ('def f():\n    """Whether it is up to date."""', []),
    ],
)
def test_an_inverted_sentence_is_found(text: str, found: list[str]) -> None:
    assert findings("m.py", text) == found


@pytest.mark.parametrize("page", [page for page in PAGES if page not in WRITTEN_BY_THE_SIMULATOR])
def test_a_page_is_plain(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    found = [f"{page}:{n}: {what}" for n, line in enumerate(text.splitlines(), 1) for what in inverted(line)]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize("page", MOST_WORDS)
def test_a_page_stays_short(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    assert len(text.split()) <= MOST_WORDS[page]
    assert [line for line in text.splitlines() if len(line) > MOST_COLUMNS and not line.startswith("|")] == []
