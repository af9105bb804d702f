"""Folders whose paths CANN's build takes, and what is done where a project or an environment lies in another."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from workshop import Workshop, make_project

from opforge.build.pipeline import Built, build
from opforge.build.plain_folder import cann_folder, is_plain, plain_scratch, remove_tree
from opforge.build.vendor_tree import content_hash, run_installer
from opforge.errors import BuildError, EnvironmentProblem
from opforge.install.removal import remove_vendor
from opforge.toolkit.process import Runner

# Each was tried with the public CMake functions and installer of asc-devkit (tests/fidelity/toolkit).
ODD = [
    "a b",
    "ümläut",
    "a@b",
    "a=b",
    "it's",
    'x"y',
    "x$y",
    "a&b",
    "(a)",
    "a;b",
    "a#b",
    "a%b",
    "a:b",
    "[a]",
    "a*b",
    "a|b",
    "a\\b",
    "a\nb",
]


def test_what_is_plain() -> None:
    assert all(is_plain(Path("/x", name)) for name in ("a-b_c.d+e~f", ".src.new", "src"))
    assert not any(is_plain(Path("/x", name)) for name in ODD)


def test_a_project_in_an_odd_folder_is_built_in_the_cache(workshop: Workshop, tmp_path: Path) -> None:
    root = make_project(tmp_path / "it's 50% of [my] work")
    request = workshop.request(root)
    folder = cann_folder(request)
    assert folder.is_relative_to(workshop.cache)
    first = build(request)
    assert first.run_package.parent == root / "dist"
    assert not (root / "build" / "cann").exists()
    calls = folder / "out" / "kernels" / "asc_opc.calls"
    assert len(calls.read_text().splitlines()) == 2
    assert build(workshop.request(root)).ran == ()
    header = root / "op_kernel" / "tiny_copy_kernel.h"
    header.write_text("// edited\n")
    build(workshop.request(root))
    assert len(calls.read_text().splitlines()) == 4, "the folder is kept, and only the kernels are compiled again"
    header.write_text("BROKEN\n")
    with pytest.raises(BuildError) as caught:
        build(workshop.request(root))
    assert caught.value.detail == "op_kernel/tiny_copy.cpp:1:1: error: BROKEN"


def test_folders_of_projects_that_are_gone_go_with_the_next(workshop: Workshop, tmp_path: Path) -> None:
    folders = []
    for name in ("one #1", "two #2", "three #3"):
        (tmp_path / name).mkdir()
        folders.append(cann_folder(workshop.request(tmp_path / name)))
        if name == "two #2":
            shutil.rmtree(tmp_path / "one #1")
    assert [folder.exists() for folder in folders] == [False, True, True]
    assert len(set(folders)) == 3


def test_where_the_cache_is_odd_too(workshop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a b").mkdir()
    request = workshop.request(tmp_path / "a b", cache=tmp_path / "my cache")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    assert cann_folder(request).parent.parent == tmp_path / f"opforge-{os.getuid()}"
    (tmp_path / f"opforge-{os.getuid()}").chmod(0o777)
    with pytest.raises(EnvironmentProblem, match="others may write to it"):
        cann_folder(request)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "a b"))
    with pytest.raises(EnvironmentProblem, match="CANN's build does not accept all characters of the path") as caught:
        cann_folder(request)
    assert "export OPFORGE_CACHE=" in (caught.value.hint or "")


def test_a_link_to_an_odd_folder_is_odd(workshop: Workshop, tmp_path: Path) -> None:
    """CANN's scripts resolve it."""
    (tmp_path / "real one").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real one")
    assert cann_folder(workshop.request(tmp_path / "link")).is_relative_to(workshop.cache)


def test_scratch_is_gone_although_parts_of_it_are_locked(tmp_path: Path) -> None:
    with plain_scratch(tmp_path) as scratch:
        locked = scratch / "scripts" / "inner"
        locked.mkdir(parents=True)
        (locked / "uninstall.sh").write_text("")
        for folder in (locked, locked.parent):
            folder.chmod(0o550)
    assert list(tmp_path.iterdir()) == []


def test_remove_tree_leaves_what_links_lead_to(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "gone").mkdir()
    (tmp_path / "gone" / "link").symlink_to(tmp_path / "kept")
    remove_tree(tmp_path / "gone")
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("name", ["opp", "it's an opp"])
def test_an_installation_takes_the_place_of_an_older_one(
    built_project: tuple[Path, Built], workshop: Workshop, tmp_path: Path, name: str
) -> None:
    """Nothing of the older stays, and nothing beside it: CANN's own installer keeps what it does not have."""
    target, package = tmp_path / name, built_project[1].run_package
    place = target / "vendors" / "tiny"
    for _ in range(2):
        run_installer(Runner(), package, target, workshop.environ, None).require("installing")
        assert sorted(path.name for path in target.iterdir()) == ["vendors"]
        assert [path.name for path in place.parent.iterdir()] == ["tiny"]
        assert not (place / "op_api" / "include" / "old.h").exists()
        (place / "op_api" / "include" / "old.h").write_text("")
        (place / "scripts").chmod(0o550)
    (place / "op_api" / "include" / "old.h").unlink()
    assert content_hash(place) == content_hash(built_project[0] / "build" / "vendor" / "vendors" / "tiny")


@pytest.mark.parametrize(("name", "started"), [("opp", True), ("an opp", False)])
def test_an_uninstaller_is_started_where_its_path_is_plain(tmp_path: Path, name: str, started: bool) -> None:
    """CANN's does not quote what it removes: of `an opp/vendors/x` it would remove `an`."""
    place = tmp_path / name / "vendors" / "tiny"
    script = place / "scripts" / "uninstall.sh"
    script.parent.mkdir(parents=True)
    script.write_text(f"touch '{tmp_path}/started'\nrm -rf $(dirname \"$0\")/..\nexit 1\n")
    (tmp_path / "an").mkdir()
    remove_vendor(place, Runner(), {"PATH": os.environ["PATH"]})
    assert (tmp_path / "started").exists() == started
    assert (tmp_path / "an").exists()
    assert not (tmp_path / name).exists()


def test_an_installation_that_fails_leaves_the_older_one(
    built_project: tuple[Path, Built], workshop: Workshop, tmp_path: Path, rebuild: Callable[[], object]
) -> None:
    del rebuild
    package = tmp_path / "half.run"
    package.write_text(
        '#!/bin/bash\nfor o in "$@"; do case $o in --install-path=*) mkdir -p "${o#*=}/vendors/tiny";; esac; done\n'
        "exit 1\n"
    )
    run_installer(Runner(), built_project[1].run_package, tmp_path / "opp", workshop.environ, None).require(
        "installing"
    )
    before = content_hash(tmp_path / "opp" / "vendors" / "tiny")
    assert not run_installer(Runner(), package, tmp_path / "opp", workshop.environ, None).ok
    assert content_hash(tmp_path / "opp" / "vendors" / "tiny") == before
