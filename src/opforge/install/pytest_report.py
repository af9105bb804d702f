"""Reads pytest's report of a run from its JUnit file (docs.pytest.org, "Creating JUnitXML format files")."""

from __future__ import annotations

import xml.etree.ElementTree as ET
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
