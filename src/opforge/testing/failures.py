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
_OURS = Path(__file__).parent
_TORCH = "torch"  # the folder of frames that are the same for every op


class KernelFailures:
    """A plugin of pytest for tests whose kernels run on an NPU, simulated or not."""

    def __init__(self) -> None:
        self._told: set[str] = set()  # places in kernels whose reports were shown whole

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
        """Replaces the description of a failure of the device, and shortens that of an assertion of opforge.testing."""
        outcome: Any = yield
        report: pytest.TestReport = outcome.get_result()
        if call.excinfo is None or not report.failed:
            return
        found = device_report(str(call.excinfo.value))
        if found is not None:
            described: Any = self._described(item, call.excinfo, found)
            report.longrepr = described
        elif _OURS in Path(call.excinfo.traceback[-1].path).parents and item.config.getoption("tbstyle") == "auto":
            report.longrepr = _short(item, call.excinfo)

    def _described(
        self, item: pytest.Item, failed: pytest.ExceptionInfo[BaseException], found: tuple[str, str]
    ) -> Failure:
        first, said = found
        place = _PLACE.search(said)
        known = place is not None and place[0] in self._told
        if place is not None:
            self._told.add(place[0])
        arguments = failed.value.args
        failed.value.args = (first,)  # pytest prints it below the frames
        try:
            called = str(_short(item, failed))
        finally:
            failed.value.args = arguments
        native: Any = failed.getrepr(style="native", chain=False)
        return Failure(native, f"{said.splitlines()[0]}\n  {_KNOWN}" if known else said, called)


def _short(item: pytest.Item, failed: pytest.ExceptionInfo[BaseException]) -> Any:
    """The traceback from the test on: a line for each frame, without PyTorch's own."""
    frames = failed.traceback
    failed.traceback = frames.cut(path=item.path).filter(lambda frame: _TORCH not in Path(frame.path).parts)
    try:
        return failed.getrepr(style="short", chain=False)
    finally:
        failed.traceback = frames


class Failure:
    """The description of a failed test: the device's report, then the traceback. pytest prints and stores it.

    pytest-xdist sends ``reprcrash``, ``reprtraceback`` and ``sections`` to the process that prints. ``native`` is what
    pytest makes in its style "native", a text of one entry; this text is replaced.
    """

    def __init__(self, native: Any, said: str, called: str) -> None:
        self._said = said
        self._called = called
        self.sections: list[tuple[str, str, str]] = []
        self.reprtraceback = native.reprtraceback
        self.reprtraceback.reprentries[0].lines = [f"{self}\n"]
        # The summary shows it, cut at 80 columns unless in continuous integration, and reports in XML.
        self.reprcrash = native.reprcrash
        place = _PLACE.search(said)
        self.reprcrash.message = said[place.start() if place else 0 :].splitlines()[0]

    def addsection(self, name: str, content: str, sep: str = "-") -> None:
        """Adds a section, as plugins of pytest do."""
        self.sections.append((name, content, sep))

    def toterminal(self, tw: Any) -> None:
        """Prints it on pytest's terminal."""
        for line in self._said.splitlines():
            tw.line(line, red=True)
        tw.line()
        tw.line(_TRACEBACK)
        tw.line(self._called)
        for name, content, sep in self.sections:
            tw.sep(sep, name)
            tw.line(content)

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
