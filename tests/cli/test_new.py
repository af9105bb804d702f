"""``opforge new`` and ``opforge inspect``, as a user types them."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from opforge.cli import main as cli

NEW = ["new", "VectorAdd", "--inputs", "x,y"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def project(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    assert cli.run(NEW) == 0
    capsys.readouterr()
    monkeypatch.chdir(here / "vector_add")
    return here / "vector_add"


def files(root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


def test_new_makes_a_project_and_says_what_is_next(here: Path, capsys) -> None:
    assert cli.run(NEW) == 0
    captured = capsys.readouterr()
    assert captured.out == ""
    count = len(
        [path for path in files(here / "vector_add") if not path.startswith((".opforge/base", ".opforge/lock"))]
    )
    assert captured.err == (
        f"created vector_add: {count} files, for ascend910b, ascend910_93\n"
        "  VectorAdd(x, y) -> z: z = x + y\n"
        "next:\n"
        "  cd vector_add\n"
        "  opforge test    # builds, installs and tests\n"
    )


def test_a_project_has_the_layout_of_the_design(project: Path) -> None:
    assert {
        "opforge.yaml",
        "README.md",
        "pyproject.toml",
        ".gitignore",
        ".gitattributes",
        "op_host/vector_add.cpp",
        "op_kernel/vector_add.cpp",
        "op_kernel/vector_add_kernel.h",
        "op_kernel/vector_add_tiling.h",
        "aclnn/call_vector_add.cpp",
        "aclnn/CMakeLists.txt",
        "csrc/adapter.cpp",
        "python/vector_add/__init__.py",
        "python/vector_add/_reference.py",
        "tests/conftest.py",
        "benchmarks/cases.py",
        ".opforge/lock.json",
    } <= files(project)


def test_no_folder_of_a_project_is_named_like_the_package(project: Path) -> None:
    """Else ``import vector_add`` from the project's folder would find that folder, and not what was installed."""
    assert not (project / "vector_add").exists()


def test_dry_run_prints_the_files_and_writes_nothing(here: Path, capsys) -> None:
    assert cli.run([*NEW, "--dry-run"]) == 0
    captured = capsys.readouterr()
    assert list(here.iterdir()) == []
    assert re.search(r"^ +\d+ op_host/vector_add.cpp$", captured.out, re.MULTILINE)
    assert captured.err.endswith(f"files would be created in {here}/vector_add; nothing was written\n")


