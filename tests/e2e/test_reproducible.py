"""The same project gives the same bytes: from any folder, by any user, and nothing of the machine is in them."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

from tests.e2e.conftest import make_environment
from tests.kept import CACHE

pytestmark = [pytest.mark.compiler, pytest.mark.torch, pytest.mark.slow]


def test_artifacts_are_the_same_from_any_folder(toolkit_root: Path, tmp_path: Path) -> None:
    """Another folder, umask, home, language, time zone and number of jobs; no kernel and no adapter is kept."""
    environment = make_environment(tmp_path / "env")
    new = "opforge new VectorAdd --inputs x,y --dtype float16 --soc ascend910b -q && cd vector_add"
    plain, other = tmp_path / "plain", tmp_path / "with space ü"
    for folder in (plain, other):
        folder.mkdir()
        (folder / "cache").mkdir()
        (folder / "cache" / "toolkit").symlink_to(toolkit_root.parent)
    anew = {"OPFORGE_SIM_KEEP_KERNELS": "0"}
    environment.sh(f"{new} && opforge build", plain, OPFORGE_CACHE=str(plain / "cache"), **anew)
    home = tmp_path / "home"
    home.mkdir()
    environment.sh(
        f"umask 077; {new} && opforge build --jobs 1",
        other,
        OPFORGE_CACHE=str(other / "cache"),
        HOME=str(home),
        TZ="Asia/Shanghai",
        LC_ALL="C",
        USER="another",
        **anew,
    )
    artifacts = [{p.name: p.read_bytes() for p in (f / "vector_add" / "dist").iterdir()} for f in (plain, other)]
    assert [sorted(a) for a in artifacts] == [sorted(artifacts[0])] * 2
    assert [name for name in artifacts[0] if artifacts[0][name] != artifacts[1][name]] == []

    (wheel,) = (plain / "vector_add" / "dist").glob("*.whl")
    machine = [str(path).encode() for path in (tmp_path, CACHE, toolkit_root, sys.prefix, Path.home())]
    with zipfile.ZipFile(wheel) as packed:
        files = {name: packed.read(name) for name in packed.namelist()}
    for root in (plain, other):  # what is in the run package
        vendor = root / "vector_add" / "build" / "vendor"
        files |= {str(path): path.read_bytes() for path in vendor.rglob("*") if path.is_file()}
    assert {name for name, data in files.items() if any(path in data for path in machine)} == set()
