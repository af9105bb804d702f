"""``opforge export wheel``: one wheel for several versions of PyTorch."""

from __future__ import annotations

import hashlib
import json
import zipfile
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from workshop import Workshop, make_env

from opforge.build import exported_wheel
from opforge.build.exported_wheel import ExportedWheel, export_wheel
from opforge.build.pipeline import build
from opforge.build.wheel_metadata import requirements
from opforge.errors import BuildError, EnvironmentProblem, UsageError

OTHERS = ("2.9.1+cpu", "2.11.0")


@pytest.fixture(scope="session")
def others(workshop: Workshop, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Environments with other versions of torch; their headers differ."""
    folder = tmp_path_factory.mktemp("others")
    interpreters = tuple(make_env(folder / version, workshop.toolkit, version) for version in OTHERS)
    for interpreter, version in zip(interpreters, OTHERS, strict=True):
        (include,) = interpreter.parents[1].glob("lib/python3.*/site-packages/torch/include")
        (include / "torch_version.h").write_text(f'#define TORCH "{version}"\n')
    return interpreters


def exported(project: Path, workshop: Workshop, others: tuple[Path, ...], out: Path) -> ExportedWheel:
    (include,) = workshop.python.parents[1].glob("lib/python3.*/site-packages/torch/include")
    (include / "torch_version.h").write_text('#define TORCH "2.13.0"\n')
    adapter = project / "csrc" / "adapter.cpp"
    if "torch_version.h" not in adapter.read_text():
        text = '#include <torch_version.h>\nextern "C" const char* torch_version() { return "built for " TORCH; }\n'
        adapter.write_text(text + adapter.read_text())
    return export_wheel(workshop.request(project), others, out)


def test_libraries_for_each_pytorch(
    project: Path, workshop: Workshop, others: tuple[Path, ...], tmp_path: Path
) -> None:
    made = exported(project, workshop, others, tmp_path / "out")
    assert made.torch == ("2.13.0", *OTHERS)
    own = next((project / "dist").glob("*.whl"))
    assert made.path == tmp_path / "out" / own.name
    assert [path.name for path in (tmp_path / "out").iterdir()] == [own.name]
    with zipfile.ZipFile(own) as before, zipfile.ZipFile(made.path) as after:
        for version in made.torch:
            series = ".".join(version.split(".")[:2])
            assert f"built for {version}".encode() in after.read(f"tiny_op/lib/torch-{series}/libadapter.so")
            assert after.getinfo(f"tiny_op/lib/torch-{series}/libnpu_glue.so").external_attr >> 16 & 0o100
        changed = {name for name in before.namelist() if before.read(name) != after.read(name)}
        info = "tiny_op-0.1.0+sim.dist-info"
        assert changed == {"tiny_op/_build.json", f"{info}/METADATA", f"{info}/RECORD"}
        assert json.loads(after.read("tiny_op/_build.json"))["torch"] == ["2.13.0", "2.9.1", "2.11.0"]
        metadata = after.read(f"{info}/METADATA").decode()
        record = after.read(f"{info}/RECORD").decode()
        for name in set(after.namelist()) - {f"{info}/RECORD"}:
            digest = urlsafe_b64encode(hashlib.sha256(after.read(name)).digest()).rstrip(b"=").decode()
            assert f"{name},sha256={digest}," in record
    for line in requirements(made.torch):
        assert metadata.count(f"{line}\n") == 1
    assert metadata.count("Requires-Dist: torch") == 2
    assert metadata.endswith("\n")
    assert not metadata.endswith("\n\n")


def test_the_project_s_own_build_stays(
    project: Path, workshop: Workshop, others: tuple[Path, ...], tmp_path: Path
) -> None:
    exported(project, workshop, others, tmp_path / "out")
    request = workshop.request(project)
    assert build(request).ran == ()
    (project / "README.md").write_text("# Tiny\n\nText.\n")
    made = exported(project, workshop, others, tmp_path / "out")  # again, over the first one, and from the cache
    with zipfile.ZipFile(made.path) as file:
        metadata = file.read("tiny_op-0.1.0+sim.dist-info/METADATA").decode()
    head, _, text = metadata.partition("\n\n")
    assert "Requires-Dist: torch>=2.9,<2.14,!=2.10.*,!=2.12.*" in head.splitlines()
    assert text == "# Tiny\n\nText.\n"


@pytest.mark.parametrize(
    ("versions", "takes", "refuses"),
    [
        (("2.13.0",), ("2.13.0", "2.13.5+cpu"), ("2.12.9", "2.14.0")),
        (("2.13.0", "2.9.1"), ("2.9.0", "2.13.1"), ("2.8.1", "2.10.0", "2.12.1", "2.14.0")),
        (("2.10.0+cpu", "2.11.0"), ("2.10.3", "2.11.1"), ("2.9.0", "2.12.0")),
        (("3.0.0", "2.14.0"), ("2.14.1", "3.0.1"), ("2.13.0", "3.1.0")),
    ],
)
def test_what_pip_is_told(versions: tuple[str, ...], takes: tuple[str, ...], refuses: tuple[str, ...]) -> None:
    torch, extra, torch_npu = (line.partition(": ")[2] for line in requirements(versions))
    assert extra == "npu"
    for needed, name in ((Requirement(torch), "torch"), (Requirement(torch_npu), "torch-npu")):
        assert needed.name == name
        assert all(needed.specifier.contains(version) for version in takes)
        assert not any(needed.specifier.contains(version) for version in refuses)


def test_two_environments_of_one_series(project: Path, workshop: Workshop, others: tuple[Path, ...]) -> None:
    with pytest.raises(UsageError, match=r"both have torch 2\.9") as caught:
        export_wheel(workshop.request(project), (others[0], others[0]), project / "out")
    assert "leave out --also" in str(caught.value.hint)
    with pytest.raises(UsageError, match=r"both have torch 2\.13"):
        export_wheel(workshop.request(project), (workshop.python,), project / "out")
    assert not (project / "build").exists()


def test_an_environment_without_torch(project: Path, workshop: Workshop, tmp_path: Path) -> None:
    bare = make_env(tmp_path / "bare", workshop.toolkit)
    (torch,) = bare.parents[1].glob("lib/python3.*/site-packages/torch")
    torch.rename(torch.with_name("other"))
    with pytest.raises(EnvironmentProblem, match=r"torch is not installed in .*\(--also ") as caught:
        export_wheel(workshop.request(project), (bare,), project / "out")
    assert f"{bare} -m pip install torch==<VERSION>" in str(caught.value.hint)


def test_where_it_does_not_write(project: Path, workshop: Workshop, others: tuple[Path, ...]) -> None:
    with pytest.raises(UsageError, match="own wheel"):
        export_wheel(workshop.request(project), others, project / "csrc" / ".." / "dist")
    with pytest.raises(UsageError, match="not a folder"):
        export_wheel(workshop.request(project), others, project / "opforge.yaml")


def test_an_edit_between_the_adapters(
    project: Path, workshop: Workshop, others: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """All adapters of a wheel are of the same sources."""

    def build_then_edit(request: object) -> object:
        built = build(request)
        adapter = project / "csrc" / "adapter.cpp"
        adapter.write_text(adapter.read_text() + "// edited\n")
        return built

    monkeypatch.setattr(exported_wheel, "build", build_then_edit)
    with pytest.raises(BuildError, match=r"csrc/adapter\.cpp was changed during the build"):
        export_wheel(workshop.request(project), others, project / "out")
    assert not (project / "out").exists()
