"""What Fixpipe makes of sums, in NumPy."""

from __future__ import annotations

import struct

import numpy as np
from harness import Array
from matmul_kernels import Float64

SIGNED = 1 << 46


def factor(number: float) -> int:
    """A scale as Fixpipe takes it: bits of a float, of which ten of the mantissa count."""
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def truncated(number: float) -> float:
    return float(struct.unpack("<f", struct.pack("<I", factor(number) & 0xFFFFE000))[0])


def fractals(values: Array, width: int) -> Array:
    """Columns of `width` elements, one behind the other; the last ones are filled up with zeros."""
    rows, columns = values.shape
    filled = np.zeros((rows, -(-columns // width) * width), values.dtype)
    filled[:, :columns] = values
    return filled.reshape(rows, -1, width).transpose(1, 0, 2).ravel()


def bytes_of(sums: Float64, scale: Float64, offset: int, relu: int, *, signed: bool) -> Array:
    """随路量化, 表1: scaled, rounded into nine bits, moved, and cut off."""
    scaled = np.where((sums < 0) & (relu != 0), 0, sums.astype(np.float32) * scale.astype(np.float32))
    moved = np.rint(np.clip(scaled, -256, 255)) + offset
    return np.clip(moved, -128, 127).astype(np.int8) if signed else np.clip(moved, 0, 255).astype(np.uint8)
