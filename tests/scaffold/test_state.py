"""The lock, what counts as edited, and what a refresh does to whom."""

from __future__ import annotations

import dataclasses
import fcntl
import json
import os
import shutil
import signal
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from opforge.errors import ProjectError
from opforge.fileset import File, FileSet
from opforge.scaffold import new_project
from opforge.scaffold.base_file import read_base
from opforge.scaffold.disk import write_text
from opforge.scaffold.lock import LOCK_FILE, dump_lock, lock_of, parse_lock, read_lock
from opforge.scaffold.new_project import write_project
from opforge.scaffold.project_root import SPEC_FILE, find_root
from opforge.scaffold.project_state import project_state
from opforge.scaffold.refresh import refresh
from opforge.spec.model import OpSpec, ProjectSpec, Spec, TensorSpec
from opforge.spec.yaml_printer import print_spec

TENSOR = TensorSpec("x", ("float32",))
SPEC = Spec(
    ProjectSpec("scale", "scale", "scale", "0.1.0", ("ascend910b",)),
    (OpSpec("Scale", (TENSOR,), (), (TensorSpec("y", ("float32",), dtypes_given=False),), "y = x * 2.0"),),
)
CHANGED = dataclasses.replace(SPEC, ops=(dataclasses.replace(SPEC.ops[0], compute="y = x * 3.0"),))


def file(path: str, text: str, *, executable: bool = False) -> File:
    return File(PurePosixPath(path), text, "form", executable)


def rendered(spec: Spec = SPEC, **texts: str) -> FileSet:
    defaults = {"kernel.h": "one\n", "tests/test_it.py": "two\n"}
    return FileSet.of(
        File(SPEC_FILE, print_spec(spec), "spec"), *(file(path, text) for path, text in {**defaults, **texts}.items())
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "scale"
    write_project(rendered(), SPEC, root)
    return root


def tree(root: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mtime_ns)
        for path in root.rglob("*")
        if path.is_file()
    }


def respec(root: Path, spec: Spec = CHANGED) -> None:
    (root / "opforge.yaml").write_text(print_spec(spec))


def test_a_new_project_holds_every_file_its_base_and_its_lock(project: Path) -> None:
    assert {path for path in tree(project) if not path.startswith(".opforge")} == {
        "opforge.yaml",
        "kernel.h",
        "tests/test_it.py",
    }
    assert read_base(project)[PurePosixPath("tests/test_it.py")] == b"two\n"
    assert read_lock(project) == lock_of(rendered(), SPEC)


def test_a_new_project_is_as_readable_as_any_other_file(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        write_project(FileSet.of(file("a", ""), file("b.sh", "", executable=True)), SPEC, tmp_path / "p")
    finally:
        os.umask(before)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "p").iterdir() if path.name[0] != "."}
    assert modes == {"a": 0o644, "b.sh": 0o755}
    assert (tmp_path / "p").stat().st_mode & 0o777 == 0o755


def test_the_lock_survives_a_round_trip() -> None:
    lock = lock_of(FileSet.of(file("a/b", "x"), file("run.sh", "y", executable=True)), SPEC)
    assert parse_lock(dump_lock(lock), Path("lock.json")) == lock


