"""Tests with many cases: `make test-all` runs a sample, `make qualify` the others."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, TypeVar

import pytest

T = TypeVar("T")


def sampled(names: Iterable[T], sample: Collection[T]) -> list[Any]:
    """Parameters of which those in ``sample`` are slow, and the others are of ``make qualify``."""
    listed = list(names)
    assert set(sample) <= set(listed), f"not among the names: {sorted(set(sample) - set(listed))}"
    return [pytest.param(name, marks=pytest.mark.slow if name in sample else pytest.mark.qualify) for name in listed]


def quick(values: Iterable[T], sample: Collection[T]) -> list[Any]:
    """Parameters of which those in ``sample`` are of ``make test``, and the others are slow."""
    listed = list(values)
    assert sample, "nothing is left for make test"
    assert set(sample) <= set(listed), f"not among the values: {sorted(set(sample) - set(listed))}"
    return [value if value in sample else pytest.param(value, marks=pytest.mark.slow) for value in listed]
