"""Kernels on every storage type, and with every kind of signature: optional, in place, symbols, several dtypes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import pytest
import torch
from generated_ops import Chip, GeneratedOps, TilingRefusedError

from opforge.ir.evaluate import evaluate
from opforge.spec.combinations import combinations

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

SMALL = Chip(1, 20 * 1024)  # one core with little UB: many tiles of a few hundred elements
ODD = Chip(7, 20 * 1024)
WHOLE = Chip(48)
# Shapes for ops of two inputs, each with the first one's shape broadcast in some way.
PAIRS = (
    ((0,), (0,)),
    ((1,), (1,)),
    ((31,), (31,)),
    ((1031,), (1031,)),
    ((9, 33), (33,)),
    ((9, 33), (9, 1)),
    ((2, 3001), ()),
    ((3, 1, 5), (1, 4, 1)),
    ((300, 3), (3,)),
)


def tensor(shape: Sequence[int], dtype: str, seed: int) -> torch.Tensor:
    """Random truth values; numbers about 1 of either sign; integers of all sizes that float32 holds."""
    generator = torch.Generator().manual_seed(seed)
    kind: torch.dtype = getattr(torch, dtype)
    if kind == torch.bool:
        return torch.randint(0, 2, tuple(shape), generator=generator) == 1
    if kind.is_floating_point:
        return (torch.rand(tuple(shape), generator=generator) * 4 - 2).to(kind)
    limits = torch.iinfo(kind)
    low, high = max(limits.min, -(2**24)), min(limits.max, 2**24)
    return torch.randint(low, high + 1, tuple(shape), generator=generator).to(kind)


def check(  # noqa: PLR0917 - they read in the order of the call
    ops: GeneratedOps,
    name: str,
    inputs: Sequence[torch.Tensor | None],
    chip: Chip,
    row: tuple[str, ...],
    attrs: Mapping[str, float] | None = None,
) -> None:
    """The kernel gives what the graph means, to the bit."""
    op = ops.ops[name]
    values = {a.name: float(a.default or 0) for a in op.attrs} | dict(attrs or {})
    dtypes = {t.name: getattr(torch, d) for t, d in zip(op.outputs, row[len(op.inputs) :], strict=True)}
    given = {t.name: i for t, i in zip(op.inputs, inputs, strict=True)}
    wanted = evaluate(ops.graphs[name], given, values, dtypes)
    for output, result in zip(op.outputs, ops.run(name, inputs, chip, values, row), strict=True):
        torch.testing.assert_close(
            result, wanted[output.name], rtol=0, atol=0, equal_nan=True,
            msg=lambda text, output=output: f"{name}.{output.name} {row} on {chip}\n{text}",
        )  # fmt: skip


def check_pairs(ops: GeneratedOps, name: str, pairs: Sequence[tuple[Sequence[int], ...]] = PAIRS) -> None:
    """All rows, all shapes, the pair turned round too; further inputs have the first one's shape."""
    count = len(ops.ops[name].inputs)
    for row in combinations(ops.ops[name]):
        for pair in pairs:
            for turned in dict.fromkeys((pair, pair[::-1])):
                shapes = (*turned, *[turned[0]] * (count - 2))
                inputs = [tensor(s, d, seed) for seed, (s, d) in enumerate(zip(shapes, row, strict=False))]
                check(ops, name, inputs, SMALL if math.prod(pair[0]) < 1000 else ODD, row)


@pytest.mark.parametrize("name", ["Mixed", "Masked", "Whole", "FromBool", "FromInteger", "ToInteger"])
def test_every_row_and_broadcast(typed_ops: GeneratedOps, name: str) -> None:
    check_pairs(typed_ops, name)


@pytest.mark.parametrize("name", ["Masked", "ToInteger", "Whole", "FromInteger"])
def test_sizes_around_a_tile(typed_ops: GeneratedOps, name: str) -> None:
    """Single bytes have tiles of the same elements as the rest: their queues are the narrow ones."""
    plan, op = typed_ops.plans[name], typed_ops.ops[name]
    for column, row in enumerate(combinations(op)):
        tile = (SMALL.ub - 256 - plan.reserved) // plan.bytes_per_element(column) // 256 * 256
        for size in (tile - 1, tile, tile + 1, 3 * tile - 5):
            inputs = [tensor((size,), d, seed) for seed, d in enumerate(row[: len(op.inputs)])]
            check(typed_ops, name, inputs, SMALL, row)
    largest = next(t for t in plan.tiles if t.soc == "ascend910b")
    for chip, size in ((Chip(1), largest.elements + 1), (WHOLE, 100003)):
        inputs = [tensor((size,), d, seed) for seed, d in enumerate(largest.dtypes[: len(op.inputs)])]
        check(typed_ops, name, inputs, chip, largest.dtypes)


def test_casts_alone(typed_ops: GeneratedOps) -> None:
    (row,) = combinations(typed_ops.ops["Recast"])
    for shape in ((0,), (1,), (1031,), (7, 65)):
        check(typed_ops, "Recast", [tensor(shape, "bool", 1)], SMALL, row)


