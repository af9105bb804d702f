"""Pains that a project of opforge cannot have, and that no other test shows."""

from __future__ import annotations

from pathlib import Path

from opforge.cli import main as cli
from tests.house_rules.repository import ROOT


def test_a_long_op_type_is_refused(tmp_path: Path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.run(["new", "A" + "b" * 64, "--inputs", "x,y", "--compute", "z = x + y"]) == 3
    assert "an op type is limited to 64 characters; this one has 65" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_git_checks_sources_out_with_line_feeds() -> None:
    lines = (ROOT / "templates" / "project" / ".gitattributes").read_text(encoding="utf-8").splitlines()
    assert "* text=auto eol=lf" in lines
