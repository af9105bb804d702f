"""The blocks of numbers that polynomials of vector_math.h add: 32 bytes of UB each, filled when the kernel begins."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

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


def with_blocks(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps, each with its first block. Steps with the same numbers share their blocks."""
    first: dict[tuple[str, str | None], int] = {}
    used = 0
    found = []
    for step in steps:
        if step.name in FILLING:
            fill, blocks = FILLING[step.name]
            if (fill, step.mode) not in first:
                first[fill, step.mode] = used
                used += blocks
            found.append(replace(step, block=first[fill, step.mode]))
        else:
            found.append(step)
    return tuple(found)


def blocks_of(instructions: Iterable[Instruction]) -> int:
    """The number of blocks that the instructions need."""
    return max((i.block + FILLING[i.name][1] for i in instructions if i.block is not None), default=0)
