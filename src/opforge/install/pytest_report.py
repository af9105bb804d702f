"""Reads and joins pytest's reports of a run, JUnit files (docs.pytest.org, "Creating JUnitXML format files")."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from opforge.frozen import dataclass


@dataclass(frozen=True)
class Failure:
    """A test that failed or could not start; ``message`` is the first line of the reason."""

    test: str
    message: str


@dataclass(frozen=True)
class Report:
    """A run in numbers. ``seconds`` is pytest's own time."""

    passed: int
    failed: int
    skipped: int
    seconds: float
    failures: tuple[Failure, ...]


def asked_file(arguments: Sequence[str]) -> str | None:
    """The JUnit file that arguments of pytest ask for; None if they do not."""
    asked = ""
    for word, after in pairwise([*arguments, ""]):
        option, equals, value = word.partition("=")
        if option in ("--junitxml", "--junit-xml"):
            asked = value if equals else after
    return asked or None


def leave_asked(reports: Sequence[Path], command: Sequence[str | Path], root: Path, lost: Sequence[str] = ()) -> None:
    """Writes the JUnit file that a command of pytest asks for, from reports that a later option sent elsewhere.

    It has the suites of all of them, and an error for each ``lost`` test: a process began it and crashed.
    """
    asked = asked_file([str(word) for word in command])
    found = [report for report in reports if report.is_file()]
    if asked is None or not (found or lost):
        return
    joined = ET.Element("testsuites")
    for report in found:
        joined.extend(ET.parse(report).getroot().iter("testsuite"))  # noqa: S314  (pytest wrote it)
    if lost:
        count = str(len(lost))
        suite = ET.SubElement(joined, "testsuite", name="not finished", tests=count, errors=count)
        for test in lost:
            ET.SubElement(ET.SubElement(suite, "testcase", name=test), "error", message="its process crashed")
    file = root / os.path.expanduser(os.path.expandvars(asked))  # noqa: PTH111  (as pytest does)
    file.parent.mkdir(parents=True, exist_ok=True)
    ET.ElementTree(joined).write(file, encoding="utf-8", xml_declaration=True)


def read_report(file: Path) -> Report:
    """The report of a run; without tests if pytest ran none."""
    if not file.is_file():
        return Report(0, 0, 0, 0.0, ())
    suites = list(ET.parse(file).getroot().iter("testsuite"))  # noqa: S314  (pytest wrote it)
    failures: list[Failure] = []
    tests = skipped = 0
    for case in (case for suite in suites for case in suite.iter("testcase")):
        tests += 1
        skipped += case.find("skipped") is not None
        told = next((found for found in (case.find("failure"), case.find("error")) if found is not None), None)
        if told is not None:
            lines = (told.get("message") or told.text or "").strip().splitlines()
            name = "::".join(part for part in (case.get("classname"), case.get("name")) if part)
            failures.append(Failure(name, lines[0] if lines else "no message"))
    seconds = sum(float(suite.get("time") or 0.0) for suite in suites)
    return Report(tests - skipped - len(failures), len(failures), skipped, seconds, tuple(failures))
