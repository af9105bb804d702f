"""``opforge new``: a complete project from a name, its inputs and an expression."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.cli.console import current
from opforge.cli.update import TemplateOptions, template_fetch, template_options
from opforge.errors import UsageError
from opforge.fileset import FileSet
from opforge.naming import snake
from opforge.spec.model import OpSpec, Spec
from opforge.spec.places import kernel_among

if TYPE_CHECKING:
    from opforge.build.rendering import Rendered
    from opforge.spec.request import OpOptions


def names(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...] | None:  # noqa: ARG001
    """``a,b`` of each time the option was given, in one tuple; None where it was not."""
    return tuple(name.strip() for value in values for name in value.split(",")) if values else None


def op_options(function: Callable[..., None]) -> Callable[..., None]:
    """The argument and the options that say what one op is."""
    for option in reversed(
        (
            click.argument("name"),
            click.option(
                "--inputs", multiple=True, callback=names, metavar="A,B", help="Names of the input tensors, in order."
            ),
            click.option(
                "--outputs", multiple=True, callback=names, metavar="Y,Z", help="Names of the output tensors, in order."
            ),
            click.option(
                "--compute",
                metavar="EXPR",
                help="What the op computes: 'z = alpha * x + y'; may have several lines. The default is the "
                "catalog's expression; ops that are not in the catalog get a kernel for you to write.",
            ),
            click.option(
                "--attr", "attrs", multiple=True, metavar="NAME:TYPE[=DEFAULT]", help="An attribute; repeatable."
            ),
            click.option(
                "--dtype",
                multiple=True,
                callback=names,
                metavar="T,T",
                help="Supported dtypes (float16,bfloat16,float32).",
            ),
            click.option(
                "--like", metavar="OP", help="Use the signature and the expression of this op in the catalog."
            ),
        )
    ):
        function = option(function)
    return function


def options_of(
    command: str,
    name: str,
    inputs: tuple[str, ...] | None,
    outputs: tuple[str, ...] | None,
    *,
    compute: str | None,
    attrs: tuple[str, ...],
    dtype: tuple[str, ...] | None,
    like: str | None,
) -> OpOptions:
    """What those options say."""
    from opforge.spec.request import OpOptions  # noqa: PLC0415

    if inputs is None and like is None:
        raise click.UsageError("Missing option '--inputs'.", click.get_current_context())
    return OpOptions(name, inputs, outputs, compute, attrs, dtype, like, command)


@click.command(short_help="Create a project.")
@op_options
@click.option("--soc", multiple=True, callback=names, metavar="S,S", help="Compute units (ascend910b,ascend910_93).")
@click.option("--package", metavar="NAME", help="Name of the Python package and of the folder.")
@click.option("--license", "licence", metavar="SPDX", help="Put an SPDX line at the top of each source file.")
@click.option(
    "--template",
    metavar="NAME|PATH|GIT",
    help="A team's template: a name in the repository's templates/, a folder, or git.",
)
@template_options
@click.option("--path", type=click.Path(path_type=Path), help="The folder to create, instead of ./PACKAGE.")
@click.option("--dry-run", is_flag=True, help="Print the files that would be created; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print what was created as JSON.")
def command(
    *,
    name: str,
    inputs: tuple[str, ...] | None,
    outputs: tuple[str, ...] | None,
    compute: str | None,
    attrs: tuple[str, ...],
    dtype: tuple[str, ...] | None,
    like: str | None,
    soc: tuple[str, ...] | None,
    package: str | None,
    licence: str | None,
    template: str | None,
    answers: Mapping[str, str],
    trust: bool,
    path: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Create a complete operator project for NAME, an op type in UpperCamel such as VectorAdd.

    \b
    opforge new VectorAdd --inputs x,y
    opforge new Axpy --inputs x,y --attr alpha:float=1.0 --compute 'z = alpha * x + y'
    opforge new SwiGLU --inputs x,w_gate,w_up
    opforge new Difference --inputs a,b --like VectorSub
    """  # noqa: D301  (click's mark for lines to keep)
    from opforge.scaffold.new import check_free, write_project  # noqa: PLC0415
    from opforge.spec.request import new_spec  # noqa: PLC0415

    options = options_of("opforge new", name, inputs, outputs, compute=compute, attrs=attrs, dtype=dtype, like=like)
    spec = new_spec(options, socs=soc, package=package, license=licence)
    root = Path(os.path.normpath(Path.cwd() / (path or spec.project.package)))
    check_free(root)
    console = current()
    check_names(spec)
    ask = sys.stdin.isatty() and sys.stderr.isatty() and not as_json and not console.quiet
    rendered = _rendered(spec, root, template, TemplateOptions(trust, answers), ask=ask)
    files = rendered.files
    if not dry_run:
        write_project(files, spec, root, rendered.template)
    warn_of_namesakes(spec)
    tell_of_dtypes_and_zeros(spec)
    if as_json:
        console.json({"root": str(root), "written": not dry_run, "files": [str(file.path) for file in files]})
    elif dry_run:
        console.result(_listing(files))
        console.note(f"{len(files)} files would be created in {root}; nothing was written")
    else:
        console.note(next_steps(spec, files, root))


