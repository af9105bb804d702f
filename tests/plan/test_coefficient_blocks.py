"""The blocks of coefficients: each function has its own, they share no UB with tiles, and tiles are not too long."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

import pytest
from plan_ops import op, planned

from opforge.kinds import kernel_of
from opforge.kinds.rows import Rows
from opforge.kinds.rows.kept import _places
from opforge.plan.coefficient_blocks import BLOCK_BYTES, COEFFICIENTS, FILLING, blocks_of
from opforge.plan.steps import Step, Value
from opforge.plan.vector_model import Instruction, Place
from opforge.soc import SOCS
from opforge.spec.model import OpSpec, TensorSpec
from tests.header_polynomials import HEADER, coefficients
from tests.parsed import graph_of, parsed


def test_the_table_has_the_blocks_that_the_header_fills() -> None:
    """``Fill<kTanhNear, 2>`` fills one for each coefficient but the first two; a function has branches for types."""
    text = HEADER.read_text(encoding="utf-8")
    sizes = {f"k{name}": len(numbers) for name, numbers in coefficients().items()}
    assert {name: sizes[f"k{name}"] for name in COEFFICIENTS} == COEFFICIENTS
    filled = {}
    for name, body in re.findall(r"void (Fill\w+)\(const Tile& blocks\) \{(.*?)\}\n\n", text, re.DOTALL):
        branches = body.split("} else {")
        fills = [re.findall(r"Fill<(\w+), (\d)>", branch) for branch in branches]
        filled[name] = max(sum(sizes[array] - int(first) for array, first in branch) for branch in fills)
    assert filled == dict(FILLING.values())
    calls = re.findall(r"void (\w+)\([^)]*const Tile& blocks, uint32_t count[^)]*\) \{", text)
    assert {name for name in calls if not name.endswith("Polynomial")} - {"Wave"} == FILLING.keys()


def test_functions_follow_each_other() -> None:
    plan = planned(op("Curves", "y = tanh(a) + erf(b)\nz = gelu(a - b)", "a b"))
    found = sorted((i.block, i.name) for i in plan.instructions if i.block is not None)
    assert len(found) == 3
    for (block, name), (following, _) in pairwise(found):
        assert following == block + FILLING[name][1]
    assert blocks_of(plan.instructions) == 4 + 9 + 7


def test_calls_with_the_same_coefficients_share_blocks() -> None:
    """sin and cos have one polynomial. A tanh whose result is stored has another one in 16 bits."""
    waves = planned(op("Waves", "y = sin(a) - cos(b) * sin(a + b)", "a b"))
    assert {i.block for i in waves.instructions if i.name in ("Sin", "Cos")} == {0}
    both = planned(op("Both", "y = tanh(a)\nz = b - tanh(b)", "a b"))
    assert {(i.mode, i.block) for i in both.instructions if i.name == "Tanh"} == {("y", 0), (None, 4)}


def test_tiles_leave_room_for_the_blocks() -> None:
    without = planned(op("Plain", "y = abs(a) + 1.0", "a"))
    assert without.reserved == blocks_of(without.instructions) == 0
    gelu = planned(op("Gelu", "y = gelu(a)", "a"))
    shift = 256 if gelu.shifted else 0
    assert gelu.reserved == shift + 7 * BLOCK_BYTES


def test_a_polynomial_of_tiles_does_not_overwrite_its_operand() -> None:
    """Which it reads for each coefficient."""
    apart_from_operands(planned(op("Apart", "y = erfinv(a)\nz = atan(a) + erfc(a)", "a")).instructions, at_least=5)


@pytest.mark.parametrize(
    ("compute", "kept"),
    [
        ("y = x * erfinv(atan(sum(x, -1, keepdim=True)) * 0.1)", 0),
        ("z = x - mean(x, -1, keepdim=True)\nu = erfinv(z * 0.1)\ny = u / sum(erfinv(erfc(u)), -1, keepdim=True)", 3),
    ],
)
def test_a_polynomial_of_rows_does_not_overwrite_its_operand(compute: str, kept: int) -> None:
    """Neither a value of each row, nor one of a whole row that is kept from pass to pass."""
    x, y = (TensorSpec(name, ("float16", "float32"), ("...", "H")) for name in "xy")
    given = parsed(OpSpec("Apart", (x,), (), (y,), compute, outputs_given=True))
    kernel = kernel_of(given, (SOCS["ascend910b"],), graph_of(given))
    assert isinstance(kernel, Rows)
    staying = [i for plan in kernel.plan.kept for i in plan.instructions]
    assert sum(i.name == "Polynomial" for i in staying) >= kept
    passes = [i for each in kernel.plan.passes for i in (*each.part.instructions, *each.finish)]
    apart_from_operands([*kernel.plan.whole.instructions, *passes, *staying], at_least=3)


def test_a_kept_row_is_not_overwritten_by_its_polynomial() -> None:
    """A step that reads its operand once may take the buffer of the operand."""
    row, made = Value(0), Value(1)
    for name, place in (("Abs", Place("kept", number=0)), ("Polynomial", Place("kept", number=1))):
        assert _places([1], {0: Place("kept")}, [Step(name, made, (row,), mode="Atan")]) == {1: place}


def apart_from_operands(instructions: Sequence[Instruction], at_least: int) -> None:
    polynomials = [i for i in instructions if i.name == "Polynomial"]
    assert len(polynomials) >= at_least
    assert all(i.target not in i.sources for i in polynomials)


@pytest.mark.parametrize("chip", ["ascend910b", "ascend310p", "ascend950"])
def test_one_instruction_reaches_the_end_of_a_tile(chip: str) -> None:
    """It repeats at most 255 times, for 64 elements each."""
    longest = 0
    for function in ("tanh", "erf", "gelu", "log1p", "softplus", "sin", "cos", "atan", "erfinv"):
        for dtypes in (("float32",), ("float16",), ("int8",)):
            given = op("Longest", f"y = cast({function}(cast(a, float32)), {dtypes[0]})", "a", dtypes=dtypes)
            if dtypes[0] not in SOCS[chip].dtypes:
                continue
            plan = kernel_of(given, (SOCS[chip],), graph_of(given)).vector
            assert any(i.block is not None for i in plan.instructions)
            longest = max(longest, *(tile.elements for tile in plan.tiles))
    assert 4096 < longest <= 255 * 64
