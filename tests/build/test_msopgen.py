"""msOpGen of the simulated toolkit: its command line, its exit codes, and that it writes all or nothing."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fake_toolkit import TOOLS
from workshop import snapshot

OP = {
    "op": "AddCustom",
    "input_desc": [{"name": "x", "param_type": "required", "format": ["ND", "ND"], "type": ["fp16", "float"]}],
    "output_desc": [{"name": "z", "param_type": "required", "format": ["ND", "ND"], "type": ["fp16", "float"]}],
    "attr": [{"name": "sizes", "param_type": "optional", "type": "list_int", "default_value": [1, 2]}],
}
FILES = {
    "CMakeLists.txt", "CMakePresets.json", "build.sh", "op_host/CMakeLists.txt", "op_host/add_custom.cpp",
    "op_kernel/CMakeLists.txt", "op_kernel/add_custom.cpp", "op_kernel/add_custom_tiling.h",
}  # fmt: skip


def msopgen(
    folder: Path, content: object, *options: str, unit: str = "ai_core-Ascend910B1"
) -> subprocess.CompletedProcess[str]:
    (folder / "op.json").write_text(content if isinstance(content, str) else json.dumps(content))
    words = ["-i", folder / "op.json", "-c", unit, "-out", folder / "out", "-f", "pytorch", "-lan", "cpp", *options]
    return subprocess.run(
        [sys.executable, TOOLS / "msopgen" / "msopgen", "gen", *words], capture_output=True, text=True, check=False
    )


def test_new_project(tmp_path: Path) -> None:
    done = msopgen(tmp_path, [OP], unit="ai_core-Ascend910B1,ai_core-Ascend910_9391,ai_core-Ascend910B3")
    assert done.returncode == 0, done.stdout
    out = tmp_path / "out"
    assert {p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file()} == FILES
    host = (out / "op_host" / "add_custom.cpp").read_text()
    assert 'this->Attr("sizes").AttrType(OPTIONAL).ListInt({1, 2});' in host
    assert host.count("AddConfig") == 2
    assert (
        "GM_ADDR x, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling" in (out / "op_kernel" / "add_custom.cpp").read_text()
    )
    presets = json.loads((out / "CMakePresets.json").read_text())
    assert presets["configurePresets"][0]["cacheVariables"]["ASCEND_COMPUTE_UNIT"]["value"] == "ascend910b;ascend910_93"
    assert "$$" not in (out / "build.sh").read_text()
    assert (out / "build.sh").stat().st_mode & 0o111


def test_second_run_changes_nothing(tmp_path: Path) -> None:
    msopgen(tmp_path, [OP])
    before = snapshot(tmp_path / "out")
    done = msopgen(tmp_path, [OP])
    assert done.returncode == 108
    assert "exists already; nothing was written" in done.stdout
    assert snapshot(tmp_path / "out") == before


def test_one_more_op(tmp_path: Path) -> None:
    assert msopgen(tmp_path, [OP], "-m", "1").returncode == 103
    msopgen(tmp_path, [OP])
    assert msopgen(tmp_path, [{**OP, "op": "SwiGLU"}], "-m", "1").returncode == 0
    assert (tmp_path / "out" / "op_kernel" / "swi_glu_tiling.h").is_file()


def test_no_argument_prints_usage() -> None:
    done = subprocess.run([sys.executable, TOOLS / "msopgen" / "msopgen"], capture_output=True, text=True, check=False)
    assert (done.returncode, "usage: msopgen" in done.stdout) == (17, True)


def changed(**fields: object) -> list[dict[str, object]]:
    return [{**OP, **fields}]


def tensor(**fields: object) -> list[dict[str, object]]:
    return [{**OP["input_desc"][0], **fields}]


@pytest.mark.parametrize(
    ("content", "options", "code"),
    [
        ([OP], ("-f", "torch"), 11),
        ([OP], ("-m", "2"), 15),
        ([OP], ("-lan", "rust"), 237),
        ([OP], ("-lan", "py"), 101),
        ([OP], ("-c", "ai_core-Kirin990"), 14),
        ([OP], ("-c", "ai_core-Ascend910B9"), 14),
        ([OP], ("-c", "aicore-Ascend910B1"), 14),
        ([OP], ("-i", "/nonexistent.json"), 13),
        ([OP], ("-i", "op.xlsx"), 13),
        ([OP], ("-op", "Other"), 18),
        ("{", (), 109),
        ([], (), 112),
        ([OP, {**OP, "op": "Other"}], (), 16),
        (changed(op="Add Custom"), (), 18),
        (changed(op="Add/Custom"), (), 18),
        (changed(input_desc=tensor(type=["fp16", "nosuch"])), (), 114),
        (changed(input_desc=tensor(type=["nosuch", "nosuch"])), (), 17),
        (changed(input_desc=tensor(type=["fp16", "float", "bf16"])), (), 112),
        (changed(input_desc=tensor(type=["fp16"], format=["ND"])), (), 114),
        (changed(input_desc=tensor(format=["NDX", "ND"])), (), 17),
        (changed(input_desc=tensor(format=None)), (), 17),
        (changed(input_desc=tensor() * 2), (), 17),
        (changed(attr=[{"name": "a", "type": "tensor"}]), (), 17),
        (changed(attr=[{"name": "a", "type": "int", "param_type": "optional"}]), (), 17),
        (changed(attr=[{"name": "a", "type": "int", "param_type": "optional", "default_value": "abc"}]), (), 17),
        (changed(attr=[{"name": "a", "type": "str", "param_type": "optional", "default_value": "a;b"}]), (), 17),
    ],
)  # fmt: skip
def test_refused_before_anything_is_written(
    tmp_path: Path, content: object, options: tuple[str, ...], code: int
) -> None:
    done = msopgen(tmp_path, content, *options)
    assert done.returncode == code, done.stdout + done.stderr
    assert "[ERROR]" in done.stdout
    assert not (tmp_path / "out").exists()
