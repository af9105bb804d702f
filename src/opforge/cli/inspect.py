"""``opforge inspect``: prints one stage between a spec and its artifacts."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.console import Json, current, jsonable
from opforge.cli.shared.groups import SuggestingGroup
from opforge.cli.shared.options import make_request, project_option, python_option, toolchain_option
from opforge.errors import UsageError
from opforge.spec.model import Spec
from opforge.toolkit.detect import Request

if TYPE_CHECKING:
    from opforge.build.keys import Hit, Miss
    from opforge.fileset import FileSet
    from opforge.program import Kernel, Program

_NO_GRAPH = "handwritten: no graph"


def _project(function: Callable[..., None]) -> Callable[..., None]:
    """The options of every stage: the project and the output's form."""
    return project_option(click.option("--json", "as_json", is_flag=True, help="Print JSON.")(function))


def _op(function: Callable[..., None]) -> Callable[..., None]:
    return click.option("--op", "op_type", metavar="NAME", help="Only this op; default: all ops.")(function)


def _load(start: Path) -> tuple[Path, Spec]:
    from opforge.scaffold.project_root import find_root  # noqa: PLC0415
    from opforge.spec.read.parse import load_spec  # noqa: PLC0415

    root = find_root(start)
    return root, load_spec(root / "opforge.yaml")


def _chosen(spec: Spec, op_type: str | None) -> tuple[Program, tuple[Kernel, ...]]:
    """The program, and its chosen kernels, including those of gradients."""
    from opforge.kinds import derive  # noqa: PLC0415

    program = derive(spec)
    chosen = tuple(kernel for kernel in program.kernels if op_type in (None, kernel.op.type))
    if not chosen:
        types = ", ".join(kernel.op.type for kernel in program.kernels)
        raise UsageError(f"the spec has no op {op_type}", hint=f"it has {types}")
    return program, chosen


@click.group(cls=SuggestingGroup, short_help="Print one stage.")
def command() -> None:
    """Print one stage between a spec and its artifacts."""


@command.command("spec")
@_project
def spec_stage(*, start: Path, as_json: bool) -> None:
    """Print the spec in its canonical form."""
    from opforge.spec.yaml_printer import print_spec  # noqa: PLC0415

    _, spec = _load(start)
    text = print_spec(spec)
    if as_json:
        fields = {"edition": spec.edition, "project": jsonable(spec.project)}
        current().json({**fields, "ops": [jsonable(op) for op in spec.ops], "text": text})
    else:
        current().result(text.rstrip("\n"))


@command.command("ir")
@_project
@_op
@click.option("--backward", is_flag=True, help="Print the derived gradient instead.")
def ir_stage(*, start: Path, op_type: str | None, backward: bool, as_json: bool) -> None:
    """Print the typed expression graph of each kernel, one value per line."""
    _, spec = _load(start)
    program, chosen = _chosen(spec, op_type)
    if backward:
        shown = [_gradient(each, program.gradient(each)) for each in chosen if each.gradient_of is None]
    else:
        shown = [_graph(each) for each in chosen]
    if as_json:
        current().json({"ops": [fields for _, fields in shown]})
    for text, _ in () if as_json else shown:
        current().result(text)


def _graph(kernel: Kernel) -> tuple[str, Mapping[str, Json]]:
    from opforge.ir.graph_printer import print_graph  # noqa: PLC0415

    op_type = kernel.op.type
    if not kernel.expressed:
        return f"{op_type}:\n  {_NO_GRAPH}", {"type": op_type, "handwritten": True, "graph": None, "text": _NO_GRAPH}
    graph, text = jsonable(kernel.expression), print_graph(kernel.expression).rstrip()
    return f"{op_type}:\n{text}", {"type": op_type, "handwritten": False, "graph": graph, "text": text}


def _gradient(of: Kernel, inner: Kernel | None) -> tuple[str, Mapping[str, Json]]:
    """The op's gradient, as text and fields: the kernel's inputs, and the gradients without a kernel."""
    op, parts = of.op, of.backward
    if parts is None:
        why = "its reference, differentiated by PyTorch" if op.backward and not of.expressed else "none"
        why = f"the op {op.gradient}" if op.gradient is not None else why
        return f"gradient of {op.type}: {why}", {"type": op.type, "kernel": None, "gradients": {}, "text": why}
    kernel = None if inner is None else _graph(inner)
    lines = [f"gradient of {name}: {holder}" for name, holder in parts.gradients.items()]
    text = "\n".join(([] if kernel is None else [kernel[0]]) + lines)
    fields = {"type": op.type, "kernel": None if kernel is None else kernel[1], "gradients": jsonable(parts.gradients)}
    return text, {**fields, "text": text}


