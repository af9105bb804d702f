"""The estimated time line: instructions wait for what the clocks say, and take as long as the constants say."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from harness import aligned, compile_kernel, run

from opforge.measure.time_constants import constants
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

KNOWN = {name: each.value for name, each in constants("Ascend910B1").items()}
TRANSFER = TILE * 4 / KNOWN["vector_port"]  # two cores do not fill HBM
ADD = KNOWN["vector_start"] + TILE * 4 / KNOWN["vector_width"]


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
        # arrays start at a multiple of 64 bytes: some transfers touch one sector more
        assert {e.cycles for e in (*loads, *stores)} <= {TRANSFER, TRANSFER + KNOWN["sector"] / KNOWN["vector_port"]}
        assert {e.cycles for e in adds} == {ADD}
        assert {e.amount for e in loads} == {TILE * 4}
        assert {e.amount for e in adds} == {TILE}
        for load, add, store in zip(loads, adds, stores, strict=True):
            assert load.start + load.cycles + KNOWN["transfer_latency"] <= add.start
            assert add.start + add.cycles <= store.start
        for i in range(TILES - buffers):  # a buffer is filled again when it has been read
            assert adds[i].start + adds[i].cycles <= loads[i + buffers].start
            assert stores[i].start + stores[i].cycles <= adds[i + buffers].start
        overlapping = loads[1].start < adds[0].start + adds[0].cycles
        assert overlapping == (buffers == 2)


def test_two_buffers_save_the_vector_units_time(root: Path, tmp_path: Path) -> None:
    one, two = (traced(root, tmp_path / str(n), n) for n in (1, 2))
    assert two.cycles < one.cycles - (TILES - 2) * (ADD + TRANSFER)


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
    end = timeline.microseconds - KNOWN["transfer_latency"] / KNOWN["clock"]  # of the last store
    assert max(event["ts"] + event["dur"] for event in spans) == pytest.approx(end)
    assert all(estimate["source"] for estimate in trace["otherData"]["estimates"])
    known = [
        {"name": each.what, "value": each.value, "unit": each.unit, "kind": each.kind, "source": each.source}
        for each in constants("Ascend910B1").values()
    ]
    assert trace["otherData"]["estimates"] == known  # one table, read by the engine and by us
    image = ET.fromstring(picture(timeline))  # noqa: S314 - our own
    assert len(image.findall("{*}rect")) == len(spans)
