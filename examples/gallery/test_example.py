"""The operator on the NPU gives the results of its reference, for each of example_cases.py."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
import torch_npu  # noqa: F401  (device "npu")
from example_cases import CASES, TOLERANCE

NAME = Path(__file__).stem.removeprefix("test_").removesuffix("_cases")
operator = getattr(importlib.import_module(NAME), NAME)
reference = getattr(importlib.import_module(f"{NAME}.golden"), NAME)


def on_npu(argument: Any) -> Any:
    """A tensor, or those of a list, on the NPU; other arguments stay as they are."""
    if isinstance(argument, torch.Tensor):
        return argument.npu()
    return [on_npu(each) for each in argument] if isinstance(argument, list) else argument


def tensors(results: Any) -> list[torch.Tensor]:
    """All tensors of the results, in order."""
    if isinstance(results, torch.Tensor):
        return [results]
    assert isinstance(results, Sequence)
    return [tensor for result in results for tensor in tensors(result)]


@pytest.mark.parametrize("make", [pytest.param(make, id=label) for label, make in CASES])
def test_case(make: Any) -> None:
    arguments, keywords = make(torch.Generator().manual_seed(7))
    expected = tensors(reference(*arguments, **keywords))
    actual = tensors(operator(*map(on_npu, arguments), **keywords))
    assert len(actual) == len(expected)
    for mine, theirs in zip(actual, expected, strict=True):
        name = str(theirs.dtype).removeprefix("torch.")
        tolerance = TOLERANCE.get(name, 0.0) if isinstance(TOLERANCE, dict) else TOLERANCE
        assert (mine.shape, mine.dtype) == (theirs.shape, theirs.dtype)
        torch.testing.assert_close(mine.cpu().double(), theirs.double(), rtol=tolerance, atol=tolerance, equal_nan=True)
