"""``pytest --cpu N``: the N tests and files that cost most processor time, by which machines can be compared.

Counted are the seconds of the test's own process and of every process that it started and waited for, with the fixtures
that the test was the first to ask for.
"""

from __future__ import annotations

import resource
from collections import Counter
from collections.abc import Generator
from typing import Any

import pytest

_PROPERTY = "processor seconds"
_BEFORE = pytest.StashKey[float]()


def _used() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--cpu", type=int, default=0, metavar="N", help="list the N tests that cost most processor time")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, Any, Any]:
    item.stash[_BEFORE] = _used()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Each phase of a test (setup, call, teardown) ends here."""
    report = yield
    now = _used()
    report.user_properties.append((_PROPERTY, now - item.stash[_BEFORE]))
    item.stash[_BEFORE] = now
    return report


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    wanted = config.getoption("--cpu")
    if not wanted:
        return
    tests: Counter[str] = Counter()
    for reports in terminalreporter.stats.values():
        for report in reports:
            for name, seconds in getattr(report, "user_properties", ()):
                if name == _PROPERTY:
                    tests[report.nodeid] += seconds
    files: Counter[str] = Counter()
    for test, seconds in tests.items():
        files[test.partition("::")[0]] += seconds
    terminalreporter.section(f"processor time: {sum(tests.values()):.0f} s")
    for title, costs in (("tests", tests), ("files", files)):
        terminalreporter.write_line(f"{title} that cost most")
        for name, seconds in costs.most_common(wanted):
            terminalreporter.write_line(f"{seconds:8.1f} s  {name}")
