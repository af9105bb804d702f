"""Any plan that `opforge tune` may try gives the same bits as the tiling's own choice; op_host finds its plan."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from generated_ops import ALL, Chip, GeneratedOps, generate, op, program_of
from tuned_ops import with_plans

from opforge.build.tuned_table import TunedPlan, kernel_digest
from opforge.plan.split_plan import SplitPlan
from opforge.program import Kernel
from opforge.soc import SocVersion
from opforge.spec.model import OpSpec, TensorSpec

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

CHIP = Chip(48)
VERSION = SocVersion("Ascend910B1", 24, 48)
TRIED = 6  # plans of each op, drawn from all; each at a size of its own


def with_dims(name: str, compute: str, inputs: dict[str, tuple[str, ...]]) -> OpSpec:
    dims = next(iter(inputs.values()))
    return OpSpec(
        name, tuple(TensorSpec(n, ALL, d) for n, d in inputs.items()), (), (TensorSpec("y", ALL, dims),), compute
    )


OPS = (
    op("AddGelu", "y = gelu(a + b)", ("a", "b")),
    with_dims("Scaled", "y = x * g", {"x": ("...", "H"), "g": ("H",)}),
    with_dims("Centred", "y = x - x.mean(-1, keepdim=True)", {"x": ("...", "H")}),
    replace(
        with_dims("Doubled", "y = 2.0 * (x @ w)", {"x": ("...", "H"), "w": ("H", "I")}),
        outputs=(TensorSpec("y", ALL, ("...", "I")),),
    ),
)
# Shapes of the inputs with `rows` rows and `columns` columns.
SHAPES = {
    "AddGelu": lambda rows, columns: {"a": (rows, columns), "b": (rows, columns)},
    "Scaled": lambda rows, columns: {"x": (rows, columns), "g": (columns,)},
    "Centred": lambda rows, columns: {"x": (rows, columns)},
    "Doubled": lambda rows, columns: {"x": (rows, 48), "w": (48, columns)},
}
SIZES = {"AddGelu": (97, 1000), "Scaled": (97, 1000), "Centred": (211, 300), "Doubled": (61, 300)}


def drawn_plans(kernel: Kernel, row: tuple[str, ...]) -> list[tuple[int, SplitPlan]]:
    """Some plans of an op, each with the number of columns at which it is tried."""
    rows, columns = SIZES[kernel.op.type]
    draw = random.Random(kernel.op.type)
    found = []
    for number in range(TRIED):
        ranked = kernel.split_plans(SHAPES[kernel.op.type](rows, columns + number), row, VERSION)
        found.append((columns + number, draw.choice(ranked).plan))
    return found


@pytest.fixture(scope="module")
def ops(tmp_path_factory: pytest.TempPathFactory, toolkit_root: Path) -> GeneratedOps:
    return generate(tmp_path_factory.mktemp("kernels"), toolkit_root, OPS)


@pytest.fixture(scope="module")
def kernels() -> dict[str, Kernel]:
    return {kernel.op.type: kernel for kernel in program_of(OPS).kernels}


@pytest.fixture(scope="module")
def tuned(
    ops: GeneratedOps, kernels: dict[str, Kernel], tmp_path_factory: pytest.TempPathFactory, toolkit_root: Path
) -> GeneratedOps:
    """The same ops, whose op_host has the plans."""
    plans = []
    for name, kernel in kernels.items():
        for dtype in ("float16", "float32"):
            row = (dtype,) * (len(kernel.op.inputs) + 1)
            for columns, plan in drawn_plans(kernel, row):
                rows = SIZES[name][0]
                shapes = SHAPES[name](rows, columns)
                digest = kernel_digest(ops.folder, name)
                plans.append(
                    TunedPlan(name, digest, VERSION.name, row, shapes, (rows, rows + 5), plan, 2.0, 1.0, 0.0, False)
                )
    return with_plans(ops, plans, kernels.values(), tmp_path_factory.mktemp("tuned") / "ops", toolkit_root)


def run(made: GeneratedOps, name: str, inputs: list[torch.Tensor], row: tuple[str, ...]) -> torch.Tensor:
    if made.graphs[name].products:
        return made.run_products(name, inputs, CHIP, {})[0]
    return made.run(name, inputs, CHIP, {}, row)[0]


@pytest.mark.parametrize("dtype", ["float16", "float32"])
@pytest.mark.parametrize("name", SIZES)
def test_plans_change_no_bit(
    ops: GeneratedOps, tuned: GeneratedOps, kernels: dict[str, Kernel], name: str, dtype: str
) -> None:
    row = (dtype,) * (len(kernels[name].op.inputs) + 1)
    other = 0
    for columns, plan in drawn_plans(kernels[name], row):
        generator = torch.Generator().manual_seed(columns)
        for rows in (SIZES[name][0], SIZES[name][0] + 5):
            shapes = list(SHAPES[name](rows, columns).values())
            inputs = [torch.randn(shape, generator=generator).to(getattr(torch, dtype)) for shape in shapes]
            before, after = run(ops, name, inputs, row), run(tuned, name, inputs, row)
            assert torch.equal(before, after), f"{plan} at {shapes}"
            results = [list(before.shape)]
            tilings = [each.tiling(name, [*map(list, shapes), *results], row, CHIP, {}) for each in (ops, tuned)]
            other += tilings[0] != tilings[1]
            assert tilings[1].blocks <= (plan.cores or CHIP.cores)
    assert other >= TRIED  # most plans differ from the tiling's own choice


@pytest.mark.parametrize("name", SIZES)
def test_other_sizes_dtypes_and_chips_have_no_plan(
    ops: GeneratedOps, tuned: GeneratedOps, kernels: dict[str, Kernel], name: str
) -> None:
    rows, columns = SIZES[name]

    def same(rows: int, columns: int, dtype: str, chip: Chip) -> bool:
        row = (dtype,) * (len(kernels[name].op.inputs) + 1)
        shapes = [list(shape) for shape in SHAPES[name](rows, columns).values()]
        shapes.append([rows, columns])
        return ops.tiling(name, shapes, row, chip, {}) == tuned.tiling(name, shapes, row, chip, {})

    assert same(rows - 1, columns, "float16", CHIP)
    assert same(rows + 6, columns, "float16", CHIP)
    assert same(rows, columns + TRIED, "float16", CHIP)
    assert same(rows, columns, "bfloat16", CHIP)
    assert same(rows, columns, "float16", Chip(40))
