"""``opforge add``, as a user types it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from opforge.cli import main as cli
from opforge.cli.shared import updating
from opforge.scaffold.base_file import read_base
from opforge.spec.read.parse import load_spec

ADD = ["add", "VectorSub", "--inputs", "x,y"]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    assert cli.run(["--quiet", "new", "VectorAdd", "--inputs", "x,y"]) == 0
    capsys.readouterr()
    monkeypatch.chdir(tmp_path / "vector_add")
    return tmp_path / "vector_add"


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def rewrite(project: Path, text: str) -> None:
    (project / "opforge.yaml").write_bytes(text.encode())
    assert cli.run(["--quiet", "update"]) == 0


def test_an_op_comes_with_all_its_files(project: Path, capsys, monkeypatch) -> None:
    before = files(project)
    monkeypatch.chdir(project / "tests")
    assert cli.run(ADD) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("added VectorSub(x, y) -> z: z = x - y\n  opforge.yaml:16\n")
    assert "\n  added    op_host/vector_sub.cpp (+" in captured.err
    after = files(project)
    assert after["opforge.yaml"].startswith(before["opforge.yaml"])
    assert [op.type for op in load_spec(project / "opforge.yaml").ops] == ["VectorAdd", "VectorSub"]
    for stem in ("op_host/vector_sub.cpp", "op_kernel/vector_sub_kernel.h", "aclnn/call_vector_sub.cpp"):
        assert stem in after
        assert after[stem] == read_base(project)[PurePosixPath(stem)]
    assert cli.run(["status"]) == 0


def test_the_result_is_the_project_that_new_would_make_of_that_spec(project: Path, monkeypatch) -> None:
    assert cli.run(["--quiet", *ADD]) == 0
    added = files(project)
    text = (project / "opforge.yaml").read_text()
    monkeypatch.chdir(project.parent)
    assert (
        cli.run(["--quiet", "new", "VectorSub", "--inputs", "x,y", "--path", "other", "--package", "vector_add"]) == 0
    )
    monkeypatch.chdir(project.parent / "other")
    rewrite(project.parent / "other", text)
    other = files(project.parent / "other")
    assert {path for path, data in added.items() if other.get(path) != data} <= {"build/.lock"}
    assert added.keys() == other.keys()


def test_comments_layout_and_line_ends_stay(project: Path, capsys) -> None:
    text = (
        "# Ünïcode 算子\r\nedition: 2 # first\r\n\r\nops:\r\n"
        "    VectorAdd:   # the sum\r\n        inputs: {x: {dtype: [float32]}, y: {}}\r\n"
        "        compute: z = x + y\r\n    # after it\r\n\r\n"
        "# the rest\r\nproject: {name: p, package: p, soc: [ascend910b]}"
    )
    rewrite(project, text)
    capsys.readouterr()
    assert cli.run(ADD) == 0
    after = (project / "opforge.yaml").read_bytes().decode()
    head, tail = text.split("\r\n\r\n# the rest")
    assert after.startswith(head + "\r\n    VectorSub:\r\n        doc: Element-wise difference of two tensors.\r\n")
    assert after.endswith("\r\n\r\n# the rest" + tail)
    assert after.count("\n") == after.count("\r\n")
    assert cli.run(["status"]) == 0


def test_dry_run_shows_lines_and_files_and_writes_nothing(project: Path, capsys) -> None:
    before = files(project)
    assert cli.run([*ADD, "--dry-run"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith("opforge.yaml:16\n  VectorSub:\n    doc: Element-wise difference")
    assert "\n  added    op_kernel/vector_sub.cpp (+" in captured.out
    assert captured.err.endswith("; nothing was written\n")
    assert files(project) == before


def test_json_says_where_the_op_went(project: Path, capsys) -> None:
    assert cli.run([*ADD, "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert (out["schema"], out["root"], out["op"], out["written"]) == (1, str(project), "VectorSub", True)
    lines = (project / "opforge.yaml").read_text().splitlines()[out["lines"][0] - 1 : out["lines"][1]]
    assert (lines[0], lines[-1]) == ("  VectorSub:", "    compute: z = x - y")
    assert {"path", "action", "added", "removed", "conflicts", "imported_by"} == set(out["files"][0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["VectorAdd", "--inputs", "x,y"], "opforge.yaml:10: the project already has `VectorAdd`\n"),
        (
            ["VectorADD", "--inputs", "a,b", "--like", "VectorSub"],
            "opforge.yaml:10: the project already has `VectorAdd`, and the files of",
        ),
        (["VectorAddGrad", "--inputs", "x,y", "--compute", "z = x"], "compute does not use the input `y`"),
    ],
)
def test_what_exists_or_is_wrong_is_refused(arguments: list[str], message: str, project: Path, capsys) -> None:
    before = files(project)
    assert cli.run(["add", *arguments]) in (3, 5)
    assert message in capsys.readouterr().err
    assert files(project) == before


def test_a_name_that_is_kept_for_a_gradient_is_refused(project: Path, capsys) -> None:
    before = files(project)
    assert cli.run(["add", "VectorAddGrad", "--inputs", "x,y", "--compute", "z = x * y"]) == 3
    assert "the name `VectorAddGrad` is reserved for the backward of `VectorAdd`" in capsys.readouterr().err
    assert files(project) == before


def test_a_wrong_command_line_points_into_it(project: Path, capsys) -> None:
    before = files(project)
    assert cli.run(["add", "Frob", "--inputs", "x", "--compute", "z = x + w"]) == 3
    assert capsys.readouterr().err.startswith("error: <command line>:1:19: unknown name `w`")
    assert cli.run(["add", "vector_sub", "--inputs", "x,y", "--like", "VectorSub"]) == 3
    assert "\n 1 | opforge add vector_sub\n   |             ^^^^^^^^^^\n" in capsys.readouterr().err
    assert files(project) == before


def test_a_wrong_spec_is_told_first(project: Path, capsys) -> None:
    (project / "opforge.yaml").write_text((project / "opforge.yaml").read_text().replace("x + y", "x + w"))
    before = files(project)
    assert cli.run(ADD) == 3
    assert capsys.readouterr().err.startswith(f"error: {project}/opforge.yaml:15:22: unknown name `w`")
    assert files(project) == before


def handwritten(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """A project with a handwritten op whose spec names a gradient that the project does not have yet."""
    monkeypatch.chdir(folder)
    assert cli.run(["--quiet", "new", "RowNorm", "--inputs", "x", "--pattern", "rows"]) == 0
    monkeypatch.chdir(folder / "row_norm")
    spec = folder / "row_norm" / "opforge.yaml"
    spec.write_text(spec.read_text().replace("    sizes:\n", "    backward: RowNormGrad\n    sizes:\n"))
    return spec


def test_an_op_that_the_spec_names_as_a_gradient_can_be_added(tmp_path: Path, monkeypatch) -> None:
    spec = handwritten(monkeypatch, tmp_path)
    add = ["add", "RowNormGrad", "--inputs", "grad_y", "--outputs", "grad_x"]
    rows = ["--shape", "grad_y=[..., H]", "--shape", "grad_x=[..., H]", "--pattern", "rows"]
    assert cli.run(["--quiet", *add, *rows]) == 0
    norm, gradient = load_spec(spec).ops
    assert norm.gradient == gradient.type == "RowNormGrad"


def test_existing_mistakes_come_before_a_gradient_that_does_not_fit(tmp_path: Path, monkeypatch, capsys) -> None:
    spec = handwritten(monkeypatch, tmp_path)
    before = files(spec.parent)
    wrong = ["add", "RowNormGrad", "--inputs", "grad_z", "--pattern", "elementwise"]
    assert cli.run(wrong) == 3
    told = capsys.readouterr().err
    assert "the input `grad_z` of `RowNormGrad` does not belong to `RowNorm`" in told
    assert "the project has no op" not in told
    assert files(spec.parent) == before
    assert cli.run(["add", "RowMax", "--inputs", "x", "--pattern", "rows"]) == 3
    assert "the project has no op `RowNormGrad`" in capsys.readouterr().err


def test_edits_are_merged_as_by_update(project: Path, capsys) -> None:
    init = project / "python/vector_add/__init__.py"
    init.write_text(init.read_text().replace("import torch\n", "import torch  # mine\n", 1))
    readme = project / "README.md"
    readme.write_text("all mine\n")
    assert cli.run(ADD) == 5
    err = capsys.readouterr().err
    assert "\n  merged   python/vector_add/__init__.py (+" in err
    assert "\n  conflict README.md:1\n" in err
    assert "import torch  # mine\n" in init.read_text()
    assert "vector_sub" in init.read_text()
    assert "all mine\n" in readme.read_text()


def test_an_author_s_kernel_keeps_what_was_written_when_its_op_changes(project: Path, capsys) -> None:
    assert cli.run(["add", "TopKernel", "--inputs", "x", "--outputs", "v", "--attr", "axes:list_int=[0,1]"]) == 0
    assert capsys.readouterr().err.endswith(
        "next:\n  write op_kernel/top_kernel_kernel.h\n"
        "  define what it computes: `top_kernel` in python/vector_add/golden.py, in torch, "
        "and `reference: golden:top_kernel` in opforge.yaml\n"
    )
    kernel = project / "op_kernel/top_kernel_kernel.h"
    kernel.write_text(kernel.read_text().replace("// KERNEL BODY NOT WRITTEN YET\n", "// written\n"))
    spec = project / "opforge.yaml"
    spec.write_text(spec.read_text().replace("default: [0, 1]}", "default: [0, 1]}\n      alpha: {type: float}", 1))
    spec.write_text(spec.read_text().replace("{type: float}", "{type: float, default: 2.0}"))
    assert cli.run(["update"]) == 0
    assert "// written\n" in kernel.read_text()
    assert "alpha" in (project / "op_host/top_kernel.cpp").read_text()


def test_what_another_call_adds_meanwhile_is_not_lost(project: Path, capsys, monkeypatch) -> None:
    render = updating.rendered_for

    def slowly(*arguments: object) -> object:
        monkeypatch.setattr(updating, "rendered_for", render)
        assert cli.run(["--quiet", "add", "Twice", "--inputs", "x", "--compute", "y = x * 2"]) == 0
        return render(*arguments)

    monkeypatch.setattr(updating, "rendered_for", slowly)
    assert cli.run(ADD) == 5
    assert f"another program changed {project} at the same time" in capsys.readouterr().err
    assert cli.run(ADD) == 0
    assert [op.type for op in load_spec(project / "opforge.yaml").ops] == ["VectorAdd", "Twice", "VectorSub"]


def test_two_branches_that_add_ops_are_merged_as_the_hint_says(project: Path, capsys) -> None:
    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"]
        subprocess.run(["git", *who, *words], cwd=project, capture_output=True, check=words[0] != "merge")

    git("init", "-q", "-b", "main")
    for branch, op in (("main", None), ("a", "VectorSub"), ("b", "VectorMul")):
        if op is not None:
            git("checkout", "-q", "-b", branch, "main")
            assert cli.run(["--quiet", "add", op, "--inputs", "x,y"]) == 0
        git("add", "-A")
        git("commit", "-q", "-m", branch)
    git("merge", "a")
    assert cli.run(["status"]) == 5
    assert "git checkout --ours -- .opforge" in capsys.readouterr().err
    spec = project / "opforge.yaml"
    lines = spec.read_text().splitlines(keepends=True)
    spec.write_text("".join(line for line in lines if line[:7] not in ("<<<<<<<", "=======", ">>>>>>>")))
    git("add", "opforge.yaml")
    git("checkout", "--ours", "--", ".")
    assert cli.run(["--quiet", "update"]) == 0
    assert {op.type for op in load_spec(spec).ops} == {"VectorAdd", "VectorSub", "VectorMul"}
    assert cli.run(["status"]) == 0


def test_a_spec_that_is_a_link_stays_one(project: Path, tmp_path: Path) -> None:
    spec = (project / "opforge.yaml").rename(tmp_path / "shared.yaml")
    (project / "opforge.yaml").symlink_to(spec)
    assert cli.run(["--quiet", *ADD]) == 0
    assert (project / "opforge.yaml").readlink() == spec
    assert [op.type for op in load_spec(spec).ops] == ["VectorAdd", "VectorSub"]


@pytest.mark.usefixtures("project")
def test_names_of_built_in_ops_are_warned_of(capsys) -> None:
    assert cli.run(["add", "Sub", "--inputs", "a,b", "--like", "VectorSub"]) == 0
    assert capsys.readouterr().err.startswith("warning: CANN has ops with nearly the same names: Sub (built in: Sub)\n")


def test_outside_of_a_project_it_says_where_it_looked(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(ADD) == 5
    assert capsys.readouterr().err.startswith(f"error: there is no opforge.yaml in {tmp_path} or above it\n")


@pytest.mark.usefixtures("project")
def test_inputs_must_be_named_unless_the_catalog_has_the_op(capsys) -> None:
    assert cli.run(["add", "FooBar"]) == 2
    assert capsys.readouterr().err.startswith("error: Missing option '--inputs'.\n")
    assert cli.run(["add", "VectorSub"]) == 0
    assert "added VectorSub(x, y) -> z: z = x - y" in capsys.readouterr().err
    assert cli.run(["add", "Rest", "--like", "VectorSub"]) == 0
    assert "added Rest(x, y) -> z: z = x - y" in capsys.readouterr().err


def test_shapes_on_the_command_line_reach_the_spec(project: Path) -> None:
    shapes = ["--shape", "x=[..., H]", "--shape", "y=[...]"]
    assert cli.run(["add", "RowMax", "--inputs", "x", "--outputs", "y", *shapes]) == 0
    assert (
        (project / "opforge.yaml")
        .read_text()
        .endswith(
            "  RowMax:\n    inputs:\n      x: {shape: [..., H], dtype: [float16, bfloat16, float32]}\n"
            "    outputs:\n      y: {shape: [...]}\n"
        )
    )