def lock_text(what: str, value: str | int) -> str:
    """A lock with one thing in it replaced."""
    path = value if what == "path" else "kernel.h"
    template = {"name": "project", "version": value if what == "version" else "0.1.0"}
    row = {"sha256": "0" * 64, "origin": "kernel.h"}
    return json.dumps({"schema": 1, "edition": 1, "template": template, "spec_sha256": "", "files": {path: row}})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<<<<<<< ours\n{}", "lock.json is damaged: Expecting value: line 1 column 1 (char 0)"),
        ("[]", "lock.json is damaged: list indices must be integers or slices, not str"),
        ('{"schema": 1}', "lock.json is damaged: it has no 'edition'"),
        (lock_text("version", 1), "lock.json is damaged: 1 is not text"),
        (lock_text("path", "../kernel.h"), 'lock.json is damaged: "../kernel.h" is not a valid path in a project'),
        (
            lock_text("path", "a/../../kernel.h"),
            'lock.json is damaged: "a/../../kernel.h" is not a valid path in a project',
        ),
        (lock_text("path", "/kernel.h"), 'lock.json is damaged: "/kernel.h" is not a valid path in a project'),
        (lock_text("path", ""), 'lock.json is damaged: "" is not a valid path in a project'),
        (lock_text("path", "a\0b"), r'lock.json is damaged: "a\u0000b" is not a valid path in a project'),
    ],
)
def test_a_damaged_lock_is_refused(text: str, message: str) -> None:
    with pytest.raises(ProjectError) as caught:
        parse_lock(text, Path("lock.json"))
    assert caught.value.what == message
    assert caught.value.hint is not None
    assert caught.value.hint.startswith("take the file from your version control. After a merge with conflicts: ")


@pytest.mark.parametrize("kind", ["folder", "no UTF-8", "no folder above", "nested", "a link to itself"])
def test_what_is_no_lock_at_all_is_refused(kind: str, project: Path) -> None:
    lock = project / LOCK_FILE
    lock.unlink()
    if kind == "folder":
        lock.mkdir()
    elif kind == "no folder above":
        shutil.rmtree(lock.parent)
        lock.parent.write_text("")
    elif kind == "a link to itself":
        lock.symlink_to(lock.name)
    else:
        lock.write_bytes(b"[" * 100_000 if kind == "nested" else b"\xff")
    with pytest.raises(ProjectError, match=r"lock\.json is damaged: "):
        project_state(project)


@pytest.mark.parametrize("kind", ["folder", "a link to itself"])
def test_what_stands_for_a_file_counts_as_missing(kind: str, project: Path) -> None:
    path = project_state(project).lock
    assert path is not None
    file = next(project / name for name in path.files if name.name != "opforge.yaml")
    file.unlink()
    if kind == "folder":
        file.mkdir()
    else:
        file.symlink_to(file.name)
    assert [project / name for name in project_state(project).missing] == [file]


def test_a_refusal_names_the_project_that_was_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path, *_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(PermissionError) as caught:
        write_project(rendered(), SPEC, tmp_path / "scale")
    assert caught.value.filename == str(tmp_path / "scale")


def test_a_full_disk_is_told_with_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fdopen", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        write_text(tmp_path / "kernel.h", "one")
    assert caught.value.filename == str(tmp_path / "kernel.h")
    assert list(tmp_path.iterdir()) == []


def test_another_call_that_is_faster_is_not_overwritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "scale"
    rename = Path.rename

    def late(self: Path, target: Path) -> Path:
        root.mkdir()
        (root / "theirs").write_text("theirs")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", late)
    with pytest.raises(ProjectError, match="exists already"):
        write_project(rendered(), SPEC, root)
    assert [path.name for path in tmp_path.iterdir()] == ["scale"]
    assert [path.name for path in root.iterdir()] == ["theirs"]


def test_a_later_lock_is_refused_with_both_numbers() -> None:
    with pytest.raises(ProjectError, match=r"lock.json has schema 2, and this opforge \S+ reads 1"):
        parse_lock('{"schema": 2}', Path("lock.json"))


def test_an_existing_folder_is_never_written_into(project: Path) -> None:
    before = tree(project)
    with pytest.raises(ProjectError) as caught:
        write_project(rendered(), SPEC, project)
    assert caught.value.what == f"the folder {project} exists already, and opforge new overwrites nothing"
    assert tree(project) == before


@pytest.mark.parametrize("kind", ["empty folder", "file", "dangling link"])
def test_whatever_stands_there_is_left_alone(kind: str, tmp_path: Path) -> None:
    root = tmp_path / "scale"
    if kind == "empty folder":
        root.mkdir()
    elif kind == "file":
        root.write_text("mine")
    else:
        root.symlink_to(tmp_path / "nowhere")
    with pytest.raises(ProjectError, match="exists already"):
        write_project(rendered(), SPEC, root)
    assert [path.name for path in tmp_path.iterdir()] == ["scale"]


