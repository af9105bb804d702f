"""``opforge new``: creates a complete project from a name, its inputs and an expression."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.console import current
from opforge.cli.shared.gallery import alone, chosen_example
from opforge.cli.shared.new_ops import begun_files, check_names, report_created, warn_of_ops
from opforge.cli.shared.op_options import names, op_options
from opforge.cli.shared.template_options import TemplateOptions, template_fetch, template_options
from opforge.errors import UsageError
from opforge.fileset import FileSet
from opforge.spec.model import Spec

if TYPE_CHECKING:
    from opforge.build.rendering import Rendered
    from opforge.program import Program
    from opforge.spec.read.command_line import OpOptions


@click.command(short_help="Create a project.")
@op_options
@click.option("--soc", multiple=True, callback=names, metavar="S,S", help="Compute units (ascend910b,ascend910_93).")
@click.option("--package", metavar="NAME", help="Name of the Python package and of the folder.")
@click.option("--license", "licence", metavar="SPDX", help="Put an SPDX line at the top of each source file.")
@click.option(
    "--features",
    multiple=True,
    callback=names,
    metavar="F,F",
    help="What to generate beside the op: modules, fuse, converter, agents, aclnn. Default: modules,aclnn.",
)
@click.option(
    "--template",
    metavar="NAME|PATH|GIT",
    help="A team's template: a name in the repository's templates/, a folder, or git.",
)
@template_options
@click.option(
    "--example", metavar="EXAMPLE", help="Begin with an operator of the gallery; NAME is then the folder to create."
)
@click.option("--path", type=click.Path(path_type=Path), help="The folder to create, instead of ./PACKAGE.")
@click.option("--dry-run", is_flag=True, help="Print the files that would be created; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print what was created as JSON.")
def command(
    *,
    options: OpOptions,
    soc: tuple[str, ...] | None,
    package: str | None,
    licence: str | None,
    features: tuple[str, ...] | None,
    template: str | None,
    answers: Mapping[str, str],
    trust: bool,
    example: str | None,
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
    opforge new RowMax --inputs x --outputs y --shape 'y=[...]' --pattern rows
    opforge new --example layer_norm_rows
    """  # noqa: D301  (click's mark for lines to keep)
    from opforge.scaffold.new_project import check_free, write_project  # noqa: PLC0415
    from opforge.spec.read.command_line import new_spec  # noqa: PLC0415

    begun = FileSet()
    if example is not None:
        alone(options, {"--soc": soc, "--package": package, "--license": licence, "--features": features})
        path = path or (Path(options.type) if options.type else None)
        spec, begun = chosen_example(example)
    else:
        spec = new_spec(options, socs=soc, package=package, license=licence, features=_chosen(features))
    root = Path(os.path.normpath(Path.cwd() / (path or spec.project.package)))
    check_free(root)
    console = current()
    check_names(spec)
    ask = sys.stdin.isatty() and sys.stderr.isatty() and not as_json and not console.quiet
    program, rendered = _rendered(
        spec, root, template, TemplateOptions(trust, answers), ask=ask, by_template=features is None and example is None
    )
    begun = begun or begun_files(program, spec.ops[0], options)
    files = FileSet({**rendered.files.files, **begun.files})
    if not dry_run:
        write_project(rendered.files, program.spec, root, rendered.template, begun)
    if as_json or dry_run:
        warn_of_ops(program)
    if as_json:
        console.json({"root": str(root), "written": not dry_run, "files": [str(file.path) for file in files]})
    elif dry_run:
        console.result(_listing(files))
        console.note(f"{len(files)} files would be created in {root}; nothing was written")
    else:
        report_created(program, files, root, begun)


def _chosen(features: tuple[str, ...] | None) -> tuple[str, ...]:
    """The features of ``--features``; an empty text means no features."""
    from opforge.spec.features import DEFAULT  # noqa: PLC0415

    return DEFAULT if features is None else tuple(word for word in features if word)


def _rendered(
    spec: Spec, root: Path, template: str | None, chosen: TemplateOptions, *, ask: bool, by_template: bool
) -> tuple[Program, Rendered]:
    """The program and its files, overwritten by a team template's; copier is imported only for such a template.

    ``by_template``: the template may set the spec's features.
    """
    from opforge.build.rendering import choose, render_for, template_features, with_answers  # noqa: PLC0415
    from opforge.kinds import derive  # noqa: PLC0415
    from opforge.scaffold.lock import BUILT_IN  # noqa: PLC0415

    fetch = template_fetch()
    record = BUILT_IN if template is None else choose(template, root, fetch, Path.cwd())
    if record == BUILT_IN and (chosen.answers or chosen.trust):
        raise UsageError("--answer and --trust are for team templates", hint="name it with --template")
    if chosen.answers:
        record = with_answers(record, chosen.answers)
    features = template_features(record, root, fetch) if by_template and record != BUILT_IN else None
    if features is not None:
        spec = replace(spec, project=replace(spec.project, features=features))
    program = derive(spec)
    return program, render_for(program, root, record, fetch, trust=chosen.trust, ask=ask)


def _listing(files: FileSet) -> str:
    return "\n".join(f"{len(file.text.encode()):7} {file.path}" for file in files)
