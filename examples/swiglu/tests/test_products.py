"""Matrix products and their epilogues on the NPU against the golden reference in float64 on the CPU.

Every dtype; sizes around the tiles of the kernel and around the cube's blocks of 16; nothing to add, nothing to write.
"""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from operators import identify
from precision import assert_product_close, kernel_inputs, product_inputs
from product_cases import GRADIENT_KERNELS, PRODUCT_COMBINATIONS, PRODUCTS, GradientKernel, ProductCase, Sizes

TERMS = [0, 1, 15, 16, 17, 63, 127, 257]
EVERY = pytest.mark.parametrize(("op", "column"), PRODUCT_COMBINATIONS, ids=identify)
EVERY_KERNEL = pytest.mark.parametrize("kernel", GRADIENT_KERNELS, ids=identify)


def check(op: ProductCase, on_cpu: list[Tensor | None], on_npu: list[Tensor | None] | None = None) -> None:
    if on_npu is None:
        on_npu = [None if tensor is None else tensor.npu() for tensor in on_cpu]
    goldens = op.golden(*(None if tensor is None else tensor.double() for tensor in on_cpu))
    shaped = op.golden(*(None if tensor is None else tensor.to("meta") for tensor in on_cpu))
    for i, (output, golden, like) in enumerate(zip(op(*on_npu), goldens, shaped, strict=True)):
        assert output.device.type == "npu"
        assert output.is_contiguous()
        assert_product_close(output, golden.to(like.dtype), f"{op.name}'s output {i} for {list(output.shape)}")


@EVERY
def test_terms(op: ProductCase, column: int) -> None:
    for terms in TERMS:
        check(op, [*product_inputs(op, column, ((5,), 33, terms))])


@EVERY
def test_rows_and_columns(op: ProductCase, column: int) -> None:
    rows, columns = op.tile
    for m in (1, 2, 31, rows - 1, rows, rows + 1):
        check(op, [*product_inputs(op, column, ((m,), 19, 17))])
    for n in (1, 2, 15, 16, 17, columns - 1, columns, columns + 1):
        check(op, [*product_inputs(op, column, ((3,), n, 17))])


@EVERY
def test_many_tiles(op: ProductCase, column: int) -> None:
    rows, columns = op.tile
    several: list[Sizes] = [
        ((2 * rows + 3,), 2 * columns + 5, 67),
        ((8 * rows + 1,), 7, 33),  # tall
        ((2,), 8 * columns + 1, 33),  # wide
        ((1009,), 257, 127),
    ]
    for sizes in several:
        check(op, [*product_inputs(op, column, sizes)])


@pytest.mark.parametrize("op", PRODUCTS, ids=identify)
def test_several_tiles_on_each_core(op: ProductCase) -> None:
    # 145 tiles, five to a row: more than 40 or 48 cores have at once, so that a core goes on to other rows and fills
    # each of its places for tiles again.
    rows, columns = op.tile
    check(op, [*product_inputs(op, 0, ((28 * rows + 5,), 4 * columns + 3, 19))])


@EVERY
def test_nothing_to_write(op: ProductCase, column: int) -> None:
    for sizes in (((0,), 33, 17), ((5,), 0, 17), ((0,), 0, 0)):
        check(op, [*product_inputs(op, column, sizes)])


@pytest.mark.parametrize("rows", [(), (1,), (3, 5), (2, 1, 3), (2, 0, 3), (2, 1, 2, 1, 3, 1, 5)], ids=str)
@pytest.mark.parametrize(
    ("op", "column"), [(op, column) for op, column in PRODUCT_COMBINATIONS if op.folds], ids=identify
)
def test_leading_dimensions(op: ProductCase, column: int, rows: tuple[int, ...]) -> None:
    check(op, [*product_inputs(op, column, (rows, 19, 33))])


@pytest.mark.parametrize("op", PRODUCTS, ids=identify)
def test_an_inner_axis_beyond_16_bits(op: ProductCase) -> None:
    if op.symbols[1] == op.symbols[2]:
        pytest.skip("its weight is square: 65537 of each would be too many")
    check(op, [*product_inputs(op, 0, ((2,), 3, 65537))])
    check(op, [*product_inputs(op, 0, ((2,), 65537, 3))])


