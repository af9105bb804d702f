"""The temporary room of sorts and the tiling of TopK, as op_host asks for them."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from host_tools import HostTools

pytestmark = pytest.mark.compiler


@pytest.fixture(scope="module")
def program(host_tools: HostTools, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("sort_tiling") / "sort_tiling"
    command = ["g++", "-std=c++11", "-O0", "-Wall", "-Wextra", "-Werror", f"-I{host_tools.root / 'include'}"]
    command += [str(Path(__file__).parent / "sources" / "sort_tiling.cpp"), "-o", str(output)]
    command += [f"-L{host_tools.root / 'lib64'}", "-lregister", "-ltiling_api"]
    subprocess.run([*command, f"-Wl,-rpath,{host_tools.root / 'lib64'}"], check=True)
    return output


def lines(host_tools: HostTools, program: Path, soc: str) -> list[list[str]]:
    env = {**os.environ, **host_tools.preload, "ASCEND_TOOLKIT_HOME": str(host_tools.root)}
    done = subprocess.run([str(program), soc], capture_output=True, text=True, check=True, env=env)
    return [line.split() for line in done.stdout.splitlines()]


@pytest.mark.parametrize(("soc", "proposals"), [("Ascend910B1", False), ("Ascend310P3", True)])
def test_top_k(host_tools: HostTools, program: Path, soc: str, proposals: bool) -> None:
    """Found exactly where the page allows the shape; the room holds what CANN's does."""
    rows = [list(map(int, line)) for line in lines(host_tools, program, soc) if line[0] != "sort"]
    assert len(rows) > 10000
    for mode, inner, outter, size, found, least, most, both, same, elements, room in rows:
        allowed = inner % 32 == 0 and inner <= (32 if mode else 4096) and outter > 0 and size in {2, 4}
        assert (found, both) == (allowed, allowed), (mode, inner, outter, size)
        assert same == 1
        if found:
            count = (outter if mode else 1) * inner
            record = 8 * size if proposals else 8 if mode else 16  # records of the small mode, or two places for them
            if mode:
                wanted = count * (2 * record if proposals else record + 4) + (0 if proposals else 64)
            else:
                wanted = count * ((2 * record if proposals else record) + 4)
            assert most == least == wanted
            assert (elements, room * size) == (0 if proposals and not mode else inner * outter, least)


@pytest.mark.parametrize(("soc", "proposals"), [("Ascend910B1", False), ("Ascend310P3", True)])
def test_sort_and_concat(host_tools: HostTools, program: Path, soc: str, proposals: bool) -> None:
    for line in lines(host_tools, program, soc):
        if line[0] == "sort":
            size, sort, concat, arange = map(int, line[1:])
            assert sort == 96 * (8 * size if proposals else 8)
            assert concat == (96 * 8 * size if proposals else 0)
            assert arange == 0
