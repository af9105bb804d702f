"""A project whose op is handwritten, and its kernel as it runs on simulated cores."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from opforge.cli import main as cli

sys.path.insert(0, str(Path(__file__).parents[2] / "render" / "ascendc"))

HERE = Path(__file__).parent


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The op Scaled as `opforge new` makes it: every file as generated."""
    root = tmp_path / "scaled"
    options = ["--inputs", "x", "--outputs", "y", "--attr", "alpha:float=2.0", "--dtype", "float32"]
    assert cli.run(["--quiet", "new", "Scaled", *options, "--path", str(root)]) == 0
    monkeypatch.chdir(root)
    capsys.readouterr()
    return root