@EVERY
def test_views(op: ProductCase, column: int) -> None:
    # What lies in memory, and how it is seen.
    layouts = {
        "transposed": (lambda t: t.transpose(0, -1).contiguous(), lambda t: t.transpose(0, -1)),
        "every second": (lambda t: t.repeat_interleave(2, -1), lambda t: t[..., ::2]),
        "with a storage offset": (lambda t: torch.cat([t[:1], t]), lambda t: t[1:]),
    }
    values = product_inputs(op, column, ((37,), 23, 19))
    for laid, seen in layouts.values():
        check(op, [*values], [seen(laid(tensor).npu()) for tensor in values])
    alike = [tensor[:1].expand(tensor.shape) for tensor in values]
    check(op, [*alike], [tensor.npu()[:1].expand(tensor.shape) for tensor in values])


@pytest.mark.parametrize(
    ("op", "column"), [(op, column) for op, column in PRODUCT_COMBINATIONS if op.optional], ids=identify
)
def test_without_what_is_optional(op: ProductCase, column: int) -> None:
    for sizes in (((5,), 33, 17), ((2 * op.tile[0] + 3,), op.tile[1] + 1, 67), ((4,), 7, 0)):
        values: list[Tensor | None] = [*product_inputs(op, column, sizes)]
        for i, name in enumerate(op.inputs):
            if name in op.optional:
                values[i] = None
        check(op, values)


@EVERY
def test_infinities_and_nan_stay_in_their_rows(op: ProductCase, column: int) -> None:
    if not op.inputs or op.symbols[0] not in next(iter(op.inputs.values())):
        pytest.skip("its first input has no rows")
    values = product_inputs(op, column, ((5,), 33, 17))
    clean = op.golden(*values)
    lead = 0 if next(iter(op.inputs.values()))[0] == op.symbols[0] else 1
    values[0].select(lead, 2).fill_(float("nan"))
    for output, golden in zip(op(*(tensor.npu() for tensor in values)), clean, strict=True):
        others = [0, 1, 3, 4]
        assert output[2].isnan().all() or not golden[2].isfinite().all()
        assert_product_close(output[others], golden[others], "a row beside one of NaN")


@pytest.mark.parametrize("op", PRODUCTS, ids=identify)
def test_another_stream(op: ProductCase) -> None:
    values = product_inputs(op, 0, ((129,), 257, 65))
    on_npu = [tensor.npu() for tensor in values]
    stream = torch.npu.Stream()
    stream.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(stream):
        outputs = op(*on_npu)
    stream.synchronize()
    for output, golden in zip(outputs, op.golden(*values), strict=True):
        assert_product_close(output, golden)


@pytest.mark.parametrize("op", PRODUCTS, ids=identify)
def test_memory_is_given_back(op: ProductCase) -> None:
    inputs = [tensor.npu() for tensor in product_inputs(op, 0, ((33,), 17, 65))]
    op(*inputs)
    torch.npu.synchronize()
    before = torch.npu.memory_allocated()
    for _ in range(20):
        op(*inputs)
    torch.npu.synchronize()
    assert torch.npu.memory_allocated() == before


@EVERY_KERNEL
def test_kernels_of_derivatives(kernel: GradientKernel) -> None:
    for column, tile in enumerate(kernel.tiles):
        for shape in ((0,), (1,), (3, 5), (1009,), (tile - 1,), (tile,), (tile + 1,), (3, tile + 7)):
            values = kernel_inputs(kernel, column, shape)
            outputs = kernel(*(tensor.npu() for tensor in values))
            for output, golden in zip(outputs, kernel.golden(*values), strict=True):
                assert_product_close(output, golden, f"{kernel.name} for {list(shape)}")


@EVERY_KERNEL
def test_kernels_of_derivatives_read_views_where_they_are(kernel: GradientKernel) -> None:
    values = kernel_inputs(kernel, 0, (37, 23))
    outputs = kernel(*(tensor.npu().t() for tensor in values))
    for output, golden in zip(outputs, kernel.golden(*(tensor.t() for tensor in values)), strict=True):
        assert_product_close(output, golden)
