"""``opforge bench``, ``opforge verify`` and ``opforge test --leaks``, with programs that write what a test says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from documents import (
    BENCH_ROW,
    COUNTED_ROW,
    LEAK_ROW,
    VERIFY_ROW,
    bench_document,
    called,
    leaks_document,
    make_installed,
    replaced,
    verify_document,
    write_program,
)
from test_programs import BY_QUEUE

from opforge.cli import main as cli
from opforge.cli.shared.tables import parts
from opforge.measure.plot import check_place
from opforge.measure.programs import InstalledProject
from opforge.measure.table import Table, left, right


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InstalledProject:
    """The project below, as one that is built and installed."""
    made = make_installed(tmp_path)
    for name in ("bench", "verify", "test", "trace"):
        monkeypatch.setattr(f"opforge.cli.{name}.find_installed", lambda *_, **__: made)
    monkeypatch.chdir(made.request.root)
    return made


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, Any]:
    code = cli.run([*words])
    return code, json.loads(capsys.readouterr().out, parse_constant=pytest.fail)


def test_bench_shows_tables_and_leaves_reports(installed: InstalledProject, capsys) -> None:
    write_program(installed, "bench", bench_document())
    assert cli.run(["bench", "--op", "VectorAdd", "--dtype", "float16", "--quick", "--plot", "my plot.png"]) == 0
    arguments, _ = called(installed, "bench")
    assert arguments[2:] == ["--op", "VectorAdd", "--dtype", "float16", "--quick", "--size", "small"]
    out, err = capsys.readouterr()
    assert re.search(r"VectorAdd +float16 +7 x 1009 +123 us \(101 us to 200 us\) simulated +247 us", out)
    assert "Counts that hold on hardware:" in out
    assert out.isascii()
    assert all(len(line.rstrip()) == len(line) for line in out.splitlines())
    names = ["build/reports/bench.json", "build/reports/bench.md", "build/reports/bench.svg", "my plot.png"]
    assert err.endswith("written:\n" + "".join(f"  {name}\n" for name in names))
    for name in names:
        assert (installed.request.root / name).stat().st_size > 0


def test_bench_as_json(installed: InstalledProject, capsys) -> None:
    row = replaced(BENCH_ROW, "error.max", "inf")
    write_program(installed, "bench", bench_document(row, left_out=[{"op": "ByHand", "why": "not written"}]))
    code, out = answer(capsys, "bench", "--json", "--size", "full")
    assert (code, out["schema"], out["simulated"], out["soc"]) == (0, 1, True, "Ascend910B1")
    (found,) = out["rows"]
    assert found["custom"]["times"] == {"median": 123.4, "least": 101.0, "most": 200.0}
    assert found["custom"]["error"]["most"] == "inf"
    assert found["transfers"]["saved"] == 2.0
    assert out["left_out"] == ["ByHand: not written"]
    assert out["files"][-1].endswith("build/reports/bench.svg")
    assert called(installed, "bench")[0][-2:] == ["--size", "full"]


def test_a_row_of_counts_as_json(installed: InstalledProject, capsys) -> None:
    write_program(installed, "bench", bench_document(COUNTED_ROW))
    code, out = answer(capsys, "bench", "--json")
    (row,) = out["rows"]
    assert (code, row["custom"], row["native"], row["passed"]) == (0, None, None, None)
    assert row["transfers"]["measured"] == 42378


def test_a_picture_of_another_kind_is_refused_before_anything_runs(installed: InstalledProject, capsys) -> None:
    write_program(installed, "bench", bench_document())
    assert cli.run(["bench", "--plot", "a.pdf"]) == 2
    assert "a name that ends in .svg or .png is expected" in capsys.readouterr().err
    assert not (installed.request.root / "bench.called").exists()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("/proc/x.svg", "--plot /proc/x.svg: it cannot be written: No such file or directory"),
        ("cases.svg/x.svg", "--plot cases.svg/x.svg: it cannot be written: cases.svg File exists"),
        (
            "opforge.yaml/new/x.svg",
            "--plot opforge.yaml/new/x.svg: it cannot be written: opforge.yaml/new Not a directory",
        ),
    ],
)
def test_a_picture_that_cannot_be_written_is_refused_before_anything_runs(
    name: str, said: str, installed: InstalledProject, capsys
) -> None:
    write_program(installed, "bench", bench_document())
    (installed.request.root / "cases.svg").touch()
    assert cli.run(["bench", "--plot", name]) == 2
    assert capsys.readouterr().err == (f"error: {said}\n  help: choose a file in a folder that you may write to\n")
    assert not (installed.request.root / "bench.called").exists()


def test_the_check_of_a_pictures_place_changes_no_file(tmp_path: Path) -> None:
    check_place(tmp_path / "new" / "a.svg")
    assert list((tmp_path / "new").iterdir()) == []
    old = tmp_path / "b.svg"
    old.write_text("old")
    check_place(old)
    assert old.read_text() == "old"


@pytest.mark.parametrize("command", ["bench", "verify", "trace"])
@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--op VectorSub", "--op VectorSub: vector_add has the ops VectorAdd, Picked\n  help: did you mean VectorAdd?"),
        ("--op x", "--op x: vector_add has the ops VectorAdd, Picked"),
        ("--dtype int4", "--dtype int4: the ops have bfloat16, bool, float16, float32"),
        (
            "--op picked --dtype bfloat61",
            "--dtype bfloat61: the ops have bfloat16, bool\n  help: did you mean bfloat16?",
        ),
    ],
)
def test_a_choice_of_what_is_not_there(
    command: str, words: str, said: str, installed: InstalledProject, capsys
) -> None:
    assert cli.run([command, *words.split()]) == 2
    assert capsys.readouterr() == ("", f"error: {said}\n")
    assert not installed.reports.exists()


def test_a_choice_by_function_and_by_a_cases_dtypes(installed: InstalledProject, capsys) -> None:
    write_program(installed, "verify", verify_document())
    assert (
        answer(capsys, "verify", "--op", "vector_add", "--op", "Picked", "--dtype", "bool/bfloat16", "--json")[0] == 0
    )
    words = ["--op", "vector_add", "--op", "Picked", "--dtype", "bool/bfloat16"]
    assert called(installed, "verify")[0][2:] == words


def test_verify_passes(installed: InstalledProject, capsys) -> None:
    write_program(installed, "verify", verify_document())
    assert cli.run(["verify"]) == 0
    out, err = capsys.readouterr()
    assert out.endswith("passed: 1 comparisons\n")
    assert "build/reports/verify.md" in err
    assert "| SwiGLU | bfloat16 |" in (installed.reports / "verify.md").read_text(encoding="utf-8")


BY_C = {**VERIFY_ROW, "passed": False, "judged_by": "C"}
FAILED = replaced(BY_C, "C", {**VERIFY_ROW["C"], "passed": False, "level": None})


def test_verify_fails_with_1(installed: InstalledProject, capsys) -> None:
    write_program(installed, "verify", verify_document(FAILED), code=1)
    assert cli.run(["verify", "--standard", "A", "--standard", "C"]) == 1
    assert called(installed, "verify")[0][2:] == ["--standard", "A", "--standard", "C"]
    assert capsys.readouterr().out.endswith(
        "failed: 1 of 1 comparisons; the first is SwiGLU, bfloat16, 3 x 127, grad_x under standard C\n"
    )
    code, out = answer(capsys, "verify", "--json")
    assert (code, out["passed"], out["rows"][0]["ratios"]["level"]) == (1, False, None)


def test_a_program_that_breaks_off_is_an_error_with_its_log(installed: InstalledProject, capsys) -> None:
    write_program(installed, "verify", None, before="raise RuntimeError('EZ9999: no such op')")
    code, out = answer(capsys, "verify", "--json")
    assert code == out["error"]["exit_code"] == 11
    assert out["error"]["class"] == "MeasureError"
    assert "EZ9999: no such op" in out["error"]["detail"]
    assert "build/logs/verify.log" in out["error"]["detail"]


def test_leaks(installed: InstalledProject, capsys) -> None:
    write_program(installed, "leaks", leaks_document(9), before=BY_QUEUE)
    assert cli.run(["test", "--leaks", "--calls", "50"]) == 0
    assert capsys.readouterr().out.endswith("no growth over 50 calls, with TASK_QUEUE_ENABLE 0, 1 and 2\n")
    assert called(installed, "leaks")[0][2:] == ["--calls=50"]
    assert cli.run(["test", "--leaks"]) == 0
    assert called(installed, "leaks")[0][2:] == ["--calls=1000"]


def test_leaks_says_what_it_does_not_call(installed: InstalledProject, capsys) -> None:
    unwritten = leaks_document(9, left_out=[{"op": "ByHand", "why": "its kernel is not written"}])
    write_program(installed, "leaks", unwritten, before=BY_QUEUE)
    assert cli.run(["test", "--leaks"]) == 0
    assert "left out: ByHand: its kernel is not written" in capsys.readouterr().err
    assert answer(capsys, "test", "--leaks", "--json")[1]["left_out"] == ["ByHand: its kernel is not written"]


def test_leaks_that_there_are(installed: InstalledProject, capsys) -> None:
    write_program(
        installed, "leaks", leaks_document(9, {**LEAK_ROW, "grew": True, "why": "x"}), before=BY_QUEUE, code=1
    )
    assert cli.run(["test", "--leaks"]) == 1
    assert "GREW: x" in capsys.readouterr().out
    code, out = answer(capsys, "test", "--leaks", "--json")
    assert (code, out["exit_code"], out["grew"]) == (1, 1, True)
    assert [row["task_queue"] for row in out["rows"]] == [0, 1, 2]


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("--leaks", "--aclnn"), "--aclnn and --leaks exclude each other"),
        (("--calls", "3"), "--calls needs --leaks"),
        (("--leaks", "-k", "name"), "--leaks takes no further arguments: -k name"),
        (("--leaks", "--calls", "0"), "Invalid value for '--calls': 0 is not in the range x>=1."),
    ],
)
def test_options_that_do_not_go_together(words: tuple[str, ...], what: str, capsys) -> None:
    code, out = answer(capsys, "test", *words, "--json")
    assert (code, out["error"]["what"]) == (2, what)


def test_a_narrow_terminal_has_a_wide_table_in_parts(
    installed: InstalledProject, capsys, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_program(installed, "bench", bench_document())
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("opforge.cli.shared.tables.is_terminal", lambda: True)
    assert cli.run(["-q", "bench"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    timed = lines[1 : lines.index("Errors and memory:")]
    assert [line.split()[-1] for line in timed if line.startswith("  op ")] == ["max)", "max)", "custom", "native"]
    assert sum(line.startswith("  VectorAdd  float16  7 x 1009") for line in timed) == 4


TABLE = Table(
    "T", (*left("name"), *right("a", "long title"), *left("b")), (("x", "1234", "5", "z"), ("yy", "6", "7", ""))
)


@pytest.mark.parametrize(
    ("width", "found"), [(99, [[0, 1, 2, 3]]), (22, [[0, 1, 2], [0, 3]]), (1, [[0, 1], [0, 2], [0, 3]])]
)
def test_columns_of_each_part(width: int, found: list[list[int]]) -> None:
    assert parts(TABLE, width) == found


def test_a_table_without_rows_or_numbers() -> None:
    assert parts(Table("T", left("a", "b"), ()), 1) == [[0, 1]]
    assert parts(Table("T", right("a"), ()), 99) == [[0]]
