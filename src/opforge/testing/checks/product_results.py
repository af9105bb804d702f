"""Results of operators with matrix products, on the NPU against the golden reference in float64 on the CPU."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch
from torch import Tensor

from opforge.testing.checks.closeness import assert_product_close
from opforge.testing.checks.product_case import GradientKernel, ProductCase, Sizes, kernel_inputs, product_inputs
from opforge.testing.checks.tensors import double, on

__tracebackhide__ = True  # for pytest, which then shows the test itself

Layout = Callable[[Tensor], Tensor]


def check_product(op: ProductCase, on_cpu: list[Any], on_npu: list[Any] | None = None) -> None:
    """Outputs are correct, contiguous and on the NPU."""
    if on_npu is None:
        on_npu = on("npu", on_cpu)
    goldens = op.golden(*map(double, on_cpu))
    shaped = op.golden(*on("meta", on_cpu))
    for i, (output, golden, like) in enumerate(zip(op(*on_npu), goldens, shaped, strict=True)):
        assert output.device.type == "npu"
        assert output.is_contiguous()
        assert_product_close(output, golden.to(like.dtype), f"{op.name}'s output {i} for {list(output.shape)}")


def check_sizes(op: ProductCase, column: int, several: Iterable[Sizes]) -> None:
    """Results for these rows, columns and terms."""
    for sizes in several:
        check_product(op, product_inputs(op, column, sizes))


def check_product_views(op: ProductCase, column: int) -> None:
    """Results for transposed tensors, every second column, storage offsets and expanded tensors."""
    # How to store a tensor, and how to view it.
    layouts: dict[str, tuple[Layout, Layout]] = {
        "transposed": (lambda t: t.transpose(0, -1).contiguous(), lambda t: t.transpose(0, -1)),
        "every second": (lambda t: t.repeat_interleave(2, -1), lambda t: t[..., ::2]),
        "with a storage offset": (lambda t: torch.cat([t[:1], t]), lambda t: t[1:]),
    }
    values = product_inputs(op, column, ((37,), 23, 19))
    for laid, seen in layouts.values():
        check_product(op, [*values], [seen(laid(tensor).npu()) for tensor in values])
    alike = [tensor[:1].expand(tensor.shape) for tensor in values]
    check_product(op, [*alike], [tensor.npu()[:1].expand(tensor.shape) for tensor in values])


def check_rows_apart(op: ProductCase, column: int) -> None:
    """NaN in one row of the first input changes no other row."""
    dims = next(iter(op.inputs.values()))
    if op.symbols[0] not in dims:
        pytest.skip("its first input has no rows")
    values = product_inputs(op, column, ((5,), 33, 17))
    clean = op.golden(*values)
    values[0].select(0 if dims[0] == op.symbols[0] else 1, 2).fill_(float("nan"))
    for output, golden in zip(op(*on("npu", values)), clean, strict=True):
        others = [0, 1, 3, 4]
        assert output[2].isnan().all() or not golden[2].isfinite().all()
        assert_product_close(output[others], golden[others], "a row beside one of NaN")


def check_gradient_kernel(kernel: GradientKernel) -> None:
    """The kernel of a derivative, for sizes around its tiles."""
    for column, tile in enumerate(kernel.tiles):
        for shape in ((0,), (1,), (3, 5), (1009,), (tile - 1,), (tile,), (tile + 1,), (3, tile + 7)):
            values = kernel_inputs(kernel, column, shape)
            outputs = kernel(*on("npu", values))
            for output, golden in zip(outputs, kernel.golden(*values), strict=True):
                assert_product_close(output, golden, f"{kernel.name} for {list(shape)}")
    check_transposed(kernel)


def check_transposed(kernel: GradientKernel) -> None:
    """The kernel reads transposed views correctly."""
    values = kernel_inputs(kernel, 0, (37, 23))
    outputs = kernel(*(tensor.npu().t() for tensor in values))
    for output, golden in zip(outputs, kernel.golden(*(tensor.t() for tensor in values)), strict=True):
        assert_product_close(output, golden, f"{kernel.name} of transposed tensors")


def check_kernel_registration(kernel: GradientKernel) -> None:
    """torch.library.opcheck, on both devices."""
    for device in ("cpu", "npu"):
        for shape in ((5,), (2, 3), (0,)):
            inputs: list[Tensor] = on(device, kernel_inputs(kernel, 0, shape))
            torch.library.opcheck(kernel.overload, kernel.arguments(*inputs))
