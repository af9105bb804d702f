"""Files written beside a project: replaced while they are as they were written, refused once somebody edited them."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import pytest

from opforge.errors import ProjectError
from opforge.fileset import File, FileSet
from opforge.scaffold.exported_files import LIST, write_export


def files(**texts: str) -> FileSet:
    return FileSet.of(*(File(PurePosixPath(f"a/{name}.txt"), text, "here") for name, text in texts.items()))


def read(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text() for path in folder.rglob("*.txt")}


def test_what_is_as_it_was_written_follows(tmp_path: Path) -> None:
    out = tmp_path / "new" / "folder"
    assert write_export(files(x="1", y="1"), out, force=False).removed == ()
    export = write_export(files(x="2", z="2"), out, force=False)
    assert export.written == (PurePosixPath("a/x.txt"), PurePosixPath("a/z.txt"))
    assert export.removed == (PurePosixPath("a/y.txt"),)
    assert read(out) == {"x": "2", "z": "2"}


def test_an_edit_is_not_run_over(tmp_path: Path) -> None:
    write_export(files(x="1", y="1"), tmp_path, force=False)
    (tmp_path / "a" / "x.txt").write_text("mine")
    (tmp_path / "a" / "y.txt").write_text("mine")
    with pytest.raises(ProjectError, match="or that were edited since") as told:
        write_export(files(x="2", z="2"), tmp_path, force=False)
    assert told.value.detail == "  a/x.txt"
    assert read(tmp_path) == {"x": "mine", "y": "mine"}
    assert write_export(files(x="2", z="2"), tmp_path, force=True).removed == ()
    assert read(tmp_path) == {"x": "2", "y": "mine", "z": "2"}


def test_files_of_others_are_not_run_over(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.txt").write_text("theirs")
    with pytest.raises(ProjectError, match="that opforge did not write"):
        write_export(files(x="1"), tmp_path, force=False)
    (tmp_path / "a" / "x.txt").write_text("1")  # the same text is no loss
    write_export(files(x="1"), tmp_path, force=False)


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProjectError, match="is not a folder"):
        write_export(files(x="1"), tmp_path / "file", force=True)
    (tmp_path / "a").write_text("")
    with pytest.raises(ProjectError, match="cannot be written to") as told:
        write_export(files(x="1"), tmp_path, force=True)
    assert told.value.detail == "  a/x.txt: a is not a folder"


@pytest.mark.parametrize("text", ["", "no json", "[]", '{"files": {"../x.txt": "1"}}', '{"files": 3}'])
def test_a_list_that_cannot_be_read_is_no_list(text: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / LIST).write_text(text)
    write_export(files(x="1"), out, force=False)
    assert list(json.loads((out / LIST).read_text())["files"]) == ["a/x.txt"]