def test_integers_wrap_around(typed_ops: GeneratedOps) -> None:
    ends = torch.tensor([0, 1, -1, 2**31 - 1, -(2**31), 65536, -65537, 46341], dtype=torch.int32)
    a, b = (grid.contiguous() for grid in torch.meshgrid(ends, ends, indexing="ij"))
    for count in (3, 0, -(2**30)):
        check(typed_ops, "Whole", [a, b], SMALL, typed_ops.row("Whole", [a, b]), {"count": count})


def test_casts_cut_the_fraction_off(typed_ops: GeneratedOps) -> None:
    """Numbers just below an integer must not be rounded up to it on the way through half."""
    near = [99.99999, 0.99999994, -0.99999994, 126.99999, 0.5, -0.5, 2.0, 1e-30, 0.0]
    y = torch.tensor(near, dtype=torch.float32)
    (row,) = combinations(typed_ops.ops["ToInteger"])
    check(typed_ops, "ToInteger", [torch.ones(len(near), dtype=torch.float16), y], SMALL, row)
    y = torch.tensor([-99.99999, -127.99999, -1.5, -3.0], dtype=torch.float32)
    results = typed_ops.run("ToInteger", [torch.ones(4, dtype=torch.float16), y], SMALL, {}, row)
    for output, result in zip(typed_ops.ops["ToInteger"].outputs, results, strict=True):
        sign = 1 if output.name == "as_uint8" else -1
        assert result.tolist() == [sign * 99, sign * 127, sign, sign * 3], output.name


def test_what_is_not_given(typed_ops: GeneratedOps) -> None:
    op = typed_ops.ops["Optional"]
    for row in combinations(op):
        for shape, of_bias in (((1031,), (1031,)), ((7, 65), (65,)), ((7, 65), None), ((0,), None), ((4099,), None)):
            x, m = tensor(shape, row[0], 1), tensor(shape, "bool", 2)
            bias = None if of_bias is None else tensor(of_bias, row[1], 3)
            check(typed_ops, "Optional", [x, bias, m], ODD, row)
            check(typed_ops, "Optional", [x, bias, m[..., :1].contiguous()], SMALL, row)
    flat = typed_ops.tiling("Optional", [[5], None, [5], [5]], combinations(op)[0], WHOLE, {})
    assert flat.key == 0, "what is missing asks for no broadcast"


def test_in_place(typed_ops: GeneratedOps) -> None:
    """The result is over x; w broadcasts, x cannot."""
    for row in combinations(typed_ops.ops["InPlace"]):
        for shapes in (((1031,), (1031,)), ((9, 33), (33,)), ((9, 33), (9, 1)), ((4099,), ()), ((0,), (0,))):
            inputs = [tensor(s, d, seed) for seed, (s, d) in enumerate(zip(shapes, row, strict=False))]
            check(typed_ops, "InPlace", inputs, ODD, row)


def test_symbols(typed_ops: GeneratedOps) -> None:
    """H is the same everywhere: 1 does not broadcast there, and a tensor without symbols broadcasts as ever."""
    row = ("float32",) * 4
    for shapes in (((5, 33), (33,), ()), ((2, 3, 1), (1,), (3, 1)), ((7,), (7,), (5, 7)), ((0, 4), (4,), (4,))):
        check(typed_ops, "Symbols", [tensor(s, "float32", seed) for seed, s in enumerate(shapes)], ODD, row)
    for shapes in (((5, 33), (1,), ()), ((5, 1), (33,), ()), ((5, 33), (5, 33), ()), ((), (1,), ())):
        with pytest.raises(TilingRefusedError):
            typed_ops.infer_shape("Symbols", [list(s) for s in shapes])


def test_a_number_of_the_callers(typed_ops: GeneratedOps) -> None:
    """It comes as a tensor of one element, with a dimension or without one, and results have x's shape."""
    for shape in ((5, 33), (1031,), (0, 3), (1,), ()):
        assert typed_ops.infer_shape("Number", [list(shape), [1]]) == [list(shape)]
        for of_gain in ((1,), ()):
            x, gain = tensor(shape, "float32", 1), tensor(of_gain, "float32", 2)
            if shape or not of_gain:
                check(typed_ops, "Number", [x, gain], ODD, ("float32",) * 3)


def test_names_of_tensors_meet_none_of_the_kernels(typed_ops: GeneratedOps) -> None:
    """They were compiled with them; the one that is called like a temporary is beside it."""
    (row,) = combinations(typed_ops.ops["Names"])
    inputs = [tensor((77,), d, seed) for seed, d in enumerate(row[:4])]
    (result, cubes) = typed_ops.run("Names", [*inputs, None], WHOLE, {}, row)
    halves, tiles, grid, number = inputs
    torch.testing.assert_close(result, torch.where(halves, (tiles.float().tanh() * grid.float()).half(), 1.0))
    assert torch.equal(cubes, (number + 1) * (number - 1) * (number + 2))
    text = (typed_ops.folder / "op_kernel" / "names_kernel.h").read_text(encoding="utf-8")
    assert "AscendC::LocalTensor<int32_t> intLocal0Local =" in text
    assert "AscendC::LocalTensor<int32_t> intLocal0 = " in text
