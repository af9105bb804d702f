"""Programs without a tiling context learn the chip by PlatformAscendCManager, linked as its page says."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from host_tools import HostTools

pytestmark = pytest.mark.compiler

KIB, MIB = 1024, 1024 * 1024


@pytest.fixture(scope="module")
def program(host_tools: HostTools, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("platform") / "program"
    source = Path(__file__).parent / "sources" / "platform.cpp"
    command = ["g++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", f"-I{host_tools.root / 'include'}"]
    command += [str(source), "-o", str(output), f"-L{host_tools.root / 'lib64'}", "-ltiling_api", "-lplatform"]
    subprocess.run([*command, f"-Wl,-rpath,{host_tools.root / 'lib64'}"], check=True)
    return output


def ask(program: Path, host_tools: HostTools, *arguments: str, **env: str) -> str:
    hidden = ("LD_LIBRARY_PATH", "OPFORGE_SOC", "ASCEND_HOME_PATH")
    environ = {key: value for key, value in os.environ.items() if key not in hidden}
    environ |= {**host_tools.preload, **env}
    done = subprocess.run([str(program), *arguments], capture_output=True, text=True, check=True, env=environ)
    return done.stdout.strip()


def expected(cubes: int) -> list[int]:
    """An Atlas A2 or A3 chip's answers; those with 20 cube cores here are the 32 GiB model."""
    l2, hbm = (192, 64) if cubes == 24 else (96, 32)
    near = [64 * KIB, 64 * KIB, 128 * KIB, 512 * KIB - 256, l2 * MIB, 192 * KIB - 256]  # L0A, L0B, L0C, L1, L2, UB
    return [cubes, cubes, 2 * cubes, 0, 1, 16 * MIB, MIB, *near, hbm * 1024 * MIB, 2048, 1024, 1, cubes, 7, 1]


@pytest.mark.parametrize(
    ("arguments", "env", "cubes"),
    [
        ((), {}, 24),  # the simulated chip
        ((), {"OPFORGE_SOC": "Ascend910B4"}, 20),
        (("Ascend910B1",), {"OPFORGE_SOC": "Ascend910B4"}, 24),
        (("Ascend910B4",), {}, 20),
        (("Ascend910_9391",), {}, 24),
    ],
)
def test_cores_and_memories(
    arguments: tuple[str, ...], env: dict[str, str], cubes: int, program: Path, host_tools: HostTools
) -> None:
    *numbers, failed, unit, chip = ask(program, host_tools, *arguments, **env).split()
    assert [int(number) for number in numbers] == expected(cubes)
    simulated = env.get("OPFORGE_SOC", "Ascend910B1")  # whichever the first question was about
    assert (failed, unit, chip) == ("0", "Ascend910B", simulated)


def test_an_unknown_chip_has_no_platform(program: Path, host_tools: HostTools) -> None:
    assert ask(program, host_tools, "Ascend999") == "none"
    assert ask(program, host_tools, OPFORGE_SOC="Ascend999") == "none"