@command.command("plan")
@_project
@_op
def plan_stage(*, start: Path, op_type: str | None, as_json: bool) -> None:
    """Print tiles, buffers, tiling data and block split of each kernel, per SoC and dtype."""
    _, spec = _load(start)
    rows = [(kernel, kernel.plan, "\n".join(kernel.describe())) for kernel in _chosen(spec, op_type)[1]]
    if as_json:
        plans = [{"type": kernel.op.type, "plan": jsonable(plan), "text": f"{text}\n"} for kernel, plan, text in rows]
        current().json({"plans": plans})
    for _, _, text in () if as_json else rows:
        current().result(text)


@command.command("files")
@_project
@click.argument("file", required=False)
def files_stage(*, start: Path, file: str | None, as_json: bool) -> None:
    """List the rendered files and which of them you edited or removed; with FILE, print its rendered text."""
    from opforge.scaffold.project_state import project_state  # noqa: PLC0415

    root, spec = _load(start)
    rendered = _rendered(root, spec)
    if file is not None:
        found = rendered.files.get(PurePosixPath(file))
        if found is None:
            raise UsageError(f"opforge does not render {file}", hint="opforge inspect files lists them")
        if as_json:
            current().json({"path": file, "origin": found.origin, "text": found.text})
        else:
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


def _rendered(root: Path, spec: Spec) -> FileSet:
    """The files rendered with the project's template, at its locked version."""
    from opforge.build.rendering import git_fetch, render_for  # noqa: PLC0415
    from opforge.build.request import cache_folder  # noqa: PLC0415
    from opforge.cli.shared.runners import new_runner  # noqa: PLC0415
    from opforge.kinds import derive  # noqa: PLC0415
    from opforge.scaffold.lock import BUILT_IN, read_lock  # noqa: PLC0415

    environ = dict(os.environ)
    lock = read_lock(root)
    fetch = git_fetch(cache_folder(environ), environ, new_runner(), current().note)
    return render_for(derive(spec), root, lock.template if lock else BUILT_IN, fetch, newest=False).files


@command.command("key")
@_project
@click.argument("step", required=False)
@toolchain_option
@python_option("build for")
def key_stage(*, start: Path, step: str | None, toolchain: Request, python: Path | None, as_json: bool) -> None:
    """Print the keys of the build's steps, one JSON line per fact, and which would run; with STEP, only that one."""
    from opforge.build.keys import print_key  # noqa: PLC0415
    from opforge.build.state import load_state  # noqa: PLC0415
    from opforge.build.step_context import find_context  # noqa: PLC0415
    from opforge.build.step_table import KeySources, plan_steps  # noqa: PLC0415

    request = make_request(start, toolchain, python, None)
    state = load_state(request.state_file)
    steps = plan_steps(KeySources(request, state, find_context(request, state)))
    if step is not None and step not in [planned.name for planned in steps]:
        raise UsageError(f"a build has no step {step}", hint=f"it has {', '.join(planned.name for planned in steps)}")
    console = current()
    chosen = [planned for planned in steps if step in (None, planned.name)]
    if as_json:
        rows = [{"step": p.name, "would_run": _reason(p.verdict), "key": jsonable(p.key.all)} for p in chosen]
        console.json({"root": str(request.root), "steps": rows})
        return
    for planned in chosen:
        console.result(print_key(planned.name, planned.key.all))
        reason = _reason(planned.verdict)
        console.note(f"{planned.name}: {'up to date' if reason is None else f'would run: {reason}'}")


def _reason(verdict: Hit | Miss) -> str | None:
    """Why a step would run; None if it would not."""
    from opforge.build.keys import Hit  # noqa: PLC0415

    return None if isinstance(verdict, Hit) else verdict.reason


@command.command("schema")
@click.option("--json", "as_json", is_flag=True, help="No effect on the schema, which is JSON.")
def schema_stage(*, as_json: bool) -> None:
    """Print the JSON schema of opforge.yaml, for editors that complete and check it."""
    import json  # noqa: PLC0415

    from opforge.spec.read.json_schema import json_schema  # noqa: PLC0415

    console = current()
    if as_json:
        console.json({"json_schema": json_schema()})
    else:
        console.result(json.dumps(json_schema(), indent=2, ensure_ascii=False))
