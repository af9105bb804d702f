"""What torch asks of operators with matrix products beside results: opcheck, shapes without data, torch.compile."""

from __future__ import annotations

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from operators import as_tuple, identify
from precision import assert_product_close, kernel_inputs, product_inputs
from product_cases import GRADIENT_KERNELS, PRODUCT_COMBINATIONS, PRODUCTS, GradientKernel, ProductCase, Sizes

SIZES: list[Sizes] = [((5,), 7, 3), ((1,), 1, 1), ((4,), 3, 0), ((0,), 3, 5)]
FOLDED: list[Sizes] = [((), 7, 3), ((2, 3), 4, 5)]


def sizes_of(op: ProductCase) -> list[Sizes]:
    return [*SIZES, *(FOLDED if op.folds else [])]


@pytest.mark.parametrize(("op", "column"), PRODUCT_COMBINATIONS, ids=identify)
def test_opcheck_on_npu(op: ProductCase, column: int) -> None:
    # Without requires_grad: there torch's own opcheck knows CPU, CUDA and XPU only.
    inputs = [tensor.npu() for tensor in product_inputs(op, column, sizes_of(op)[-1])]
    torch.library.opcheck(op.overload, op.arguments(*inputs))


@pytest.mark.parametrize("op", PRODUCTS, ids=identify)
def test_opcheck_on_cpu(op: ProductCase) -> None:
    for sizes in sizes_of(op):
        inputs = [tensor.requires_grad_(op.differentiable) for tensor in product_inputs(op, 0, sizes)]
        torch.library.opcheck(op.overload, op.arguments(*inputs))
    if op.optional:
        values = zip(op.inputs, product_inputs(op, 0, SIZES[0]), strict=True)
        given = [None if name in op.optional else value.requires_grad_(op.differentiable) for name, value in values]
        torch.library.opcheck(op.overload, op.arguments(*given))


@pytest.mark.parametrize("kernel", GRADIENT_KERNELS, ids=identify)
def test_opcheck_of_kernels_of_derivatives(kernel: GradientKernel) -> None:
    for device in ("cpu", "npu"):
        for shape in ((5,), (2, 3), (0,)):
            inputs = [tensor.to(device) for tensor in kernel_inputs(kernel, 0, shape)]
            torch.library.opcheck(kernel.overload, kernel.arguments(*inputs))


@pytest.mark.parametrize(("op", "column"), PRODUCT_COMBINATIONS, ids=identify)
def test_shapes_without_data(op: ProductCase, column: int) -> None:
    for sizes in sizes_of(op):
        inputs = product_inputs(op, column, sizes)
        goldens = op.golden(*inputs)
        meta = op(*(tensor.to("meta") for tensor in inputs))
        with FakeTensorMode():
            fake = op(*(torch.empty(tensor.shape, dtype=tensor.dtype, device="npu") for tensor in inputs))
        for made in (meta, fake):
            assert [(tuple(t.shape), t.dtype) for t in made] == [(tuple(t.shape), t.dtype) for t in goldens]
        assert all(tensor.device.type == "npu" for tensor in fake)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("op", PRODUCTS, ids=identify)
def test_compile(op: ProductCase, backend: str, dynamic: bool) -> None:
    torch.compiler.reset()
    function, attrs = op.function, op.attrs

    def double(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return tuple(output * 2 for output in as_tuple(function(*tensors, **attrs)))

    compiled = torch.compile(double, backend=backend, fullgraph=True, dynamic=dynamic)
    for rows in (33, 7):
        values = product_inputs(op, 0, ((rows,), 6, 5))
        inputs = [value.npu().requires_grad_(op.differentiable) for value in values]
        outputs = compiled(*inputs)
        for output, golden in zip(outputs, op.golden(*values), strict=True):
            assert_product_close(output, golden * 2)
        if op.differentiable:
            sum(output.float().sum() for output in outputs).backward()
            assert all(tensor.grad is not None and tensor.grad.shape == tensor.shape for tensor in inputs)


@pytest.mark.parametrize("device", ["npu", "cpu"])
@pytest.mark.parametrize("op", PRODUCTS, ids=identify)
def test_autocast(op: ProductCase, device: str) -> None:
    for column in op.columns:
        if column[0] == torch.float32 or len(set(column)) > 1:
            continue
        values = [tensor.float() for tensor in product_inputs(op, 0, ((5,), 7, 3))]
        mixed = [tensor.to(device, column[0]) if i == 0 else tensor.to(device) for i, tensor in enumerate(values)]
        inputs = [tensor.requires_grad_(op.differentiable) for tensor in mixed]
        with torch.autocast(device, dtype=column[0]):
            outputs = op(*inputs)
        for output, golden in zip(outputs, op.golden(*(tensor.to(column[0]) for tensor in values)), strict=True):
            assert_product_close(output, golden)
        if op.differentiable:
            sum(output.float().sum() for output in outputs).backward()
            assert [tensor.grad.dtype for tensor in inputs] == [tensor.dtype for tensor in inputs]