def test_a_parent_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ProjectError) as caught:
        write_project(rendered(), SPEC, tmp_path / "a" / "b")
    assert caught.value.what == f"the folder {tmp_path / 'a'} does not exist"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_nothing(error: BaseException, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def write(path: Path, text: str, *, executable: bool = False) -> None:
        calls.append(path)
        if len(calls) == 4:
            raise error
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        assert executable is False

    monkeypatch.setattr(new_project, "write_text", write)
    with pytest.raises(type(error)):
        write_project(rendered(), SPEC, tmp_path / "scale")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["with space", "mit Ümlaut 算子", "-dash"])
def test_any_folder_name_works(name: str, tmp_path: Path) -> None:
    write_project(rendered(), SPEC, tmp_path / name)
    state = project_state(tmp_path / name)
    assert (state.edited, state.missing, state.spec_touched) == ((), (), False)


def test_edited_and_missing_files_are_told_apart(project: Path) -> None:
    (project / "kernel.h").write_text("mine\n")
    (project / "tests/test_it.py").unlink()
    (project / "mine.txt").write_text("not of opforge")
    state = project_state(project)
    assert state.edited == (PurePosixPath("kernel.h"),)
    assert state.missing == (PurePosixPath("tests/test_it.py"),)
    assert state.spec_touched is False


def test_a_checkout_with_crlf_is_not_edited(project: Path) -> None:
    (project / "kernel.h").write_bytes(b"one\r\n")
    assert project_state(project).edited == ()


def test_a_project_without_a_lock_has_nothing_of_ours(tmp_path: Path) -> None:
    (tmp_path / "opforge.yaml").write_text(print_spec(SPEC))
    state = project_state(tmp_path)
    assert (state.lock, state.edited, state.missing, state.spec_touched) == (None, (), (), False)
    assert refresh(tmp_path, rendered(), SPEC).written == ()
    assert [path.name for path in tmp_path.iterdir()] == ["opforge.yaml"]


def test_the_root_is_found_from_below(project: Path) -> None:
    assert find_root(project / "tests") == project
    with pytest.raises(ProjectError) as caught:
        find_root(project.parent)
    assert caught.value.what == f"there is no opforge.yaml in {project.parent} or above it"


def test_a_comment_in_the_spec_touches_no_file(project: Path) -> None:
    text = "# a comment\n" + print_spec(SPEC)
    (project / "opforge.yaml").write_text(text)
    assert project_state(project).spec_touched
    before = tree(project)
    assert refresh(project, rendered(**{"kernel.h": "an opforge of tomorrow"}), SPEC).written == ()
    after = tree(project)
    assert {path for path in after if after[path] != before.get(path)} == {
        ".opforge/lock.json",
        ".opforge/base.json.gz",
    }
    assert not project_state(project).spec_touched
    assert (project / "opforge.yaml").read_text() == text


def test_a_changed_spec_reaches_the_files_nobody_edited(project: Path) -> None:
    respec(project)
    done = refresh(project, rendered(CHANGED, **{"kernel.h": "three\n"}), CHANGED)
    assert done.written == (PurePosixPath("kernel.h"),)
    assert (project / "kernel.h").read_text() == "three\n"
    assert read_base(project)[PurePosixPath("kernel.h")] == b"three\n"
    state = project_state(project)
    assert (state.edited, state.missing, state.spec_touched) == ((), (), False)


def test_an_edit_that_the_new_spec_would_overwrite_stops_everything(project: Path) -> None:
    respec(project)
    (project / "kernel.h").write_text("mine\n")
    before = tree(project)
    with pytest.raises(ProjectError) as caught:
        refresh(project, rendered(CHANGED, **{"kernel.h": "three\n", "tests/test_it.py": "four\n"}), CHANGED)
    assert caught.value.what == "opforge.yaml changed, and edited files depend on it"
    assert caught.value.detail == "  kernel.h"
    assert tree(project) == before


