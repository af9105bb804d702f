"""A full disk there, or here: the error says what, where and what to do, and nothing here is half replaced."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from opforge.cli import main as cli
from opforge.remote import parcel

# In place of tar there: it writes what it should to a full disk if its first option is that in $THERE/full.
TAR = """#!/bin/sh
[ "$1" = "$(cat "$THERE/full" 2>/dev/null)" ] && { echo x | cat > /dev/full; exit 2; }
exec REAL "$@"
"""


def build(there: Path, folder: str = "") -> int:
    return cli.run(["build", "--on", f"ssh://me@npu:2222{folder}", "--python", str(there / "python")])


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A folder on a disk of 1 MiB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("only root can mount a small disk")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_no_space_for_the_project(there, project, small_disk, capsys) -> None:
    (project / "large").write_bytes(os.urandom(2**20))
    before = contents(project)
    assert build(there, str(small_disk)) == 7
    err = capsys.readouterr().err
    assert f"error: cannot unpack the project in {small_disk}/mein_Projekt__-" in err
    assert err.count("No space left on device") == 1
    assert "100%" in err  # df's line
    assert "the disk is full: free some space there, or name a folder on another disk" in err
    assert "--on ssh://me@npu:2222/FOLDER" in err
    assert contents(project) == before
    assert not list(small_disk.glob("*/incoming"))
    (project / "large").unlink()
    assert build(there, str(small_disk)) == 0  # what did not fit is gone


def test_a_command_that_fills_the_disk(there, project, small_disk, capsys) -> None:
    (project / "fills").touch()
    (project / "fails").touch()
    before = contents(project)
    assert build(there, str(small_disk)) == 4
    err = capsys.readouterr().err
    assert f"the disk of me@npu: {small_disk}/mein_Projekt__-" in err
    assert "is full (0 KiB are left)\n  help: free some space there, or name a folder" in err
    del before["build/x.o"]
    assert before.items() <= contents(project).items()


def test_no_space_for_the_results(there, project, small_disk, capsys) -> None:
    before = contents(project)
    python = (there / "python").read_text()
    (there / "python").write_text(python.replace('echo "$@"', "head -c 600000 /dev/urandom > dist/b.whl"))
    assert build(there, str(small_disk)) == 8
    err = capsys.readouterr().err
    assert "the command ended with status 0 on me@npu, but its results could not be packed in" in err
    assert "nothing here has changed" in err
    assert contents(project) == before


def test_tar_that_cannot_write_is_an_error_without_root(there, project, capsys) -> None:
    tar = subprocess.run(["sh", "-c", "command -v tar"], capture_output=True, text=True, check=True).stdout.strip()
    (there / "tar").write_text(TAR.replace("REAL", tar))
    (there / "tar").chmod(0o755)
    before = contents(project)
    (there / "full").write_text("-xzf\n")
    assert build(there) == 7
    err = capsys.readouterr().err
    assert "error: cannot unpack the project in .cache/opforge/remote/mein_Projekt__-" in err
    assert "No space left on device" in err
    (there / "full").write_text("-cf\n")
    assert build(there) == 8
    err = capsys.readouterr().err
    assert "its results could not be packed in .cache/opforge/remote/mein_Projekt__-" in err
    assert "No space left on device" in err
    assert "free some space there and run the command again, or name a folder on another disk" in err
    assert contents(project) == before


def test_a_full_disk_here_leaves_everything(there, project, monkeypatch, capsys) -> None:
    def full(_self: parcel.Arrived, _path: Path, _data: bytes) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = contents(project)
    with monkeypatch.context() as here:
        here.setattr(parcel.Arrived, "add_report", full)
        assert build(there) == 8
    err = capsys.readouterr().err
    assert f"the results cannot be written below {project}: No space left on device" in err
    assert contents(project) == before
    assert build(there) == 0
    assert "this command ended 0 min ago" in capsys.readouterr().err
    assert (there / "runs").read_text() == "ran\n"
