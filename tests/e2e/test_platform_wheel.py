"""opforge's own wheel: pure without the switch, and with it a platform wheel whose first use compiles nothing."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from opforge.toolkit.prebuilt import is_prebuilt

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
CODE = "import torch, torch_npu; print(torch.ones(3, device='npu').sum().item())"


def wheel(environment: Environment, folder: Path, **variables: str) -> Path:
    command = f"python -m pip wheel --quiet --no-index --no-deps --no-build-isolation --wheel-dir '{folder}' ."
    environment.sh(command, ROOT, **variables)
    (made,) = folder.glob("*.whl")
    return made


def test_without_the_switch_the_wheel_is_pure(environment: Environment, tmp_path: Path) -> None:
    made = wheel(environment, tmp_path / "dist", OPFORGE_CACHE="/nonexistent")
    assert made.name.endswith("-py3-none-any.whl")
    assert [name for name in zipfile.ZipFile(made).namelist() if "prebuilt/" in name] == []


@pytest.mark.usefixtures("npu_run")  # the ATen library is in the tests' cache
def test_the_first_use_of_a_platform_wheel_compiles_nothing(
    environment: Environment, toolkit_root: Path, tmp_path: Path
) -> None:
    made = wheel(environment, tmp_path / "dist", OPFORGE_PREBUILT="1")
    assert "-py3-none-manylinux_2_" in made.name
    assert made.stat().st_size < 6_000_000
    environment.sh(f"python -m pip install --quiet --no-index --no-deps --ignore-installed '{made}'", tmp_path)

    nothing = {"OPFORGE_CACHE": str(tmp_path / "a cache"), "CXX": "/bin/false"}  # every compilation would fail
    doctor = environment.sh("opforge doctor", tmp_path, check=False, **nothing)
    assert "simulated; the next build takes the prebuilt one" in doctor.stdout
    ran = environment.sh(f'opforge run -- python -c "{CODE}"', tmp_path, **nothing)
    assert ran.stdout == "3.0\n"
    assert "copying the prebuilt simulated toolkit" in ran.stderr
    assert "building" not in ran.stderr
    (root,) = (tmp_path / "a cache" / "toolkit").glob("[0-9a-f]*")
    assert is_prebuilt(root)

    def digests(toolkit: Path) -> dict[str, str]:
        noted = json.loads((toolkit / "files.json").read_text())
        return {name: digest for name, (*_, digest) in noted.items() if "__pycache__" not in name}

    copied, compiled = digests(root), digests(toolkit_root)
    assert {name for name in copied.keys() | compiled if copied.get(name) != compiled.get(name)} == {
        "set_env.sh",
        "toolkit.json",
    }
