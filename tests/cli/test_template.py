"""Team templates from the command line: new, status, update with edits, trust, and the check of a template."""

from __future__ import annotations

import json
import os
import pty
import select
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from opforge import __version__
from opforge.cli import main as cli
from opforge.render.forms import templates_root
from opforge.scaffold.lock import read_lock

ACME = Path(__file__).parents[1] / "scaffold" / "templates" / "acme"
NEW = ["-q", "new", "VectorAdd", "--inputs", "x,y", "--soc", "ascend910b"]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A git repository of a team, with its template."""
    subprocess.run(["git", "init", "-q", str(tmp_path / "team ops")], check=True)
    root = tmp_path / "team ops"
    shutil.copytree(ACME, root / "templates" / "acme")
    monkeypatch.chdir(root)
    monkeypatch.setenv("OPFORGE_CACHE", str(tmp_path / "cache"))
    return root


@pytest.fixture
def project(repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    assert cli.run([*NEW, "--template", "acme", "--answer", "year=2030"]) == 0
    assert capsys.readouterr() == ("", "")
    monkeypatch.chdir(repository / "vector_add")
    return repository / "vector_add"


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_new_takes_the_repository_s_template(project: Path) -> None:
    assert (project / "README.md").read_text().startswith("# vector_add\n\nOwned by Acme kernels.")
    assert (project / "tests/test_acme.py").is_file()
    assert (
        (project / "op_kernel/vector_add_kernel.h").read_text().startswith("// Copyright (c) 2030 Acme, team kernels\n")
    )
    lock = read_lock(project)
    assert lock is not None
    assert (lock.template.name, lock.template.source) == ("acme", "repository")
    assert lock.template.answers == {"team": "kernels", "year": 2030, "with_ci": True}
    assert cli.run(["status"]) == 0


def test_update_merges_a_changed_template_with_edits(project: Path, repository: Path, capsys) -> None:
    template = repository / "templates/acme"
    with (project / "README.md").open("a") as readme:
        readme.write("\nOur own notes.\n")
    with (project / "op_host/vector_add.cpp").open("a") as source:
        source.write("// our own line\n")
    change(template / "README.md.jinja", "Owned by Acme", "Maintained by Acme")
    change(template / "SOURCE_HEADER.jinja", "Copyright (c)", "(c)")
    with (template / "copier.yml").open("a") as questions:
        questions.write("\nchannel: '#kernels'\n")
    (template / "CONTACT.jinja").write_text("{{ channel }}\n")
    (template / "tests/test_acme.py.jinja").unlink()
    assert cli.run(["status"]) == 5
    assert "the template acme changed" in capsys.readouterr().out
    assert cli.run(["update"]) == 0
    assert (project / "README.md").read_text().startswith("# vector_add\n\nMaintained by Acme kernels.")
    assert (project / "README.md").read_text().endswith("\nOur own notes.\n")
    source = (project / "op_host/vector_add.cpp").read_text()
    assert source.startswith("// (c) 2030 Acme, team kernels\n")
    assert source.endswith("// our own line\n")
    assert (project / "CONTACT").read_text() == "#kernels\n"
    assert not (project / "tests/test_acme.py").exists()
    lock = read_lock(project)
    assert lock is not None
    assert lock.template.answers == {"team": "kernels", "year": 2030, "with_ci": True, "channel": "#kernels"}
    assert cli.run(["status", "-q"]) == 0


def test_a_conflict_names_the_template(project: Path, repository: Path, capsys) -> None:
    """opforge wrote neither side of a file of the template; a file of opforge's own names opforge."""
    change(project / "README.md", "Owned by Acme", "Held by Acme")
    change(repository / "templates/acme/README.md.jinja", "Owned by Acme", "Maintained by Acme")
    kernel = project / "op_kernel" / "vector_add_kernel.h"
    line = next(line for line in kernel.read_text().splitlines() if "Add(" in line)
    change(kernel, line, f"{line}  // mine")
    change(project / "opforge.yaml", "z = x + y", "z = x * y")
    assert cli.run(["update"]) == 5
    capsys.readouterr()
    assert "\n>>>>>>> template acme\n" in (project / "README.md").read_text()
    assert f"\n>>>>>>> opforge {__version__}\n" in kernel.read_text()


def test_an_answer_can_be_changed_later(project: Path) -> None:
    assert cli.run(["-q", "update", "--answer", "with_ci=false", "--answer", "team=vectors"]) == 0
    assert not (project / "ci.yml").exists()
    assert "Owned by Acme vectors." in (project / "README.md").read_text()


