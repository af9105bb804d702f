"""A whole project from a spec: the ops' sources, the torch side, and the files around them. Pure: no disk, no clock."""

from __future__ import annotations

from pathlib import PurePosixPath

from opforge.fileset import File, FileSet, with_comment
from opforge.ir.backward import kernel_ops
from opforge.ir.op_graphs import build_graphs
from opforge.plan.ascendc import plan_op
from opforge.render.ascendc import render_op, render_shared
from opforge.render.forms import NoSlots, render_form
from opforge.render.readme import Readme, readme_of
from opforge.render.torch import render_torch
from opforge.soc import SOCS
from opforge.spec.model import Spec
from opforge.spec.yaml_printer import print_spec


def render_project(spec: Spec) -> FileSet:
    """Every file of a project but ``.opforge/``.

    Raises SpecError for an expression that cannot be read, PlanError for an op that does not fit one of its SoCs.
    """
    graphs = build_graphs(spec)
    socs = tuple(SOCS[name] for name in spec.project.soc)
    kernels = kernel_ops(spec, graphs)
    plans = {op.type: plan_op(op, graph, socs) for op, graph in kernels}
    files = [
        File(PurePosixPath("opforge.yaml"), print_spec(spec), "spec"),
        _form("README.md", readme_of(spec, graphs)),
        _form("pyproject.toml", NoSlots()),
        _form(".gitignore", NoSlots()),
        _form(".gitattributes", NoSlots()),
    ]
    sources: list[File] = []
    for op, graph in kernels:
        sources += render_op(spec, op, graph, plans[op.type])
    sources += render_shared(spec, plans.values())
    sources += render_torch(spec, graphs, plans)
    return FileSet.of(*files, *(with_licence(file, spec.project.license) for file in sources))


def with_licence(file: File, licence: str | None) -> File:
    """The file with an SPDX line on top, below a ``#!`` line; as it is without a licence or for data files."""
    return file if licence is None else with_comment(file, f"SPDX-License-Identifier: {licence}")


def _form(name: str, context: Readme | NoSlots) -> File:
    form = f"project/{name}"
    return File(PurePosixPath(name), render_form(form, context), form)
