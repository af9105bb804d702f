"""float32 on its way to HF32, the cube unit's type of 11 bits of mantissa: values, and what rounding makes of them."""

from __future__ import annotations

import numpy as np
from harness import Array


def hf32_values(count: int) -> Array:
    """Ties, values beside them, and any others, of either sign, with infinity and the largest number."""
    bits = np.random.default_rng(11).integers(0, 1 << 31, count, dtype=np.uint32)
    bits = (bits & 0x007FFFFF) | ((bits >> 24) % 40 + 107) << 23
    low = np.array([0x800, 0x7FF, 0x801, 0, 0xFFF, 0x1800, 0x17FF, 0x1801], np.uint32)
    mixed = np.where(np.arange(count) % 3 < 2, (bits & ~np.uint32(0x1FFF)) | low[np.arange(count) % 8], bits)
    signed = mixed | (np.arange(count, dtype=np.uint32) % 2) << 31
    signed[:2] = 0x7F800000, 0x7F7FFFFF
    return signed.astype(np.uint32).view(np.float32)


def to_hf32(values: Array, ties: str) -> Array:
    """Nearest HF32; ``ties`` is even, zero (towards it) or away (from it)."""
    wide = values.astype(np.float64)
    with np.errstate(all="ignore"):
        step = np.exp2(np.floor(np.log2(np.abs(wide))) - 11)
        ratio = np.abs(wide) / step
        down = np.floor(ratio)
        rest = ratio - down
        odd = down % 2 == 1
        up = (rest > 0.5) | ((rest == 0.5) & ((ties == "away") | ((ties == "even") & odd)))
        rounded = (np.copysign((down + up) * step, wide)).astype(np.float32)
    return np.where(np.isfinite(values), rounded, values)
