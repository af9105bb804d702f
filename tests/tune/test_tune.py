"""`opforge tune` on the simulated device: from a project to its table, and from the table to op_host."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from opforge.build.tuned_table import read_plans
from opforge.cli import main as cli

pytestmark = [pytest.mark.compiler, pytest.mark.torch]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, toolkit_root: Path) -> Path:
    """A project of one op, and a handwritten one."""
    root = tmp_path_factory.mktemp("tuned") / "tuned ü"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPFORGE_CACHE", str(toolkit_root.parents[1]))
        made = ("new", "AddGelu", "--inputs", "x,y", "--compute", "z = gelu(x + y)", "--path", str(root))
        assert cli.run(["--quiet", *made, "--package", "tuned"]) == 0
        patch.chdir(root)
        assert cli.run(["--quiet", "add", "ByHand", "--inputs", "x", "--outputs", "y"]) == 0
    return root


@pytest.fixture(autouse=True)
def here(project: Path, toolkit_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    monkeypatch.setenv("OPFORGE_CACHE", str(toolkit_root.parents[1]))
    for name in [name for name in os.environ if name.startswith(("ASCEND", "OPFORGE_S"))]:
        monkeypatch.delenv(name)


def tune(*words: str) -> int:
    return cli.run(["tune", *words, "--toolchain", "simulator", "--python", sys.executable])


def test_a_plan_is_found_and_kept(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert tune("AddGelu", "--dtype", "float32", "--at", "...=64x4096", "--json") == 0
    printed = json.loads(capfd.readouterr().out)
    (found,) = printed["found"]
    (plan,) = read_plans(project / "tuning" / "ascend910b.json")
    assert found["by"] == "model"
    assert found["us"] < 0.99 * found["default_us"]
    assert found["tried"] - 1 <= 0.05 * found["plans"] + 1
    assert found["wrong"] == 0
    assert (plan.us, plan.chip) == (pytest.approx(found["us"], abs=0.01), "Ascend910B1")
    assert plan.rows in ((33, 64), (64, 64))  # the power of two, if the plan gains at both of its ends


@pytest.mark.slow
def test_the_kernel_of_gradients_has_plans_too(capfd: pytest.CaptureFixture[str]) -> None:
    assert tune("AddGeluGrad", "--dtype", "float16", "--at", "...=64x4096", "--json") == 0
    (found,) = json.loads(capfd.readouterr().out)["found"]
    assert found["op"] == "AddGeluGrad"
    assert len(found["shapes"]) == 3
    assert found["wrong"] == 0


@pytest.mark.slow
def test_another_chip_is_configured_anew(project: Path) -> None:
    for name in ("Ascend910B1", "Ascend910B3"):
        assert tune("AddGelu", "--dtype", "float32", "--soc", name, "--at", "...=8x256") == 0
        (cache,) = (project / "build" / "tune").glob("add_gelu_float32/out/CMakeCache.txt")
        assert re.search(rf"^SOC_VERSION:\w+={name}$", cache.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.slow
def test_a_wrong_kernel_gives_no_plan(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A kernel that is right for the tiling's own choice alone: with smaller tiles it leaves some elements out."""
    kernel = project / "op_kernel" / "add_gelu_kernel.h"
    text = kernel.read_text(encoding="utf-8")
    loop = "offset += tiling->tileElements"
    assert loop in text
    kernel.write_text(text.replace(loop, "offset += tiling->tileElements + (tiling->tileElements < 3000)"), "utf-8")
    try:
        assert tune("AddGelu", "--dtype", "float32", "--at", "...=64x4096", "--json") == 0
    finally:
        kernel.write_text(text, encoding="utf-8")
    (found,) = json.loads(capfd.readouterr().out)["found"]
    assert found["wrong"] > 10
    assert found["plan"] is None or found["plan"]["tile_elements"] >= 3000


@pytest.mark.slow
def test_a_header_that_is_gone_is_missed(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert tune("AddGelu", "--dtype", "float32", "--at", "...=64x4096") == 0
    header = project / "op_kernel" / "opforge" / "vector_math.h"
    text = header.read_text(encoding="utf-8")
    header.unlink()
    try:
        assert tune("AddGelu", "--dtype", "float32", "--at", "...=64x4096") == 8
    finally:
        header.write_text(text, encoding="utf-8")
    assert "the program that tries plans of AddGelu did not build" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("AddGelu",), 2, "at which sizes?"),
        (("AddGelu", "--at", "H=3"), 2, "AddGelu has no H"),
        (("ByHand", "--at", "...=8"), 2, "ByHand: nothing to tune"),
        (("AddGleu", "--at", "...=8"), 2, "did you mean AddGelu?"),
        (("AddGelu", "--dtype", "int8", "--at", "...=8"), 2, "--dtype int8"),
        (("AddGelu", "--soc", "ascend310p", "--at", "...=8"), 5, "is not for Ascend310P3"),
    ],
)
def test_what_is_refused(words: tuple[str, ...], code: int, says: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert tune(*words) == code
    assert says in capfd.readouterr().err


def test_without_optuna(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert tune("AddGelu", "--at", "...=8x8") == 7
    assert "pip install" in capfd.readouterr().err
