"""Sources of other layouts: what the build's copy of a project includes, and from where."""

from __future__ import annotations

from pathlib import Path

import pytest

from opforge.adopt.include_folders import Repository
from opforge.adopt.layouts import Unit
from opforge.build.run_package import copy_sources
from opforge.errors import BuildError
from opforge.spec.model import OpSpec, TensorSpec
from opforge.spec.op_sources import kernel_among

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


def test_a_collection_is_copied_below_op_kernel(tmp_path: Path) -> None:
    project, target = tmp_path / "project", tmp_path / "build"
    sources = ("math/add/op_host/add_def.cpp", "math/add/op_host/sub/tiling.cpp", "math/add/op_kernel/add.cpp")
    written(project, *sources, "math/add/op_kernel/add.h", "op_kernel/other.h", "other/op_host/other.cpp")
    copy_sources(project, target, [OpSpec("VectorAdd", (X,), (), (X,), sources=sources)])
    files = {str(path.relative_to(target)): path.read_text() for path in target.rglob("*") if path.is_file()}
    assert files == {
        **{f"op_kernel/{name}": f"// {name}\n" for name in (*sources, "math/add/op_kernel/add.h")},
        "op_host/math_add_add_def.cpp": '#include "../op_kernel/math/add/op_host/add_def.cpp"\n',
        "op_host/math_add_sub_tiling.cpp": '#include "../op_kernel/math/add/op_host/sub/tiling.cpp"\n',
        "op_kernel/vector_add.cpp": '#include "math/add/op_kernel/add.cpp"\n',
        "op_kernel/add.cpp": '#include "math/add/op_kernel/add.cpp"\n',
    }


def test_kernels_find_those_of_other_ops_beside_them(tmp_path: Path) -> None:
    project, target = tmp_path / "project", tmp_path / "build"
    base, deep = "nn/rms/op_kernel/rms_base.h", "nn/rms/op_kernel/arch22/deep.h"
    written(project, "LICENSE", "other/rms/op_kernel/rms_base.h", "nn/rms/rms_base.h", base, deep)
    kernel = project / "nn/add/op_kernel/add.cpp"
    written(project, "nn/add/op_host/add.cpp", "nn/add/op_kernel/add.cpp")
    kernel.write_text('#include "../rms/rms_base.h"\n#include "../rms/arch22/deep.h"\n#include "../rms/absent.h"\n')
    unit = Unit("nn/add", ("op_host/add.cpp",), ("op_kernel/add.cpp",))
    assert Repository(project, ()).included(unit).headers == [base, deep]

    # A header for another architecture is one only by that folder's name.
    there = "nn/rms/op_kernel/arch35/struct.h"
    written(project, there)
    kernel.write_text('#include "nn/rms/op_kernel/arch35/struct.h"\n#include "struct.h"\n')
    found = Repository(project, ()).included(unit)
    assert (found.folders, found.headers) == (["."], [there])
    kernel.write_text('#include "struct.h"\n')
    assert Repository(project, ()).included(unit).headers == []

    sources = ("nn/add/op_host/add.cpp", "nn/add/op_kernel/add.cpp", base, deep)
    copy_sources(project, target, [OpSpec("Add", (X,), (), (X,), sources=sources)])
    beside = target / "op_kernel" / "nn" / "add" / "rms"
    copied = {str(path.relative_to(beside)): path.read_text() for path in beside.rglob("*") if path.is_file()}
    assert copied == {
        "rms_base.h": '#include "../../rms/op_kernel/rms_base.h"\n',
        "arch22/deep.h": '#include "../../../rms/op_kernel/arch22/deep.h"\n',
    }
    for name in (base, deep):
        assert (target / "op_kernel" / name).read_text() == f"// {name}\n"
    assert kernel_among(sources) == "nn/add/op_kernel/add.cpp"


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
        "error: VectorAdd lists the source op_host/add/add_def.cpp, which does not exist\n"
        "  help: write the file, or correct `sources` in opforge.yaml"
    )