def test_new_refuses_an_existing_folder_before_anything_else(project: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(project.parent)
    before = files(project)
    assert cli.run(NEW) == 5
    assert capsys.readouterr().err == (
        f"error: the folder {project} exists already, and opforge new overwrites nothing\n"
        "  help: choose another place with --path, another name with --package, or remove it yourself\n"
    )
    assert files(project) == before


@pytest.mark.parametrize("place", ["with space", "Ümlaut 算子"])
def test_new_works_anywhere(place: str, here: Path, capsys) -> None:
    assert cli.run([*NEW, "--path", place]) == 0
    assert (here / place / "opforge.yaml").is_file()
    assert f"cd '{place}'" in capsys.readouterr().err


def test_two_runs_make_the_same_project(here: Path) -> None:
    assert cli.run([*NEW, "--path", "one"]) == cli.run([*NEW, "--path", "two"]) == 0
    assert files(here / "one") == files(here / "two")
    for path in files(here / "one"):
        assert (here / "one" / path).read_bytes() == (here / "two" / path).read_bytes(), path


def test_options_reach_the_spec(here: Path, capsys) -> None:
    arguments = ["--attr", "alpha:float=1.5", "--compute", "z = alpha * x + y", "--dtype", "float16,float32"]
    assert cli.run(["new", "Axpy", "--inputs", "x,y", *arguments, "--soc", "ascend910b", "--package", "my_axpy"]) == 0
    assert "Axpy(x, y, alpha=1.5) -> z: z = alpha * x + y" in capsys.readouterr().err
    spec = (here / "my_axpy" / "opforge.yaml").read_text()
    for piece in ("package: my_axpy", "[ascend910b]", "[float16, float32]", "alpha: {type: float, default: 1.5}"):
        assert piece in spec, piece


def test_a_wrong_expression_leaves_nothing(here: Path, capsys) -> None:
    assert cli.run(["new", "Bad", "--inputs", "x,y", "--compute", "z = x + w"]) == 3
    assert capsys.readouterr().err.startswith(
        "error: <command line>:1:19: unknown name `w`: not an input, not an attribute, not assigned before\n"
        " 1 | --compute z = x + w\n"
        "   |                   ^\n"
    )
    assert list(here.iterdir()) == []


def test_the_json_of_new_says_what_was_made(here: Path, capsys) -> None:
    assert cli.run([*NEW, "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert (out["schema"], out["root"], out["written"]) == (1, str(here / "vector_add"), True)
    assert "opforge.yaml" in out["files"]


def test_git_ignores_what_is_built_and_nothing_that_was_rendered(project: Path) -> None:
    subprocess.run(["git", "init", "-q"], check=True, cwd=project)
    for folder in ("build", "dist", "tests/__pycache__"):
        (project / folder).mkdir()
        (project / folder / "made").write_text("")
    shown = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard"], check=True, cwd=project, capture_output=True, text=True
    ).stdout.split()
    assert set(shown) == files(project) - {f for f in files(project) if f.endswith("/made") or f.startswith(".git/")}


def environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A virtual environment, as far as names go."""
    site = folder / "env/lib/python3.11/site-packages"
    site.mkdir(parents=True)
    monkeypatch.setenv("VIRTUAL_ENV", str(folder / "env"))
    return site


def test_a_package_that_the_environment_has_is_not_made_a_second_time(here: Path, monkeypatch, capsys) -> None:
    site = environment(here, monkeypatch)
    (site / "vector_add").mkdir()  # a folder of data, which Python does not take for this package
    assert cli.run([*NEW, "--dry-run"]) == 0
    (site / "vector_add/__init__.py").write_text("")
    capsys.readouterr()
    assert cli.run(NEW) == 7
    assert capsys.readouterr().err == (
        f"error: {here}/env has a package `vector_add` already, which opforge did not install: {site}/vector_add\n"
        "  help: Python would import only one of the two: choose another name with --package\n"
    )
    assert not (here / "vector_add").exists()
    assert cli.run([*NEW, "--package", "my_add"]) == 0
    receipts = here / "env/opp/opforge"
    receipts.mkdir(parents=True)
    (receipts / "vector_add.json").write_text("{}")  # opforge's own, of another project or an older state of this one
    assert cli.run(NEW) == 0
    (site / "gates.py").write_text("")
    assert cli.run([*NEW, "--package", "gates"]) == 7


def test_a_vendor_that_is_a_part_of_an_installed_one_is_warned_of(here: Path, monkeypatch, capsys) -> None:
    environment(here, monkeypatch)
    for name in ("vector_add", "vector_add_extra", "other"):
        (here / "env/opp/vendors" / name).mkdir(parents=True)
    assert cli.run([*NEW, "--dry-run"]) == 0
    assert capsys.readouterr().err.startswith(
        "warning: the vendor `vector_add` and the installed `vector_add_extra` contain each other's names"
    )
    assert cli.run([*NEW, "--package", "thing", "--dry-run"]) == 0
    assert "warning" not in capsys.readouterr().err


def test_a_kernel_to_write_by_hand_is_the_first_thing_to_do(here: Path, capsys) -> None:
    arguments = ["--outputs", "values,mask", "--attr", "axes:list_int=[0,1]", "--dtype", "float32"]
    assert cli.run(["new", "TopKernel", "--inputs", "x,y", *arguments]) == 0
    err = capsys.readouterr().err
    assert "\n  TopKernel(x, y, axes=[0, 1]) -> values, mask: its kernel is yours to write\n" in err
    assert (
        "\n  cd top_kernel\n  write op_kernel/top_kernel_kernel.h\n"
        "  define what it computes: `top_kernel` in python/top_kernel/golden.py, in torch, "
        "and `reference: golden:top_kernel` in opforge.yaml\n  opforge test "
    ) in err
    assert "`reference: golden:top_kernel`" in (here / "top_kernel/README.md").read_text()
    assert "// KERNEL BODY NOT WRITTEN YET" in (here / "top_kernel/op_kernel/top_kernel_kernel.h").read_text()
    assert "compute" not in (here / "top_kernel/opforge.yaml").read_text()


@pytest.mark.usefixtures("here")
def test_an_op_like_another_has_names_of_its_own(capsys) -> None:
    assert cli.run(["new", "Difference", "--inputs", "a,b", "--outputs", "d", "--like", "VectorSub"]) == 0
    assert "\n  Difference(a, b) -> d: d = a - b\n" in capsys.readouterr().err
    assert cli.run(["new", "VectorSub"]) == 0
    assert "\n  VectorSub(x, y) -> z: z = x - y\n" in capsys.readouterr().err
    for options in (["--compute", "y = x"], ["--pattern", "rows"]):
        assert cli.run(["new", "Softmax", *options]) == 2
        assert capsys.readouterr().err.startswith("error: Missing option '--inputs'.")
    assert cli.run(["new", "FooBar"]) == 2
    assert capsys.readouterr().err == "error: Missing option '--inputs'.\n  help: opforge new --help\n"
    assert cli.run(["new", "rmsNorm"]) == 2
    assert "Missing option '--inputs'. Did you mean `RMSNorm`, which is in the catalog?" in capsys.readouterr().err
    assert cli.run(["new", "VectorSup", "--inputs", "x,y"]) == 3
    assert "did you mean `VectorSub`?" in capsys.readouterr().err


def test_inspect_spec_is_the_spec(project: Path, capsys) -> None:
    assert cli.run(["inspect", "spec"]) == 0
    assert capsys.readouterr().out == (project / "opforge.yaml").read_text()


@pytest.mark.usefixtures("project")
def test_inspect_ir_shows_the_sum_and_its_gradient(capsys) -> None:
    assert cli.run(["inspect", "ir"]) == 0
    assert "add" in capsys.readouterr().out
    assert cli.run(["inspect", "ir", "--backward", "--op", "VectorAdd"]) == 0
    out = capsys.readouterr().out
    assert out == "gradient of x: grad_z\ngradient of y: grad_z\n"


@pytest.mark.usefixtures("project")
def test_inspect_plan_shows_a_tile_for_each_dtype(capsys) -> None:
    assert cli.run(["inspect", "plan"]) == 0
    out = capsys.readouterr().out
    for word in ("ascend910b", "float16", "bfloat16", "float32"):
        assert word in out


@pytest.mark.usefixtures("project")
def test_inspect_names_the_ops_there_are(capsys) -> None:
    assert cli.run(["inspect", "ir", "--op", "VectorSub"]) == 2
    assert capsys.readouterr().err == "error: the spec has no op VectorSub\n  help: it has VectorAdd\n"


def test_inspect_files_marks_edits(project: Path, capsys, monkeypatch) -> None:
    (project / "op_kernel/vector_add_kernel.h").write_text("mine")
    (project / "README.md").unlink()
    monkeypatch.chdir(project / "tests")
    assert cli.run(["inspect", "files", "--json"]) == 0
    rows = {row["path"]: row["state"] for row in json.loads(capsys.readouterr().out)["files"]}
    assert rows.pop("op_kernel/vector_add_kernel.h") == "edited"
    assert rows.pop("README.md") == "missing"
    assert set(rows.values()) == {"as rendered"}


def test_inspect_prints_one_file_as_rendered(project: Path, capsys) -> None:
    text = (project / "op_host/vector_add.cpp").read_text()
    (project / "op_host/vector_add.cpp").write_text("mine")
    assert cli.run(["inspect", "files", "op_host/vector_add.cpp"]) == 0
    assert capsys.readouterr().out == text


@pytest.mark.usefixtures("here")
def test_outside_of_a_project_inspect_says_where_it_looked(capsys) -> None:
    assert cli.run(["inspect", "spec"]) == 5
    assert capsys.readouterr().err == (
        f"error: there is no opforge.yaml in {os.getcwd()} or above it\n"  # noqa: PTH109  (as the command sees it)
        "  help: change into a project, or create one: opforge new VectorAdd --inputs x,y\n"
    )


def test_shapes_dtypes_and_values_of_tensors_reach_the_spec(here: Path) -> None:
    shapes = ["--shape", "table=[N, H]", "--shape", "index=[M]", "--shape", "y=[M, H]"]
    drawn = ["--dtype", "float16,float32", "--dtype", "index=int64", "--values", "index={min: 0, below: N}"]
    assert cli.run(["new", "Pick", "--inputs", "table,index", "--outputs", "y", *shapes, *drawn]) == 0
    spec = (here / "pick/opforge.yaml").read_text()
    assert "      table: {shape: [N, H], dtype: [float16, float32]}\n" in spec
    assert "      index: {shape: [M], dtype: [int64], values: {min: 0, below: N}}\n" in spec
    assert "      y: {shape: [M, H]}\n" in spec


@pytest.mark.usefixtures("here")
def test_a_wrong_shape_is_shown_in_its_option(capsys) -> None:
    assert cli.run(["new", "RowMax", "--inputs", "x", "--outputs", "y", "--shape", "x=[H, ...]"]) == 3
    assert capsys.readouterr().err.startswith(
        "error: <command line>:1:15: `...` must come first, and only once\n"
        " 1 | --shape x=[H, ...]\n"
        "   |               ^^^\n"
    )
