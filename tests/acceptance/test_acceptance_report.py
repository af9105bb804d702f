"""`opforge acceptance`: failures end a part and no run, records are taken again, and the report has it all.

A program stands for opforge here; tests/e2e/test_acceptance_run.py runs the real one.
"""

from __future__ import annotations

import json
import os
import stat
import sys
import tarfile
from pathlib import Path

import pytest

from opforge.acceptance.acceptance_report import compared, pack, page
from opforge.acceptance.parts import Outcome, Part, Place, parts_of, try_part
from opforge.cli.shared.runners import new_runner
from opforge.errors import UsageError
from opforge.progress import Silent
from opforge.spec import catalog

MADE_WITH = {"opforge": "0.1.0", "toolkit": "cann 9.1.0", "soc": "ascend910b", "torch": "2.13.0"}
# Notes each call; `test` fails in the folder of an op that is named to it.
STAND_IN = """\
import json, os, pathlib, sys
words = sys.argv[1:]
with open(os.environ["CALLS"], "a") as calls:
    calls.write(json.dumps([pathlib.Path.cwd().parent.name, *words]) + "\\n")
if words[0] == "test" and os.environ.get("FAILING") == pathlib.Path.cwd().parent.name:
    print("1 failed, 3 passed")
    sys.exit(1)
if words[0] in ("bench", "verify"):
    print("  progress, which is not JSON: {")
    simulated = "simulator" in words
    row = {"op": "VectorAdd", "dtype": "float16", "label": "64x64"}
    row["traffic"] = {"fused": 100, "read": 90, "written": 30}
    row["custom"] = {"times": {"median": 900.0 if simulated else 8.0}}
    row["estimate"] = {"microseconds": 4.0} if simulated else None
    print(json.dumps({"schema": 1, "rows": [row]}, indent=2))
    print("a warning behind it")
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    program = tmp_path / "stand_in.py"
    program.write_text(STAND_IN, encoding="utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    work = tmp_path / "work"
    work.mkdir()
    own = (sys.executable, str(program))
    return Place(own, work, dict(os.environ), "cann", "ascend910b", None, Silent(), new_runner())


def calls(place: Place) -> list[list[str]]:
    lines = Path(place.environ["CALLS"]).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def two_parts() -> tuple[Part, Part]:
    add, silu = (catalog.entry(name) for name in ("VectorAdd", "SiluMul"))
    assert add is not None
    assert silu is not None
    return Part("part01", (add,)), Part("part02", (silu,))


def test_each_command_runs_once_and_the_estimates_come_from_the_simulator(place: Place) -> None:
    outcome = try_part(two_parts()[0], place, MADE_WITH)
    words = [call[1:] for call in calls(place)]
    assert [call[0] for call in words] == ["build", "install", "test", "verify", "bench", "bench", "uninstall"]
    assert words[4][1:3] == ["--toolchain", "cann"]
    assert words[5][1:5] == ["--toolchain", "simulator", "--soc", "ascend910b"]
    assert (place.folder / "part01" / "project" / "opforge.yaml").is_file()
    (case,) = compared([outcome])
    assert (case.moved, case.least, case.estimated, case.measured, case.ratio) == (120, 100, 4.0, 8.0, 2.0)


def test_times_of_a_simulated_device_are_no_measurements(place: Place) -> None:
    simulated = Place(**{**vars_of(place), "toolchain": "simulator"})
    (case,) = compared([try_part(two_parts()[0], simulated, MADE_WITH)])
    assert (case.estimated, case.measured, case.ratio) == (4.0, None, None)
    assert [call[1] for call in calls(place)] == ["build", "install", "test", "verify", "bench", "uninstall"]


def vars_of(place: Place) -> dict[str, object]:
    return {name: getattr(place, name) for name in Place.__dataclass_fields__}


def test_a_failing_command_ends_its_part_and_no_run(place: Place, tmp_path: Path) -> None:
    failing = Place(**{**vars_of(place), "environ": {**place.environ, "FAILING": "part01"}})
    outcomes = [try_part(part, failing, MADE_WITH) for part in two_parts()]
    assert [outcome.passed for outcome in outcomes] == [False, True]
    assert [(ran.name, ran.code) for ran in outcomes[0].ran] == [("build", 0), ("install", 0), ("test", 1)]
    assert [call[0] for call in calls(place) if call[1] == "uninstall"] == ["part01", "part02"]
    text = page(MADE_WITH, outcomes)
    assert "1 of 2 ops passed every command, on this machine's NPU." in text
    assert "| part01 | VectorAdd | ok | ok | failed (1) |  |  |  |" in text
    assert "- part01, test: `1 failed, 3 passed` (logs/part01/test.log)" in text
    assert "| VectorAdd | float16 | 64x64 | 120 | 1.20 | 4.0 | 8.0 | 2.00 * |" in text
    pack(tmp_path / "sent.tar.gz", place.folder, text, outcomes, "ok compiler\n")
    with tarfile.open(tmp_path / "sent.tar.gz") as archive:
        names = archive.getnames()
        log = archive.extractfile("acceptance/logs/part01/test.log")
        assert log is not None
        assert b"1 failed, 3 passed" in log.read()
    assert {"acceptance/report.md", "acceptance/report.json", "acceptance/machine.txt"} <= set(names)


def test_a_record_is_taken_again_but_not_that_of_a_failure_or_of_another_toolkit(place: Place) -> None:
    part = two_parts()[0]
    failing = Place(**{**vars_of(place), "environ": {**place.environ, "FAILING": "part01"}})
    assert not try_part(part, failing, MADE_WITH).passed
    first = try_part(part, place, MADE_WITH)
    assert first.passed
    before = len(calls(place))
    again = try_part(part, place, MADE_WITH)
    assert isinstance(again, Outcome)
    assert again == first
    assert len(calls(place)) == before
    assert try_part(part, place, {**MADE_WITH, "toolkit": "cann 9.2.0"}).passed
    assert len(calls(place)) > before


def test_parts_have_all_ops_of_the_catalog_once() -> None:
    everything = [op.type for part in parts_of(()) for op in part.ops]
    assert everything == [name for name in catalog.names() if catalog.entry(name) is not None]
    assert len(everything) > 150
    with pytest.raises(UsageError, match="the catalog has no op Nonsense"):
        parts_of(("VectorAdd", "Nonsense"))
