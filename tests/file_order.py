"""The order of the files of tests: those that compile or start a device come first.

Two workers take file after file. Many files take no time, and at the end of a run these leave no worker waiting for the
other one.
"""

from __future__ import annotations

import pytest

_COSTLY = ("compiler", "npu", "e2e")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    costly = {item.path for item in items if any(map(item.get_closest_marker, _COSTLY))}
    items.sort(key=lambda item: item.path not in costly)
