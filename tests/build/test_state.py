import os
from pathlib import Path

import pytest

from opforge.build.project_lock import project_lock
from opforge.build.state import State, StepRecord, load_state, save_state, stat_of
from opforge.errors import ProjectError

OLD = 10**18  # a time long past, in nanoseconds


def aged(path: Path, text: str) -> Path:
    path.write_text(text)
    os.utime(path, ns=(OLD, OLD))
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
    state.steps["wheel"] = StepRecord({"k": "v"}, {"dist/a.whl": stat_of(used)}, {"wheel": "a.whl"})
    state.notes["python"] = {"version": "3.11"}
    save_state(tmp_path / "state.json", state)
    back = load_state(tmp_path / "state.json")
    assert back.steps == state.steps
    assert back.notes == state.notes
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
    record = StepRecord({}, {"out": stat_of(path)}, {})
    assert record.outputs_untouched(tmp_path) is None
    path.write_text("2")
    assert record.outputs_untouched(tmp_path) == "out"


def test_second_build_is_refused_with_the_first_ones_process(tmp_path: Path) -> None:
    with project_lock(tmp_path / "build"):
        with pytest.raises(ProjectError) as caught, project_lock(tmp_path / "build"):
            pass
        assert f"(process {os.getpid()})" in caught.value.what
    with project_lock(tmp_path / "build"):
        pass
