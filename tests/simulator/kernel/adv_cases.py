"""What tests of functions above the instructions share: rules, ways to give room, comparisons."""

from __future__ import annotations

import re

import pytest
from harness import Array, LaunchError
from ulps import distance

EPSILON = 1e-3
ROOMS = {"": "", " room": "Room(), "}
PAGE = "高阶API/归一化操作/"
ROWS = "there is a row, of an element or more, and the rows are multiples of 32 bytes apart"
BASIC = "isBasicBlock needs a multiple of 8 rows of a multiple of 64 elements, fewer than 2048"
ROOM = "sharedTmpBuffer has at least the bytes that the function's GetXxxMaxMinTmpSize calls minValue"
APART = "the function's source and destination do not overlap"


def check(got: Array, want: Array, where: str) -> None:
    assert distance(got, want.astype(got.dtype)) <= 1, f"{where}: {got} is not {want}"


def report(error: pytest.ExceptionInfo[LaunchError]) -> str:
    return "\n".join(re.sub(r"\S+probe\.cpp:\d+", "HERE", error.value.report).splitlines()[:2])


def up(length: int) -> int:
    return -(-length // 16) * 16
