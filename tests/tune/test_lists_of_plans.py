"""The plans of a kernel: listed for every kind that has a choice, each once, the likely fastest first."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from opforge.ir.op_graphs import build_graph
from opforge.kinds import kernel_of
from opforge.program import Kernel
from opforge.soc import SOCS, SocVersion
from opforge.spec import catalog
from opforge.spec.combinations import combinations
from opforge.tune.tuned_sizes import Size

CHIPS = [SocVersion("Ascend910B1", 24, 48), SocVersion("Ascend910B3", 20, 40), SocVersion("Small", 1, 2)]


def kernel_named(name: str) -> Kernel:
    op = catalog.entry(name)
    assert op is not None
    return kernel_of(op, (SOCS["ascend910b"],), build_graph(op))


@pytest.mark.parametrize("chip", CHIPS, ids=lambda chip: chip.name)
@pytest.mark.parametrize(
    ("name", "size"),
    [
        ("VectorAdd", "...=1"),
        ("VectorAdd", "...=7x40961"),
        ("Softmax", "...=300,H=700"),
        ("Softmax", "...=3,H=100003"),  # no row fits in a tile
        ("GroupNorm", "N=4,G=8,C=16,L=64"),
        ("SwiGLU", "...=1,H=1,I=1"),
        ("SwiGLU", "...=128,H=512,I=1376"),
        ("Linear", "...=16,K=64,N=48,bias=none"),
    ],
)
def test_plans(name: str, size: str, chip: SocVersion) -> None:
    kernel = kernel_named(name)
    assert kernel.plan_members
    given = {each: shape for each, shape in Size.parse(size).shapes(kernel).items() if shape is not None}
    for row in combinations(kernel.op, "ascend910b"):
        plans = kernel.split_plans(given, row, chip)
        assert plans
        assert len({tuple(vars(each.plan).values()) for each in plans}) == len(plans)
        assert [each.work for each in plans] == sorted(each.work for each in plans)
        assert all(1 <= each.plan.cores <= chip.vector_cores for each in plans)


def product_kernel(*, shares: bool) -> Kernel:
    op = catalog.entry("PlainMatmul")
    assert op is not None
    op = replace(op, batch_invariant=not shares)
    return kernel_of(op, (SOCS["ascend910b"],), build_graph(op))


def members_of(kernel: Kernel, m: int, k: int, n: int, chip: SocVersion = CHIPS[0]) -> set[str]:
    shapes = dict(zip((each.name for each in kernel.op.inputs), ((m, k), (k, n)), strict=True))
    plans = kernel.split_plans(shapes, ("float16",) * 3, chip)
    found = {name for each in plans for name in each.plan.chosen}
    assert found <= set(kernel.plan_members)
    return found


def test_what_is_tried_for_products() -> None:
    """Parts of K where sums may be shared; other orders of tiles if L2 does not hold the operands."""
    plain, shared = product_kernel(shares=False), product_kernel(shares=True)
    tiles = {"cores", "tile_rows", "tile_columns"}
    assert members_of(plain, 128, 4096, 4096) == tiles | {"load_blocks"}
    assert members_of(plain, 8192, 8192, 8192) == tiles | {"load_blocks", "tile_group"}
    assert members_of(plain, 128, 16, 128) == tiles  # one block of K
    assert members_of(shared, 128, 4096, 4096) == tiles | {"load_blocks", "inner_parts"}
    assert members_of(shared, 8192, 8192, 8192) == tiles | {"load_blocks", "inner_parts", "tile_group"}


def test_cores_that_are_cube_and_vector_core_have_tiles_alone() -> None:
    chip = SocVersion("Ascend310P3", 8, 7)
    assert members_of(product_kernel(shares=False), 8192, 8192, 8192, chip) == {"cores", "tile_rows", "tile_columns"}


def test_parts_of_k_are_legal_numbers() -> None:
    """Each is another split, in whole lines of memory, and no split has more parts than there are cores to take."""
    kernel = product_kernel(shares=True)
    shapes = dict(zip((each.name for each in kernel.op.inputs), ((16, 5003), (5003, 64)), strict=True))
    plans = [each.plan for each in kernel.split_plans(shapes, ("float16",) * 3, CHIPS[0])]
    assert all(plan.inner_parts for plan in plans)
    assert {plan.inner_parts for plan in plans} == {1, 2, 3, 4, 5, 7, 10, 20}  # of 20 lines


def test_ranking_many_plans_takes_little_time() -> None:
    kernel = product_kernel(shares=True)
    shapes = dict(zip((each.name for each in kernel.op.inputs), ((256, 65536), (65536, 512)), strict=True))
    begun = time.process_time()
    plans = [kernel.split_plans(shapes, ("float16",) * 3, CHIPS[0]) for _ in range(5)]
    assert sum(map(len, plans)) > 10_000
    assert time.process_time() - begun < 2


def test_a_kernel_without_a_choice() -> None:
    kernel = kernel_named("MatmulRMSNorm")
    assert not kernel.plan_members
    assert kernel.split_plans({}, combinations(kernel.op)[0], CHIPS[0]) == ()
    assert kernel.trial_files(combinations(kernel.op)[0]) == ()
