"""``opforge trace``, with a program whose simulated device writes the lines of a test."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from documents import bench_document, called, make_installed, write_program

from opforge.cli import main as cli
from opforge.measure.programs import InstalledProject
from opforge.measure.time_model import error_text, estimate, launch_work

ERROR = error_text("Ascend910B1")
LAUNCH = "bound by launch: 1 % of it at the hardware's peaks; launch 2.7 us, slowest core"

ESTIMATES = [{"name": "clock", "value": 1000, "unit": "MHz", "kind": "guess", "source": "a test"}]
BUSY = {"S": 0, "V": 80, "MTE1": 0, "MTE2": 316, "MTE3": 0, "M": 0, "FIX": 0}
GM = {"read": 512, "written": 512, "read_once": 512, "written_once": 512}


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> InstalledProject:
    made = make_installed(tmp_path)
    monkeypatch.setattr("opforge.cli.trace.find_installed", lambda *_, **__: made)
    monkeypatch.chdir(made.request.root)
    return made


def line(name: str, cycles: int, left_out: int = 0, **fields: Any) -> dict[str, Any]:
    events = [["MTE2", 4, 316, "DataCopy", "op_kernel/a.h", 7, 512], ["V", 320, cycles - 320, "Add", "a.h", 8, 128]]
    core = {"kind": "aiv", "block": 0, "sub": 0, "macs": 0, "crossed": 0, "bypassed": 0, "span": cycles, "busy": BUSY}
    core |= {"events": events, "left_out": left_out, "last": cycles}
    launch = {"op": "VectorAdd", "object": name, "soc": "Ascend910B1", "block_dim": 1, "tiling_key": 0}
    return {"schema": 3, **launch, "gm": GM, "estimates": ESTIMATES, "cores": [core], **fields}


def traces(installed: InstalledProject, *lines: dict[str, Any]) -> None:
    """A program whose launches leave these lines."""
    text = "".join(json.dumps(each) + "\n" for each in lines)
    before = f"Path(os.environ['OPFORGE_SIM_TRACE']).open('a').write({text!r})" if lines else ""
    write_program(installed, "bench", bench_document(), before=before)


def make_kernel(folder: Path, name: str, *dtypes: str) -> str:
    inputs = [{"dtype": dtype} for dtype in dtypes]
    (folder / f"{name}.json").write_text(json.dumps({"supportInfo": {"inputs": inputs}}), encoding="utf-8")
    return str(folder / f"{name}.o")


def test_the_first_launch_of_each_kernel(
    installed: InstalledProject, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    half, mixed = make_kernel(tmp_path, "V_1", "float16", "float16"), make_kernel(tmp_path, "V_2", "bool", "float32")
    launches = [line(half, 400), line(half, 900), line(mixed, 500), line(half, 600, block_dim=2, tiling_key=3)]
    traces(installed, *launches)
    assert cli.run(["trace", "--op", "VectorAdd", "--dtype", "float16"]) == 0
    arguments, environ = called(installed, "bench")
    assert arguments[2:] == ["--op", "VectorAdd", "--dtype", "float16", "--quick", "--size", "small"]
    assert environ["OPFORGE_SIM_CHECKS"] == "full"
    out, err = capsys.readouterr()
    assert out == (
        f"VectorAdd bool-float32, tiling key 0, 1 blocks: 3.0 us estimated ({ERROR}), {LAUNCH} 500 cycles\n"
        f"VectorAdd float16, tiling key 0, 1 blocks: 2.9 us estimated ({ERROR}), {LAUNCH} 400 cycles\n"
        f"VectorAdd float16, tiling key 3, 2 blocks: 3.0 us estimated ({ERROR}), {LAUNCH} 600 cycles\n"
    )
    stems = ("bool-float32_0_1", "float16_0_1", "float16_3_2")
    names = [f"trace_VectorAdd_{stem}.{end}" for stem in stems for end in ("json", "svg")]
    assert err.endswith("written:\n" + "".join(f"  build/reports/{name}\n" for name in names))
    assert sorted(path.name for path in installed.reports.iterdir()) == sorted(names)  # nothing else is left
    trace = json.loads((installed.reports / "trace_VectorAdd_float16_0_1.json").read_text(encoding="utf-8"))
    load, add = (event for event in trace["traceEvents"] if event["ph"] == "X")
    assert (load["ts"], load["dur"]) == (0.004, 0.316)
    assert load["args"] == {"at": "op_kernel/a.h:7", "cycles": 316, "bytes": 512}
    assert add["args"] == {"at": "a.h:8", "cycles": 80, "elements": 128}
    assert trace["otherData"]["estimates"] == ESTIMATES


def test_as_json_into_another_folder(installed: InstalledProject, capsys: pytest.CaptureFixture[str]) -> None:
    traces(installed, line("/gone/VectorAdd_1.o", 400, left_out=5))  # nothing beside it says its data types
    assert cli.run(["trace", "--out", "my traces", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    row = {"op": "VectorAdd", "dtypes": "", "tiling_key": 0, "block_dim": 1, "cycles": 400, "left_out": 5}
    time = estimate([launch_work(line("a.o", 400))], "Ascend910B1")
    row |= {"us": time.microseconds, **vars(time)}
    files = [f"my traces/trace_VectorAdd_0_1.{end}" for end in ("json", "svg")]
    assert out == {"schema": 1, "estimated": True, "kernels": [row], "warnings": [], "files": files}
    assert all((installed.request.root / file).stat().st_size > 0 for file in files)


def test_what_is_not_shown_is_told(installed: InstalledProject, capsys: pytest.CaptureFixture[str]) -> None:
    traces(installed, line("/gone/VectorAdd_1.o", 20000, left_out=7))
    assert cli.run(["trace"]) == 0
    out, err = capsys.readouterr()
    assert "warning: VectorAdd: 7 instructions are not shown: the trace has only the first ones of each core\n" in err
    assert "slowest core 20000 cycles" in out


def test_without_a_simulated_device_there_is_none(
    installed: InstalledProject, capsys: pytest.CaptureFixture[str]
) -> None:
    traces(installed)
    assert cli.run(["trace"]) == 11
    assert "error: no kernel ran on a simulated device\n  help: opforge trace --toolchain " in capsys.readouterr().err


def test_lines_of_another_simulator_are_refused(
    installed: InstalledProject, capsys: pytest.CaptureFixture[str]
) -> None:
    traces(installed, line("a.o", 400, schema=4))
    assert cli.run(["trace"]) == 11
    assert "the time line of the simulated device has schema 4, this opforge reads 3" in capsys.readouterr().err
