"""``pytest --begin-by SECONDS``: slow tests that have not begun by then are left out, and counted.

It is for machines that end a run after a fixed time; the seconds are counted from 1970. The slow files then run in an
order that the commit decides: where one commit has no time for a file, the next ones have.
"""

from __future__ import annotations

import random
import time

import pytest

from tests.fidelity.kept_results import commit

_REASON = "no time was left to begin it"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--begin-by", type=int, metavar="SECONDS", help="leave out slow tests that would begin later")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--begin-by") is None:
        return
    files = sorted({item.path for item in items})
    random.Random(commit()).shuffle(files)
    place = {path: index for index, path in enumerate(files)}
    items.sort(key=lambda item: place[item.path])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    end = item.config.getoption("--begin-by")
    if end is not None and time.time() > end and item.get_closest_marker("slow"):
        pytest.skip(_REASON)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [report for report in terminalreporter.stats.get("skipped", ()) if _REASON in str(report.longrepr)]
    if skipped:
        files = sorted({report.nodeid.partition("::")[0] for report in skipped})
        terminalreporter.section(f"{len(skipped)} slow tests were left out: {_REASON}", "-")
        terminalreporter.write_line(f"make slow runs them: {' '.join(files)}")
