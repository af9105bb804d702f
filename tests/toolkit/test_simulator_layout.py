"""The files of the toolkit that are not compiled."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from opforge.soc import SOCS
from opforge.toolkit.simulator_layout import platform_config, read_sources, set_env, write_layout

SHELLS = [shell for shell in ("bash", "sh", "dash", "zsh") if shutil.which(shell)]
VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "LD_LIBRARY_PATH", "PATH", "TASK_QUEUE_ENABLE")


def source(shell: str, root: Path, times: int, **env: str) -> dict[str, str]:
    script = f"set -eu; {f'. {shlex.quote(str(root))}/set_env.sh; ' * times} env"
    done = subprocess.run(
        [shell, "-c", script], check=False, env={"PATH": os.environ["PATH"], **env}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    path = tmp_path / "a toolkit's place"
    path.mkdir()
    write_layout(path, final_root=path, sources="0123456789abcdef")
    return path


def test_version_cfg_says_that_it_is_simulated_and_of_what(root: Path) -> None:
    assert "simulated=1" in (root / "version.cfg").read_text().splitlines()
    assert read_sources(root) == "0123456789ab"


@pytest.mark.parametrize("shell", SHELLS)
def test_set_env_works_and_does_not_grow(shell: str, root: Path) -> None:
    once = source(shell, root, 1, LD_LIBRARY_PATH="/opt/lib")
    assert once["ASCEND_HOME_PATH"] == str(root)
    assert once["ASCEND_OPP_PATH"] == f"{root}/opp"
    assert once["LD_LIBRARY_PATH"] == f"{root}/lib64:/opt/lib"
    assert once["PATH"].split(":")[0] == f"{root}/bin"
    assert once["TASK_QUEUE_ENABLE"] == "0"
    assert "_opforge_root" not in once
    twice = source(shell, root, 2, LD_LIBRARY_PATH="/opt/lib")
    assert {k: twice[k] for k in VARIABLES} == {k: once[k] for k in VARIABLES}


def test_set_env_leaves_what_the_user_set_and_adds_no_empty_path(root: Path) -> None:
    env = source("sh", root, 1, TASK_QUEUE_ENABLE="2")
    assert env["TASK_QUEUE_ENABLE"] == "2"
    assert env["LD_LIBRARY_PATH"] == f"{root}/lib64"  # an empty part would mean the working directory


def test_a_moved_toolkit_activates_itself_in_bash(root: Path, tmp_path: Path) -> None:
    moved = root.rename(tmp_path / "moved")
    assert source("bash", moved, 1)["ASCEND_HOME_PATH"] == str(moved)


def test_the_script_agrees_with_what_opforge_run_sets(root: Path) -> None:
    from opforge.toolkit.protocol import Toolkit

    ours = Toolkit("simulator", root, "", "", "").activation(
        {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": "/opt/lib"}
    )
    theirs = source("bash", root, 1, LD_LIBRARY_PATH="/opt/lib")
    assert {k: v for k, v in theirs.items() if k in ours} == ours


def test_every_chip_has_its_file(root: Path) -> None:
    written = {p.stem: p.read_text() for p in (root / "data" / "platform_config").iterdir()}
    assert written == {v.name: platform_config(soc, v) for soc in SOCS.values() for v in soc.versions}
    b3 = written["Ascend910B3"].splitlines()
    for line in ("SoC_version=Ascend910B3", "Short_SoC_version=Ascend910B", "vector_core_cnt=40", "ub_size=196608"):
        assert line in b3
    for line in ("core_type_list=CubeCore,VectorCore", "l2_size=201326592", "memory_size=68719476736", "bt_size=1024"):
        assert line in b3
    assert "Short_SoC_version=Ascend910_93" in written["Ascend910_9391"]


def test_a_quoted_root_is_safe() -> None:
    assert "_opforge_root='/a b; rm -rf x'" in set_env(Path("/a b; rm -rf x"))
