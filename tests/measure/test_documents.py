"""Reports of a project's programs are read field by field, and nothing in them is believed."""

import json
from pathlib import Path
from typing import Any

import pytest
from documents import (
    BENCH_ROW,
    COUNTED_ROW,
    DEVICE_FIELDS,
    VERIFY_ROW,
    bench_document,
    leaks_document,
    replaced,
    verify_document,
)

from opforge.errors import MeasureError
from opforge.measure.bench_results import BenchReport, Traffic, parse_bench
from opforge.measure.json_fields import Entry, read_document
from opforge.measure.leaks_results import LeakRow, parse_leaks
from opforge.measure.programs import Device
from opforge.measure.verify_results import VerifyReport, parse_verify

DEVICE = Device(simulated=True, soc="Ascend910B1", torch="2.13.0")
HERE = Path("build/reports/bench.json")


def read_bench(document: dict[str, Any]) -> BenchReport:
    return parse_bench(Entry(document, HERE), DEVICE)


def read_verify(document: dict[str, Any]) -> VerifyReport:
    return parse_verify(Entry(document, HERE), DEVICE)


def read_leaks(document: dict[str, Any]) -> tuple[LeakRow, ...]:
    return parse_leaks(Entry(document, HERE), 0)


def test_a_benchmark_is_read() -> None:
    first, bare = read_bench(bench_document()).rows
    assert (first.op, first.dtype, first.label, first.tokens) == ("VectorAdd", "float16", "7 x 1009", 7)
    assert first.shapes == {"x": (7, 1009), "y": (7, 1009)}
    assert first.custom is not None
    assert (first.custom.times.least, first.custom.times.median, first.custom.times.most) == (101.0, 123.4, 200.0)
    assert first.native is not None
    assert (first.native.times.most, first.native.peak) == (300.5, 14126)
    assert first.traffic == Traffic(fused=42378, unfused=84756, read=28252, written=14126)
    assert first.traffic.measured == 42378
    assert [(core.kind, core.moved, core.vector_elements) for core in first.cores] == [
        ("aiv", 1200, 4000),
        ("aiv", 1200, 3063),
    ]
    assert [(memory.name, memory.peak, memory.capacity) for memory in first.memory] == [
        ("UB", 98304, 196608),
        ("L1", 0, 524288),
    ]
    assert (bare.native, bare.traffic.measured, bare.cores, bare.memory) == (None, None, (), ())
    assert bare.custom is not None
    assert (bare.custom.peak, bare.custom.error) == (None, None)


def test_a_row_of_counts_has_no_times_and_no_verdict() -> None:
    (row,) = read_bench(bench_document(COUNTED_ROW)).rows
    assert (row.custom, row.native, row.passed) == (None, None, None)
    assert row.traffic.measured == 42378
    with pytest.raises(MeasureError, match="`custom_us` is null, and `native_us` or `passed` is not"):
        read_bench(bench_document({**COUNTED_ROW, "passed": True}))


def test_verdicts_are_read() -> None:
    row = replaced(VERIFY_ROW, "A.max_abs_error", "inf")
    report = read_verify(verify_document(row, left_out=[{"op": "ByHand", "why": "its kernel is not written."}]))
    (found,) = report.rows
    assert report.passed
    assert report.left_out == ("ByHand: its kernel is not written",)
    assert found.tolerance is not None
    assert found.tolerance.max_abs_error == float("inf")
    assert found.relative is not None
    assert found.relative.small is not None
    assert (found.relative.small.errors, found.relative.small.native_errors) == (1, 2)
    assert found.relative.cancelled is None
    assert found.worst is not None
    assert (found.worst.index, found.worst.golden) == ((2, 126), 16.0)


def test_nothing_compared_says_why() -> None:
    reasons = [
        {"op": "Wide", "why": "the standards have no row for float64"},
        {"op": "ByHand", "why": "it has no reference"},
    ]
    with pytest.raises(MeasureError) as caught:
        read_verify(replaced(verify_document(VERIFY_ROW, left_out=reasons), "rows", []))
    assert caught.value.render().splitlines() == [
        "error: nothing was compared: all chosen ops are left out",
        "Wide: the standards have no row for float64",
        "ByHand: it has no reference",
        "  help: give the dtype limits in TOLERANCES and RELATIVES of benchmarks/cases.py, or compare it in a test of"
        " your own; set `reference` of the op in opforge.yaml",
    ]
    empty = Entry(replaced(verify_document(VERIFY_ROW), "rows", []), HERE)
    with pytest.raises(MeasureError) as caught:
        parse_verify(empty, DEVICE, ["--dtype", "float16/float32"])
    assert caught.value.what == "nothing was compared: no case matches --dtype float16/float32"
    bench = Entry(replaced(bench_document(), "rows", []), HERE)
    with pytest.raises(MeasureError) as caught:
        parse_bench(bench, DEVICE, ["--dtype", "float16/float32"])
    assert caught.value.what == "nothing was measured: no case matches --dtype float16/float32"


