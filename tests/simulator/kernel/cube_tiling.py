"""TCubeTiling as bytes, for kernels of the tests that take one."""

from __future__ import annotations

import struct
from dataclasses import astuple, dataclass

# The fields behind dbL0C (layouts, BatchNum, mxTypePara) are for products these tests have not.
WORDS = 50


@dataclass(frozen=True)
class CubeTiling:
    """Lengths in elements; the order is that of AscendC::tiling::TCubeTiling (TCubeTiling结构体)."""

    usedCoreNum: int  # noqa: N815 - the fields' own names
    M: int
    N: int
    Ka: int
    Kb: int
    singleCoreM: int  # noqa: N815
    singleCoreN: int  # noqa: N815
    singleCoreK: int  # noqa: N815
    baseM: int = 16  # noqa: N815
    baseN: int = 16  # noqa: N815
    baseK: int = 16  # noqa: N815
    depthA1: int = 1  # noqa: N815
    depthB1: int = 1  # noqa: N815
    stepM: int = 1  # noqa: N815
    stepN: int = 1  # noqa: N815
    isBias: int = 0  # noqa: N815
    transLength: int = 0  # noqa: N815
    iterateOrder: int = 0  # noqa: N815
    shareMode: int = 0  # noqa: N815
    shareL1Size: int = 0  # noqa: N815
    shareL0CSize: int = 0  # noqa: N815
    shareUbSize: int = 0  # noqa: N815
    batchM: int = 0  # noqa: N815
    batchN: int = 0  # noqa: N815
    singleBatchM: int = 0  # noqa: N815
    singleBatchN: int = 0  # noqa: N815
    stepKa: int = 1  # noqa: N815
    stepKb: int = 1  # noqa: N815
    depthAL1CacheUB: int = 0  # noqa: N815
    depthBL1CacheUB: int = 0  # noqa: N815
    dbL0A: int = 1  # noqa: N815
    dbL0B: int = 1  # noqa: N815
    dbL0C: int = 1  # noqa: N815

    def packed(self) -> bytes:
        """All words of the struct."""
        words = astuple(self)
        return struct.pack(f"<{WORDS}i", *words, *[0] * (WORDS - len(words)))
