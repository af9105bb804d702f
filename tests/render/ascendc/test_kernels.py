"""Generated kernels compute what the graph means: every size, every dtype, every core count, every broadcast."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping

import pytest
import torch
from generated_ops import ALL, CHIPS, ROW_CHIPS, Chip, GeneratedOps

from opforge.ir.evaluate import evaluate

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

WHOLE = Chip(48)
SMALL = Chip(1, 20 * 1024)  # one core with little UB: many tiles of a few hundred elements
ODD = Chip(7, 20 * 1024)
BROADCASTS = (
    ((7, 13), (13,)),
    ((7, 13), (7, 1)),
    ((7, 13), ()),
    ((1,), (3, 1, 1)),
    ((3, 1, 5), (1, 4, 1)),
    ((300, 3), (3,)),
    ((3,), (300, 1)),
    ((2, 3001), (3001,)),
    ((2, 3001), (2, 1)),
    ((5, 1, 2, 1, 3, 1), (1, 4, 1, 5, 1, 7)),
    ((2, 1, 257), (1, 31, 257)),
    ((4, 0, 3), (3,)),
    ((4, 1), (0,)),
)
EXACT = {
    "VectorAdd",
    "Arithmetic",
    "Extremes",
    "Literals",
    "Bounds",
    "Shared",
    "Nine",
    "OnlyFloat",
    "Compared",
    "Forwarded",
    "Chosen",
    "Clamped",
}
# Beside the rounding of the result: exp of the vector unit is within 1 unit in the last place (documentation of Exp),
# which a product and a quotient multiply.
RELATIVE = {"float32": 2e-6, "float16": 2**-10, "bfloat16": 2**-7}


def tensor(shape: tuple[int, ...], dtype: str, seed: int) -> torch.Tensor:
    """Numbers about 1 of either sign, never 0: division is tested apart."""
    generator = torch.Generator().manual_seed(seed)
    values = torch.rand(shape, generator=generator) * 3 + 0.25
    signs = torch.randint(0, 2, shape, generator=generator) * 2 - 1
    return (values * signs).to(getattr(torch, dtype))


def check(
    ops: GeneratedOps, name: str, inputs: list[torch.Tensor], chip: Chip, attrs: Mapping[str, float] | None = None
) -> None:
    op = ops.ops[name]
    values = {a.name: float(a.default or 0) for a in op.attrs} | dict(attrs or {})
    dtype = str(inputs[0].dtype).removeprefix("torch.")
    wanted = evaluate(ops.graphs[name], {t.name: i for t, i in zip(op.inputs, inputs, strict=True)}, values)
    for output, result in zip(op.outputs, ops.run(name, inputs, chip, values), strict=True):
        tolerance = 0.0 if name in EXACT else RELATIVE[dtype]
        torch.testing.assert_close(
            result, wanted[output.name], rtol=tolerance, atol=tolerance, equal_nan=True,
            msg=lambda text, output=output: f"{name}.{output.name} {dtype} on {chip}\n{text}",
        )  # fmt: skip


def names(ops: GeneratedOps) -> list[tuple[str, str]]:
    return [(o.type, dtype) for o in ops.ops.values() for dtype in o.inputs[0].dtypes]


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["a_sample", "all"])
def test_every_op_in_every_dtype(ops: GeneratedOps, *, every: bool) -> None:
    pairs = names(ops)
    for name, dtype in pairs if every else random.Random(len(pairs)).sample(pairs, len(pairs) // 9):
        count = len(ops.ops[name].inputs)
        plan = ops.plans[name]
        tile = 256 * max(plan.bytes_per_element(column) for column in range(len(ops.ops[name].inputs[0].dtypes)))
        small = SMALL if tile <= SMALL.ub - 256 - plan.reserved else ROW_CHIPS[0]
        for chip in (WHOLE, small):
            check(ops, name, [tensor((1031,), dtype, seed) for seed in range(count)], chip)


@pytest.mark.parametrize("dtype", ALL)
def test_every_size(ops: GeneratedOps, dtype: str) -> None:
    for name in ("VectorAdd", "SiluMul"):
        plan = ops.plans[name]
        column = ops.ops[name].inputs[0].dtypes.index(dtype)
        small = (SMALL.ub - 256) // plan.bytes_per_element(column) // 256 * 256
        tile = ops.tile_elements(name, dtype)
        for chip, sizes in (
            (SMALL, (0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, small - 1, small, small + 1, 2 * small + 1, 10007)),
            (Chip(1), (tile - 1, tile, tile + 1, 3 * tile - 5)),
            (WHOLE, (0, 1, 127, 128, 129, 48 * 128 + 1, 48 * tile // 4 + 3, 100003)),
        ):
            for size in sizes:
                check(ops, name, [tensor((size,), dtype, seed) for seed in (1, 2)], chip)


@pytest.mark.parametrize("dtype", ALL)
def test_every_broadcast(ops: GeneratedOps, dtype: str) -> None:
    for shapes in BROADCASTS:
        for turned in (shapes, shapes[::-1]):
            for chip in CHIPS[:-1]:
                inputs = [tensor(shape, dtype, seed) for seed, shape in enumerate(turned)]
                check(ops, "VectorAdd", inputs, chip)
        check(ops, "SiluMul", [tensor(shape, dtype, seed) for seed, shape in enumerate(shapes)], ODD)


def test_random_broadcasts(ops: GeneratedOps) -> None:
    chance = random.Random(20)
    for _ in range(150):
        shape = [chance.choice((1, 2, 3, 5, 8, 17, 40)) for _ in range(chance.randint(0, 6))]
        while math.prod(shape) > 60000:
            shape.pop()
        shapes = [
            tuple(1 if chance.random() < 0.3 else d for d in shape)[
                chance.randint(0, len(shape)) if chance.random() < 0.4 else 0 :
            ]
            for _ in range(4)
        ]
        dtype = chance.choice(ALL)
        chip = chance.choice(CHIPS[:-1])
        check(ops, "Deep", [tensor(s, dtype, seed) for seed, s in enumerate(shapes)], chip)


def test_scalars_come_from_attributes(ops: GeneratedOps) -> None:
    for attrs in ({"alpha": 0.0, "count": -7}, {"alpha": -2.5, "count": 0}):
        for dtype in ALL:
            check(ops, "Scalars", [tensor((5, 33), dtype, 1), tensor((33,), dtype, 2)], ODD, attrs)
            check(ops, "Bounds", [tensor((5, 33), dtype, 1)], ODD, attrs)


@pytest.mark.parametrize(
    "name",
    [
        *("Unary", "Sigmoid", "SiluMul", "Arithmetic", "Literals", "Bounds", "Extremes", "Compared"),
        *("Roots", "Curves", "Chosen", "Clamped", "Logarithms", "Exponentials", "Rounded", "Smooth", "Units", "Hard"),
        *("Joined", "Waves"),
    ],
)
def test_special_values(ops: GeneratedOps, name: str) -> None:
    """Zeros, infinities, NaN and what overflows; min and max of NaN are not documented for the vector unit."""
    special = [0.0, -0.0, math.inf, -math.inf, 88.0, -88.0, 100.0, -104.0, 6e4, -6e4, 1e-7, 1.0, -1.0]
    if name not in {"Bounds", "Extremes", "Clamped", "Exponentials", "Smooth", "Units", "Hard"}:
        special.append(math.nan)
    count = len(ops.ops[name].inputs)
    for dtype in ALL:
        values = torch.tensor(special, dtype=getattr(torch, dtype))
        grid = torch.meshgrid(*[values] * count, indexing="ij") if count > 1 else (values,)
        check(ops, name, [g.contiguous() for g in grid], SMALL)


def test_names_of_tensors_may_be_the_kernels_own(ops: GeneratedOps) -> None:
    """Clash was compiled and run above; here, that it is the case it is meant to be."""
    assert any(b.place.kind == "temp" for b in ops.plans["Clash"].floats)
    text = (ops.folder / "op_kernel" / "clash_kernel.h").read_text(encoding="utf-8")
    assert "AscendC::LocalTensor<float> tmpLocal0Local =" in text
    assert "AscendC::LocalTensor<float> tmpLocal0 = Buffer<float, kTmpBuffer0>();" in text
    assert "Init(GM_ADDR op_, GM_ADDR tmp_local0, GM_ADDR tile, GM_ADDR pipe_, " in text
