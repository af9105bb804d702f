"""Shows a failed test in the order in which people read it: the device's report first, PyTorch's traceback after it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_PLACE = re.compile(r"\S+:\d+: \w+")  # file, line and function
_KNOWN = "an earlier failure at this line shows the rule and the calls"
_TRACEBACK = "where the test called it:"
_TORCH = "torch"  # the folder of frames that are the same for every op


class KernelFailures:
    """A plugin of pytest for tests whose kernels run on an NPU, simulated or not."""

    def __init__(self) -> None:
        self._told: set[str] = set()  # places in kernels whose reports were shown whole

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        """Replaces the description of a failure that has a report of the device."""
        outcome: Any = yield
        report: pytest.TestReport = outcome.get_result()
        error = None if call.excinfo is None else call.excinfo.value
        found = None if error is None or not report.failed else device_report(str(error))
        if call.excinfo is None or error is None or found is None:
            return
        first, said = found
        place = _PLACE.search(said)
        known = place is not None and place[0] in self._told
        if place is not None:
            self._told.add(place[0])
        shown = f"{said.splitlines()[0]}\n  {_KNOWN}" if known else said
        arguments, frames = error.args, call.excinfo.traceback
        error.args = (first,)  # pytest prints it below the frames
        call.excinfo.traceback = frames.cut(path=item.path).filter(lambda frame: _TORCH not in Path(frame.path).parts)
        try:
            called = str(call.excinfo.getrepr(style="short", chain=False))
        finally:
            error.args, call.excinfo.traceback = arguments, frames
        described: Any = Failure(report.longrepr, shown, called)
        report.longrepr = described


class Failure:
    """The description of a failed test: the device's report, then the traceback. pytest prints and stores it."""

    def __init__(self, original: Any, said: str, called: str) -> None:
        self._said = said
        self._called = called
        self.reprcrash = getattr(original, "reprcrash", None)
        if self.reprcrash is not None:  # for the summary, which is cut at 80 columns, and for reports in XML
            place = _PLACE.search(said)
            self.reprcrash.message = said[place.start() if place else 0 :].splitlines()[0]

    def toterminal(self, tw: Any) -> None:
        """Prints it on pytest's terminal."""
        for line in self._said.splitlines():
            tw.line(line, red=True)
        tw.line()
        tw.line(_TRACEBACK)
        tw.line(self._called)

    def __str__(self) -> str:
        return f"{self._said}\n\n{_TRACEBACK}\n{self._called}"


def device_report(message: str) -> tuple[str, str] | None:
    """The first line of torch_npu's message and the device's report in it; None for other messages.

    torch_npu writes a line with the time and its own error code, an explanation of the code in indented lines, and then
    the text of aclGetRecentErrMsg.
    """
    lines = message.splitlines()
    code = next((number for number, line in enumerate(lines) if line.startswith("[ERROR] ")), None)
    if code is None:
        return None
    rest = code + 1
    while rest < len(lines) and (lines[rest].startswith("[Error]") or not lines[rest][:1].strip()):
        rest += 1
    return (lines[0], "\n".join(lines[rest:])) if rest < len(lines) else None
