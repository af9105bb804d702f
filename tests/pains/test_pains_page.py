"""docs/pains.md, from pains.yaml: for each pain of authors, what opforge does about it and the tests that show it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from opforge.explain.causes.all_causes import CAUSES
from opforge.frozen import dataclass
from tests.house_rules.repository import ROOT

PAGE = ROOT / "docs" / "pains.md"
TABLE = Path(__file__).parent / "pains.yaml"
# Rows of the collected list: 60 failures and 24 wishes, numbered through.
PAINS = range(1, 85)
HELPS = {
    "prevents": "prevented: a project of opforge cannot have it",
    "tells": "told: earlier than CANN would, or with the cause",
    "explains": "explained: `opforge explain` knows the text that CANN or a compiler writes, cause and fix",
    "no": "no help",
}
HEAD = """\
# Pains of authors, and what opforge does

Failures and wishes of authors of custom operators, from public issue trackers and FAQs. Do not edit: a test makes this
page from `tests/pains/pains.yaml`, and checks that each test that it names exists. Tests run on the simulated toolkit
and device; none of it was tried on hardware (`docs/real_hardware.md`).
"""
CAUSE_TEST = "tests/explain/test_causes.py::test_a_cause_explains_its_example_and_no_other_does"


@dataclass(frozen=True)
class Pain:
    """A row of the table, with the node ids of its tests."""

    number: int
    group: str
    text: str
    help: str
    does: str
    explains: str
    tests: tuple[str, ...]


def pains() -> list[Pain]:
    """The rows of pains.yaml; a key that it may not have is an error."""
    found = []
    for group in yaml.safe_load(TABLE.read_text(encoding="utf-8")):
        for row in group.pop("pains"):
            said = dict(row)
            explains = said.pop("explains", "")
            shown = (f"{CAUSE_TEST}[{explains}]",) if explains else ()
            pain = Pain(
                said.pop("id"), group["group"], said.pop("pain"), said.pop("help"), said.pop("does", ""), explains,
                (*said.pop("tests", ()), *shown),
            )  # fmt: skip
            assert not said, f"{pain.number}: {said}"
            found.append(pain)
    return found


def faults(found: list[Pain]) -> list[str]:
    """Rows that are missing, incomplete or claim a help that no test shows."""
    wrong = []
    numbers = Counter(pain.number for pain in found)
    wrong += [f"{number}: {numbers[number]} rows" for number in PAINS if numbers[number] != 1]
    wrong += [f"{number}: not in the list of pains" for number in sorted(set(numbers) - set(PAINS))]
    keys = {cause.key for cause in CAUSES}
    for pain in found:
        if pain.help not in HELPS:
            wrong.append(f"{pain.number}: help is one of {', '.join(HELPS)}; this is {pain.help}")
        if pain.help == "no" and pain.tests:
            wrong.append(f"{pain.number}: has tests, but no help")
        if pain.help == "no" and not pain.does:
            wrong.append(f"{pain.number}: does not say what is missing")
        if pain.help != "no" and not pain.tests:
            wrong.append(f"{pain.number}: no test shows the help")
        if pain.help in ("prevents", "tells") and not (pain.does and len(pain.tests) > bool(pain.explains)):
            wrong.append(f"{pain.number}: {pain.help} needs `does` and a test of its own")
        if pain.help == "explains" and not pain.explains:
            wrong.append(f"{pain.number}: no cause explains it")
        if pain.explains and pain.explains not in keys:
            wrong.append(f"{pain.number}: {pain.explains} is not a cause")
    return wrong


def not_collected(tests: set[str]) -> list[str]:
    """The node ids that pytest does not collect."""
    files = sorted({test.partition("::")[0] for test in tests})
    missing = [file for file in files if not (ROOT / file).is_file()]
    words = [sys.executable, "-m", "pytest", "--collect-only", "-o", "addopts=", "-q", "-p", "no:cacheprovider"]
    environ = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    there = [file for file in files if file not in missing]
    done = subprocess.run([*words, *there], cwd=ROOT, env=environ, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 5), done.stdout + done.stderr
    collected = set(done.stdout.splitlines())
    # A test with parameters may be named as a whole.
    collected |= {node.partition("[")[0] for node in collected}
    return sorted(tests - collected)


def test_every_pain_has_a_row_and_every_help_a_test() -> None:
    assert faults(pains()) == []


@pytest.mark.torch
def test_every_test_of_the_table_is_collected() -> None:
    assert not_collected({test for pain in pains() for test in pain.tests}) == []


def row(number: int = 1, kind: str = "tells", does: str = "x", explains: str = "", *tests: str) -> Pain:
    return Pain(number, "g", "p", kind, does, explains, tests)


@pytest.mark.parametrize(
    ("pain", "fault"),
    [
        (row(1, "tells", "x", ""), "1: no test shows the help"),
        (row(1, "tells", "x", "crlf", "t[crlf]"), "1: tells needs `does` and a test of its own"),
        (row(1, "prevents", "", "", "t"), "1: prevents needs `does` and a test of its own"),
        (row(1, "explains", "", "", "t"), "1: no cause explains it"),
        (row(1, "explains", "", "clrf", "t[clrf]"), "1: clrf is not a cause"),
        (row(1, "no", "x", "", "t"), "1: has tests, but no help"),
        (row(1, "no", "", ""), "1: does not say what is missing"),
        (row(1, "helps", "x", "", "t"), "1: help is one of prevents, tells, explains, no; this is helps"),
        (row(85, "tells", "x", "", "t"), "85: not in the list of pains"),
        (row(2, "tells", "x", "", "t"), "2: 2 rows"),
        (row(2, "tells", "x", "", "t"), "1: 0 rows"),
    ],
)
def test_mistakes_of_an_author_are_found(pain: Pain, fault: str) -> None:
    others = [row(number, "tells", "x", "", "t") for number in PAINS if number != 1]
    assert fault in faults([pain, *others])


def test_a_test_that_does_not_exist_is_found() -> None:
    here = "tests/pains/test_prevented.py"
    renamed, gone = f"{here}::test_that_was_renamed", "tests/pains/test_gone.py::test_a"
    there = f"{here}::test_git_checks_sources_out_with_line_feeds"
    assert not_collected({renamed, gone, there}) == [gone, renamed]
    assert not_collected({f"{there}[parameter]"}) == [f"{there}[parameter]"]


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def lines() -> Iterator[str]:
    """The page."""
    found = pains()
    counts = Counter(pain.help for pain in found)
    yield HEAD
    for key, text in HELPS.items():
        yield f"- {counts[key]} {text}"
    yield ""
    yield "`explain: KEY` stands for the test of that cause, in `tests/explain/test_causes.py`."
    for group in dict.fromkeys(pain.group for pain in found):
        yield from ("", f"## {group}", "", "| | pain | help | by | shown by |", "|---|---|---|---|---|")
        for pain in found:
            if pain.group == group:
                shown = [f"`{test.removeprefix('tests/')}`" for test in pain.tests if not test.startswith(CAUSE_TEST)]
                shown += [f"`explain: {pain.explains}`"] if pain.explains else []
                help_ = HELPS[pain.help].partition(":")[0]
                yield f"| {pain.number} | {pain.text} | {help_} | {cell(pain.does)} | {cell('<br>'.join(shown))} |"


def test_pains_page(request: pytest.FixtureRequest) -> None:
    text = "\n".join(lines()) + "\n"
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, f"{PAGE.name} is not what pains.yaml says: --update-golden"
