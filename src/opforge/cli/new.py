"""``opforge new``: a complete project from a name, its inputs and an expression."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import click

from opforge.cli.console import current
from opforge.fileset import FileSet
from opforge.spec.model import OpSpec, Spec


def names(ctx: click.Context, param: click.Parameter, value: str | None) -> tuple[str, ...] | None:  # noqa: ARG001
    """``a,b`` as a tuple; None stays None."""
    return None if value is None else tuple(name.strip() for name in value.split(","))


@click.command(short_help="Make a project.")
@click.argument("name")
@click.option("--inputs", required=True, callback=names, metavar="A,B", help="Names of the input tensors, in order.")
@click.option(
    "--compute",
    metavar="EXPR",
    help="What it computes: 'z = alpha * x + y'. Several lines are allowed. Without it, the catalog is asked.",
)
@click.option("--attr", "attrs", multiple=True, metavar="NAME:TYPE[=DEFAULT]", help="A scalar attribute; repeatable.")
@click.option("--dtype", callback=names, metavar="T,T", help="Supported dtypes (float16,bfloat16,float32).")
@click.option("--soc", callback=names, metavar="S,S", help="Compute units (ascend910b,ascend910_93).")
@click.option("--package", metavar="NAME", help="The Python package, and the name of the folder.")
@click.option("--license", "licence", metavar="SPDX", help="Put an SPDX line on top of each source file.")
@click.option("--path", type=click.Path(path_type=Path), help="The folder to make, instead of ./PACKAGE.")
@click.option("--dry-run", is_flag=True, help="Print the files that would be made, and write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print what was made as JSON.")
def command(
    *,
    name: str,
    inputs: tuple[str, ...],
    compute: str | None,
    attrs: tuple[str, ...],
    dtype: tuple[str, ...] | None,
    soc: tuple[str, ...] | None,
    package: str | None,
    licence: str | None,
    path: Path | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Make a complete operator project for NAME, an op type in UpperCamel such as VectorAdd.

    \b
    opforge new VectorAdd --inputs x,y
    opforge new Axpy --inputs x,y --attr alpha:float=1.0 --compute 'z = alpha * x + y'
    opforge new SwiGLU --inputs x,w_gate,w_up
    """  # noqa: D301  (click's mark for lines to keep)
    from opforge.ir.backward import kernel_ops  # noqa: PLC0415
    from opforge.render.project import render_project  # noqa: PLC0415  (jinja2, for this command alone)
    from opforge.scaffold.new import check_free, write_project  # noqa: PLC0415
    from opforge.spec.built_in import describe, namesakes  # noqa: PLC0415
    from opforge.spec.request import spec_from_options  # noqa: PLC0415

    spec = spec_from_options(
        name, inputs, compute=compute, attrs=attrs, dtypes=dtype, socs=soc, package=package, license=licence
    )
    root = Path(os.path.normpath(Path.cwd() / (path or spec.project.package)))
    check_free(root)
    files = render_project(spec)
    if not dry_run:
        write_project(files, spec, root)
    console = current()
    alike = namesakes(op.type for op, _ in kernel_ops(spec))
    if alike:
        console.warning(describe(alike))
    if as_json:
        console.json({"root": str(root), "written": not dry_run, "files": [str(file.path) for file in files]})
    elif dry_run:
        console.result(_listing(files))
        console.note(f"{len(files)} files would be made in {root}; nothing was written")
    else:
        console.note(_next_steps(spec, files, root))


def _listing(files: FileSet) -> str:
    return "\n".join(f"{len(file.text.encode()):7} {file.path}" for file in files)


def _next_steps(spec: Spec, files: FileSet, root: Path) -> str:
    ops = "\n".join(f"  {signature(op)}" for op in spec.ops)
    shown = os.path.relpath(root)
    return (
        f"made {shown}: {len(files)} files, for {', '.join(spec.project.soc)}\n{ops}\n"
        f"next:\n  cd {shlex.quote(shown)}\n  opforge build && opforge install && opforge test"
    )


def signature(op: OpSpec) -> str:
    """``VectorAdd(x, y) -> z: z = x + y``: an op on one line."""
    attrs = [attr.name if attr.required else f"{attr.name}={attr.default}" for attr in op.attrs]
    arguments = ", ".join([*(tensor.name for tensor in op.inputs), *attrs])
    outputs = ", ".join(tensor.name for tensor in op.outputs)
    return f"{op.type}({arguments}) -> {outputs}: {'; '.join(op.compute.strip().splitlines())}"
