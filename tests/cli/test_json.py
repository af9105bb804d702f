"""``--json``: on every command, errors included, and nothing else on stdout."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from opforge.cli import main as cli
from opforge.cli.shared.console import jsonable
from opforge.spec.model import OpSpec, TensorSpec


def commands(group: click.Group, *above: str) -> Iterator[tuple[str, click.Command]]:
    """Every command that does something, by the words that call it."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, *above, name)
        else:
            yield " ".join((*above, name)), command


ALL = dict(commands(cli.opforge))


@pytest.mark.parametrize("name", ALL)
def test_every_command_has_json_and_quiet(name: str) -> None:
    options = {word for parameter in ALL[name].params for word in (*parameter.opts, *parameter.secondary_opts)}
    assert "--json" in options
    assert {"-q", "--quiet"} <= options


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:
    code = cli.run([*words])
    out = capsys.readouterr().out
    assert out.startswith('{\n  "schema": 1,\n'), out
    return code, json.loads(out)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    "words",
    [
        ("build",),
        ("install",),
        ("test",),
        ("test", "--leaks"),
        ("bench",),
        ("verify",),
        ("trace",),
        ("status",),
        ("update",),
        ("add", "X", "--inputs", "x"),
        ("inspect", "spec"),
        ("inspect", "ir"),
        ("inspect", "plan"),
        ("inspect", "files"),
        ("inspect", "key"),
        ("vendor", "testing"),
        ("uninstall",),
    ],
    ids=" ".join,
)
def test_outside_of_a_project_each_says_so_in_json(words: tuple[str, ...], capsys) -> None:
    code, out = answer(capsys, *words, "--json")
    assert code == out["error"]["exit_code"] == 5
    assert out["error"]["class"] == "ProjectError"
    assert out["error"]["what"].startswith("there is no opforge.yaml in ")
    assert out["error"]["hint"].startswith("change into a project")
    assert out["error"]["message"].startswith("error: there is no opforge.yaml")


@pytest.mark.usefixtures("here")
def test_a_problem_of_a_spec_has_its_place(capsys) -> None:
    code, out = answer(capsys, "new", "Bad", "--inputs", "x,y", "--compute", "z = x + w", "--json")
    assert code == out["error"]["exit_code"] == 3
    (problem,) = out["error"]["problems"]
    assert problem["what"].startswith("unknown name `w`: not an input, not an attribute")
    assert (problem["file"], problem["line"], problem["column"], problem["length"]) == (None, 1, 19, 1)
    assert problem["text"] == "--compute z = x + w"


def test_a_problem_in_a_file_names_it(here: Path, capsys) -> None:
    (here / "opforge.yaml").write_text("edition: 1\nproject: {}\nops: {}\n")
    code, out = answer(capsys, "inspect", "spec", "--json")
    assert code == 3
    assert {problem["file"] for problem in out["error"]["problems"]} == {str(here / "opforge.yaml")}


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("buidl", "--json"), "No such command 'buidl'. Did you mean 'build'?"),
        (("new", "--json"), "Missing argument 'NAME'."),
        (("version", "--json", "extra"), "Got unexpected extra argument (extra)"),
    ],
)
def test_a_wrong_command_line_is_told_in_json(words: tuple[str, ...], what: str, capsys) -> None:
    code, out = answer(capsys, *words)
    assert code == out["error"]["exit_code"] == 2
    assert (out["error"]["class"], out["error"]["what"]) == ("UsageError", what)


def test_a_bug_is_told_in_json_and_its_traceback_to_people(monkeypatch, capsys) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("unforeseen")

    monkeypatch.setattr("opforge.cli.version.version", fail)
    assert cli.run(["version", "--json"]) == 70
    captured = capsys.readouterr()
    assert json.loads(captured.out)["error"]["what"] == "RuntimeError: unforeseen"
    assert "Traceback (most recent call last)" in captured.err


def test_ctrl_c_is_told_in_json(monkeypatch, capsys) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("opforge.cli.version.version", interrupt)
    code, out = answer(capsys, "version", "--json")
    assert (code, out["error"]["class"], out["error"]["exit_code"]) == (130, "Interrupted", 130)


