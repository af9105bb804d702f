"""The digest of the simulator's sources: a note saves reading them, and every change of them is seen."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from opforge import soc
from opforge.toolkit import source_digest as module
from opforge.toolkit.source_digest import source_digest


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    (folder / "engine").mkdir(parents=True)
    (folder / "CMakeLists.txt").write_text("project(x)\n")
    (folder / "engine" / "core.cpp").write_text("int a;\n")
    time.sleep(0.06)  # a note is written once all files are older than 50 ms
    return folder


def noted(notes: Path, **changes: object) -> None:
    """Changes fields of the only note."""
    (note,) = notes.iterdir()
    note.write_text(json.dumps(json.loads(note.read_text()) | changes))


def same_size_and_time(sources: Path) -> None:
    path = sources / "engine" / "core.cpp"
    found = path.stat()
    path.write_text("int b;\n")
    os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": same_size_and_time,
    "added": lambda sources: (sources / "engine" / "new.h").write_text(""),
    "removed": lambda sources: (sources / "engine" / "core.cpp").unlink(),
    "renamed": lambda sources: (sources / "engine" / "core.cpp").rename(sources / "engine" / "more.cpp"),
    "executable": lambda sources: (sources / "engine" / "core.cpp").chmod(0o755),
}


def test_the_note_is_used_and_holds_the_same_digest(sources: Path, tmp_path: Path) -> None:
    notes = tmp_path / "cache" / "sources"
    assert source_digest(sources, notes) == source_digest(sources)
    noted(notes, digest="from the note")
    assert source_digest(sources, notes) == "from the note"


@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_seen(change: str, sources: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    before = source_digest(sources, notes)
    assert list(notes.iterdir())
    CHANGES[change](sources)
    assert source_digest(sources, notes) == source_digest(sources) != before


def test_the_soc_table_belongs_to_it(sources: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert soc.__file__ == module.SOC_TABLE
    before = source_digest(sources, tmp_path / "notes")
    table = tmp_path / "soc.py"
    table.write_text("# another table\n")
    monkeypatch.setattr(module, "SOC_TABLE", str(table))
    assert source_digest(sources) != before
    time.sleep(0.06)
    source_digest(sources, tmp_path / "other notes")
    (note,) = (tmp_path / "other notes").iterdir()
    assert str(table) in json.loads(note.read_text())["stats"]


def test_a_file_that_has_just_changed_is_not_noted(sources: Path, tmp_path: Path) -> None:
    late = time.time_ns() + 10**9
    os.utime(sources / "CMakeLists.txt", ns=(late, late))
    assert source_digest(sources, tmp_path / "notes") == source_digest(sources)
    assert not (tmp_path / "notes").exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"stats": {}}', '{"stats": [1], "digest": "x"}', '{"digest": "x"}'])
def test_a_damaged_note_is_replaced(text: str, sources: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    right = source_digest(sources, notes)
    (note,) = notes.iterdir()
    whole = note.read_text()
    note.write_text(text)
    assert source_digest(sources, notes) == right
    assert note.read_text() == whole


def test_a_cache_that_cannot_be_written_is_no_error(sources: Path, tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert source_digest(sources, blocked / "sources") == source_digest(sources)


def test_two_installations_have_a_note_each(sources: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    sources.rename(other)
    sources.mkdir()
    time.sleep(0.06)
    for folder in (sources, other):
        source_digest(folder, tmp_path / "notes")
    assert len(list((tmp_path / "notes").iterdir())) == 2
