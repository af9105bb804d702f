"""``opforge list``: known ops, the project's ops, and what is installed."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from opforge.cli import main as cli
from opforge.install.receipts import Receipt, write_receipt
from opforge.spec import catalog


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment in which a package is installed, and another one whose files somebody removed."""
    prefix = tmp_path / "env"
    purelib = prefix / "lib" / f"python3.{sys.version_info[1]}" / "site-packages"
    (purelib / "two_ops").mkdir(parents=True)
    (purelib / "two_ops" / "_build.json").write_text(json.dumps({"ops": {"One": {}, "Two": {}}}))
    (prefix / "bin").mkdir()
    (prefix / "bin" / "python").symlink_to(sys.executable)
    (prefix / "pyvenv.cfg").write_text(f"home = {Path(sys.executable).resolve().parent}\n")
    for package in ("gone", "two_ops"):
        receipt = Receipt(package, "1.0+sim", package, f"/v/{package}", "h", "w", "simulator", "/t", "Ascend910B1")
        write_receipt(prefix / "opp" / "opforge", receipt)
    monkeypatch.setenv("VIRTUAL_ENV", str(prefix))
    monkeypatch.chdir(tmp_path)
    return prefix


def test_outside_of_a_project(environment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["list"]) == 0
    out = capsys.readouterr().out
    for name in catalog.names():
        assert f" {name}(" in out
    assert "  products     SwiGLU(x, w_gate, w_up) -> y: y = silu(x @ w_gate) * (x @ w_up)\n" in out
    assert "In this project" not in out
    assert out.endswith(
        f"Installed in {environment}:\n"
        "  package  version  chip         ops       operators\n"
        "  gone     1.0+sim  Ascend910B1            /v/gone\n"
        "  two_ops  1.0+sim  Ascend910B1  One, Two  /v/two_ops\n\n"
    )


@pytest.mark.usefixtures("environment")
def test_a_project_s_ops_and_no_kernels_of_gradients(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = ["-q", "new", "Gate", "--inputs", "x,mask", "--dtype", "float16,bfloat16"]
    assert cli.run([*new, "--compute", "y = where(mask > x, silu(x), 0.0)"]) == 0
    capsys.readouterr()
    assert cli.run(["list", "--project", "gate/tests"]) == 0
    out = capsys.readouterr().out
    assert (
        "In this project:\n"
        "  kind         dtypes             op\n"
        "  elementwise  float16, bfloat16  Gate(x, mask) -> y: y = where(mask > x, silu(x), 0.0)\n\n"
    ) in out
    assert cli.run(["list", "--json", "--project", str(tmp_path / "gate")]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [(op["op"], op["kind"], op["dtypes"]) for op in found["project"]] == [
        ("Gate", "elementwise", ["float16", "bfloat16"])
    ]
    assert {op["op"] for op in found["known"]} == set(catalog.names())
    assert [(each["package"], each["ops"]) for each in found["installed"]] == [
        ("gone", []),
        ("two_ops", ["One", "Two"]),
    ]
