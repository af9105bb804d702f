"""Results of elementwise operators, on the NPU against the golden reference on the CPU."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
import torch

from opforge.testing.checks.closeness import assert_close
from opforge.testing.checks.op_case import OpCase, random_inputs
from opforge.testing.checks.tensors import on
from opforge.testing.measuring import difficult

__tracebackhide__ = True  # for pytest, which then shows the test itself

MAX_RANK = 8


def check_results(op: OpCase, on_cpu: list[Any], on_npu: list[Any] | None = None) -> None:
    """Outputs are correct, contiguous and on the NPU. In-place arguments are returned; others do not change."""
    given = on("npu", on_cpu) if on_npu is None else on_npu
    goldens = op.golden(*on_cpu)
    outputs = op(*given)
    for i, (output, golden) in enumerate(zip(outputs, goldens, strict=True)):
        assert output.device.type == "npu"
        assert output.is_contiguous() or any(output is tensor for tensor in given)
        assert_close(output, golden, f"{op.name}'s output {i}{_shapes(op, on_cpu)}")
    for name, tensor, before in zip(op.inputs, given, on_cpu, strict=True):
        if name in op.written:
            assert any(output is tensor for output in outputs), f"{op.name} does not give back {name}, which it writes"
        elif tensor is not None:
            assert_close(tensor, before, f"{name}, which is only read,")


def _shapes(op: OpCase, values: list[Any]) -> str:
    """The shapes of inputs with named dimensions."""
    shapes = (f"{name} {list(value.shape)}" for name, value in zip(op.inputs, values, strict=True) if value is not None)
    return f" for {', '.join(shapes)}" if op.dims else ""


def check_shapes(op: OpCase, column: int, *shapes: tuple[int, ...]) -> None:
    """Results for leading dimensions of these shapes, which the inputs use in turn."""
    if any(len(shape) > MAX_RANK for shape in op.shapes(shapes)):
        pytest.skip("with its named dimensions these would be too many")
    check_results(op, random_inputs(op, column, *shapes))


def check_dimensions(op: OpCase, column: int) -> None:
    """Results for every size of every named dimension. The smallest wrong one is shown."""
    for values in op.varied(column):
        check_results(op, values)


def check_without_optional(op: OpCase, column: int) -> None:
    """Results without each combination of optional inputs."""
    for count in range(1, len(op.optional) + 1):
        for omitted in itertools.combinations(op.optional, count):
            for shapes in (((1009,),), ((3, 1), (1, 5))):
                values = random_inputs(op, column, *shapes)
                check_results(op, [None if n in omitted else v for n, v in zip(op.inputs, values, strict=True)])


def check_views(op: OpCase, column: int) -> None:
    """Results for transposed tensors, every second column, storage offsets and expanded tensors."""
    layouts: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
        "transposed": lambda t: t.transpose(0, -1).contiguous().transpose(0, -1),
        "every second column": lambda t: t.repeat_interleave(2, -1)[..., ::2],
        "with a storage offset": lambda t: torch.cat([t[:1], t])[1:],
    }
    for layout in layouts.values():
        values = random_inputs(op, column, (37, 23))
        check_results(op, [*values], [layout(tensor.npu()) for tensor in values])
    if not op.written:  # elements that share memory cannot be written
        values = [tensor[:1].expand(tensor.shape) for tensor in random_inputs(op, column, (37, 23))]
        check_results(op, [*values], [tensor.npu()[:1].expand(tensor.shape) for tensor in values])


def special(dtype: torch.dtype, function: Callable[..., Any]) -> torch.Tensor:
    """Nine values at which formulas are likely to fail; small integers, so that sums fit."""
    inf, nan = float("inf"), float("nan")
    if dtype.is_floating_point:
        largest = difficult.largest(function, dtype)
        return torch.tensor([0.0, -0.0, 1.0, -1.0, inf, -inf, nan, largest, -largest], dtype=dtype)
    return (torch.arange(9) - (4 if dtype.is_signed else 0)).to(dtype)


def check_special_values(op: OpCase, column: int) -> None:
    """Zeros, infinities, NaN and the largest numbers, in all combinations."""
    if op.dims:
        pytest.skip("its dimensions have names: the others try the same arithmetic")
    every = torch.tensor(list(itertools.product(range(9), repeat=min(len(op.inputs), 5))))
    rows = [every[:, i % every.shape[1]] for i in range(len(op.inputs))]
    values = [special(dtype, op.reference)[row] for dtype, row in zip(op.columns[column], rows, strict=True)]
    results = {output.dtype for output in op.golden(*values)}
    if op.floating(column) and any(not dtype.is_floating_point and dtype != torch.bool for dtype in results):
        pytest.skip("what infinities are as integers is not defined")
    check_results(op, [*values])


def check_one_tensor_for_all_inputs(op: OpCase) -> None:
    """The same tensor may be several arguments."""
    if len(set(op.columns[0])) > 1 or op.dims or op.written:
        pytest.skip("its inputs differ in dtype or shape, or it writes to one of them")
    tensor = random_inputs(op, 0, (1009,))[0]
    shared = tensor.npu()
    check_results(op, [tensor] * len(op.inputs), [shared] * len(op.inputs))


def check_shared_memory(op: OpCase) -> None:
    """Arguments may share the memory of an in-place argument, shifted by one element."""
    if len(set(op.columns[0])) > 1 or op.dims or len(op.inputs) == len(op.written):
        pytest.skip("its inputs differ in dtype or shape, or all are written")
    values = random_inputs(op, 0, (64,))
    first = op.inputs.index(op.written[0])
    base = torch.cat([values[first], values[first][:1]]).npu()
    given = on("npu", values)
    given[first] = base[:-1]
    for i, name in enumerate(op.inputs):
        if name not in op.written:
            given[i], values[i] = base[1:], base[1:].cpu()  # shifted by one element
    goldens = op.golden(*values)
    for output, golden in zip(op(*given), goldens, strict=True):
        assert_close(output, golden)
