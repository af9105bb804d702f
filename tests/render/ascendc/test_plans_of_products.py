"""Plans of products: parts of K, loads and orders of tiles change no result; op_host refuses illegal ones."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from generated_ops import (
    ALL,
    PRODUCTS,
    SHARED_SUM_CHIPS,
    Chip,
    GeneratedOps,
    Tiling,
    TilingRefusedError,
    ascendc_files,
    compile_host,
    generate,
    program_of,
)
from shared_sum_ops import SHARED_SUMS
from test_matmul_host import SwiGLUTilingData
from test_shared_sums import TilingData
from tuned_ops import with_plans

from opforge.build.tuned_table import TunedPlan, kernel_digest, table_of
from opforge.plan.split_plan import SplitPlan
from opforge.render.ascendc.tuned_plans import tuned_header
from opforge.soc import SocVersion
from opforge.spec.model import OpSpec, TensorSpec

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

CHIP = Chip(48)
VERSION = SocVersion("Ascend910B1", 24, 48)
FUSED = OpSpec(
    "Doubled",
    (TensorSpec("a", ALL, ("M", "K")), TensorSpec("b", ALL, ("K", "N"))),
    (),
    (TensorSpec("y", ALL, ("M", "N")),),
    "y = 2.0 * (a @ b)",
)
PLAIN = next(each for each in PRODUCTS if each.type == "PlainMatmul")
OPS = (FUSED, PLAIN, *SHARED_SUMS[:2])
ROWS, INNER = 200, 5003


@dataclass(frozen=True)
class Planned:
    """A plan of an op for float16 and a number of columns, which nobody else has, and why it is illegal."""

    op: str
    columns: int
    plan: SplitPlan
    refusal: str = ""

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        if self.op == "SharedTwoProducts":
            return {"a": (INNER, ROWS), "b": (self.columns, INNER), "c": (self.columns, INNER)}
        left, right = (tensor.name for tensor in next(op for op in OPS if op.type == self.op).inputs)
        return {left: (ROWS, INNER), right: (INNER, self.columns)}

    @property
    def row(self) -> tuple[str, ...]:
        return ("float16",) * (len(self.shapes) + (2 if self.op == "SharedTwoProducts" else 1))


SMALL = SplitPlan(tile_rows=32, tile_columns=48)  # 7 x 7 tiles and more
LEGAL = (
    *(
        Planned(name, 300 + number, replace(SMALL, tile_group=group))
        for name in ("Doubled", "PlainMatmul")
        for number, group in enumerate((1, 2, 3, 7, 1000))
    ),
    *(
        Planned(name, 310 + number, SplitPlan(tile_rows=64, tile_columns=128, load_blocks=load))
        for name in ("Doubled", "PlainMatmul", "SharedPlainMatmul", "SharedTwoProducts")
        for number, load in enumerate((1, 2, 7))
    ),
    *(
        Planned(name, 320 + number, SplitPlan(tile_rows=128, tile_columns=256, inner_parts=parts, load_blocks=load))
        for name in ("SharedPlainMatmul", "SharedTwoProducts")
        for number, (parts, load) in enumerate(((1, 0), (2, 0), (5, 1), (7, 2), (20, 0)))
    ),
    # More parts of tiles than cube cores
    *(
        Planned(name, 330 + number, SplitPlan(tile_rows=64, tile_columns=64, inner_parts=parts))
        for name in ("SharedPlainMatmul", "SharedTwoProducts")
        for number, parts in enumerate((2, 3))
    ),
    Planned("SharedPlainMatmul", 340, replace(SMALL, inner_parts=1, tile_group=3)),
    Planned("SharedPlainMatmul", 341, SplitPlan(inner_parts=4)),
)
ILLEGAL = (
    Planned(
        "Doubled", 401, SplitPlan(tile_rows=128, tile_columns=256, load_blocks=11),
        "a plan loads 11 blocks of K at once: K has 79, of 64 elements, and L1 holds 10",
    ),
    Planned(
        "PlainMatmul", 401, SplitPlan(tile_rows=16, tile_columns=16, load_blocks=100),
        "a plan loads 100 blocks of K at once: K has 5, of 1024 elements, and L1 holds 7",
    ),
    Planned(
        "SharedPlainMatmul", 401, SplitPlan(tile_rows=16, tile_columns=16, inner_parts=5, load_blocks=3),
        "a plan loads 3 blocks of K at once: K has 1, of 1024 elements, and L1 holds 7",
    ),
    Planned(
        "SharedPlainMatmul", 402, SplitPlan(inner_parts=21),
        "a plan has 21 parts of K: 5003 elements make 20 parts of 256, in whole lines of memory",
    ),
    Planned(
        "SharedTwoProducts", 402, SplitPlan(inner_parts=9),
        "a plan has 9 parts of K: 5003 elements make 7 parts of 768, in whole lines of memory",
    ),
    Planned(
        "SharedPlainMatmul", 403, SplitPlan(inner_parts=2, tile_group=2),
        "a plan has 2 parts of K and takes 2 rows of tiles together: it can have one of them",
    ),
    Planned(
        "SharedPlainMatmul", 8_000_000, SplitPlan(inner_parts=2),
        "a plan has 2 parts of K, with 1600000000 elements each: copies step over 1073741824 at most",
    ),
)  # fmt: skip


def drawn() -> list[Planned]:
    """Some of the plans that are listed, of those with members of their own."""
    draw = random.Random(7)
    found = []
    for kernel in program_of(OPS).kernels:
        planned = Planned(kernel.op.type, 0, SplitPlan())
        for columns in range(500, 540):
            at = replace(planned, columns=columns * 16 if columns % 2 else columns)
            plans = [each.plan for each in kernel.split_plans(at.shapes, at.row, VERSION)]
            found.append(replace(at, plan=draw.choice([plan for plan in plans if plan.load_blocks])))
    return found


DRAWN = drawn()


@pytest.fixture(scope="module")
def ops(tmp_path_factory: pytest.TempPathFactory, toolkit_root: Path) -> GeneratedOps:
    return generate(tmp_path_factory.mktemp("kernels"), toolkit_root, OPS)


@pytest.fixture(scope="module")
def tuned(ops: GeneratedOps, tmp_path_factory: pytest.TempPathFactory, toolkit_root: Path) -> GeneratedOps:
    """The same ops, whose op_host has the plans."""
    plans = [
        TunedPlan(
            each.op, kernel_digest(ops.folder, each.op), VERSION.name, each.row, each.shapes, (ROWS, ROWS),
            each.plan, 2.0, 1.0, 0.0, False,
        )
        for each in (*LEGAL, *ILLEGAL, *DRAWN)
    ]  # fmt: skip
    return with_plans(ops, plans, program_of(OPS).kernels, tmp_path_factory.mktemp("tuned") / "ops", toolkit_root)


def exact(shape: tuple[int, ...], seed: int) -> torch.Tensor:
    """Eighths, as in the programs that try plans: sums of their products are exact in float32, in any order."""
    generator = torch.Generator().manual_seed(seed)
    return (torch.randint(-8, 9, shape, generator=generator) / 8).half()


def inputs_of(planned: Planned) -> list[torch.Tensor]:
    return [exact(shape, seed) for seed, shape in enumerate(planned.shapes.values())]


def tilings(ops: GeneratedOps, planned: Planned, chip: Chip = CHIP) -> Tiling:
    results = [[ROWS, planned.columns]] * (len(planned.row) - len(planned.shapes))
    return ops.tiling(planned.op, [*map(list, planned.shapes.values()), *results], planned.row, chip, {})


def told(ops: GeneratedOps, planned: Planned) -> Mapping[str, int]:
    """The members of a plan as the tiling data has them."""
    layout = TilingData if planned.op.startswith("Shared") else SwiGLUTilingData
    data = layout.from_buffer_copy(tilings(ops, planned).data.ljust(ctypes.sizeof(layout), b"\0"))
    return {
        "tile_group": data.tileGroup,
        "load_blocks": data.cube.stepKa,
        "inner_parts": getattr(data, "partCount", 1),
        "depth": data.cube.depthA1,
    }


@pytest.mark.parametrize("planned", LEGAL, ids=lambda each: f"{each.op}-{each.columns}")
def test_plans_change_no_result(ops: GeneratedOps, tuned: GeneratedOps, planned: Planned) -> None:
    inputs = inputs_of(planned)
    before, after = (made.run_products(planned.op, inputs, CHIP, {}) for made in (ops, tuned))
    for one, other in zip(before, after, strict=True):
        assert torch.equal(one, other)
    found = told(tuned, planned)
    for name in ("load_blocks", "inner_parts"):
        assert getattr(planned.plan, name) in (0, found[name]), name
    assert found["tile_group"] == max(1, min(planned.plan.tile_group, -(-ROWS // SMALL.tile_rows)))
    assert found["depth"] in (found["load_blocks"], 2 * found["load_blocks"])


@pytest.mark.parametrize("planned", ILLEGAL, ids=lambda each: f"{each.op}-{each.columns}")
def test_illegal_plans_are_refused(
    ops: GeneratedOps, tuned: GeneratedOps, planned: Planned, capfd: pytest.CaptureFixture[str]
) -> None:
    tilings(ops, planned)
    with pytest.raises(TilingRefusedError):
        tilings(tuned, planned)
    assert capfd.readouterr().err == f"[ERROR] {planned.op}: {planned.refusal}\n"


def test_listed_plans_are_legal(tuned: GeneratedOps) -> None:
    for planned in DRAWN:
        found = told(tuned, planned)
        for name, value in planned.plan.chosen.items():
            assert found.get(name, value) == value, planned


def test_parts_that_cannot_be_added_are_refused(tuned: GeneratedOps, capfd: pytest.CaptureFixture[str]) -> None:
    planned = next(each for each in LEGAL if each.plan.inner_parts == 20)
    tilings(tuned, planned)
    with pytest.raises(TilingRefusedError):
        tilings(tuned, planned, SHARED_SUM_CHIPS[0])
    told = capfd.readouterr().err
    assert told == f"[ERROR] {planned.op}: a plan has 20 parts of K: 20224 bytes of UB cannot add so many\n"


def test_loads_and_orders_keep_the_bits_of_any_numbers(ops: GeneratedOps, tuned: GeneratedOps) -> None:
    """Not of numbers alone whose sums are exact: they add in the same order."""
    for planned in LEGAL:
        if planned.op in ("Doubled", "PlainMatmul"):
            inputs = [torch.randn(shape).half() for shape in planned.shapes.values()]
            before, after = (made.run_products(planned.op, inputs, CHIP, {})[0] for made in (ops, tuned))
            assert torch.equal(before, after), planned


MISTAKES = {
    "the last group as high as the others": (
        "Doubled", "opforge/tile_matmul.h",
        {"tile_io::Least(rowTiles - firstRow, grid.tileGroup)": "grid.tileGroup"},
    ),
    "rows and columns exchanged": (
        "Doubled", "opforge/tile_matmul.h",
        {"tileNumber % groupTiles % groupRows": "tileNumber % groupTiles / groupRows"},
    ),
    "groups without their columns": (
        "PlainMatmul", "plain_matmul_kernel.h",
        {"tiling->tileGroup * tiling->columnTiles": "tiling->tileGroup"},
    ),
    "one part for each core": (
        "SharedPlainMatmul", "opforge/product_parts.h",
        {"work += AscendC::GetBlockNum()": "work += tiling->tileCount * partCount"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("mistake", MISTAKES)
def test_wrong_orders_are_seen(ops: GeneratedOps, tuned: GeneratedOps, tmp_path: Path, mistake: str) -> None:
    """A kernel that is right for the tiling's own choice alone."""
    name, file, wrong = MISTAKES[mistake]
    other = tuned.with_mistake(tmp_path, file, wrong)
    wanted = [each for each in LEGAL if each.op == name and (each.plan.tile_group == 3 or each.columns == 331)]
    seen = 0
    for planned in wanted:
        inputs = inputs_of(planned)
        right = ops.run_products(name, inputs, CHIP, {})[0]
        try:
            seen += not torch.equal(other.run_products(name, inputs, CHIP, {})[0], right)
        except Exception:  # noqa: BLE001  (the simulated device refuses a launch that leaves its tensors)
            seen += 1
    assert seen


