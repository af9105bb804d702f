"""The blocks of numbers that polynomials of vector_math.h add: 32 bytes of UB each, filled when the kernel begins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from opforge.plan.steps import POLYNOMIAL

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from opforge.plan.steps import Step
    from opforge.plan.vector_model import Instruction

BLOCK_BYTES = 32
# The function of vector_math.h that fills the blocks of each function, and the most blocks that it fills.
FILLING = {
    "Tanh": ("FillTanh", 4),
    "Erf": ("FillErf", 9),
    "Gelu": ("FillGelu", 7),
    "Log1p": ("FillLog1p", 1),
    "Log1pUpTo1": ("FillLog1pUpTo1", 2),
    "Expm1UpTo0": ("FillExpm1UpTo0", 2),
    "Sin": ("FillWave", 3),
    "Cos": ("FillWave", 3),
}
# The number of coefficients of each polynomial that is an instruction of its own.
COEFFICIENTS = {"Atan": 9, "Asin": 5, "ErfcUpper": 5, "ErfcLower": 6, "ErfinvNear": 10, "ErfinvFar": 9}


def filling(name: str, mode: str | None) -> tuple[str, int] | None:
    """The function that fills the blocks of an instruction, and their number; None for one without blocks."""
    if name == POLYNOMIAL and mode is not None:
        return f"Fill<vector_math::k{mode}, 2>", COEFFICIENTS[mode] - 2
    return FILLING.get(name)


def with_blocks(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps, each with its first block. Steps with the same numbers share their blocks."""
    first: dict[tuple[str, str | None], int] = {}
    used = 0
    found = []
    for step in steps:
        filled = filling(step.name, step.mode)
        if filled is not None:
            fill, blocks = filled
            if (fill, step.mode) not in first:
                first[fill, step.mode] = used
                used += blocks
            found.append(replace(step, block=first[fill, step.mode]))
        else:
            found.append(step)
    return tuple(found)


def blocks_of(instructions: Iterable[Instruction]) -> int:
    """The number of blocks that the instructions need."""
    ends = (i.block + filled[1] for i in instructions if i.block is not None and (filled := filling(i.name, i.mode)))
    return max(ends, default=0)
