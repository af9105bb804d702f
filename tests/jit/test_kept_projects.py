"""The projects of compiled and loaded ops in the cache."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from opforge.cli.shared.console import Console
from opforge.jit.kept_projects import KeptProject, content_of, package_of
from opforge.jit.process_activation import PROCESS


def write(folder: Path) -> None:
    folder.mkdir()
    (folder / "opforge.yaml").write_text("edition: 1\n")


def test_a_project_is_written_once_for_each_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROCESS, "OPFORGE_CACHE", str(tmp_path))
    calls: list[Path] = []
    project = KeptProject("SoftClip", content_of("SoftClip", "y = x"))
    for _ in range(2):
        project.write(lambda folder: (calls.append(folder), write(folder))[1], Console(quiet=True))
    assert len(calls) == 1
    assert (project.root / "opforge.yaml").is_file()
    assert project.root != KeptProject("SoftClip", content_of("SoftClip", "y = 2 * x")).root
    assert package_of("SoftClip") == "jit_soft_clip"


def test_a_failed_write_leaves_no_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROCESS, "OPFORGE_CACHE", str(tmp_path))
    project = KeptProject("SoftClip", "c0")

    def fail(folder: Path) -> None:
        folder.mkdir()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        project.write(fail, Console(quiet=True))
    assert not project.root.exists()
    assert list(tmp_path.glob("jit/.*/root")) == []
    project.write(write, Console(quiet=True))
    assert project.root.is_dir()


def test_projects_that_nobody_uses_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROCESS, "OPFORGE_CACHE", str(tmp_path))
    old, used, new = (KeptProject("SoftClip", content) for content in ("c0", "c1", "c2"))
    for project in (old, used):
        project.write(write, Console(quiet=True))
        os.utime(project.root, (time.time() - 40 * 24 * 3600,) * 2)
    used.write(write, Console(quiet=True))  # finds it, and marks it as used
    assert not old.root.exists()
    new.write(write, Console(quiet=True))
    assert used.root.is_dir()
    assert new.root.is_dir()
