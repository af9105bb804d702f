"""Renders a whole project from a program: sources of the ops, the torch side, and project files. Pure: no disk."""

from __future__ import annotations

from pathlib import PurePosixPath

from opforge.fileset import File, FileSet, is_owned, with_comment
from opforge.program import Program
from opforge.render.agents import agents_of
from opforge.render.ascendc import render_kernel, render_shared
from opforge.render.forms import NoSlots, render_form
from opforge.render.readme import Readme, readme_of
from opforge.render.torch import render_torch
from opforge.spec.yaml_printer import print_spec

_OWNED = "Owned by opforge: `opforge update` replaces this file.\nSPDX-License-Identifier: Apache-2.0"
_AGENTS = "code/AGENTS.md"
_BACKEND = "code/torch/opforge_backend.py"


def render_project(program: Program) -> FileSet:
    """Every file of a project except lock and base. Raises PlanError for an op that does not fit one of its SoCs."""
    spec = program.spec
    files = [
        File(PurePosixPath("opforge.yaml"), print_spec(spec), "spec"),
        _form("README.md", readme_of(program)),
        _form("pyproject.toml", NoSlots()),
        File(PurePosixPath(".opforge/opforge_backend.py"), render_form(_BACKEND, NoSlots()), _BACKEND),
        _form(".gitignore", NoSlots()),
        _form(".gitattributes", NoSlots()),
    ]
    if spec.project.has("agents"):
        files.append(File(PurePosixPath("AGENTS.md"), render_form(_AGENTS, agents_of(program)), _AGENTS))
    sources: list[File] = []
    for kernel in program.kernels:
        sources += render_kernel(spec, kernel)
    sources += render_shared(program)
    sources += render_torch(program)
    return FileSet.of(*files, *(with_head(file, spec.project.license) for file in sources))


def with_head(file: File, licence: str | None) -> File:
    """The file with an SPDX line at the top, below a ``#!`` line if there is one.

    Data files stay unchanged, and so do sources of a project without a licence. Files that opforge owns get opforge's
    licence and a line that says who owns them.
    """
    if is_owned(file.path):
        return with_comment(file, _OWNED)
    return file if licence is None else with_comment(file, f"SPDX-License-Identifier: {licence}")


def _form(name: str, context: Readme | NoSlots) -> File:
    form = f"project/{name}"
    return File(PurePosixPath(name), render_form(form, context), form)