def test_words_behind_two_dashes_are_another_s(here: Path, capsys) -> None:
    assert cli.run(["inspect", "spec", "--", "--json"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("error: ")
    assert list(here.iterdir()) == []


@pytest.fixture
def project(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    assert cli.run(["-q", "new", "Scale", "--inputs", "x", "--compute", "y = x * 2.0", "--soc", "ascend910b"]) == 0
    monkeypatch.chdir(here / "scale")
    return here / "scale"


@pytest.mark.usefixtures("project")
def test_inspect_gives_each_stage_as_data(capsys) -> None:
    _, out = answer(capsys, "inspect", "spec", "--json")
    assert out["project"]["package"] == "scale"
    assert [op["type"] for op in out["ops"]] == ["Scale"]
    assert out["ops"][0]["compute"] == "y = x * 2.0"
    assert "source" not in out["ops"][0]  # where it stands in the file is no part of what it says
    assert out["text"].startswith("edition: 2\n")
    _, out = answer(capsys, "inspect", "ir", "--json")
    assert [op["type"] for op in out["ops"]] == ["Scale", "ScaleGrad"]
    assert "mul" in [node["op"] for node in out["ops"][0]["graph"]["nodes"]]
    _, out = answer(capsys, "inspect", "ir", "--backward", "--op", "Scale", "--json")
    assert out["ops"][0]["gradients"] == {"x": "grad_x"}
    assert out["ops"][0]["kernel"]["type"] == "ScaleGrad"
    _, out = answer(capsys, "inspect", "plan", "--json")
    assert [plan["type"] for plan in out["plans"]] == ["Scale", "ScaleGrad"]
    assert out["plans"][0]["plan"]["tiles"]
    _, out = answer(capsys, "inspect", "files", "op_kernel/scale.cpp", "--json")
    assert out["text"].endswith("\n")
    assert out["origin"].startswith("code/")


@pytest.mark.usefixtures("here")
def test_an_op_written_by_hand_can_be_inspected(monkeypatch, here: Path, capsys) -> None:
    assert cli.run(["-q", "new", "Sorted", "--inputs", "x", "--outputs", "y", "--soc", "ascend910b"]) == 0
    monkeypatch.chdir(here / "sorted")
    _, out = answer(capsys, "inspect", "ir", "--json")
    assert [(op["type"], op["handwritten"], op["graph"]) for op in out["ops"]] == [("Sorted", True, None)]
    _, out = answer(capsys, "inspect", "ir", "--backward", "--json")
    assert out["ops"] == [{"type": "Sorted", "kernel": None, "gradients": {}, "text": "none"}]
    _, out = answer(capsys, "inspect", "plan", "--json")
    assert [plan["type"] for plan in out["plans"]] == ["Sorted"]
    assert cli.run(["inspect", "ir"]) == 0
    assert capsys.readouterr().out == "Sorted:\n  handwritten: no graph\n"


def test_the_schema_is_one(capsys) -> None:
    from jsonschema import Draft202012Validator

    assert cli.run(["inspect", "schema"]) == 0
    plain = json.loads(capsys.readouterr().out)
    Draft202012Validator.check_schema(plain)
    _, out = answer(capsys, "inspect", "schema", "--json")
    assert out["json_schema"] == plain


def test_values_of_all_kinds_become_json() -> None:
    op = OpSpec("X", (TensorSpec("x", ("float32",)),), (), ())
    shown = jsonable({"op": op, "path": Path("a/b"), "set": {"b", "a"}, "none": None, "list": [1, 2.5, True]})
    assert json.loads(json.dumps(shown)) == shown
    assert shown["op"]["inputs"][0]["dtypes"] == ["float32"]
    assert (shown["path"], shown["set"]) == ("a/b", ["a", "b"])


@pytest.mark.parametrize("words", [("-q", "status"), ("status", "-q"), ("status", "--quiet")], ids=" ".join)
def test_quiet_may_stand_on_either_side_of_the_command(words: tuple[str, ...], project: Path, capsys) -> None:
    assert cli.run([*words]) == 0
    assert capsys.readouterr().err == ""
    assert project.is_dir()


def test_quiet_silences_new(here: Path, capsys) -> None:
    assert cli.run(["new", "VectorAdd", "--inputs", "x,y", "-q"]) == 0
    assert capsys.readouterr() == ("", "")
    assert (here / "vector_add/opforge.yaml").is_file()