def test_another_op_keeps_the_template(project: Path) -> None:
    assert cli.run(["-q", "add", "VectorSub", "--inputs", "x,y"]) == 0
    assert "- `VectorSub`(x, y)" in (project / "README.md").read_text()
    assert (project / "op_host/vector_sub.cpp").read_text().startswith("// Copyright (c) 2030 Acme")
    assert "vector_add.vector_sub" in (project / "tests/test_acme.py").read_text()


def test_a_template_that_is_gone_stops_nothing_but_what_needs_it(project: Path, repository: Path, capsys) -> None:
    shutil.rmtree(repository / "templates")
    assert cli.run(["update"]) == 10
    assert capsys.readouterr().err.startswith(
        "error: the project was made from the template acme, which no longer exists"
    )
    assert cli.run(["inspect", "spec", "-q"]) == 0
    assert (project / "README.md").is_file()


def test_new_outside_of_a_repository_takes_a_path(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run([*NEW, "--template", os.path.relpath(ACME)]) == 0
    assert (tmp_path / "vector_add/tests/test_acme.py").is_file()
    assert cli.run([*NEW, "--path", "other", "--template", "acme"]) == 10
    assert capsys.readouterr().err.startswith("error: there is no template acme\n")
    assert not (tmp_path / "other").exists()


def test_dry_run_lists_the_template_s_files_too(repository: Path, capsys) -> None:
    assert cli.run([*NEW, "--template", "acme", "--dry-run"]) == 0
    assert " tests/test_acme.py\n" in capsys.readouterr().out
    assert not (repository / "vector_add").exists()


def test_code_runs_with_trust_alone_and_again_only_with_trust(repository: Path, monkeypatch, capsys) -> None:
    with (repository / "templates/acme/copier.yml").open("a") as questions:
        questions.write("\n_tasks: ['echo made by a task > TASK']\n")
    assert cli.run([*NEW, "--template", "acme"]) == 10
    assert "runs its own code" in capsys.readouterr().err
    assert not (repository / "vector_add").exists()
    assert cli.run([*NEW, "--template", "acme", "--trust"]) == 0
    assert (repository / "vector_add/TASK").read_text() == "made by a task\n"
    monkeypatch.chdir(repository / "vector_add")
    assert cli.run(["update"]) == 10
    assert "runs its own code" in capsys.readouterr().err
    assert cli.run(["-q", "update", "--trust"]) == 0


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--answer", "year=1"], 2, "error: --answer and --trust are for team templates\n"),
        (["--template", "project", "--trust"], 2, "error: --answer and --trust are for team templates\n"),
        (["--template", "acme", "--answer", "year"], 2, "error: Invalid value for '--answer'"),
        (["--template", "acme", "--answer", "yaer=1"], 10, "error: the template has no question yaer\n"),
        (["--template", "acme", "--answer", "year=x"], 10, "error: "),
    ],
)
def test_options_that_do_not_go_together(words: list[str], code: int, message: str, capsys) -> None:
    assert cli.run([*NEW, *words]) == code
    assert capsys.readouterr().err.startswith(message)


def test_on_a_terminal_the_questions_are_asked(repository: Path) -> None:
    """The first is answered with another text behind its default, the others with the return key alone."""
    master, slave = pty.openpty()
    words = [sys.executable, "-m", "opforge", *NEW[1:], "--template", "acme", "--answer", "with_ci=false"]
    process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, start_new_session=True)
    os.close(slave)
    shown, answers = "", [("Which team owns the operator?", b"2\r"), ("year", b"\r")]
    with suppress(OSError):  # the child closed its end
        while True:
            if not select.select([master], [], [], 0.5)[0]:  # all is said: a prompt waits, or the child works
                if answers and answers[0][0] in shown:
                    os.write(master, answers.pop(0)[1])
                continue
            piece = os.read(master, 4096)
            shown += piece.decode(errors="replace")
            for _ in range(piece.count(b"\x1b[6n")):  # the prompt asks where the cursor is
                os.write(master, b"\x1b[1;1R")
    os.close(master)
    assert process.wait(timeout=60) == 0, shown
    lock = read_lock(repository / "vector_add")
    assert lock is not None
    assert lock.template.answers == {"team": "kernels2", "year": 2026, "with_ci": False}


