"""``opforge update`` and ``opforge status``, as a user types them."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path, PurePosixPath

import pytest

from opforge import __version__
from opforge.build.step_actions import Work
from opforge.cli import main as cli
from opforge.cli.shared.options import make_request
from opforge.errors import ProjectError
from opforge.scaffold.base_file import read_base, write_base

KERNEL = "op_kernel/vector_add_kernel.h"
README_HEAD = "# vector_add\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    monkeypatch.chdir(tmp_path)
    assert cli.run(["--quiet", "new", "VectorAdd", "--inputs", "x,y"]) == 0
    capsys.readouterr()
    monkeypatch.chdir(tmp_path / "vector_add")
    return tmp_path / "vector_add"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.mark.usefixtures("project")
def test_a_fresh_project_is_up_to_date(capsys) -> None:
    assert cli.run(["status"]) == 0
    assert capsys.readouterr() == ("vector_add is up to date\n", "")
    assert cli.run(["update"]) == 0
    assert capsys.readouterr() == ("", "nothing to do: vector_add is up to date\n")


def test_a_project_of_the_first_edition(project: Path, capsys) -> None:
    """It is read as it was meant; an update writes the text of today."""
    edit(project / "opforge.yaml", "edition: 2", "edition: 1  # mine")
    edit(project / "opforge.yaml", "z = x + y", "z = max(x + y, 0)")
    edit(project / ".opforge" / "lock.json", '"edition": 2', '"edition": 1')
    assert cli.run(["update", "--dry-run"]) == 0
    assert "edition: 1" in (project / "opforge.yaml").read_text()
    capsys.readouterr()
    assert cli.run(["update"]) == 0
    told = "note: opforge.yaml was of edition 1; its text is brought to 2\n"
    assert told in capsys.readouterr().err
    text = (project / "opforge.yaml").read_text()
    assert text.startswith("edition: 2  # mine\n")
    assert "z = maximum(x + y, 0)" in text
    assert "maximum(x + y, 0)" in (project / KERNEL).read_text()
    assert cli.run(["update"]) == 0
    assert capsys.readouterr().err == "nothing to do: vector_add is up to date\n"


def test_edits_are_told_and_are_no_reason_to_do_anything(project: Path, capsys) -> None:
    edit(project / KERNEL, "\n", "\n// mine\n")
    (project / "README.md").unlink()
    (project / "notes.txt").write_text("not opforge's")
    assert cli.run(["status"]) == 0
    assert capsys.readouterr().out == (f"vector_add is up to date\nedited:\n  {KERNEL}\nremoved by you:\n  README.md\n")


def test_a_changed_spec_is_merged_with_an_edited_kernel(project: Path, capsys, monkeypatch) -> None:
    with (project / KERNEL).open("a") as kernel:
        kernel.write("// mine\n")
    edit(project / "opforge.yaml", "z = x + y", "z = x * y")
    monkeypatch.chdir(project / "tests")
    assert cli.run(["status"]) == 5
    out = capsys.readouterr().out
    assert out.startswith("stale: opforge.yaml changed; `opforge update` would make these changes:\n")
    assert re.search(rf"^  merged   {KERNEL} \(\+\d+ -\d+\)$", out, re.MULTILINE)
    assert out.endswith(f"edited:\n  {KERNEL}\n")
    before = files(project)
    assert cli.run(["update", "--dry-run"]) == 0
    captured = capsys.readouterr()
    assert [line for line in out.splitlines() if re.match(r"  \w+ +\S+ \(", line)] == captured.out.splitlines()
    assert re.fullmatch(r"(\d+ (changed|added|merged)(, )?)+; nothing was written\n", captured.err)
    assert files(project) == before
    assert cli.run(["update"]) == 0
    err = capsys.readouterr().err
    assert re.search(r"^updated vector_add: .*1 merged", err, re.MULTILINE)
    text = (project / KERNEL).read_text()
    assert text.endswith("// mine\n")
    assert "Mul" in text
    assert cli.run(["status"]) == 0


def test_a_conflict_has_a_place_an_exit_code_and_stops_the_next_update(project: Path, capsys) -> None:
    line = next(line for line in (project / KERNEL).read_text().splitlines() if "Add(" in line)
    edit(project / KERNEL, line, f"{line}  // mine")
    edit(project / "opforge.yaml", "z = x + y", "z = x * y")
    assert cli.run(["update"]) == 5
    err = capsys.readouterr().err
    place = re.search(rf"^  conflict ({KERNEL}:\d+)$", err, re.MULTILINE)
    assert place is not None
    assert err.endswith(
        "error: conflicts are left\n  help: at each `<<<<<<<`, keep the right lines of both sides and remove the three "
        "markers, then build again\n"
    )
    text = (project / KERNEL).read_text()
    number = int(place[1].partition(":")[2])
    assert text.splitlines()[number - 1] == "<<<<<<< yours"
    assert f"\n{line}  // mine\n=======\n" in text
    assert f"\n>>>>>>> opforge {__version__}\n" in text
    before = files(project)
    assert cli.run(["update"]) == 5
    assert capsys.readouterr().err == (
        f"error: conflicts of an earlier merge are not resolved\n  {place[1]}\n"
        "  help: at each `<<<<<<<`, keep the right lines of both sides and remove the three markers\n"
    )
    assert files(project) == before
    assert cli.run(["status"]) == 5
    assert (
        capsys.readouterr().out
        == f"unresolved conflicts (resolve them before you build):\n  {place[1]}\nedited:\n  {KERNEL}\n"
    )


def test_a_build_stops_at_conflicts_and_at_edits_that_it_would_have_to_merge(project: Path) -> None:
    line = next(line for line in (project / KERNEL).read_text().splitlines() if "Add(" in line)
    edit(project / KERNEL, line, f"{line}  // mine")
    edit(project / "opforge.yaml", "z = x + y", "z = x * y")
    with pytest.raises(ProjectError) as caught:
        step_that_reads_the_spec(project)
    assert caught.value.what == "opforge.yaml changed, and edited files depend on it"
    assert caught.value.detail == f"  {KERNEL}"
    assert str(caught.value.hint).startswith("nothing was written. `opforge update` merges the changes")
    assert cli.run(["--quiet", "update"]) == 5
    with pytest.raises(ProjectError) as caught:
        step_that_reads_the_spec(project)
    assert caught.value.what == "conflicts of an earlier merge are not resolved"
    assert re.fullmatch(rf"  {KERNEL}:\d+", str(caught.value.detail))
    text = (project / KERNEL).read_text()
    (project / KERNEL).write_text(re.sub("^(<<<<<<<|=======|>>>>>>>).*\n", "", text, flags=re.MULTILINE))
    step_that_reads_the_spec(project)


def step_that_reads_the_spec(project: Path) -> None:
    """The first step of a build, without the toolkit and the environment that the others need."""
    Work(make_request(project, "simulator", None, None), context=None).read_spec()


def test_the_json_of_both_has_every_file(project: Path, capsys) -> None:
    (project / "README.md").unlink()
    edit(project / "opforge.yaml", "z = x + y", "z = x * y")
    assert cli.run(["status", "--json"]) == 5
    status = json.loads(capsys.readouterr().out)
    assert (status["schema"], status["clean"], status["spec_changed"], status["problem"]) == (1, False, True, None)
    assert status["missing"] == ["README.md"]
    assert cli.run(["update", "--json"]) == 0
    update = json.loads(capsys.readouterr().out)
    assert update["files"] == status["update"]
    assert (update["root"], update["written"]) == (str(project), True)
    rows = {row["path"]: row for row in update["files"]}
    assert rows["README.md"] == {
        "path": "README.md",
        "action": "left out",
        "added": 0,
        "removed": 0,
        "conflicts": [],
        "imported_by": None,
    }
    assert rows[KERNEL]["action"] == "changed"
    assert rows[KERNEL]["added"] > 0


def test_a_spec_that_says_nothing_does_not_hide_the_rest(project: Path, capsys) -> None:
    edit(project / KERNEL, "\n", "\n// mine\n")
    edit(project / "opforge.yaml", "z = x + y", "z = x + w")
    before = files(project)
    assert cli.run(["status"]) == 3
    captured = capsys.readouterr()
    assert captured.out == f"edited:\n  {KERNEL}\n"
    assert captured.err.startswith(f"error: {project}/opforge.yaml:")
    assert cli.run(["status", "--json"]) == 3
    found = json.loads(capsys.readouterr().out)
    assert (found["clean"], found["edited"], found["update"]) == (False, [KERNEL], None)
    assert "`w`" in found["problem"]
    for command in (["update"], ["update", "--dry-run"]):
        assert cli.run(command) == 3
        assert capsys.readouterr().err.startswith(f"error: {project}/opforge.yaml:")
    assert files(project) == before


def test_a_spec_that_is_no_text_is_refused(project: Path, capsys) -> None:
    (project / "opforge.yaml").write_bytes(b"edition: \xff\n")
    assert cli.run(["update"]) == 5
    assert "opforge.yaml is not UTF-8 text (byte 9)" in capsys.readouterr().err


def test_parts_of_opforge_s_own_folder_that_are_lost(project: Path, capsys) -> None:
    base = read_base(project)
    del base[PurePosixPath(KERNEL)]
    write_base(project, base)
    assert cli.run(["status"]) == 5
    assert capsys.readouterr().out == (
        "rendered text is missing (restore .opforge from version control, or an update marks every difference):\n"
        f"  {KERNEL}\n"
    )
    assert cli.run(["update"]) == 0
    assert cli.run(["status"]) == 0
    (project / ".opforge/lock.json").unlink()
    capsys.readouterr()
    for command in (["status"], ["update"], ["add", "VectorSub", "--inputs", "x,y"]):
        assert cli.run(command) == 5
        assert capsys.readouterr().err == (
            f"error: there is no .opforge/lock.json in {project}, so opforge does not know what it wrote\n"
            "  help: type `git checkout -- .opforge`, or copy the folder .opforge from where the project came from; "
            "projects that opforge did not create have none\n"
        )


def test_a_spec_alone(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    """Somebody wrote it by hand; the hint works."""
    spec = (project / "opforge.yaml").read_text(encoding="utf-8").replace("x + y", "x - y")
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone" / "opforge.yaml").write_text(spec, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "alone")
    assert cli.run(["update"]) == 5
    error = capsys.readouterr().err
    assert error.startswith(f"error: {tmp_path / 'alone'} has a spec, but none of a project's other files\n")
    assert "`opforge new NAME --inputs x --path FOLDER`" in error
    assert cli.run(["new", "Named", "--inputs", "x", "--path", str(tmp_path / "made"), "--compute", "y = x * 2"]) == 0
    shutil.copy(tmp_path / "alone" / "opforge.yaml", tmp_path / "made" / "opforge.yaml")
    monkeypatch.chdir(tmp_path / "made")
    assert cli.run(["update"]) == 0
    assert "x - y" in (tmp_path / "made" / "README.md").read_text(encoding="utf-8")
    assert cli.run(["status"]) == 0


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("option", [("--trust",), ("--answer", "team=vision")])
def test_answers_for_a_template_that_there_is_not_are_refused(option: tuple[str, ...], capsys) -> None:
    assert cli.run(["update", *option]) == 2
    assert "for team templates, and this project has none" in capsys.readouterr().err


def test_files_in_the_way_are_listed(project: Path, capsys) -> None:
    (project / KERNEL).write_bytes(b"\0")
    edit(project / "opforge.yaml", "z = x + y", "z = x * y")
    assert cli.run(["status"]) == 5
    assert f"\n  {KERNEL}: it holds a NUL byte" in capsys.readouterr().err
    assert cli.run(["update"]) == 5
    assert f"\n  {KERNEL}: it holds a NUL byte" in capsys.readouterr().err


def test_spaces_letters_and_no_git(project: Path, monkeypatch, capsys) -> None:
    place = project.parent / "mein Ümlaut 算子"
    shutil.move(project, place)
    monkeypatch.chdir(place)
    monkeypatch.setenv("PATH", "")
    edit(place / "opforge.yaml", "z = x + y", "z = x * y")
    assert cli.run(["update"]) == 0
    assert "updated mein Ümlaut 算子:" in capsys.readouterr().err
    assert cli.run(["status"]) == 0


# --- a project that the first version of opforge made (its files here are a few of them) ---

FIRST = Path(__file__).with_name("first_project")


def test_a_project_of_the_first_version_is_brought_up_to_date(tmp_path: Path, monkeypatch, capsys) -> None:
    root = tmp_path / "vector_add"
    shutil.copytree(FIRST, root)
    shutil.move(root / "dot_opforge", root / ".opforge")
    base = root / ".opforge/base"
    for path in ("opforge.yaml", "README.md", KERNEL):
        (base / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / path, base / path)
    monkeypatch.chdir(root)
    assert cli.run(["status", "--json"]) == 5
    found = json.loads(capsys.readouterr().out)
    assert (found["spec_changed"], found["edited"], found["missing"], found["bases_missing"]) == (False, [], [], [])
    edit(root / "README.md", README_HEAD, f"{README_HEAD}\nMine.\n")
    assert cli.run(["update"]) in (0, 5)
    assert "Mine.\n" in (root / "README.md").read_text()
    assert (root / "op_host/vector_add.cpp").is_file()
    capsys.readouterr()
    fresh = tmp_path / "fresh"
    assert cli.run(["--quiet", "new", "VectorAdd", "--inputs", "x,y", "--path", str(fresh)]) == 0
    shutil.copy(root / "opforge.yaml", fresh)  # which names no features: then all are there
    assert cli.run(["--quiet", "update", "--project", str(fresh)]) == 0
    differing = {path for path, data in files(root).items() if files(fresh).get(path) != data}
    assert differing - {"build/.lock"} == {"README.md"}
    assert files(root).keys() == files(fresh).keys()
