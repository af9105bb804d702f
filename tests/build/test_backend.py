"""What pip asks of a project: its build backend, the wheels it makes, and their metadata."""

import base64
import csv
import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from workshop import KERNEL, Workshop

from opforge import backend
from opforge.build.pipeline import build
from opforge.build.python_env import PythonEnv, find_env
from opforge.build.state import State
from opforge.install.activation import custom_path
from opforge.toolkit.process import Runner

SHIM = Path(__file__).parents[2] / "templates" / "code" / "torch" / "opforge_backend.py"


@pytest.fixture
def project(project: Path, workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project as a frontend finds it: the hooks run in its folder, in the interpreter it builds for."""
    for name in ("ASCEND_HOME_PATH", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPFORGE_CACHE", str(workshop.cache))
    monkeypatch.setattr(sys, "executable", str(workshop.python))
    monkeypatch.chdir(project)
    return project


@pytest.fixture
def out(tmp_path: Path) -> Path:
    folder = tmp_path / "out"
    folder.mkdir()
    return folder


def read(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as file:
        return {name: file.read(name) for name in file.namelist()}


def fields(metadata: bytes) -> list[str]:
    return metadata.decode().partition("\n\n")[0].split("\n")


def require_whole_record(files: dict[str, bytes]) -> None:
    record = next(name for name in files if name.endswith("/RECORD"))
    rows = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(files[record].decode()))}
    assert rows.pop(record) == ("", "")
    assert rows.keys() == files.keys() - {record}
    for name, (digest, size) in rows.items():
        found = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
        assert (digest, size) == (f"sha256={found}", str(len(files[name])))


def test_the_project_hands_on_every_hook(project: Path, out: Path) -> None:  # noqa: ARG001
    found = importlib.util.spec_from_file_location("opforge_backend", SHIM)
    assert found is not None
    assert found.loader is not None
    shim = importlib.util.module_from_spec(found)
    found.loader.exec_module(shim)
    assert shim.__all__ == backend.__all__
    for name in backend.__all__:
        assert getattr(shim, name) is getattr(backend, name)
    assert shim.get_requires_for_build_editable() == []


def test_an_environment_without_opforge_is_told_what_to_type(tmp_path: Path, workshop: Workshop) -> None:
    command = [workshop.python, "-c", f"import runpy; runpy.run_path({str(SHIM)!r})"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=workshop.environ, check=False)
    assert done.returncode == 1
    assert "this build environment has no opforge" in done.stderr
    assert "pip install . --no-build-isolation" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_wheel_has_complete_metadata(project: Path, out: Path) -> None:
    spec = project / "opforge.yaml"
    spec.write_text(spec.read_text().replace("version: 0.1.0", "version: 0.1.0, license: Apache-2.0"))
    (project / "README.md").write_text("# Tiny\n\nFür alle.\n", encoding="utf-8")
    (project / "LICENSE").write_text("Apache License\n")
    (project / "NOTICE").mkdir()  # no file: not a page of the metadata
    name = backend.build_wheel(str(out))
    files = read(out / name)
    assert (out / name).read_bytes() == (project / "dist" / name).read_bytes()
    info = "tiny_op-0.1.0+sim.dist-info"
    assert fields(files[f"{info}/METADATA"]) == [
        "Metadata-Version: 2.4",
        "Name: tiny_op",
        "Version: 0.1.0+sim",
        "Summary: Ascend C operators for PyTorch: TinyCopy",
        "Requires-Python: >=3.10",
        "License-Expression: Apache-2.0",
        "License-File: LICENSE",
        "Requires-Dist: torch==2.13.*",
        "Provides-Extra: npu",
        'Requires-Dist: torch-npu==2.13.*; extra == "npu"',
        "Description-Content-Type: text/markdown",
    ]
    assert files[f"{info}/METADATA"].endswith("\n\n# Tiny\n\nFür alle.\n".encode())
    assert files[f"{info}/licenses/LICENSE"] == b"Apache License\n"
    assert not [name for name in files if name.startswith("README")]
    require_whole_record(files)


def test_a_project_without_pages_has_a_wheel_too(project: Path, out: Path) -> None:  # noqa: ARG001
    files = read(out / backend.build_wheel(str(out)))
    metadata = files["tiny_op-0.1.0+sim.dist-info/METADATA"]
    assert b"License" not in metadata
    assert b"Description-Content-Type" not in metadata


@pytest.mark.parametrize("page", ["README.md", "LICENSE"])
def test_the_wheel_follows_the_pages(project: Path, out: Path, workshop: Workshop, page: str) -> None:
    (project / page).write_text("before\n")
    backend.build_wheel(str(out))
    (project / page).write_text("after\n")
    request = workshop.request(project)
    assert build(request).ran == ("wheel",)
    assert request.progress.reasons() == {"wheel": f"{page} changed"}  # type: ignore[attr-defined]
    (project / page).unlink()
    assert build(workshop.request(project)).ran == ("wheel",)
    assert build(workshop.request(project)).ran == ()


def environment(workshop: Workshop) -> PythonEnv:
    return find_env(workshop.python, workshop.environ, State(), Runner())


def test_an_editable_installation_reads_the_project(project: Path, out: Path, workshop: Workshop) -> None:
    name = backend.build_editable(str(out))
    files = read(out / name)
    require_whole_record(files)
    assert files["_opforge_editable_tiny_op.pth"] == f"{project}/build/editable\n".encode()
    assert not [name for name in files if name.startswith("tiny_op/")]
    place = project / "build" / "editable" / "tiny_op"
    assert (place / "__init__.py").resolve() == project / "python" / "tiny_op" / "__init__.py"
    assert (place / "lib" / "torch-2.13" / "libadapter.so").read_bytes() == (
        project / "build/torch/libadapter.so"
    ).read_bytes()
    assert os.access(place / "lib" / "torch-2.13" / "libadapter.so", os.X_OK)
    # What is installed so is found by `opforge run`, as a wheel of pip is.
    site = environment(workshop).purelib
    line = site / "_opforge_editable_tiny_op.pth"
    line.write_bytes(files[line.name])
    try:
        assert custom_path(environment(workshop), {}) == [f"{place}/opp/vendors/tiny"]
        line.write_text("/nowhere\n")
        assert custom_path(environment(workshop), {}) == []
    finally:
        line.unlink()


def test_a_build_renews_an_editable_installation(project: Path, out: Path, workshop: Workshop) -> None:
    backend.build_editable(str(out))
    place = project / "build" / "editable" / "tiny_op"
    before = (place / "_build.json").read_text()
    (project / "op_kernel" / "tiny_copy.cpp").write_text(KERNEL + "// edited\n")
    (project / "python" / "tiny_op" / "more.py").write_text("MORE = 1\n")
    build(workshop.request(project))
    assert (place / "_build.json").read_text() != before
    assert (place / "more.py").is_symlink()
    assert sorted(path.name for path in (project / "build").glob(".editable*")) == []


def test_a_build_without_an_editable_installation_makes_none(project: Path, workshop: Workshop) -> None:
    build(workshop.request(project))
    assert not (project / "build" / "editable").exists()


def test_a_source_archive_holds_what_a_build_needs(project: Path, out: Path, tmp_path: Path) -> None:
    (project / "README.md").write_text("# Tiny\n")
    (project / ".opforge").mkdir(exist_ok=True)
    shutil.copy(SHIM, project / ".opforge")
    backend.build_wheel(str(out))
    for made in (".git/config", "python/tiny_op/__pycache__/x.pyc", ".venv/bin/python", "env/pyvenv.cfg"):
        (project / made).parent.mkdir(parents=True, exist_ok=True)
        (project / made).write_text("no source\n")
    name = backend.build_sdist(str(out))
    assert name == "tiny_op-0.1.0.tar.gz"
    first = (out / name).read_bytes()
    with tarfile.open(out / name) as archive:
        files = set(archive.getnames())
    shutil.unpack_archive(out / name, tmp_path / "unpacked")
    top = "tiny_op-0.1.0"
    assert {f"{top}/opforge.yaml", f"{top}/PKG-INFO", f"{top}/.opforge/opforge_backend.py"} <= files
    assert not [n for n in files if n.split("/")[1] in ("build", "dist", ".git", ".venv", "env") or "pycache" in n]
    assert b"\nDynamic: Requires-Dist\n" in (tmp_path / "unpacked" / top / "PKG-INFO").read_bytes()
    assert backend.build_sdist(str(out)) == name
    assert (out / name).read_bytes() == first
    os.chdir(tmp_path / "unpacked" / top)
    again = out / "again"
    again.mkdir()
    assert (again / backend.build_wheel(str(again))).is_file()


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"toolchian": "cann"}, "error: opforge has no config setting toolchian\n  help: it has: toolchain, jobs\n"),
        (
            {"toolchain": "ascend"},
            "error: `ascend` is not a valid toolchain\n  help: expected one of auto, simulator, cann\n",
        ),
        ({"jobs": "many"}, "error: `many` is not a valid number of jobs\n  help: for example `jobs=4`\n"),
    ],
)
def test_settings_that_do_not_exist_are_refused(
    project: Path,  # noqa: ARG001
    out: Path,
    capsys: pytest.CaptureFixture[str],
    settings: dict[str, str],
    says: str,
) -> None:
    with pytest.raises(SystemExit) as ended:
        backend.build_wheel(str(out), settings)
    assert ended.value.code == 2
    assert capsys.readouterr().err == says


def test_an_error_of_the_build_has_no_traceback(project: Path, out: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "opforge.yaml").write_text("edition: 1\n")
    with pytest.raises(SystemExit) as ended:
        backend.build_wheel(str(out))
    assert ended.value.code == 3
    shown = capsys.readouterr().err
    assert "opforge.yaml:1:1: the spec has no `ops`" in shown
    assert "Traceback" not in shown
