"""AGENTS.md: each command that it names exists, and so does each path."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from opforge.cli.main import COMMANDS
from opforge.kinds import derive
from opforge.render.project import render_project
from opforge.spec.model import Spec
from opforge.spec.read.command_line import spec_from_options

SPECS = {
    "generated": spec_from_options("VectorAdd", ("x", "y"), features=("agents",)),
    "product": spec_from_options("SwiGLU", ("x", "w_gate", "w_up"), features=("agents",)),
    "handwritten": spec_from_options("RowMax", ("x",), outputs=("y",), features=("agents",)),
}


def files_of(spec: Spec) -> dict[str, str]:
    return {str(file.path): file.text for file in render_project(derive(spec))}


@pytest.mark.parametrize("name", SPECS)
def test_commands_and_paths_exist(name: str) -> None:
    files = files_of(SPECS[name])
    text = files["AGENTS.md"]
    named = re.findall(r"`([^`\n]+)`", text)
    commands = {words.split()[1] for words in named if words.startswith("opforge ")}
    assert len(commands) >= 8
    assert commands <= set(COMMANDS)
    paths = [word for word in named if "/" in word and " " not in word and word not in ("build/", "dist/")]
    assert len(paths) >= 6
    for path in paths:
        assert path in files or any(file.startswith(path) for file in files if path.endswith("/")), path
    assert len(text.splitlines()) < 50


def test_it_says_what_is_written_by_hand() -> None:
    assert (
        "- RowMax (handwritten): `op_kernel/row_max_kernel.h`, `op_kernel/row_max_tiling.h`, "
        in files_of(SPECS["handwritten"])["AGENTS.md"]
    )
    assert "- VectorAdd (generated from its expression): " in files_of(SPECS["generated"])["AGENTS.md"]


def test_a_project_without_the_feature_has_none() -> None:
    spec = SPECS["generated"]
    without = replace(spec, project=replace(spec.project, features=("modules",)))
    assert "AGENTS.md" not in files_of(without)
