"""Which values tests draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

if TYPE_CHECKING:
    from types import ModuleType

DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.uint8, torch.int32, torch.int64)


@pytest.fixture(scope="module")
def drawing() -> ModuleType:
    from opforge.testing.measuring import drawing

    return drawing


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("low", "high"), [(0, 5), (3, None), (None, 4), (1, 2), (None, None)])
def test_values_are_within_their_bounds(
    drawing: ModuleType, dtype: torch.dtype, low: int | None, high: int | None
) -> None:
    values = drawing.Values(min=low, below=high, sorted=True)
    drawn = drawing.draw((7, 1000), dtype, 3, values)
    assert drawn.dtype == dtype
    assert low is None or bool((drawn >= low).all())
    assert high is None or bool((drawn < high).all())
    assert bool((drawn.diff() >= 0).all())
    assert torch.equal(drawn, drawing.draw((7, 1000), dtype, 3, values))
    if (low, high) == (0, 5):
        assert not torch.equal(drawn, drawing.draw((7, 1000), dtype, 4, values))


def test_a_bound_that_is_arithmetic(drawing: ModuleType) -> None:
    values = drawing.Values(min=0, below="max(N, 1) * 2 - offset")
    drawn = drawing.draw((1000,), torch.int32, 1, values, {"N": 5, "offset": 3})
    assert set(drawn.tolist()) == set(range(7))


def test_both_ends_are_drawn(drawing: ModuleType) -> None:
    drawn = drawing.draw((2,), torch.int64, 1, drawing.Values(min=0, below="N"), {"N": 100_000})
    assert sorted(drawn.tolist()) == [0, 99_999]


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64, torch.uint8])
def test_unique_values(drawing: ModuleType, dtype: torch.dtype) -> None:
    drawn = drawing.draw((10, 20), dtype, 1, drawing.Values(min=0, below=200, unique=True))
    assert sorted(drawn.flatten().tolist()) == list(range(200))
    assert len(drawing.draw((200,), dtype, 1, drawing.Values(unique=True)).unique()) == 200


def test_values_that_do_not_exist(drawing: ModuleType) -> None:
    values = drawing.Values(min=0, below="N", unique=True)
    assert drawing.drawable(values, torch.int32, 5, {"N": 5})
    assert not drawing.drawable(values, torch.int32, 6, {"N": 5})
    assert not drawing.drawable(drawing.Values(min=0, below="N"), torch.int32, 1, {"N": 0})
    assert drawing.drawable(drawing.Values(min=0, below="N"), torch.int32, 0, {"N": 0})
    with pytest.raises(ValueError, match="not 6 different values"):
        drawing.draw((6,), torch.int32, 1, values, {"N": 5})


def test_a_case_without_possible_values_is_left_out() -> None:
    from opforge.testing.measuring import Input, Op, Size, Values

    op = Op(
        type="Gather",
        function=max,
        inputs={"table": Input(dims=("N", "H")), "keys": Input(dims=("T",), values=Values(min=0, below="N"))},
        columns=((torch.float32, torch.int32),),
        outputs=("rows",),
        sizes={"H": Size(max=300)},
    )
    cases = op.varied(0)
    assert {case.sizes["H"] for case in cases} == {0, 1, 7, 16, 255, 256, 257, 300}
    assert all(case.sizes["N"] or not case.sizes["T"] for case in cases)
    for case in cases[:20]:
        table, keys = case.inputs()
        assert not len(keys) or 0 <= int(keys.min()) <= int(keys.max()) < len(table)


def test_no_measured_case_is_without_possible_values() -> None:
    from opforge.testing.measuring import Input, Op, Values

    op = Op(
        type="Pick",
        function=max,
        inputs={"x": Input(dims=("N",)), "keys": Input(dims=("T",), values=Values(min=0, below="N", unique=True))},
        columns=((torch.float32, torch.int32),),
        outputs=("y",),
    )
    assert [case.label for case in op.cases(products=[], elements=[(4, 9), (9, 9), (33, 7)])] == ["9x9", "33x7"]
