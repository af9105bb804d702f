"""Bank conflicts of an Add of 4096 floats: the eight layouts of bank_conflict_ub, and some that it leaves out.

FusedMulAdd and MulAddDst also read their destination.

The cycles are those that asc-devkit's example reports for a thousand instructions, at 50 cycles of the timer in one
microsecond and 1850 of the core: one instruction takes 0.037 of them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from harness import aligned, compile_kernel, run

from opforge.measure.timeline import read_timelines

pytestmark = pytest.mark.compiler

SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void sums(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 184 * 1024);
    LocalTensor<float> all = buffer.Get<float>();
    Duplicate(all, 1.0f, 46 * 1024);
#ifdef NUMBER
    FUNCTION(all[DST / 4], all[SRC0 / 4], NUMBER, 64, 64, {1, 1, 8, 8});
#else
    FUNCTION(all[DST / 4], all[SRC0 / 4], all[SRC1 / 4], 64, 64, {1, BLOCK, 1, 8, REPEAT, 8});
#endif
}
"""


def cycles(
    root: Path,
    folder: Path,
    addresses: tuple[int, int, int],
    *,
    block: int = 1,
    repeat: int = 8,
    function: str = "Add",
    number: str = "",
) -> float:
    given: dict[str, int | str] = {**dict(zip(("SRC0", "SRC1", "DST"), addresses, strict=True))}
    given |= {"BLOCK": block, "REPEAT": repeat, "FUNCTION": function}
    given |= {"NUMBER": number} if number else {}
    options = [f"-D{name}={value}" for name, value in given.items()]
    kernel = compile_kernel(root, SOURCE, "sums", {"x": "float32"}, {"z": "float32"}, folder, options=options)
    lines: list[str] = []
    run(kernel, [aligned(8, np.float32)], [aligned(8, np.float32)], trace=lines)
    (folder / "trace").write_text("".join(lines), encoding="utf-8")
    (timeline,) = read_timelines(folder / "trace")
    return [event for event in timeline.cores[0].events if event.pipe == "V"][-1].cycles


@pytest.mark.parametrize(
    ("addresses", "reported"),
    [
        ((0, 0x10100, 0x20000), 2390),
        ((0, 0x4000, 0x10000), 4167),
        ((0, 0x10000, 0x14100), 4167),
        ((0, 0x10100, 0x4000), 2389),
        ((0, 0x10100, 0x4020), 3751),
        ((0, 0x10100, 0x10100), 2390),
    ],
)
def test_dense_operands_take_what_is_reported(
    root: Path, tmp_path: Path, addresses: tuple[int, int, int], reported: int
) -> None:
    assert cycles(root, tmp_path, addresses) == pytest.approx(reported * 0.037, rel=0.02)


@pytest.mark.parametrize(("repeat", "reported"), [(1, 3584), (8, 2389)])
def test_a_block_for_each_repeat_meets_half_of_the_repeats(
    root: Path, tmp_path: Path, repeat: int, reported: int
) -> None:
    found = cycles(root, tmp_path, (0, 0x10100, 0x10100), block=0, repeat=repeat)
    assert found == pytest.approx(reported * 0.037, rel=0.1)


def test_a_write_cannot_avoid_two_reads_of_its_bank(root: Path, tmp_path: Path) -> None:
    beats = [1.78, 2]  # two halves of a bank are read; or both read one, and the write goes beside them
    for number, source in enumerate((0x4100, 0x4000)):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert cycles(root, folder, (0, source, 0x8200)) == pytest.approx(24 + 64 * beats[number], abs=1)


def test_a_source_that_stays_is_read_once(root: Path, tmp_path: Path) -> None:
    assert cycles(root, tmp_path, (0, 0x10000, 0x20000), block=1, repeat=0) == 88


@pytest.mark.parametrize("function", ["FusedMulAdd", "MulAddDst"])
def test_three_operands_take_two_beats(root: Path, tmp_path: Path, function: str) -> None:
    """Tables of asc-devkit have 32 elements of MulAddDst in a cycle, half of those of Mul."""
    assert cycles(root, tmp_path, (0, 0x10100, 0x20000), function=function) == 24 + 2 * 64


def test_a_destination_that_is_a_source_is_read_once(root: Path, tmp_path: Path) -> None:
    assert cycles(root, tmp_path, (0, 0x10100, 0x10100), function="FusedMulAdd") == 88


def test_a_number_that_stays_leaves_two_reads(root: Path, tmp_path: Path) -> None:
    """The block of a number is read once. Source and destination then conflict as two sources do."""
    for name, source, beats in (("apart", 0x10100, 1), ("together", 0x10000, 2)):
        folder = tmp_path / name
        folder.mkdir()
        found = cycles(root, folder, (0x8000, source, 0x20000), block=0, repeat=0, function="FusedMulAdd")
        assert found == 24 + beats * 64


@pytest.mark.parametrize(("source", "beats"), [(0x10100, 1), (0x10000, 2)], ids=["apart", "together"])
def test_axpy_reads_its_source_and_its_destination(root: Path, tmp_path: Path, source: int, beats: int) -> None:
    """Tables of asc-devkit have 64 elements of Axpy in a cycle, as many as those of Add."""
    assert cycles(root, tmp_path, (source, 0, 0x20000), function="Axpy", number="2.0f") == 24 + beats * 64
