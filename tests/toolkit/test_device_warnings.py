"""Warnings of the simulated device: where they are collected, and what is said of them at the end."""

from __future__ import annotations

import json
from pathlib import Path

from opforge.toolkit.device_warnings import RULES, VARIABLE, collecting, sum_up

LINE = {"schema": 1, "op": "Add", "id": "gm-tail", "file": "op_kernel/add.h", "line": 3, "message": "it reads too much"}


def append(file: Path, /, **fields: object) -> None:
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps({**LINE, **fields}) + "\n")


def test_a_file_of_its_own_goes_with_the_block() -> None:
    with collecting({}, "device") as collection:
        assert collection.variables == {VARIABLE: str(collection.file), RULES: "device"}
        append(collection.file)
        (warning,) = collection.warnings()
        assert warning.text == "warning: it reads too much"
    assert not collection.file.exists()


def test_a_file_that_is_named_stays_and_what_it_held_is_not_told_again(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    append(file, line=1)
    with collecting({VARIABLE: str(file), RULES: "device"}, None) as collection:
        assert collection.variables == {VARIABLE: str(file)}
        append(file, line=2)
        append(file, schema=2)
        append(file, line=0, file=None, id="result-unwritten")
        assert [(w.rule, w.place) for w in collection.warnings()] == [
            ("gm-tail", "op_kernel/add.h:2"),
            ("result-unwritten", "Add"),
        ]
        assert sum_up(collection.warnings()).splitlines()[1:] == [
            "  gm-tail           op_kernel/add.h:2 (Add)",
            "  result-unwritten  Add (Add)",
        ]
    assert len(file.read_text().splitlines()) == 4


def test_of_nothing_nothing_is_said(tmp_path: Path) -> None:
    assert sum_up(()) == ""
    with collecting({VARIABLE: str(tmp_path / "no launch")}, None) as collection:
        assert collection.warnings() == ()
