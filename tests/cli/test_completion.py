"""Completion scripts, run by the shells that are there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from opforge.cli import main as cli

# What each shell is told, and what it then says of the words behind `opforge`.
ASK = {
    "bash": 'eval "$SCRIPT"; COMP_WORDS=(opforge {words}); COMP_CWORD={last}; _opforge_completion opforge; '
    'printf "%s\\n" "${{COMPREPLY[@]}}"',
    "fish": "echo $SCRIPT | source; complete --do-complete 'opforge {words}'",
}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """A PATH on which ``opforge`` is this one."""
    program = tmp_path / "bin" / "opforge"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m opforge "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}


@pytest.mark.parametrize("shell", ASK)
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (["ins"], {"install", "inspect"}),
        (["inspect", "p"], {"plan"}),
        (["build", "--tool"], {"--toolchain"}),
        (["build", "--toolchain", "s"], {"simulator"}),
        (["build", "--verb"], {"--verbose"}),
        (["--verb"], {"--verbose"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_shell_completes(shell: str, words: list[str], offered: set[str], environ: dict[str, str], capsys) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    assert cli.run(["completion", shell]) == 0
    script = capsys.readouterr().out
    command = ASK[shell].format(words=" ".join(words), last=len(words))
    done = subprocess.run(
        [shell, "-c", command], env={**environ, "SCRIPT": script}, capture_output=True, text=True, check=True
    )
    assert {line.split("\t")[0].strip() for line in done.stdout.splitlines() if line.strip()} == offered


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_script_is_the_shell_s_own_syntax(shell: str, capsys) -> None:
    assert cli.run(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert f"_OPFORGE_COMPLETE={shell}_complete" in script
    if shutil.which(shell) is not None:
        subprocess.run([shell, "-n"], input=script, text=True, check=True)


def test_zsh_s_script_registers_the_function_it_defines(capsys) -> None:
    assert cli.run(["completion", "zsh"]) == 0
    script = capsys.readouterr().out
    assert "#compdef opforge" in script
    assert "_opforge_completion() {" in script
    assert "compdef _opforge_completion opforge" in script


def test_the_json_says_where_the_script_goes(capsys) -> None:
    assert cli.run(["completion", "fish", "--json"]) == 0
    out = json.loads(capsys.readouterr().out)
    assert (out["schema"], out["shell"]) == (1, "fish")
    assert out["use"] == "opforge completion fish > ~/.config/fish/completions/opforge.fish"


def test_another_shell_is_refused(capsys) -> None:
    assert cli.run(["completion", "csh"]) == 2
    assert "'csh' is not one of 'bash', 'zsh', 'fish'" in capsys.readouterr().err
