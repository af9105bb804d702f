"""Results on the NPU against the golden reference on the CPU: every dtype, odd sizes, broadcasting, views."""

from __future__ import annotations

import itertools

import pytest
import torch
from torch import Tensor

from op_cases import COMBINATIONS, OPS, OpCase
from operators import identify
from precision import assert_close, random_inputs

LARGE = 1_000_003
SHAPES = [(), (7,), (3, 5), (2, 1, 3), (2, 3, 1, 2, 1, 2, 1, 5)]
# Two shapes each; an operator with more inputs takes them in turn.
BROADCASTS = [
    ((3, 1), (1, 5)),
    ((), (7,)),
    ((1,), (33,)),
    ((2, 3, 5), (5,)),
    ((4, 1, 67), (3, 1)),
    ((1, 129), (17, 1)),
    ((2, 1, 3, 1, 2), (4, 1, 5, 1)),
    ((0,), (1,)),
    ((3, 0, 2), (1, 2)),
    ((2, 1, 2, 1, 2, 1, 2, 1), (1, 3, 1, 3, 1, 3, 1, 3)),
    ((1000, 1), (1, 1003)),
]
SEVERAL = [(op, column) for op, column in COMBINATIONS if len(op.inputs) > 1]


def check(op: OpCase, on_cpu: list[Tensor], on_npu: list[Tensor] | None = None) -> None:
    outputs = op(*(on_npu if on_npu is not None else [tensor.npu() for tensor in on_cpu]))
    for i, (output, golden) in enumerate(zip(outputs, op.golden(*on_cpu), strict=True)):
        assert output.device.type == "npu"
        assert output.is_contiguous()
        assert_close(output, golden, f"{op.name}'s output {i}")


def sizes(tile: int) -> list[int]:
    return [0, 1, 2, 31, 33, 257, 1009, tile - 1, tile, tile + 1, 3 * tile + 7, LARGE]


@pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
def test_sizes(op: OpCase, column: int) -> None:
    for size in sizes(op.tiles[column]):
        check(op, random_inputs(op, column, (size,)))


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
def test_shapes(op: OpCase, column: int, shape: tuple[int, ...]) -> None:
    check(op, random_inputs(op, column, shape))


@pytest.mark.parametrize("shapes", BROADCASTS, ids=str)
@pytest.mark.parametrize(("op", "column"), SEVERAL, ids=identify)
def test_broadcasting(op: OpCase, column: int, shapes: tuple[tuple[int, ...], ...]) -> None:
    check(op, random_inputs(op, column, *shapes))
    check(op, random_inputs(op, column, *reversed(shapes)))


@pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
def test_views_are_read_where_they_are(op: OpCase, column: int) -> None:
    views = {
        "transposed": lambda t: t.t(),
        "every second column": lambda t: t[:, ::2],
        "with a storage offset": lambda t: t[3:, 1:],
        "one row, expanded": lambda t: t[5:6].expand(11, -1),
        "one column": lambda t: t[:, 4],
    }
    for view in views.values():
        base = random_inputs(op, column, (37, 23))
        check(op, [view(tensor) for tensor in base], [view(tensor.npu()) for tensor in base])


@pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
def test_special_values(op: OpCase, column: int) -> None:
    inf, nan = float("inf"), float("nan")
    values = []
    for dtype in op.columns[column]:
        largest = torch.finfo(dtype).max
        values.append(torch.tensor([0.0, -0.0, 1.0, -1.0, inf, -inf, nan, largest, -largest], dtype=dtype))
    every = list(itertools.product(range(9), repeat=len(values)))
    check(op, [value[[row[i] for row in every]] for i, value in enumerate(values)])


@pytest.mark.parametrize("op", OPS, ids=identify)
def test_one_tensor_for_all_inputs(op: OpCase) -> None:
    if len(set(op.columns[0])) > 1:
        pytest.skip("its inputs differ in dtype")
    tensor = random_inputs(op, 0, (1009,))[0]
    shared = tensor.npu()
    check(op, [tensor] * len(op.inputs), [shared] * len(op.inputs))
    assert torch.equal(shared.cpu(), tensor), "an input was changed"


@pytest.mark.parametrize("op", OPS, ids=identify)
def test_another_stream(op: OpCase) -> None:
    on_cpu = random_inputs(op, 0, (LARGE // 10,))
    on_npu = [tensor.npu() for tensor in on_cpu]
    stream = torch.npu.Stream()
    stream.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(stream):
        outputs = op(*on_npu)
    stream.synchronize()
    for output, golden in zip(outputs, op.golden(*on_cpu), strict=True):
        assert_close(output, golden)


@pytest.mark.parametrize("op", OPS, ids=identify)
def test_memory_is_given_back(op: OpCase) -> None:
    inputs = [tensor.npu() for tensor in random_inputs(op, 0, (1009,))]
    op(*inputs)
    torch.npu.synchronize()
    before = torch.npu.memory_allocated()
    for _ in range(20):
        op(*inputs)
    torch.npu.synchronize()
    assert torch.npu.memory_allocated() == before