def test_an_edit_that_the_new_spec_leaves_alone_stays(project: Path) -> None:
    respec(project)
    (project / "kernel.h").write_text("mine\n")
    done = refresh(project, rendered(CHANGED, **{"tests/test_it.py": "four\n"}), CHANGED)
    assert done.written == (PurePosixPath("tests/test_it.py"),)
    assert (project / "kernel.h").read_text() == "mine\n"
    assert project_state(project).edited == (PurePosixPath("kernel.h"),)


def test_an_edit_that_says_what_the_new_spec_says_is_no_conflict(project: Path) -> None:
    respec(project)
    (project / "kernel.h").write_text("three\n")
    assert refresh(project, rendered(CHANGED, **{"kernel.h": "three\n"}), CHANGED).written == ()
    assert project_state(project).edited == ()


def test_a_removed_file_stays_removed_also_when_it_changes(project: Path) -> None:
    respec(project)
    (project / "kernel.h").unlink()
    (project / "tests/test_it.py").unlink()
    refresh(project, rendered(CHANGED, **{"tests/test_it.py": "four\n"}), CHANGED)
    assert not (project / "kernel.h").exists()
    assert not (project / "tests/test_it.py").exists()
    assert project_state(project).missing == (PurePosixPath("kernel.h"), PurePosixPath("tests/test_it.py"))


def test_files_that_the_new_spec_has_no_more_go_with_their_folders(project: Path) -> None:
    respec(project)
    fewer = FileSet.of(*(f for f in rendered(CHANGED) if f.path.name != "test_it.py"), file("tests2/t.py", "x\n"))
    done = refresh(project, fewer, CHANGED)
    assert done.removed == (PurePosixPath("tests/test_it.py"),)
    assert not (project / "tests").exists()
    assert PurePosixPath("tests/test_it.py") not in read_base(project)
    assert (project / "tests2/t.py").read_text() == "x\n"


def test_a_file_of_the_users_own_is_not_overwritten_by_a_new_one(project: Path) -> None:
    respec(project)
    (project / "notes.md").write_text("mine\n")
    with pytest.raises(ProjectError) as caught:
        refresh(project, rendered(CHANGED, **{"notes.md": "rendered\n"}), CHANGED)
    assert caught.value.detail == "  notes.md"
    assert (project / "notes.md").read_text() == "mine\n"


def test_an_interrupted_refresh_can_be_repeated(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    respec(project)
    fresh = rendered(CHANGED, **{"kernel.h": "three\n", "tests/test_it.py": "four\n"})

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("opforge.scaffold.project_update.write_lock", interrupted)
        with pytest.raises(KeyboardInterrupt):
            refresh(project, fresh, CHANGED)
    assert (project / "kernel.h").read_text() == "three\n"
    assert refresh(project, fresh, CHANGED).written == ()
    state = project_state(project)
    assert (state.edited, state.missing, state.spec_touched) == ((), (), False)
    assert read_lock(project) == lock_of(fresh, CHANGED)


def test_a_project_inside_git_shows_nothing_unexpected(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    write_project(rendered(), SPEC, tmp_path / "scale")
    status = subprocess.run(
        ["git", "-C", str(tmp_path), "status", "--porcelain"], check=True, capture_output=True, text=True
    )
    assert status.stdout == "?? scale/\n"


def test_the_spec_file_has_one_name() -> None:
    assert str(SPEC_FILE) == "opforge.yaml"


def test_what_a_killed_new_has_left_goes_with_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".scale.notes.new").mkdir()
    child = os.fork()
    if child == 0:
        monkeypatch.setattr(new_project, "dump_lock", lambda _: os.kill(os.getpid(), signal.SIGKILL))
        try:
            write_project(rendered(), SPEC, tmp_path / "scale")
        finally:
            os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) == 2
    busy = tmp_path / ".scale.0123abcd.new"
    busy.mkdir()
    lock = os.open(busy, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)  # one that still runs
    write_project(rendered(), SPEC, tmp_path / "scale")
    os.close(lock)
    assert {path.name for path in tmp_path.iterdir()} == {"scale", busy.name, ".scale.notes.new"}
