"""What tests of several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from opforge.cli import main as cli
from tests.conftest import CACHE

if TYPE_CHECKING:
    from tests.cli.adopting import Run


@pytest.fixture
def opforge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("OPFORGE_CACHE", str(CACHE))
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> tuple[int, str, str]:
        code = cli.run(list(words))
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