def _rendered(spec: Spec, root: Path, template: str | None, chosen: TemplateOptions, *, ask: bool) -> Rendered:
    """The files, with those of a team template over them; without one nothing of copier is imported."""
    from opforge.build.rendering import choose, render_for, with_answers  # noqa: PLC0415
    from opforge.scaffold.lock import BUILT_IN  # noqa: PLC0415

    fetch = template_fetch()
    record = BUILT_IN if template is None else choose(template, root, fetch, Path.cwd())
    if record == BUILT_IN and (chosen.answers or chosen.trust):
        raise UsageError("--answer and --trust are for team templates", hint="name it with --template")
    if chosen.answers:
        record = with_answers(record, chosen.answers)
    return render_for(spec, root, record, fetch, trust=chosen.trust, ask=ask)


def check_names(spec: Spec) -> None:
    """The project's names beside what is installed in the environment that it would be built for."""
    from opforge.build.taken_names import check_package, environment_prefix, vendor_warning  # noqa: PLC0415

    prefix = environment_prefix(os.environ)
    if prefix is None:
        return
    check_package(spec.project, prefix)
    warning = vendor_warning(spec.project, prefix)
    if warning:
        current().warning(warning)


def warn_of_namesakes(spec: Spec) -> None:
    """Tell of ops, and of their gradients', that are named nearly like one that CANN brings along."""
    from opforge.ir.backward import kernel_ops  # noqa: PLC0415
    from opforge.spec.built_in import describe, namesakes  # noqa: PLC0415

    alike = namesakes(op.type for op, _ in kernel_ops(spec))
    if alike:
        current().warning(describe(alike))


def tell_of_dtypes_and_zeros(spec: Spec) -> None:
    """Say which dtypes were left out on which SoC, and what divides by zero."""
    from opforge.spec.narrowing import describe_narrowing  # noqa: PLC0415
    from opforge.spec.zero_division import zero_divisions  # noqa: PLC0415

    narrowing = describe_narrowing(spec)
    if narrowing:
        current().note(narrowing)
    for warning in zero_divisions(spec):
        current().warning(warning)


def _listing(files: FileSet) -> str:
    return "\n".join(f"{len(file.text.encode()):7} {file.path}" for file in files)


def next_steps(spec: Spec, files: FileSet, root: Path) -> str:
    """What was made, and how to go on."""
    ops = "\n".join(f"  {signature(op)}" for op in spec.ops)
    shown = os.path.relpath(root)
    write = "".join(f"  {line}\n" for op in spec.ops if op.handwritten for line in to_write(op, spec.project.package))
    return (
        f"created {shown}: {len(files)} files, for {', '.join(spec.project.soc)}\n{ops}\n"
        f"next:\n  cd {shlex.quote(shown)}\n{write}  opforge build && opforge install && opforge test"
    )


def to_write(op: OpSpec, package: str) -> list[str]:
    """What the author of an op with a kernel by hand has to write."""
    function = snake(op.type)
    lines = [f"write op_kernel/{function}_kernel.h"]
    if op.reference is None:
        lines.append(
            f"define what it computes: `{function}` in python/{package}/golden.py, in torch, "
            f"and `reference: golden:{function}` in opforge.yaml"
        )
    return lines


def signature(op: OpSpec) -> str:
    """``VectorAdd(x, y) -> z: z = x + y``: an op on one line."""
    defaults = [list(attr.default) if isinstance(attr.default, tuple) else attr.default for attr in op.attrs]
    attrs = [a.name if a.required else f"{a.name}={default}" for a, default in zip(op.attrs, defaults, strict=True)]
    arguments = ", ".join([*(tensor.name for tensor in op.inputs), *attrs])
    outputs = ", ".join(tensor.name for tensor in op.outputs)
    by_hand = f"its kernel is {kernel_among(op.sources)}" if op.sources else "its kernel is yours to write"
    says = "; ".join(op.compute.strip().splitlines()) or by_hand
    return f"{op.type}({arguments}) -> {outputs}: {says}"
