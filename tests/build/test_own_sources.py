"""Sources of other layouts: what the build's copy of a project includes, and from where."""

from __future__ import annotations

from pathlib import Path

import pytest

from opforge.build.operators import copy_sources
from opforge.errors import BuildError
from opforge.spec.model import OpSpec, TensorSpec

X = TensorSpec("x", ("float32",))
SOURCES = ("op_host/add/add_def.cpp", "op_host/tiling.cpp", "op_kernel/fast/add.cpp", "op_kernel/fast/add.h")
OP = OpSpec("VectorAdd", (X,), (), (TensorSpec("y", ("float32",)),), sources=SOURCES)


def written(project: Path, *names: str) -> None:
    for name in names:
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(f"// {name}\n", encoding="utf-8")


def test_the_listed_files_are_what_is_built(tmp_path: Path) -> None:
    project, target = tmp_path / "project", tmp_path / "build"
    written(project, *SOURCES, "op_kernel/vector_add.cpp")
    written(target, "op_host/old.cpp")
    copy_sources(project, target, [OP])
    files = {str(path.relative_to(target)): path.read_text() for path in target.rglob("*") if path.is_file()}
    assert files == {
        **{name: f"// {name}\n" for name in SOURCES},
        "op_host/add_add_def.cpp": '#include "add/add_def.cpp"\n',
        "op_kernel/vector_add.cpp": '#include "fast/add.cpp"\n',
    }
    before = {path: path.stat().st_mtime_ns for path in target.rglob("*")}
    copy_sources(project, target, [OP])
    assert {path: path.stat().st_mtime_ns for path in target.rglob("*")} == before


def test_without_sources_the_project_is_copied_as_it_is(tmp_path: Path) -> None:
    project, target = tmp_path / "project", tmp_path / "build"
    written(project, "op_host/vector_add.cpp", "op_kernel/vector_add.cpp")
    copy_sources(project, target, [OpSpec("VectorAdd", (X,), (), (X,))])
    assert sorted(path.name for path in target.rglob("*.cpp")) == ["vector_add.cpp", "vector_add.cpp"]
    assert (target / "op_kernel" / "vector_add.cpp").read_text() == "// op_kernel/vector_add.cpp\n"


def test_a_listed_file_that_is_not_there(tmp_path: Path) -> None:
    written(tmp_path / "project", *SOURCES[1:])
    with pytest.raises(BuildError) as refused:
        copy_sources(tmp_path / "project", tmp_path / "build", [OP])
    assert refused.value.render() == (
        "error: VectorAdd names op_host/add/add_def.cpp among its sources, and there is no such file\n"
        "  help: write the file, or correct `sources` in opforge.yaml"
    )
