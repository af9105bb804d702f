"""``opforge export``: where it writes, what it says, and what it refuses."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from opforge.cli import main as cli
from opforge.install.op_plugin_names import names_taken

SWIGLU = Path(__file__).resolve().parents[2] / "examples" / "swiglu" / "opforge.yaml"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    (root / "deeper").mkdir(parents=True)
    (root / "opforge.yaml").write_bytes(SWIGLU.read_bytes())
    monkeypatch.chdir(root / "deeper")
    monkeypatch.setenv("OPFORGE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path / "none"))
    return root


def test_files_and_what_is_said(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["export", "op-plugin"]) == 0
    said = capsys.readouterr()
    folder = project / "build" / "op-plugin"
    written = said.out.splitlines()
    assert "README.md" in written
    assert "op_plugin/config/op_plugin_functions.yaml" in written
    assert "test/test_custom_ops/test_npu_swiglu.py" in written
    assert all((folder / name).is_file() for name in written)
    assert f"{len(written)} files in {folder}: README.md there says where each goes" in said.err


def test_json_a_folder_and_a_prefix(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    words = ["export", "op-plugin", "--out", str(out), "--prefix", "npu_custom_", "--json", "--project", str(project)]
    assert cli.run(words) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["schema"] == 1
    assert told["folder"] == str(out)
    assert told["functions"] == ["npu_custom_swiglu", "npu_custom_swiglu_backward", "npu_custom_swiglu_grad"]
    assert told["removed"] == []
    assert sorted(told["files"]) == sorted(
        str(path.relative_to(out)) for path in out.rglob("*") if path.is_file() and not path.name.startswith(".")
    )


def test_edits_are_kept(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["export", "op-plugin", "-q"]) == 0
    readme = project / "build" / "op-plugin" / "README.md"
    readme.write_text("mine")
    assert cli.run(["export", "op-plugin"]) == 5
    assert "README.md\n  help: give another folder with --out, or replace them with --force" in capsys.readouterr().err
    assert readme.read_text() == "mine"
    assert cli.run(["export", "op-plugin", "--force", "-q"]) == 0
    assert readme.read_text() != "mine"


@pytest.mark.parametrize("prefix", ["", "npu", "Npu_", "_npu_", "npu__", "1_", "a-b_"])
@pytest.mark.usefixtures("project")
def test_what_is_no_prefix(prefix: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["export", "op-plugin", "--prefix", prefix]) == 2
    assert f"`{prefix}` is not a valid prefix of function names" in capsys.readouterr().err


def test_names_that_torch_npu_has_already(tmp_path: Path) -> None:
    header = tmp_path / "include" / "torch_npu" / "csrc" / "aten" / "CustomFunctions.h"
    assert names_taken(None, ["npu_swiglu"]) == ()
    assert names_taken(tmp_path, ["npu_swiglu"]) == ()
    header.parent.mkdir(parents=True)
    header.write_text(
        "TORCH_NPU_API at::Tensor npu_swiglu(const at::Tensor & self, int64_t dim=-1);\n"
        "TORCH_NPU_API ::std::tuple<at::Tensor,at::Tensor> npu_two(const at::Tensor & x);\n"
    )
    assert names_taken(tmp_path, ["npu_swiglu", "npu_two", "npu_tensor", "self"]) == ("npu_swiglu", "npu_two")


@pytest.mark.torch
def test_names_of_the_wheel() -> None:
    import importlib.util

    found = importlib.util.find_spec("torch_npu")
    assert found is not None
    assert found.origin is not None
    names = ["npu_swiglu", "npu_swiglu_backward", "npu_custom_swiglu"]
    assert names_taken(Path(found.origin).parent, names) == ("npu_swiglu", "npu_swiglu_backward")


def test_a_project_for_cann_alone(project: Path, tmp_path: Path, monkeypatch, capsys) -> None:
    for name in ("ASCEND_HOME_PATH", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for folder in ("op_host", "op_kernel"):
        shutil.copytree(SWIGLU.parent / folder, project / folder)
    out = tmp_path / "alone"
    assert cli.run(["export", "cann", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["folder"], told["generation"]) == (str(out), 9)
    assert {"CMakeLists.txt", "CMakePresets.json", "build.sh", "op_host/swi_glu.cpp"} <= set(told["files"])
    assert "find_package(ASC" in (out / "CMakeLists.txt").read_text()
    assert os.access(out / "build.sh", os.X_OK)
    (out / "build.sh").write_text("mine")
    assert cli.run(["export", "cann", str(out)]) == 5
    assert "give another folder, or replace them with --force" in capsys.readouterr().err
    older = tmp_path / "home/Ascend/8.1"
    for name in ("tools/opbuild/op_build", "tools/op_project_templates/ascendc/customize/cmake/func.cmake"):
        (older / name).parent.mkdir(parents=True, exist_ok=True)
        (older / name).write_text("")
    assert cli.run(["toolkit", "use", str(older)]) == 0
    assert cli.run(["export", "cann", str(out), "--force"]) == 0
    assert "for CANN with customize template" in capsys.readouterr().err
    assert "include(cmake/func.cmake)" in (out / "CMakeLists.txt").read_text()
    assert cli.run(["export", "cann", str(out), "--generation", "9"]) == 0
    assert "find_package(ASC" in (out / "CMakeLists.txt").read_text()
