"""Checks that a graph (torch.npu.graph) captures an operator and that replays compute its results from new inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor

from opforge.testing.checks.by_hand import ByHand
from opforge.testing.checks.closeness import assert_close
from opforge.testing.checks.tensors import as_tuple, on
from opforge.testing.checks.tested_operator import ExpressedOperator

__tracebackhide__ = True  # for pytest, which then shows the test itself

ROWS = 33
# How torch_npu says that a machine, a version of CANN or a setting has no graphs, and the simulated device that a
# version of PyTorch has none.
WITHOUT_GRAPHS = (
    "Failed to find function",
    "207000",
    "Do not support TASK_QUEUE_ENABLE",
    "captures graphs with PyTorch",
)

Close = Callable[[Tensor, Tensor, str], None]


def check_capture(op: ExpressedOperator, column: int) -> None:
    """Replays equal calls, for two sets of inputs."""
    values = op.sample(column, ROWS)
    check_replays(op.name, lambda given: op(*given), [values, [_reversed(value) for value in values]], op.assert_close)


def check_capture_by_hand(op: ByHand, column: int) -> None:
    """Replays equal calls. A call that waits for its kernel, to learn a shape, cannot be captured."""
    op.require_kernel()
    if op.shapes_by_kernel:
        pytest.skip("the kernel determines a shape, so each call waits for it, which no graph can")
    check_replays(op.name, lambda given: as_tuple(op.on("npu", given)), [op.usual(column, ROWS).inputs()], assert_close)


def check_replays(
    name: str, call: Callable[[list[Any]], tuple[Tensor, ...]], inputs: Sequence[list[Any]], close: Close
) -> None:
    """Captures ``call`` with tensors of zeros, then replays it for each of ``inputs``, which have the same shapes."""
    without = _without_graphs()
    if without:
        pytest.skip(f"no graphs here: {without}")
    goldens = [call(on("npu", values)) for values in inputs]
    static = [_zeros(value) for value in on("npu", inputs[0])]
    graph = torch.npu.NPUGraph()
    with capturing(graph):
        outputs = call(static)
    for n, (values, expected) in enumerate(zip(inputs, goldens, strict=True), 1):
        for output in outputs:
            output.zero_()
        for place, value in zip(static, values, strict=True):
            _fill(place, value)
        graph.replay()
        for i, (output, golden) in enumerate(zip(outputs, expected, strict=True)):
            close(output, golden.cpu(), f"{name}'s output {i}, replay {n} of its graph")


@contextmanager
def capturing(graph: Any) -> Iterator[None]:
    """torch.npu.graph, which leaves its own stream behind where a capture fails."""
    stream = torch.npu.current_stream()
    try:
        with torch.npu.graph(graph):
            yield
    finally:
        torch.npu.set_stream(stream)


@cache
def _without_graphs() -> str:
    """Why nothing can be captured on this machine; empty if something can."""
    one = torch.ones(1, device="npu")
    try:
        with capturing(torch.npu.NPUGraph()):
            one.clone()
    except RuntimeError as error:
        whole = f"{error.__context__}\n{error}"
        if not any(reason in whole for reason in WITHOUT_GRAPHS):
            raise
        return str(error).splitlines()[0]
    return ""


def _reversed(value: Any) -> Any:
    """Other values that are as valid as the given ones: the same, in the opposite order."""
    return value.flatten().flip(0).view_as(value) if isinstance(value, Tensor) else value


def _zeros(value: Any) -> Any:
    if isinstance(value, list):
        return [_zeros(each) for each in value]
    return torch.zeros_like(value) if isinstance(value, Tensor) else value


def _fill(place: Any, value: Any) -> None:
    if isinstance(value, list):
        for each, given in zip(place, value, strict=True):
            _fill(each, given)
    elif isinstance(value, Tensor):
        place.copy_(value)
