"""The polynomials of the header vector_math.h, evaluated in torch."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import torch
from torch import Tensor

HEADER = Path(__file__).parents[1] / "templates/code/ascendc/op_kernel/vector_math.h"


@cache
def coefficients() -> dict[str, tuple[float, ...]]:
    """The coefficients of each polynomial from the highest power down, by the name of its array without the k."""
    text = HEADER.read_text(encoding="utf-8")
    arrays = re.findall(r"constexpr float k(\w+)\[\] = \{([^}]*)\};", text)
    return {name: tuple(float(number.strip().rstrip("f")) for number in listed.split(",")) for name, listed in arrays}


def polynomial(x: Tensor, name: str) -> Tensor:
    """The polynomial of an array in ``x``, of any shape and float dtype."""
    highest, *others = coefficients()[name]
    result = torch.full_like(x, highest)
    for coefficient in others:
        result = result * x + coefficient
    return result
