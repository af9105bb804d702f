"""``opforge inspect``: each stage between a spec and its files, looked at alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click

from opforge.cli.build import TOOLCHAINS, make_request
from opforge.cli.console import current
from opforge.errors import UsageError
from opforge.spec.model import OpSpec, Spec

if TYPE_CHECKING:
    from opforge.ir.graph import Graph


def _project(function: Callable[..., None]) -> Callable[..., None]:
    """The options that say which project, and which of its ops."""
    path = click.option(
        "--project", "start", type=click.Path(exists=True, path_type=Path), default=".", help="A folder of the project."
    )
    return path(function)


def _op(function: Callable[..., None]) -> Callable[..., None]:
    return click.option("--op", "op_type", metavar="NAME", help="One op alone; all of them unless said.")(function)


def _load(start: Path) -> tuple[Path, Spec]:
    from opforge.scaffold.state import find_root  # noqa: PLC0415
    from opforge.spec.parse import load_spec  # noqa: PLC0415

    root = find_root(start)
    return root, load_spec(root / "opforge.yaml")


def _chosen(spec: Spec, op_type: str | None) -> tuple[tuple[OpSpec, Graph], ...]:
    """The kernels, those of gradients included, with their graphs."""
    from opforge.ir.backward import kernel_ops  # noqa: PLC0415

    kernels = kernel_ops(spec)
    chosen = tuple((op, graph) for op, graph in kernels if op_type in (None, op.type))
    if not chosen:
        raise UsageError(f"the spec has no op {op_type}", hint=f"it has {', '.join(op.type for op, _ in kernels)}")
    return chosen


@click.group(short_help="Print one stage.")
def command() -> None:
    """Print what opforge makes of a spec, stage by stage."""


@command.command("spec")
@_project
def spec_stage(*, start: Path) -> None:
    """The spec as understood, in its canonical form."""
    from opforge.spec.printer import print_spec  # noqa: PLC0415

    _, spec = _load(start)
    current().result(print_spec(spec).rstrip("\n"))


@command.command("ir")
@_project
@_op
@click.option("--backward", is_flag=True, help="The derived gradient instead.")
def ir_stage(*, start: Path, op_type: str | None, backward: bool) -> None:
    """The typed expression graph of each kernel, one value a line."""
    from opforge.ir.backward import backward_of  # noqa: PLC0415
    from opforge.ir.differentiate import differentiate  # noqa: PLC0415
    from opforge.ir.printer import print_graph  # noqa: PLC0415

    _, spec = _load(start)
    for op, graph in _chosen(spec, op_type):
        if not backward:
            current().result(f"{op.type}:\n{print_graph(graph).rstrip()}")
            continue
        if op not in spec.ops:  # itself a gradient's
            continue
        parts = backward_of(op, graph)
        if parts is None:
            current().result(f"{op.type}Grad:\n{print_graph(differentiate(op, graph)).rstrip()}")
            continue
        if parts.kernel is not None and parts.graph is not None:
            current().result(f"{parts.kernel.type}:\n{print_graph(parts.graph).rstrip()}")
        current().result("\n".join(f"gradient of {name}: {holder}" for name, holder in parts.gradients.items()))


@command.command("plan")
@_project
@_op
def plan_stage(*, start: Path, op_type: str | None) -> None:
    """Tiles, buffers, tiling data and block split of each kernel, per SoC and dtype."""
    from opforge.plan.ascendc import plan_op  # noqa: PLC0415
    from opforge.plan.printer import print_plan  # noqa: PLC0415
    from opforge.soc import SOCS  # noqa: PLC0415

    _, spec = _load(start)
    socs = tuple(SOCS[name] for name in spec.project.soc)
    for op, graph in _chosen(spec, op_type):
        current().result(print_plan(plan_op(op, graph, socs)).rstrip("\n"))


@command.command("files")
@_project
@click.argument("file", required=False)
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def files_stage(*, start: Path, file: str | None, as_json: bool) -> None:
    """The rendered files and how the project's own stand to them; with FILE, its text as rendered."""
    from opforge.render.project import render_project  # noqa: PLC0415
    from opforge.scaffold.state import project_state  # noqa: PLC0415

    root, spec = _load(start)
    rendered = render_project(spec)
    if file is not None:
        found = rendered.files.get(PurePosixPath(file))
        if found is None:
            raise UsageError(f"opforge renders no file {file}", hint="opforge inspect files lists them")
        current().result(found.text.rstrip("\n"))
        return
    state = project_state(root)
    words = dict.fromkeys(state.edited, "edited") | dict.fromkeys(state.missing, "missing")
    if state.spec_touched:
        words[PurePosixPath("opforge.yaml")] = "edited"
    if as_json:
        rows = [{"path": str(f.path), "origin": f.origin, "state": words.get(f.path, "as rendered")} for f in rendered]
        current().json({"root": str(root), "files": rows})
        return
    width = max(len(str(f.path)) for f in rendered)
    lines = (f"{f.path!s:{width}}  {words.get(f.path, ''):8} {f.origin}" for f in rendered)
    current().result("\n".join(line.rstrip() for line in lines))


@command.command("key")
@_project
@click.argument("step", required=False)
@click.option("--toolchain", type=click.Choice(TOOLCHAINS), default="auto", help="auto takes CANN where it is set up.")
@click.option("--python", type=click.Path(path_type=Path), help="Interpreter or environment to build for.")
def key_stage(*, start: Path, step: str | None, toolchain: str, python: Path | None) -> None:
    """The keys of the build's steps, one JSON line a fact, and whether each would run; with STEP, that one alone."""
    from opforge.build.ground import lay_ground  # noqa: PLC0415
    from opforge.build.keys import Miss, print_key  # noqa: PLC0415
    from opforge.build.pipeline import plan_steps  # noqa: PLC0415
    from opforge.build.state import load_state  # noqa: PLC0415

    request = make_request(start, toolchain, python, None)
    state = load_state(request.state_file)
    steps = plan_steps(request, state, lay_ground(request, state))
    if step is not None and step not in [planned.name for planned in steps]:
        raise UsageError(f"a build has no step {step}", hint=f"it has {', '.join(planned.name for planned in steps)}")
    console = current()
    for planned in steps:
        if step in (None, planned.name):
            console.result(print_key(planned.name, planned.key))
            verdict = f"would run: {planned.verdict.reason}" if isinstance(planned.verdict, Miss) else "up to date"
            console.note(f"{planned.name}: {verdict}")
