"""``opforge new --example`` and ``opforge list --examples``."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from opforge.build.examples import Example, example_names, examples, gallery
from opforge.cli import main as cli
from opforge.kinds import derive
from opforge.naming import snake
from opforge.spec.model import ANY_VALUES
from opforge.spec.read.parse import load_spec


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_there_are_enough_of_them() -> None:
    assert len(example_names()) >= 24
    assert len(example_names()) == len([path for path in gallery().iterdir() if path.is_dir()])


@pytest.mark.parametrize("example", examples(), ids=lambda each: each.name)
def test_each_is_a_valid_spec_with_all_its_files(example: Example) -> None:
    assert snake(example.op.type) == example.name == example.spec.project.package
    assert example.op.doc
    assert len(example.op.doc) < 100
    derive(example.spec)
    assert {*example.op.sources} <= {str(file.path) for file in example.files()}


def test_a_project_begins_with_an_example(here: Path, monkeypatch, capsys) -> None:
    assert cli.run(["new", "--example", "layer_norm_rows"]) == 0
    assert "next:\n  cd layer_norm_rows\n" in capsys.readouterr().err
    project, source = here / "layer_norm_rows", gallery() / "layer_norm_rows"
    assert load_spec(project / "opforge.yaml") == load_spec(source / "opforge.yaml")
    for mine, theirs in (
        ("op_kernel/layer_norm_rows.cpp", "op_kernel/layer_norm_rows.cpp"),
        ("python/layer_norm_rows/golden.py", "reference.py"),
        ("tests/example_cases.py", "cases.py"),
        ("tests/test_layer_norm_rows_cases.py", "../test_example.py"),
    ):
        assert (project / mine).read_bytes() == (source / theirs).read_bytes()
    monkeypatch.chdir(project)
    assert cli.run(["update"]) == 0
    assert "nothing to do" in capsys.readouterr().err


def test_at_least_twenty_have_precise_signatures() -> None:
    precise = [example for example in examples() if example.is_precise]
    assert len(precise) >= 20
    for op in (example.op for example in precise):
        inputs = {dim for tensor in op.inputs for dim in tensor.dims}
        known = {*inputs, *(attr.name for attr in op.attrs)}
        words = {word for tensor in op.outputs for dim in tensor.dims for word in re.findall(r"[a-zA-Z]\w*", dim)}
        assert words <= known, op.type  # no dimension of an output is a guess
        for tensor in op.inputs:
            if "index" in tensor.name or tensor.name in {"order", "offset"}:
                assert tensor.values != ANY_VALUES, f"{op.type}: {tensor.name}"


def test_a_precise_signature_gets_the_generated_test_too(here: Path) -> None:
    assert cli.run(["new", "--example", "rms_norm_rows"]) == 0
    tests = here / "rms_norm_rows/tests"
    generated = (tests / "test_rms_norm_rows.py").read_text(encoding="utf-8")
    assert '"gamma": Input(dims=("H",))' in generated
    assert '"H": Size(min=1, max=1984)' in generated
    assert "check_sizes(OP, column)" in generated
    assert (tests / "test_rms_norm_rows_cases.py").is_file()


def test_without_one_there_is_only_the_examples_own_test(here: Path) -> None:
    assert cli.run(["new", "--example", "foreach_add"]) == 0
    tests = here / "foreach_add/tests"
    assert (tests / "test_foreach_add.py").read_bytes() == (gallery() / "test_example.py").read_bytes()
    assert not (tests / "test_foreach_add_cases.py").exists()


@pytest.mark.usefixtures("here")
def test_an_example_in_a_folder_of_another_name(capsys) -> None:
    assert cli.run(["new", "--example", "rope", "mine", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert out["root"].endswith("/mine")
    assert "op_kernel/rope.cpp" in out["files"]


@pytest.mark.usefixtures("here")
def test_what_does_not_go_with_an_example_is_refused(capsys) -> None:
    assert cli.run(["new", "--example", "ropes"]) == 2
    assert capsys.readouterr().err == (
        "error: `ropes` is not an example\n  help: did you mean `rope`? `opforge list --examples` lists them\n"
    )
    assert cli.run(["new", "--example", "rope", "--inputs", "x"]) == 2
    assert "error: --inputs does not go with --example" in capsys.readouterr().err
    assert cli.run(["new"]) == 2
    assert "error: Missing argument 'NAME'." in capsys.readouterr().err


def test_list_names_all_examples(capsys) -> None:
    assert cli.run(["list", "--examples", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["examples"]
    assert [row["example"] for row in listed] == list(example_names())
    assert cli.run(["list", "--examples"]) == 0
    out = capsys.readouterr().out
    assert all(row["doc"] in out for row in listed)