def test_list_names_what_template_takes(repository: Path, capsys) -> None:
    assert cli.run(["template", "list"]) == 0
    assert capsys.readouterr().out == "acme     templates/acme\nproject  opforge's own\n"
    assert cli.run(["template", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["templates"]
    assert [(row["name"], row["source"]) for row in rows] == [("acme", "repository"), ("project", "built-in")]
    assert rows[0]["folder"] == str(repository / "templates/acme")


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("wanted", ["acme", "templates/acme", "./templates/acme"])
def test_check_renders_for_every_kind_of_spec(wanted: str, capsys) -> None:
    assert cli.run(["template", "check", wanted, "--render-only"]) == 0
    said = capsys.readouterr().err
    assert "is fine: rendered for elementwise, products, handwritten, several\n" in said


def test_check_says_what_is_wrong_where_and_for_which_specs(repository: Path, capsys) -> None:
    template = repository / "templates/acme"
    change(template / "README.md.jinja", "{{ vendor }}", "{{ vendr }}")
    assert cli.run(["-q", "template", "check", "acme", "--render-only"]) == 10
    assert capsys.readouterr().err == (
        f"error: {template}/README.md.jinja:3:38: 'vendr' is undefined\n"
        ' 3 | Owned by Acme {{ team }}. Vendor `{{ vendr }}`, package `{{ package }}`, for {{ soc | join(", ") }}.\n'
        "   | " + " " * 37 + "^^^^^\n"
        "  help: docs/templates.md lists opforge's variables; the others are the questions in copier.yml\n"
    )
    change(template / "README.md.jinja", "{{ vendr }}", "{{ ops[0].attrs[0].name }}")
    assert cli.run(["template", "check", "acme", "--render-only", "--json"]) == 10
    out = json.loads(capsys.readouterr().out)
    assert (out["schema"], out["passed"]) == (1, False)
    (problem,) = out["problems"]
    assert problem["kinds"] == ["elementwise", "products"]  # the others have attributes
    assert (problem["file"], problem["line"]) == (f"{template}/README.md.jinja", 3)


@pytest.mark.parametrize(
    ("name", "text", "where"),
    [
        ("tool.py", "x = (\n", "tool.py:1: Python: '(' was never closed (in tool.py as rendered)"),
        ("a.json", "{\n  x: 1\n}\n", "a.json:2:3 JSON: Expecting property name enclosed in double quotes"),
        ("a.yml", "a: [\n", "a.yml:2:1 YAML: "),
        ("pyproject.toml", "[tool]\nx = \n", "pyproject.toml:2: TOML: Invalid value"),
    ],
)
def test_check_reads_the_rendered_files(name: str, text: str, where: str, repository: Path, capsys) -> None:
    place, what = where.split(" ", 1)
    if name.endswith(".toml"):
        pytest.importorskip("tomllib")
    (repository / "templates/acme" / name).write_text(text)
    assert cli.run(["-q", "template", "check", "acme", "--render-only"]) == 10
    said = capsys.readouterr().err
    assert said.startswith(f"error: {repository}/templates/acme/{place}")
    assert what in said


def test_a_template_names_the_build_backend(repository: Path, capsys) -> None:
    ours = (templates_root() / "project" / "pyproject.toml").read_text()
    page = repository / "templates/acme/pyproject.toml"
    page.write_text(ours + "\n[tool.acme]\nteam = 1\n")
    assert cli.run(["-q", "template", "check", "acme", "--render-only"]) == 0
    page.write_text(ours.replace('build-backend = "opforge_backend"', 'build-backend = "setuptools.build_meta"'))
    capsys.readouterr()
    assert cli.run(["-q", "template", "check", "acme", "--render-only"]) == 10
    said = capsys.readouterr().err
    assert said.startswith(f"error: {page}:1:1: pyproject.toml does not name opforge's build backend: pip cannot build")
    assert 'build-backend = "opforge_backend", backend-path = [".opforge"]\n' in said


def test_the_built_in_template_passes_its_own_check(repository: Path, capsys) -> None:
    shutil.copytree(templates_root() / "project", repository / "templates/ours")
    assert cli.run(["template", "check", "ours", "--render-only"]) == 0
    assert "ours is fine" in capsys.readouterr().err


@pytest.mark.npu
@pytest.mark.slow
def test_check_builds_a_project_and_runs_its_tests(repository: Path, toolkit_root: Path, monkeypatch, capsys) -> None:
    monkeypatch.setenv("OPFORGE_CACHE", str(toolkit_root.parents[1]))
    monkeypatch.delenv("TORCH_DEVICE_BACKEND_AUTOLOAD", raising=False)
    python = ["--python", sys.executable, "--toolchain", "simulator", "--json"]
    assert cli.run(["template", "check", "acme", *python]) == 0
    out = json.loads(capsys.readouterr().out)
    assert (out["passed"], out["problems"]) == (True, [])
    assert out["tests"]["failed"] == 0
    assert out["tests"]["passed"] > 10
    with (repository / "templates/acme/tests/test_acme.py.jinja").open("a") as test:
        test.write('\n\ndef test_that_fails() -> None:\n    assert "{{ team }}" == "another"\n')
    assert cli.run(["template", "check", "acme", *python]) == 10
    out = json.loads(capsys.readouterr().out)
    (problem,) = out["problems"]
    assert problem["what"].startswith("a test of its project fails: tests.test_acme::test_that_fails: Assert")
    assert out["tests"]["failed"] == 1
