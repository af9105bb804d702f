"""A whole project in memory: what is around the ops, and the licence on top of each source."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest

from opforge.errors import SpecError
from opforge.fileset import File, FileSet, is_owned
from opforge.kinds import derive
from opforge.render.project import render_project, with_head
from opforge.spec.read.parse import parse_spec
from opforge.spec.yaml_printer import print_spec

TWO_OPS = """\
edition: 1
project: {name: gates, package: gates, vendor: gates, version: 0.2.0, soc: [ascend910b], license: MIT}
ops:
  GateUp:
    doc: A gate and what it lets through.
    inputs: {x: {dtype: [float16, float32]}, gate: {}}
    attrs: {beta: {type: int}, alpha: {type: float, default: 1.5}}
    outputs: {y: {}, kept: {}}
    compute: |
      y = alpha * silu(gate) * x
      kept = beta + gate
  Forward:
    inputs: {x: {dtype: [bfloat16]}}
    compute: y = exp(-abs(x))
    backward: false
"""


@pytest.fixture(scope="module")
def files() -> FileSet:
    return render_project(derive(parse_spec(TWO_OPS, None)))


def text(files: FileSet, path: str) -> str:
    return files.files[PurePosixPath(path)].text


def test_the_spec_comes_out_as_it_went_in(files: FileSet) -> None:
    assert text(files, "opforge.yaml") == print_spec(parse_spec(TWO_OPS, None))


def test_rendering_twice_gives_the_same(files: FileSet) -> None:
    assert render_project(derive(parse_spec(TWO_OPS, None))) == files


def test_every_op_has_its_sources(files: FileSet) -> None:
    for op in ("gate_up", "forward"):
        for path in (
            f"op_host/{op}.cpp",
            f"op_kernel/{op}.cpp",
            f"op_kernel/{op}_kernel.h",
            f"op_kernel/{op}_tiling.h",
        ):
            assert PurePosixPath(path) in files.files


def of_the_project(files: FileSet) -> list[File]:
    """The files but those that opforge owns and those below .opforge/, which carry opforge's own licence."""
    return [file for file in files if file.path.parts[0] != ".opforge" and not is_owned(file.path)]


def test_each_source_carries_the_licence_first(files: FileSet) -> None:
    for file in of_the_project(files):
        first = file.text.partition("\n")[0]
        if file.path.suffix in (".cpp", ".h"):
            assert first == "// SPDX-License-Identifier: MIT", file.path
        elif file.path.suffix == ".py":
            assert first == "# SPDX-License-Identifier: MIT", file.path
        else:
            assert "SPDX" not in first or file.path.name == "CMakeLists.txt", file.path


def test_files_that_opforge_owns_say_so_and_carry_its_licence(files: FileSet) -> None:
    owned = [file for file in files if is_owned(file.path)]
    assert {"op_host", "op_kernel", "csrc", "aclnn", "python"} == {file.path.parts[0] for file in owned}
    for file in owned:
        mark = "#" if file.path.suffix == ".py" else "//"
        said, licence, _ = file.text.split("\n", 2)
        assert said == f"{mark} Owned by opforge: `opforge update` replaces this file.", file.path
        assert licence == f"{mark} SPDX-License-Identifier: Apache-2.0", file.path


@pytest.mark.parametrize(
    ("path", "owned"),
    [
        ("op_host/opforge/symbols.h", True),
        ("python/gates/_opforge/_checks.py", True),
        ("python/gates/_opforge/_fusion/calls.py", True),
        ("python/gates/_ops.py", False),
        ("python/opforge/_ops.py", False),
        ("op_kernel/opforge", False),
        ("op_kernel/mine/opforge/tile.h", False),
        ("tests/opforge/test_it.py", False),
        (".opforge/lock.json", False),
    ],
)
def test_which_files_opforge_owns(path: str, owned: bool) -> None:
    assert is_owned(PurePosixPath(path)) is owned


def test_without_a_licence_no_file_names_one() -> None:
    spec = parse_spec(TWO_OPS.replace(", license: MIT", ""), None)
    assert [file.path for file in of_the_project(render_project(derive(spec))) if "SPDX" in file.text] == []


def test_a_licence_stands_below_the_line_that_starts_a_script() -> None:
    script = File(PurePosixPath("run.sh"), "#!/bin/sh\necho\n", "form")
    assert with_head(script, "MIT").text == "#!/bin/sh\n# SPDX-License-Identifier: MIT\necho\n"
    data = File(PurePosixPath("py.typed"), "", "form")
    assert with_head(data, "MIT") == data


def test_the_readme_shows_how_each_op_is_called(files: FileSet) -> None:
    readme = text(files, "README.md")
    assert "The custom operators `GateUp`, `Forward` for Ascend NPUs" in readme
    assert "y, kept = gates.gate_up(x, gate, 2)\n" in readme
    assert "y = gates.forward(x)\n" in readme
    assert "| attribute | `alpha` | float | default 1.5 |\n" in readme
    assert "| attribute | `beta` | int | required |\n" in readme
    assert readme.count("Its gradient is derived") == 1
    assert readme.count("`model, count = gates.fuse(model)` puts it wherever") == 1  # Forward alone
    assert "\n\n\n" not in readme


def test_every_text_ends_in_one_newline(files: FileSet) -> None:
    wrong = [str(f.path) for f in files if f.text and (not f.text.endswith("\n") or f.text.endswith("\n\n"))]
    assert wrong == []


def test_no_line_ends_in_blanks(files: FileSet) -> None:
    wrong = [f"{f.path}: {line!r}" for f in files for line in f.text.splitlines() if line != line.rstrip()]
    assert wrong == []


def test_errors_of_all_ops_come_together() -> None:
    broken = TWO_OPS.replace("exp(-abs(x))", "exp(-abs(w))").replace("beta + gate", "beta + up")
    with pytest.raises(SpecError) as caught:
        render_project(derive(parse_spec(broken, None)))
    assert [name for name in ("`w`", "`up`") if name in caught.value.render()] == ["`w`", "`up`"]
