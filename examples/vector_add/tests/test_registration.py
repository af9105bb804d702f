"""What torch asks of an operator beside results: opcheck, shapes without data, torch.compile."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from op_cases import COMBINATIONS, OPS, OpCase
from operators import as_tuple, identify, on
from precision import assert_close, random_inputs

PAIRS = [((5,),), ((3, 4), (4,)), ((2, 1), (1, 3)), ((0,), (1,))]


def numeric_inputs(op: OpCase, column: int, *shapes: tuple[int, ...]) -> list[Any]:
    """Random inputs, positive where others give what is no number: torch's opcheck does not take NaN for equal to NaN."""
    inputs = random_inputs(op, column, *shapes)
    if any(bool(output.isnan().any()) for output in op.golden(*inputs)):
        return [value.abs() + 0.5 if value.dtype.is_floating_point else value for value in inputs]
    return [*inputs]


def requiring_gradients(op: OpCase, column: int, inputs: list[Any]) -> list[Any]:
    """The inputs, those of which can have gradients asking for them."""
    for i in op.floating(column) if op.differentiable else ():
        inputs[i].requires_grad_()
    return inputs


@pytest.mark.parametrize("shapes", PAIRS, ids=str)
@pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
def test_opcheck_on_npu(op: OpCase, column: int, shapes: tuple[tuple[int, ...], ...]) -> None:
    # Without requires_grad: there torch's own opcheck knows CPU, CUDA and XPU only.
    inputs = on("npu", numeric_inputs(op, column, *shapes))
    torch.library.opcheck(op.overload, op.arguments(*inputs))


@pytest.mark.parametrize("shapes", PAIRS, ids=str)
@pytest.mark.parametrize("op", OPS, ids=identify)
def test_opcheck_on_cpu(op: OpCase, shapes: tuple[tuple[int, ...], ...]) -> None:
    for column in range(len(op.columns)):
        inputs = requiring_gradients(op, column, numeric_inputs(op, column, *shapes))
        torch.library.opcheck(op.overload, op.arguments(*inputs))
        if op.optional:
            given = [None if name in op.optional else value for name, value in zip(op.inputs, inputs, strict=True)]
            torch.library.opcheck(op.overload, op.arguments(*given))


@pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
def test_shapes_without_data(op: OpCase, column: int) -> None:
    inputs = random_inputs(op, column, (3, 1, 5), (4, 1))
    goldens = op.golden(*inputs)
    meta = op(*on("meta", inputs))
    with FakeTensorMode():
        fake = op(*(torch.empty(tensor.shape, dtype=tensor.dtype, device="npu") for tensor in inputs))
    for made in (meta, fake):
        assert [(tuple(t.shape), t.dtype) for t in made] == [(tuple(t.shape), t.dtype) for t in goldens]
    assert all(tensor.device.type == "npu" for tensor in fake)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("op", OPS, ids=identify)
def test_compile(op: OpCase, backend: str, dynamic: bool) -> None:
    torch.compiler.reset()
    function = op.function

    def twice(*arguments: Any) -> tuple[torch.Tensor, ...]:
        given = [a.clone() if i in written else a for i, a in enumerate(arguments)]
        return tuple(output * 2 for output in as_tuple(function(*given)) if output.dtype.is_floating_point)

    written = [i for i, argument in enumerate(op.overload._schema.arguments) if argument.name in op.written]
    compiled = torch.compile(twice, backend=backend, fullgraph=True, dynamic=dynamic)
    for size in (33, 7):
        values = random_inputs(op, 0, (size, 3))
        inputs = requiring_gradients(op, 0, on("npu", values))
        outputs = compiled(*op.arguments(*inputs))
        goldens = [golden for golden in op.golden(*values) if golden.dtype.is_floating_point]
        for output, golden in zip(outputs, goldens, strict=True):
            assert_close(output, golden * 2)
        flowing = [output for output in outputs if output.requires_grad]
        if flowing:
            sum(output.float().sum() for output in flowing).backward()
            given = [inputs[i] for i in op.floating(0)]
            assert all(tensor.grad is None or tensor.grad.shape == tensor.shape for tensor in given)
