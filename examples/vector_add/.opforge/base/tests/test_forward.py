"""Results on the NPU against the golden reference on the CPU: every dtype, odd sizes, broadcasting, views,
what is optional, what is written in place."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch

from op_cases import COMBINATIONS, OPS, OpCase
from operators import identify, on
from precision import assert_close, random_inputs

LARGE = 1_000_003
MAX_RANK = 8
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


def check(op: OpCase, on_cpu: list[Any], on_npu: list[Any] | None = None) -> None:
    given = on("npu", on_cpu) if on_npu is None else on_npu
    goldens = op.golden(*on_cpu)
    outputs = op(*given)
    for i, (output, golden) in enumerate(zip(outputs, goldens, strict=True)):
        assert output.device.type == "npu"
        assert output.is_contiguous() or any(output is tensor for tensor in given)
        assert_close(output, golden, f"{op.name}'s output {i}")
    for name, tensor, before in zip(op.inputs, given, on_cpu, strict=True):
        if name in op.written:
            assert any(output is tensor for output in outputs)
        elif tensor is not None:
            assert_close(tensor, before, f"{name}, which is only read,")


def sizes(tile: int) -> list[int]:
    return [0, 1, 2, 31, 33, 257, 1009, tile - 1, tile, tile + 1, 3 * tile + 7, LARGE]


@pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
def test_sizes(op: OpCase, column: int) -> None:
    for size in sizes(op.tiles[column]):
        if not op.symbols or size < LARGE:
            check(op, random_inputs(op, column, (size,)))


@pytest.mark.parametrize(("op", "column"), [c for c in COMBINATIONS if c[0].symbols], ids=identify)
def test_sizes_of_symbols(op: OpCase, column: int) -> None:
    for symbol in op.symbols:
        for size in (0, 1, 2, 31, 33, 257, 1009):
            check(op, random_inputs(op, column, (3,), **{symbol: size}))


@pytest.mark.parametrize(("op", "column"), [c for c in COMBINATIONS if c[0].optional], ids=identify)
def test_without_what_is_optional(op: OpCase, column: int) -> None:
    for count in range(1, len(op.optional) + 1):
        for omitted in itertools.combinations(op.optional, count):
            for shapes in (((1009,),), ((3, 1), (1, 5))):
                values = random_inputs(op, column, *shapes)
                check(op, [None if n in omitted else v for n, v in zip(op.inputs, values, strict=True)])


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
def test_shapes(op: OpCase, column: int, shape: tuple[int, ...]) -> None:
    check_shapes(op, column, shape)


@pytest.mark.parametrize("shapes", BROADCASTS, ids=str)
@pytest.mark.parametrize(("op", "column"), SEVERAL, ids=identify)
def test_broadcasting(op: OpCase, column: int, shapes: tuple[tuple[int, ...], ...]) -> None:
    check_shapes(op, column, *shapes)
    check_shapes(op, column, *reversed(shapes))


def check_shapes(op: OpCase, column: int, *shapes: tuple[int, ...]) -> None:
    if any(len(shape) > MAX_RANK for shape in op.shapes(shapes)):
        pytest.skip("with its named dimensions these would be too many")
    check(op, random_inputs(op, column, *shapes))


@pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
def test_views_are_read_where_they_are(op: OpCase, column: int) -> None:
    layouts = {
        "transposed": lambda t: t.transpose(0, -1).contiguous().transpose(0, -1),
        "every second column": lambda t: t.repeat_interleave(2, -1)[..., ::2],
        "with a storage offset": lambda t: torch.cat([t[:1], t])[1:],
    }
    for layout in layouts.values():
        values = random_inputs(op, column, (37, 23))
        check(op, [*values], [layout(tensor.npu()) for tensor in values])
    if not op.written:  # several elements in one place cannot be written
        values = [tensor[:1].expand(tensor.shape) for tensor in random_inputs(op, column, (37, 23))]
        check(op, [*values], [tensor.npu()[:1].expand(tensor.shape) for tensor in values])


def special(dtype: torch.dtype) -> torch.Tensor:
    """Nine values where formulas are likely to go wrong; of integers, small ones: sums that do not fit have no meaning."""
    inf, nan = float("inf"), float("nan")
    if dtype.is_floating_point:
        largest = torch.finfo(dtype).max
        return torch.tensor([0.0, -0.0, 1.0, -1.0, inf, -inf, nan, largest, -largest], dtype=dtype)
    return (torch.arange(9) - (4 if dtype.is_signed else 0)).to(dtype)


@pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
def test_special_values(op: OpCase, column: int) -> None:
    if op.dims:
        pytest.skip("its dimensions have names: the others try the same arithmetic")
    every = torch.tensor(list(itertools.product(range(9), repeat=min(len(op.inputs), 5))))
    rows = [every[:, i % every.shape[1]] for i in range(len(op.inputs))]
    values = [special(dtype)[row] for dtype, row in zip(op.columns[column], rows, strict=True)]
    results = {output.dtype for output in op.golden(*values)}
    if op.floating(column) and any(not dtype.is_floating_point and dtype != torch.bool for dtype in results):
        pytest.skip("what infinities are as integers is not defined")
    check(op, [*values])


@pytest.mark.parametrize("op", OPS, ids=identify)
def test_one_tensor_for_all_inputs(op: OpCase) -> None:
    if len(set(op.columns[0])) > 1 or op.dims or op.written:
        pytest.skip("its inputs differ in dtype or shape, or it writes to one of them")
    tensor = random_inputs(op, 0, (1009,))[0]
    shared = tensor.npu()
    check(op, [tensor] * len(op.inputs), [shared] * len(op.inputs))


@pytest.mark.parametrize("op", [op for op in OPS if op.written], ids=identify)
def test_arguments_that_share_memory_with_what_is_written(op: OpCase) -> None:
    if len(set(op.columns[0])) > 1 or op.dims or len(op.inputs) == len(op.written):
        pytest.skip("its inputs differ in dtype or shape, or all are written")
    values = random_inputs(op, 0, (64,))
    first = op.inputs.index(op.written[0])
    base = torch.cat([values[first], values[first][:1]]).npu()
    given = on("npu", values)
    given[first] = base[:-1]
    for i, name in enumerate(op.inputs):
        if name not in op.written:
            given[i], values[i] = base[1:], base[1:].cpu()  # one element further
    goldens = op.golden(*values)
    for output, golden in zip(op(*given), goldens, strict=True):
        assert_close(output, golden)


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