def test_leaks_are_read() -> None:
    (row,) = read_leaks(leaks_document(0))
    assert (row.op, row.what, row.stream, row.grew) == ("VectorAdd", "backward", "side", False)
    assert (row.live["aclTensor"].before, row.live["aclTensor"].after) == (3, 3)
    (bare,) = read_leaks(replaced(leaks_document(0), "rows.0.live", None))
    assert bare.live == {}


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("rows", KeyError, "there is no `rows`"),
        ("rows", {"a": 1}, '`rows` is {"a": 1}, and not a list of objects'),
        ("rows", [], "nothing was measured"),
        ("rows.0.op", 7, "rows[0]: `op` is 7, and not a text"),
        ("rows.0.op", KeyError, "rows[0]: there is no `op`"),
        ("rows.0.tokens", -1, "rows[0]: `tokens` is -1, and not a whole number, 0 or more"),
        ("rows.0.tokens", 2.5, "rows[0]: `tokens` is 2.5, and not a whole number, 0 or more"),
        ("rows.0.tokens", True, "rows[0]: `tokens` is true, and not a whole number, 0 or more"),
        ("rows.0.shapes.x", [3, "4"], 'rows[0].shapes: `x` is [3, "4"], and not a list of whole numbers'),
        ("rows.0.custom_us", None, "rows[0]: `custom_us` is null, and `native_us` or `passed` is not"),
        ("rows.1.custom_us", None, "rows[1]: `custom_us` is null, and nothing was counted either"),
        ("rows.1.custom_us", 7, "rows[1]: `custom_us` is 7, and not an object"),
        ("rows.1.custom_us.median", "fast", 'rows[1].custom_us: `median` is "fast", and not a number'),
        ("rows.1.custom_us.median", 10**400, "rows[1].custom_us: `median` is 1000"),
        ("rows.1.custom_us.max", 1e300, "rows[1].custom_us: `max` is 1e+300, and not a number of 0 or more"),
        ("rows.1.custom_us.min", 1e-300, "rows[1].custom_us: min 1e-300, median 123.4 and max 200.0 are not times"),
        ("rows.0.gm_bytes.fused", 10**30, "rows[0].gm_bytes: `fused` is 1000"),
        ("rows.1.custom_us.median", "nan", "rows[1].custom_us: `median` is nan, and not a number of 0 or more"),
        (
            "rows.1.custom_us.min",
            150.0,
            "rows[1].custom_us: min 150.0, median 123.4 and max 200.0 are not times of one thing",
        ),
        (
            "rows.0.memory.peak.UB",
            196609,
            "rows[0].memory.peak: 196609 bytes of UB are used, and there are 196608",
        ),
        ("rows.0.memory.capacity.L1", KeyError, "rows[0].memory.capacity: there is no `L1`"),
        ("rows.0.gm_bytes.measured.read", None, "rows[0].gm_bytes.measured: `read` is null, and not a whole number, 0"),
        ("rows.0.cores.1.macs", "x" * 99, f'rows[0].cores[1]: `macs` is "{"x" * 59}..., and not a whole number'),
    ],
)
def test_what_a_benchmark_may_not_say(path: str, value: Any, what: str) -> None:
    with pytest.raises(MeasureError) as caught:
        read_bench(replaced(bench_document(), path, value))
    assert caught.value.what.startswith(f"{HERE} is not what opforge expects: {what}")
    assert "`opforge vendor testing`" in (caught.value.hint or "")


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("passed", False, "`passed` contradicts its rows"),
        ("rows", [], "nothing was compared"),
        ("rows.0.A.passed", False, "rows[0]: `passed` is true, and standard A failed"),
        ("rows.0.A.matched", 1.5, "rows[0].A: `matched` is 1.5, and not a share between 0 and 1"),
        ("rows.0.B.threshold", 0, "rows[0].B: `threshold` is 0.0, and not a number above 0"),
        ("rows.0.C.level", 1, "rows[0].C: `level` is 1, and not a text"),
        ("rows.0.worst.index", [-1], "rows[0].worst: `index` is [-1], and not a list of whole numbers"),
    ],
)
def test_what_verdicts_may_not_say(path: str, value: Any, what: str) -> None:
    with pytest.raises(MeasureError) as caught:
        read_verify(replaced(verify_document(), path, value))
    assert caught.value.what == f"{HERE} is not what opforge expects: {what}"


@pytest.mark.parametrize(
    ("path", "value", "what"),
    [
        ("task_queue", 2, "`task_queue` is 2, and 0 was asked for"),
        ("grew", True, "`grew` contradicts its rows"),
        ("rows", [], "nothing was called"),
        ("rows.0.live.aclTensor.after", KeyError, "rows[0].live.aclTensor: there is no `after`"),
    ],
)
def test_what_a_search_for_leaks_may_not_say(path: str, value: Any, what: str) -> None:
    with pytest.raises(MeasureError) as caught:
        read_leaks(replaced(leaks_document(0), path, value))
    assert caught.value.what == f"{HERE} is not what opforge expects: {what}"


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "it is not valid JSON: "),
        (b"{", "it is not valid JSON: "),
        (b"\xff\xfe", "it is not valid JSON: "),
        (b"[" * 100_000, "it is not valid JSON: "),
        (b"[1]", "it is not a JSON object"),
        (b"{}", "there is no `schema`"),
        (json.dumps({**DEVICE_FIELDS, "schema": 2}).encode(), "its schema is 2, and this opforge reads 1"),
    ],
)
def test_files_that_are_no_report(content: bytes, what: str, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_bytes(content)
    with pytest.raises(MeasureError) as caught:
        read_document(file)
    assert caught.value.what.startswith(f"{file} is not what opforge expects: {what}")


def test_a_field_more_is_no_error() -> None:
    assert read_bench(bench_document({**BENCH_ROW, "launches": [{"op": "VectorAdd"}]}, more=1)).rows
