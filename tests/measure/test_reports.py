"""Tables, pages and pictures of what was measured, and what of it is true of hardware."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from documents import (
    BARE_ROW,
    BENCH_ROW,
    CORE,
    COUNTED_ROW,
    LEAK_ROW,
    VERIFY_ROW,
    bench_document,
    leaks_document,
    replaced,
    verify_document,
)

from opforge.errors import MeasureError, UsageError
from opforge.measure import bench_report, leaks_report, plot, verify_report
from opforge.measure import quantities as q
from opforge.measure.bench_results import BenchReport, parse_bench
from opforge.measure.json_fields import Entry
from opforge.measure.leaks_results import LeakReport, parse_leaks
from opforge.measure.programs import Device
from opforge.measure.table import Table, left, right
from opforge.measure.transfer import Balance, transfer
from opforge.measure.verify_results import parse_verify

SIMULATED = Device(simulated=True, soc="Ascend910B1", torch="2.13.0")
HARDWARE = Device(simulated=False, soc="Ascend910B3", torch="2.13.0")
HERE = Path("bench.json")


def report_of(*rows: dict[str, Any], device: Device = SIMULATED) -> BenchReport:
    return parse_bench(Entry(bench_document(*rows), HERE), device)


@pytest.mark.parametrize(
    ("shown", "text"),
    [
        (q.microseconds(0.0123), "0.0123 us"),
        (q.microseconds(999.4), "999 us"),
        (q.microseconds(1000), "1.00 ms"),
        (q.microseconds(12_345_678), "12.3 s"),
        (q.microseconds(1e12), "1,000,000 s"),
        (q.per_second(450), "450 /s"),
        (q.per_second(56_726), "56.7 k/s"),
        (q.per_second(1e20), "100,000,000 T/s"),
        (q.size(None), "-"),
        (q.size(0), "0 B"),
        (q.size(1023), "1023 B"),
        (q.size(1024), "1.00 KiB"),
        (q.size(42378), "41.4 KiB"),
        (q.times(1), "1.00 x"),
        (q.times(None), "-"),
        (q.percent(0.5), "50 %"),
        (q.percent(1), "100 %"),
        (q.percent(0.9999999), ">99.99 %"),
        (q.error(0.0), "0"),
        (q.error(1.234e-5), "1.23e-05"),
        (q.error(float("nan")), "nan"),
        (q.error(float("inf")), "inf"),
        (q.three_digits(float("inf")), "inf"),
    ],
)
def test_numbers_for_people(shown: str, text: str) -> None:
    assert shown == text


def test_what_transfers() -> None:
    idle = {**CORE, "vector_elements": 0, "instructions": 1}
    cube = [{**CORE, "kind": "aic", "macs": macs, "vector_elements": 0} for macs in (60, 20)]
    vector = [{**CORE, "vector_elements": 4000, "instructions": 9}, {**CORE, "vector_elements": 2000}, idle]
    (row,) = report_of({**BENCH_ROW, "cores": cube + vector}).rows
    found = transfer(row, "Ascend910B1")
    assert (found.measured, found.fused, found.unfused) == (42378, 42378, 84756)
    assert (found.over_fused, found.saved) == (1.0, 2.0)
    assert found.occupancy == (("UB", 0.5), ("L1", 0.0))
    assert found.balance == (
        Balance("aic", cores=2, chip=24, busy=2, ratio=1.5, instructions=7),
        Balance("aiv", cores=3, chip=48, busy=2, ratio=2.0, instructions=9),
    )


def test_cores_that_compute_nothing_are_judged_by_what_they_move() -> None:
    cores = [{**CORE, "vector_elements": 0}, {**CORE, "vector_elements": 0, "gm_read": 0}]
    (row,) = report_of({**BENCH_ROW, "cores": cores}).rows
    (balance,) = transfer(row, "Ascend9999").balance
    assert (balance.busy, balance.ratio, balance.chip) == (2, 1.5, None)


def test_nothing_is_made_up_where_nothing_was_counted() -> None:
    (row,) = report_of(BARE_ROW).rows
    found = transfer(row, "Ascend910B1")
    assert (found.measured, found.unfused, found.over_fused, found.saved) == (None, None, None, None)
    assert (found.occupancy, found.balance) == ((), ())
    idle = {**CORE, "vector_elements": 0, "gm_read": 0, "gm_written": 0, "instructions": 0}
    nothing = replaced(BENCH_ROW, "gm_bytes", {"unfused": 0, "fused": 0, "measured": {"read": 0, "written": 0}})
    (empty,) = report_of({**nothing, "cores": [idle]}).rows
    found = transfer(empty, "Ascend910B1")
    assert (found.over_fused, found.saved, found.balance) == (None, None, ())


def test_without_counters_unfused_stands_beside_the_least() -> None:
    uncounted = replaced(BENCH_ROW, "gm_bytes.measured", None)
    report = report_of(uncounted)
    assert transfer(report.rows[0], "Ascend910B1").saved == 2.0
    assert "Nothing was counted" in bench_report.markdown(report, "bench.svg")


def cells(table: Table, title: str) -> list[str]:
    index = [column.title for column in table.columns].index(title)
    return [row[index] for row in table.rows]


def test_every_simulated_time_says_so() -> None:
    report = report_of()
    timed = bench_report.tables(report)[0]
    for title in [column.title for column in timed.columns if column.right]:
        for cell in cells(timed, title):
            assert cell == "-" or cell.endswith(" simulated"), title
    assert cells(timed, "native / custom") == ["2.00 x simulated", "-"]
    page = bench_report.markdown(report, "bench.svg")
    assert "Every time here is simulated" in page
    assert "Ascend910B1 simulated, PyTorch 2.13.0" in page


def test_times_of_hardware_do_not() -> None:
    page = bench_report.markdown(report_of(BENCH_ROW, device=HARDWARE), "bench.svg")
    assert "imulated" not in page.partition("## Counts that hold")[0]


def test_the_transfer_table() -> None:
    table = bench_report.tables(report_of())[2]
    assert cells(table, "GM moved") == ["41.4 KiB", "-"]
    assert cells(table, "unfused / fused") == ["2.00 x", "-"]
    assert cells(table, "buffers in use") == ["UB 50 %", "-"]
    assert cells(table, "cores") == ["2 of 48 aiv", "-"]
    assert cells(table, "balance") == ["1.13 x", "-"]


def test_a_row_of_counts_is_in_every_table_and_in_the_picture(tmp_path: Path) -> None:
    report = report_of(BENCH_ROW, COUNTED_ROW)
    times, errors, counts = bench_report.tables(report)
    for table in (times, errors):
        assert set(table.rows[1][3:]) == {"-"}
    assert "one call was counted, not timed" in times.note
    assert "not timed" not in bench_report.tables(report_of())[0].note
    assert cells(counts, "GM moved") == ["41.4 KiB", "41.4 KiB"]
    plot.draw(report, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert (text.count(" us simulated<"), text.count(">41.4 KiB<")) == (2, 4)


def test_a_page_in_markdown() -> None:
    table = Table("Odd | title", (*left("name"), *right("n")), (("a|b\\c", "1"),), "A note.")
    assert table.markdown() == ("## Odd | title\n\nA note.\n\n| name | n |\n| --- | ---: |\n| a\\|b\\\\c | 1 |\n")
    left_out = parse_bench(Entry(bench_document(left_out=[{"op": "X", "why": "not written"}]), HERE), SIMULATED)
    assert "Left out: X: not written." in bench_report.markdown(left_out, "bench.svg")


def test_verdicts_in_a_table() -> None:
    failed = replaced(replaced(VERIFY_ROW, "passed", False), "B.passed", False)
    bare = {**VERIFY_ROW, "A": None, "B": None, "C": None, "worst": None, "elements": 0}
    report = parse_verify(Entry(verify_document(failed, bare, VERIFY_ROW), HERE), SIMULATED)
    verdicts, worst = verify_report.tables(report)
    assert cells(verdicts, "verdict") == ["FAIL", "pass", "pass"]
    assert cells(verdicts, "B: MERE") == ["FAIL 1.10e-03 < 7.81e-03", "-", "pass 1.10e-03 < 7.81e-03"]
    assert cells(verdicts, "B: near zero")[0] == "1 of 3, native 2"
    assert cells(verdicts, "B: cancelled")[0] == "-"
    assert cells(verdicts, "C: MARE, MERE, RMSE")[0] == "pass 1.00 x, 0.980 x, 1.01 x"
    assert cells(worst, "index") == ["[2, 126]", "[2, 126]"]
    assert verify_report.summary(report) == (
        "failed: 1 of 3 comparisons; the first is SwiGLU, bfloat16, 3 x 127, grad_x under standard B"
    )
    assert "failed: 1 of 3 comparisons" in verify_report.markdown(report)
    passed = parse_verify(Entry(verify_document(), HERE), SIMULATED)
    assert verify_report.summary(passed) == "passed: 1 comparisons"


def test_results_of_several_operators_are_told_by_all_standards_and_judged_by_one() -> None:
    several = {**VERIFY_ROW, "judged_by": "C", "A": {**VERIFY_ROW["A"], "passed": False}}
    retried = replaced(VERIFY_ROW, "C.retries", 5)
    report = parse_verify(Entry(verify_document(several, retried), HERE), SIMULATED)
    assert report.passed
    table = verify_report.tables(report)[0]
    assert cells(table, "verdict") == ["pass, by C", "pass"]
    assert cells(table, "A: matched") == ["off 100 %", "pass 100 %"]
    assert cells(table, "C: MARE, MERE, RMSE")[1] == "pass 1.00 x, 0.980 x, 1.01 x, 5 more tried"


def test_leaks_in_a_table() -> None:
    grown = {**LEAK_ROW, "grew": True, "why": "12 aclTensor more"}
    rows = parse_leaks(Entry(leaks_document(1, LEAK_ROW, grown, {**LEAK_ROW, "live": None}), HERE), 1)
    report = LeakReport(SIMULATED, 1000, rows)
    table = leaks_report.table(report)
    assert table.title == "Before and after 1,000 calls"
    assert cells(table, "verdict") == ["no growth", "GREW: 12 aclTensor more", "no growth"]
    assert cells(table, "live objects") == ["3 to 3", "3 to 3", "-"]
    assert cells(table, "host memory")[0] == "400 MiB to 401 MiB"
    assert leaks_report.summary(report) == (
        "something grows in 1 of 3 runs of calls; the first is VectorAdd backward, side stream, TASK_QUEUE_ENABLE=1: "
        "12 aclTensor more"
    )
    assert leaks_report.summary(LeakReport(SIMULATED, 1000, rows[:1])).startswith("no growth over 1,000 calls")


def test_the_picture_is_the_same_for_the_same_numbers(tmp_path: Path) -> None:
    first, again = tmp_path / "new folder" / "a.svg", tmp_path / "b.svg"
    plot.draw(report_of(), first)
    plot.draw(report_of(), again)
    assert first.read_bytes() == again.read_bytes()
    text = first.read_text(encoding="utf-8")
    assert "<date" not in text
    for words in ("123 us simulated", "247 us simulated", "41.4 KiB", "1.13 x of 2 aiv"):
        assert f">{words}<" in text  # as text, not as paths
    assert ">Ascend910B1 simulated, PyTorch 2.13.0<" in text
    assert text.count(" us simulated<") == 3


def test_a_picture_of_hardware(tmp_path: Path) -> None:
    plot.draw(report_of(device=HARDWARE), tmp_path / "a.svg")
    assert "imulated" not in (tmp_path / "a.svg").read_text(encoding="utf-8")
    plot.draw(report_of(BARE_ROW, device=HARDWARE), tmp_path / "b.svg")
    assert ">not counted<" in (tmp_path / "b.svg").read_text(encoding="utf-8")


def test_a_picture_of_dots(tmp_path: Path) -> None:
    plot.draw(report_of(), tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG\r\n")


@pytest.mark.parametrize("name", ["a.pdf", "svg", "a.SVG"])
def test_other_names_of_pictures_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"a name that ends in \.svg or \.png is expected"):
        plot.draw(report_of(), tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("error", [ImportError("No module named 'matplotlib'"), ValueError("Key backend: 'x'")])
def test_without_matplotlib_nothing_is_measured(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def find(name: str, *_: object) -> None:
        if name == "matplotlib":
            raise error

    monkeypatch.delitem(sys.modules, "matplotlib", raising=False)
    monkeypatch.setattr(sys, "meta_path", [SimpleNamespace(find_spec=find), *sys.meta_path])
    with pytest.raises(MeasureError, match="the plot needs matplotlib") as caught:
        plot.check_library()
    assert str(error) in caught.value.what


def test_words_of_a_program_are_no_formulas(tmp_path: Path) -> None:
    plot.draw(report_of({**BARE_ROW, "label": "a $x_{ of 5 $"}), tmp_path / "a.svg")
    assert "a $x_{ of 5 $" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_only_a_picture_imports_matplotlib() -> None:
    code = (
        "import sys, opforge.cli.bench, opforge.cli.verify, opforge.cli.test;"
        "import opforge.measure.plot, opforge.measure.bench_report, opforge.measure.verify_report;"
        "sys.exit(any(name in sys.modules for name in ('matplotlib', 'numpy', 'rich', 'torch')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
