"""The plans of a kernel: listed for every kind that has a choice, each once, the likely fastest first."""

from __future__ import annotations

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


def test_a_kernel_without_a_choice() -> None:
    kernel = kernel_named("MatmulRMSNorm")
    assert not kernel.plan_members
    assert kernel.split_plans({}, combinations(kernel.op)[0], CHIPS[0]) == ()
    assert kernel.trial_files(combinations(kernel.op)[0]) == ()