COUPLED = replace(
    FUSED,
    type="CoupledDoubled",
    inputs=tuple(replace(tensor, dtypes=("float16",)) for tensor in FUSED.inputs),
    outputs=tuple(replace(tensor, dtypes=("float16",)) for tensor in FUSED.outputs),
)
INFERENCE = SocVersion("Ascend310P3", 8, 7)


@pytest.mark.parametrize(
    ("columns", "members", "refusal"),
    [
        (
            64,
            {"load_blocks": 1},
            "a plan loads 1 blocks of K at once: cores that are both cube and vector core load one",
        ),
        (75, {"tile_group": 2}, "a plan takes 2 rows of tiles together: a row of 75 elements stays on one core"),
        (64, {"tile_group": 2}, ""),
    ],
)
def test_cores_that_are_cube_and_vector_core(  # noqa: PLR0917
    tmp_path: Path,
    toolkit_root: Path,
    capfd: pytest.CaptureFixture[str],
    columns: int,
    members: dict[str, int],
    refusal: str,
) -> None:
    program = program_of([COUPLED], ["ascend910b", "ascend310p"])
    shapes = {"a": (ROWS, INNER), "b": (INNER, columns)}
    for file in ascendc_files(program):
        (tmp_path / file.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file.path).write_text(file.text, encoding="utf-8")
    plan = TunedPlan(
        COUPLED.type, kernel_digest(tmp_path, COUPLED.type), INFERENCE.name, ("float16",) * 3, shapes, (ROWS, ROWS),
        SplitPlan(tile_rows=64, tile_columns=16, **members), 2.0, 1.0, 0.0, False,
    )  # fmt: skip
    header = tuned_header(table_of([plan], program.kernels, tmp_path)[0])
    (tmp_path / header.path).write_text(header.text, encoding="utf-8")
    compile_host(tmp_path, toolkit_root)
    made = GeneratedOps(tmp_path, tmp_path, toolkit_root, {COUPLED.type: COUPLED}, {}, {})
    every = [*map(list, shapes.values()), [ROWS, columns]]
    chip: Any = INFERENCE
    if not refusal:
        data = made.tiling(COUPLED.type, every, ["float16"] * 3, chip, {}).data
        assert int.from_bytes(data[SwiGLUTilingData.tileGroup.offset :][:4], "little") == 2
        return
    with pytest.raises(TilingRefusedError):
        made.tiling(COUPLED.type, every, ["float16"] * 3, chip, {})
    assert capfd.readouterr().err == f"[ERROR] {COUPLED.type}: {refusal}\n"
