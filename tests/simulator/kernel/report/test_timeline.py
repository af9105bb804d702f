"""The estimated time line: instructions wait for what the clocks say, and take as long as the constants say."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from harness import aligned, compile_kernel, run

from opforge.measure.timeline import Core, Event, Timeline, chrome_trace, picture, read_timelines

pytestmark = pytest.mark.compiler

TILE, TILES = 512, 6
SOURCE = """
#include "kernel_operator.h"
using namespace AscendC;
extern "C" __global__ __aicore__ void doubled(GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
    TPipe pipe;
    TQue<TPosition::VECIN, 2> in;
    TQue<TPosition::VECOUT, 2> out;
    pipe.InitBuffer(in, BUFFERS, 2048);
    pipe.InitBuffer(out, BUFFERS, 2048);
    GlobalTensor<float> from, to;
    from.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(x) + GetBlockIdx() * 3072, 3072);
    to.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(z) + GetBlockIdx() * 3072, 3072);
    for (int i = 0; i < 6; ++i) {
        auto a = in.AllocTensor<float>();
        DataCopy(a, from[i * 512], 512);
        in.EnQue(a);
        a = in.DeQue<float>();
        auto b = out.AllocTensor<float>();
        for (int j = 0; j < TIMES; ++j) {
            Add(b, a, a, 512);
        }
        in.FreeTensor(a);
        out.EnQue(b);
        b = out.DeQue<float>();
        DataCopy(to[i * 512], b, 512);
        out.FreeTensor(b);
    }
}
"""

VECTOR, CUBE = "附录/Vector指令理论性能汇总, ", "附录/Cube指令理论性能汇总, "
GUESS = "a guess: the documentation gives no number"
ESTIMATES = {
    ("vector unit", 256, f"{VECTOR}tables 6 to 13: 128 elements of half, 64 of float"),
    ("Exp, Ln, Sqrt, Div", 32, f"{VECTOR}table 6"),
    ("Sort32, MrgSort", 2, f"{VECTOR}table 14"),
    ("Gather", 5, f"{VECTOR}table 15"),
    ("Mmad of half", 4096, f"{CUBE}table 1; other types count as half"),
    ("L1 to L0", 128, f"{CUBE}table 3: to L0B; to L0A it is 256"),
    ("Fixpipe", 128, f"{CUBE}table 7: float to half in L1; others count as that"),
    (
        "global memory and one core",
        32,
        "a guess: GetCoreMemBw tells it on hardware; what other cores move takes nothing away",
    ),
    ("start of a vector instruction", 20, GUESS),
    ("start of an instruction of the cube unit", 20, GUESS),
    ("start of a transfer from or to global memory", 300, GUESS),
    ("the scalar unit, to issue an instruction", 4, GUESS),
    ("an access of the scalar unit to global memory", 100, GUESS),
    ("cycles", 1850, "a guess: aclrt reports it on hardware"),
}


def traced(root: Path, folder: Path, buffers: int, times: int = 1) -> Timeline:
    options = [f"-DBUFFERS={buffers}", f"-DTIMES={times}"]
    kernel = compile_kernel(root, SOURCE, "doubled", {"x": "float32"}, {"z": "float32"}, folder, options=options)
    lines: list[str] = []
    x, z = aligned(6144, np.float32), aligned(6144, np.float32)
    x[:] = 1
    run(kernel, [x], [z], block_dim=2, trace=lines)
    assert (z == 2).all()
    run(kernel, [x], [z], block_dim=2, trace=lines, checks="fast")
    (folder / "trace").write_text("".join(lines), encoding="utf-8")
    (timeline,) = read_timelines(folder / "trace")  # without full checks there is none
    return timeline


def of(core: Core, pipe: str) -> list[Event]:
    return [event for event in core.events if event.pipe == pipe]


@pytest.mark.parametrize("buffers", [1, 2])
def test_instructions_wait_for_each_other(root: Path, tmp_path: Path, buffers: int) -> None:
    timeline = traced(root, tmp_path, buffers)
    assert (timeline.op, timeline.block_dim, len(timeline.cores)) == ("Doubled", 2, 2)
    for core in timeline.cores:
        loads, adds, stores = of(core, "MTE2"), of(core, "V"), of(core, "MTE3")
        assert [len(loads), len(adds), len(stores)] == [TILES] * 3
        assert {e.cycles for e in (*loads, *stores)} == {300 + TILE * 4 // 32}
        assert {e.cycles for e in adds} == {20 + TILE * 4 // 256}
        assert {e.amount for e in loads} == {TILE * 4}
        assert {e.amount for e in adds} == {TILE}
        for load, add, store in zip(loads, adds, stores, strict=True):
            assert load.start + load.cycles <= add.start
            assert add.start + add.cycles <= store.start
        for i in range(TILES - buffers):  # a buffer is filled again when it has been read
            assert adds[i].start + adds[i].cycles <= loads[i + buffers].start
            assert stores[i].start + stores[i].cycles <= adds[i + buffers].start
        overlapping = loads[1].start < adds[0].start + adds[0].cycles
        assert overlapping == (buffers == 2)


def test_two_buffers_save_the_vector_units_time(root: Path, tmp_path: Path) -> None:
    one, two = (traced(root, tmp_path / str(n), n) for n in (1, 2))
    assert one.cycles - two.cycles == (TILES - 1) * (20 + TILE * 4 // 256)  # transfers in and out overlap in both


def test_of_many_instructions_the_first_are_kept(root: Path, tmp_path: Path) -> None:
    once, often = traced(root, tmp_path / "1", 2), traced(root, tmp_path / "often", 2, times=3000)
    assert once.left_out == 0
    for core in often.cores:
        assert (len(core.events), core.left_out) == (1 << 14, TILES * 3000 + 2 * TILES - (1 << 14))
        assert core.end > once.cycles + (TILES * 3000 - TILES) * (TILE * 4 // 256)


def test_the_trace_for_perfetto_and_the_picture(root: Path, tmp_path: Path) -> None:
    timeline = traced(root, tmp_path, 2)
    trace = json.loads(chrome_trace([timeline]))
    spans = [event for event in trace["traceEvents"] if event["ph"] == "X"]
    assert len(spans) == sum(len(core.events) for core in timeline.cores)
    assert {event["pid"] for event in spans} == {1, 2}
    source = tmp_path / "doubled.cpp"
    line = next(i for i, text in enumerate(source.read_text().splitlines(), 1) if "Add(" in text)
    adds = [event for event in spans if event["name"] == "Add"]
    assert {event["args"]["at"] for event in adds} == {f"{source}:{line}"}
    assert {event["args"]["elements"] for event in adds} == {TILE}
    assert {event["args"]["bytes"] for event in spans if event["name"] == "DataCopy"} == {TILE * 4}
    threads = {event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
    assert threads == {"MTE2", "V", "MTE3"}  # a row only where something happens
    assert max(event["ts"] + event["dur"] for event in spans) == pytest.approx(timeline.microseconds)
    assert all(estimate["source"] for estimate in trace["otherData"]["estimates"])
    assert {(e["name"], e["value"], e["source"]) for e in trace["otherData"]["estimates"]} == ESTIMATES
    image = ET.fromstring(picture(timeline))  # noqa: S314 - our own
    assert len(image.findall("{*}rect")) == len(spans)
