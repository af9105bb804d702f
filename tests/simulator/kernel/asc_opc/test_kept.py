"""What asc_opc keeps in the toolkit's cache: found again by content alone, and never believed when it is damaged."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from opforge.toolkit.simulator_key import SOURCES

sys.path.append(str(SOURCES / "tools" / "asc_opc"))

import kept_kernels
import precompiled

TEXT = """\
# 0 "{work}/kernel.cpp"
# 1 "{source}/op_kernel/one.h" 1
void one();
"""


def flip(path: Path) -> None:
    """One bit, and the time as before."""
    before = path.stat()
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(bytes(data))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def shorten(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "inside").write_text("")


DAMAGES = [flip, shorten, empty, make_folder, Path.unlink]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_kernel_is_compiled_again(
    tmp_path: Path, damage: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    made = []

    def make() -> bytes:
        made.append(1)
        return b"an object" * 9

    assert kept_kernels.kept(tmp_path, "name", make) == kept_kernels.kept(tmp_path, "name", make) == b"an object" * 9
    assert len(made) == 1
    entry = tmp_path / "cache" / "kernels" / "name"
    damage(entry)
    assert kept_kernels.kept(tmp_path, "name", make) == b"an object" * 9
    assert len(made) == 2
    told = [] if damage is Path.unlink else [f"asc_opc: note: {entry} is damaged: the kernel is compiled again"]
    assert capsys.readouterr().err.splitlines() == told
    assert kept_kernels.kept(tmp_path, "name", make) == b"an object" * 9
    assert len(made) == 2


def test_kept_kernels_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_kernels, "_MOST_BYTES", 1000)
    for place in range(4):
        kept_kernels.kept(tmp_path, str(place), lambda: b"x" * 300)
        os.utime(tmp_path / "cache" / "kernels" / str(place), ns=(place, place))
    assert sorted(entry.name for entry in (tmp_path / "cache" / "kernels").iterdir()) == ["2", "3"]
    monkeypatch.setenv("OPFORGE_SIM_KEEP_KERNELS", "0")
    assert kept_kernels.kept(tmp_path, "3", lambda: b"anew") == b"anew"


def test_a_kernel_is_the_same_in_another_folder(tmp_path: Path) -> None:
    def key(folder: str, *, own: str = "void one(); // half\n", code: str = "entry", option: str = "-O3") -> str:
        source, work = tmp_path / folder / "src", tmp_path / folder / "work"
        (source / "op_kernel").mkdir(parents=True, exist_ok=True)
        (source / "op_kernel" / "one.h").write_text(own)
        options = [option, f"-ffile-prefix-map={source}/="]
        text = TEXT.format(source=source, work=work)
        return kept_kernels.key([text], code, ["g++"], options, work)

    same = key("a")
    assert same == key("b ü")
    others = {key("a", own="void one(); // (half)\n"), key("a", code="other"), key("a", option="-O2")}
    assert same not in others
    assert len(others) == 3


@pytest.mark.compiler
@pytest.mark.parametrize("part", ["kernel_operator.h.gch", "kernel_operator.h"])
def test_a_damaged_precompiled_header_is_made_again(
    tmp_path: Path, part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    header = tmp_path / "include" / "ascendc" / "kernel_operator.h"
    header.parent.mkdir(parents=True)
    header.write_text("inline int kernel() { return 1; }\n")
    place = precompiled.folder(tmp_path, ["g++"], ["-O1"])
    assert place is not None
    compiled = place / "kernel_operator.h.gch"
    whole = compiled.stat()
    assert precompiled.folder(tmp_path, ["g++"], ["-O1"]) == place
    assert compiled.stat() == whole
    for damage in DAMAGES:
        damage(place / part)
        capsys.readouterr()
        assert precompiled.folder(tmp_path, ["g++"], ["-O1"]) == place
        assert compiled.is_file()
        assert compiled.stat().st_ino != whole.st_ino or compiled.stat().st_mtime_ns != whole.st_mtime_ns
        told = capsys.readouterr().err
        gone = damage is Path.unlink and part == "kernel_operator.h.gch"
        assert told == ("" if gone else f"asc_opc: note: {compiled} is damaged: made again\n")
        whole = compiled.stat()
    for damage in DAMAGES:
        damage(place / "look.json")
        assert precompiled.folder(tmp_path, ["g++"], ["-O1"]) == place
        assert compiled.read_bytes()
    whole = compiled.stat()
    os.utime(compiled)  # another stat, the same content
    assert precompiled.folder(tmp_path, ["g++"], ["-O1"]) == place
    assert compiled.stat().st_ino == whole.st_ino
