import os
import socket
import time
from pathlib import Path

import pytest

from opforge.build.project_lock import project_lock
from opforge.build.state import Interpreter, SpecMeaning, State, StepRecord, load_state, look_of, save_state
from opforge.errors import ProjectError
from opforge.file_stats import stat_of

OLD = 10**18  # a time long past, in nanoseconds


def aged(path: Path, text: str) -> Path:
    """A file that was written long ago; the inode's time, which nobody can set, is past the moment that counts."""
    path.write_text(text)
    os.utime(path, ns=(OLD, OLD))
    time.sleep(0.06)
    return path


def test_hash_is_remembered_by_stat(tmp_path: Path) -> None:
    state = State()
    path = aged(tmp_path / "a", "one")
    first = state.file_hash(path)
    known = state.hashes[str(path)]
    state.hashes[str(path)] = (known[0], "remembered")
    assert state.file_hash(path) == "remembered"
    assert first != "remembered"


def test_same_size_and_time_but_another_file(tmp_path: Path) -> None:
    state = State()
    path = aged(tmp_path / "a", "one")
    first = state.file_hash(path)
    replacement = aged(tmp_path / "b", "two")
    replacement.replace(path)
    assert state.file_hash(path) != first


def test_a_file_changed_just_now_is_not_remembered(tmp_path: Path) -> None:
    state = State()
    path = tmp_path / "a"
    path.write_text("one")
    state.file_hash(path)
    assert str(path) not in state.hashes


def test_missing_file(tmp_path: Path) -> None:
    assert State().file_hash(tmp_path / "none") is None


def test_round_trip_forgets_unused_hashes(tmp_path: Path) -> None:
    state = State()
    used, unused = aged(tmp_path / "used", "1"), aged(tmp_path / "unused", "2")
    state.file_hash(used)
    state.hashes[str(unused)] = (stat_of(unused), "x")
    state.steps["wheel"] = StepRecord({"k": "v"}, look_of(tmp_path, [used]), ("/a b/", "c\nd"), "dist/a.whl")
    meaning = SpecMeaning("1", "2", "{}\n", "package", ("op_host", "op\nkernel"))
    state.steps["spec"] = StepRecord({}, {}, meaning=meaning)
    state.interpreter = Interpreter("asked", "/bin/python", "/", "3.11", "/lib", ("/a:b", "/c"))
    save_state(tmp_path / "state.json", state)
    back = load_state(tmp_path / "state.json")
    assert back.steps == state.steps
    assert back.interpreter == state.interpreter
    assert (back.meaning, back.artifact("wheel")) == (meaning, "dist/a.whl")
    assert set(back.hashes) == {str(used)}
    assert [p.name for p in tmp_path.glob(".state*")] == []


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"schema": 99}', '{"schema": 1, "opforge": "0.0.0"}', "null", "[" * 9999]
)
def test_damaged_state_is_no_state(tmp_path: Path, text: str) -> None:
    path = tmp_path / "state.json"
    path.write_text(text)
    assert load_state(path) == State()


def test_touched_output_is_named(tmp_path: Path) -> None:
    path = aged(tmp_path / "out", "1")
    record = StepRecord({}, look_of(tmp_path, [path]))
    assert record.outputs_untouched(tmp_path) is None
    assert not record.moved
    path.write_text("2")
    assert record.outputs_untouched(tmp_path) == "out"


def test_an_output_with_other_times_and_the_same_content_is_as_it_was(tmp_path: Path) -> None:
    path = aged(tmp_path / "out", "1")
    record = StepRecord({}, look_of(tmp_path, [path]))
    copy = tmp_path / "copy"
    copy.write_text("1")
    copy.replace(path)
    assert record.outputs_untouched(tmp_path) is None
    assert record.moved
    assert record.outputs["out"][0] == stat_of(path)


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "folder", "gone"])
def test_an_output_that_was_damaged_under_the_same_time_is_seen(tmp_path: Path, damage: str) -> None:
    path = aged(tmp_path / "out", "one")
    record = StepRecord({}, look_of(tmp_path, [path]))
    path.unlink()
    if damage == "folder":
        path.mkdir()
    elif damage != "gone":
        aged(path, {"flip": "ond", "cut": "on", "empty": ""}[damage])
    assert record.outputs_untouched(tmp_path) == "out"


def test_the_inode_s_time_tells_what_the_other_one_hides(tmp_path: Path) -> None:
    """``touch -r`` and many tools give a file its old time back."""
    state = State()
    path = aged(tmp_path / "a", "one")
    with path.open("r+") as file:
        time.sleep(0.1)
        first = state.file_hash(path)
        file.write("two")
    os.utime(path, ns=(OLD, OLD))
    assert state.file_hash(path) != first


@pytest.mark.parametrize("kind", ["a FIFO", "a socket", "a device"])
def test_what_is_no_file_is_not_read(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "x"
    if kind == "a FIFO":
        os.mkfifo(path)
    elif kind == "a socket":
        socket.socket(socket.AF_UNIX).bind(str(path))
    else:
        path = Path("/dev/zero")
    with pytest.raises(ProjectError, match=f"{path} is {kind}, not a file"):
        State().file_hash(path)


def test_second_build_is_refused_with_the_first_ones_process(tmp_path: Path) -> None:
    with project_lock(tmp_path / "build"):
        with pytest.raises(ProjectError) as caught, project_lock(tmp_path / "build"):
            pass
        assert f"(process {os.getpid()})" in caught.value.what
    with project_lock(tmp_path / "build"):
        pass
