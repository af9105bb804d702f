"""Lets several pytest processes share a project's tests: each runs the next test that no other process has claimed.

A program of its own: pytest loads a copy of it as a plugin, in environments where opforge need not be installed. In the
folder that OPFORGE_TEST_CLAIMS names, a file stands for a test that a process has claimed, and ``<name>.done`` for one
that it has finished. After a failure with -x, ``stop`` ends the others, too.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VARIABLE = "OPFORGE_TEST_CLAIMS"
DONE, STOP, COLLECTED = ".done", "stop", "collected-"


def pytest_runtestloop(session: Any) -> bool | None:
    """Runs the tests that this process claims. The next one is claimed before a test ends: fixtures may last for it."""
    if not os.environ.get(VARIABLE) or session.config.option.collectonly:
        return None
    folder = Path(os.environ[VARIABLE])
    if session.testsfailed and not session.config.option.continue_on_collection_errors:
        raise session.Interrupted(f"{session.testsfailed} errors during collection")
    names = "\n".join(item.nodeid for item in session.items)
    (folder / f"{COLLECTED}{os.getpid()}").write_text(names, encoding="utf-8", errors="surrogateescape")
    mine = _claimed(session.items, folder)
    item = next(mine, None)
    while item is not None:
        following = next(mine, None)
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        (folder / (_file(item.nodeid) + DONE)).touch()
        if session.shouldfail or session.shouldstop:
            (folder / STOP).touch()
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        if session.shouldstop or (folder / STOP).exists():
            raise session.Interrupted(session.shouldstop or "a test failed on another NPU")
        item = following
    return True


def _claimed(items: list[Any], folder: Path) -> Iterator[Any]:
    for item in items:
        try:
            with (folder / _file(item.nodeid)).open("x", encoding="utf-8", errors="surrogateescape") as claim:
                claim.write(item.nodeid)
        except FileExistsError:
            continue
        yield item


def _file(nodeid: str) -> str:
    return hashlib.sha256(nodeid.encode(errors="surrogateescape")).hexdigest()[:32]


def unfinished(folder: Path) -> tuple[list[str], list[str]]:
    """The tests that a process claimed and did not finish, and those that remained free."""
    text = {path.name: path.read_text(encoding="utf-8", errors="surrogateescape") for path in sorted(folder.iterdir())}
    claims = {name: test for name, test in text.items() if "." not in name and "-" not in name and name != STOP}
    begun = [test for name, test in claims.items() if name + DONE not in text]
    collected = dict.fromkeys(
        test for name, names in text.items() if name.startswith(COLLECTED) for test in names.splitlines()
    )
    return begun, [test for test in collected if test not in claims.values()]
