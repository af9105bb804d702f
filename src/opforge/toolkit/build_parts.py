"""Reports the finished parts of a running ninja build, which takes a minute and otherwise prints nothing."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

_SECONDS = 0.5  # between two looks at the log
_LINE = re.compile(r"\[(\d+)/(\d+)\] (?:Linking CXX (?:shared library|executable) \S*?([^/\s]+)$)?")
_MARKS = 4  # further lines in each build, so that a part with many files also shows progress


@contextmanager
def parts_told(log: Path, tell: Callable[[str], None]) -> Iterator[None]:
    """Calls ``tell`` during the block with a line for each library and program that ninja has linked.

    ``log`` is the file to which ninja's output goes.
    """
    ended = threading.Event()
    thread = threading.Thread(target=_follow, args=(log, tell, ended), daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _follow(log: Path, tell: Callable[[str], None], ended: threading.Event) -> None:
    told = read = 0
    last = False
    while not last:
        last = ended.wait(_SECONDS)
        text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
        whole = text[: text.rfind("\n") + 1]
        for line in whole[read:].splitlines():
            found = _LINE.match(line)
            if found is None:
                continue
            done, total, part = int(found[1]), int(found[2]), found[3]
            mark = done * _MARKS // total
            if part is not None or (mark > told and done < total):
                tell(f"    {done} of {total} steps{f': {part} is built' if part else ''}")
            told = max(told, mark)
        read = len(whole)
