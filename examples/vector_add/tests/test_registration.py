"""What torch asks of an operator beside results: opcheck, shapes without data, torch.compile."""

from __future__ import annotations

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from op_cases import COMBINATIONS, OPS, OpCase
from operators import as_tuple, identify
from precision import assert_close, random_inputs

PAIRS = [((5,),), ((3, 4), (4,)), ((2, 1), (1, 3)), ((0,), (1,))]


@pytest.mark.parametrize("shapes", PAIRS, ids=str)
@pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
def test_opcheck_on_npu(op: OpCase, column: int, shapes: tuple[tuple[int, ...], ...]) -> None:
    # Without requires_grad: there torch's own opcheck knows CPU, CUDA and XPU only.
    inputs = [tensor.npu() for tensor in random_inputs(op, column, *shapes)]
    torch.library.opcheck(op.overload, tuple(inputs), op.attrs)


@pytest.mark.parametrize("shapes", PAIRS, ids=str)
@pytest.mark.parametrize("op", OPS, ids=identify)
def test_opcheck_on_cpu(op: OpCase, shapes: tuple[tuple[int, ...], ...]) -> None:
    for column in range(len(op.columns)):
        inputs = [tensor.requires_grad_(op.differentiable) for tensor in random_inputs(op, column, *shapes)]
        torch.library.opcheck(op.overload, tuple(inputs), op.attrs)


@pytest.mark.parametrize(("op", "column"), COMBINATIONS, ids=identify)
def test_shapes_without_data(op: OpCase, column: int) -> None:
    inputs = random_inputs(op, column, (3, 1, 5), (4, 1))
    goldens = op.golden(*inputs)
    meta = op(*(tensor.to("meta") for tensor in inputs))
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
    function, attrs = op.function, op.attrs

    def double(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(output * 2 for output in as_tuple(function(*tensors, **attrs)))

    compiled = torch.compile(double, backend=backend, fullgraph=True, dynamic=dynamic)
    for size in (33, 7):
        values = random_inputs(op, 0, (size, 3))
        inputs = [value.npu().requires_grad_(op.differentiable) for value in values]
        outputs = compiled(*inputs)
        for output, golden in zip(outputs, double_golden(op, values), strict=True):
            assert_close(output, golden)
        if op.differentiable:
            sum(output.float().sum() for output in outputs).backward()
            assert all(tensor.grad is not None and tensor.grad.shape == tensor.shape for tensor in inputs)


def double_golden(op: OpCase, values: list[torch.Tensor]) -> list[torch.Tensor]:
    return [output * 2 for output in op.golden(*values)]
