"""``opforge add``: adds an op to a project: to opforge.yaml, then to the generated files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.console import current
from opforge.cli.shared.new_ops import begun_files, signature, tell_of_dtypes_and_zeros, to_write, warn_of_namesakes
from opforge.cli.shared.op_options import op_options
from opforge.cli.shared.options import project_option
from opforge.cli.shared.template_options import TemplateOptions, template_options
from opforge.cli.shared.updating import bring_up_to_date, report, rows, spec_text
from opforge.errors import Problem, ProjectError, SpecError
from opforge.naming import snake

if TYPE_CHECKING:
    from opforge.scaffold.insertion import Inserted
    from opforge.spec.model import OpSpec, Spec
    from opforge.spec.read.command_line import OpOptions


@click.command(short_help="Add an op to a project.")
@op_options
@project_option
@template_options
@click.option("--dry-run", is_flag=True, help="Print the lines and files that would be added; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print what was added as JSON.")
def command(
    *,
    options: OpOptions,
    start: Path,
    answers: Mapping[str, str],
    trust: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Add the op NAME to the project that contains the current folder.

    Its lines go after the last op of opforge.yaml; the rest of opforge.yaml stays unchanged. Then the generated
    files are updated as by `opforge update`.

    \b
    opforge add VectorSub --inputs x,y
    opforge add Axpy --inputs x,y --attr alpha:float=1.0 --compute 'z = alpha * x + y'
    """  # noqa: D301  (click's mark for lines to keep)
    from opforge.kinds import derive  # noqa: PLC0415
    from opforge.scaffold.begun_files import check_begun, write_begun  # noqa: PLC0415
    from opforge.scaffold.lock import read_lock  # noqa: PLC0415
    from opforge.scaffold.project_root import find_root  # noqa: PLC0415
    from opforge.scaffold.project_status import required_lock  # noqa: PLC0415
    from opforge.spec.read.command_line import op_from_options  # noqa: PLC0415

    root = find_root(start)
    lock = required_lock(root, read_lock(root))
    op = op_from_options(options)
    found = spec_text(root)
    inserted, spec = _inserted(root, found, op)
    program = derive(spec)
    begun = begun_files(program, op, options)
    check_begun(begun, root)
    update = bring_up_to_date(
        root, lock, found, inserted.text, program, chosen=TemplateOptions(trust, answers), dry_run=dry_run
    )
    if not dry_run:
        write_begun(begun, root)
    console = current()
    added = program.only(op.type)
    warn_of_namesakes(added)
    tell_of_dtypes_and_zeros(replace(spec, ops=(op,)))
    lines = inserted.text.splitlines()[inserted.first - 1 : inserted.last]
    if as_json:
        console.json(
            {
                "root": str(root),
                "written": not dry_run,
                "op": op.type,
                "lines": [inserted.first, inserted.last],
                "files": rows(update),
                "begun": [str(file.path) for file in begun],
            }
        )
    elif dry_run:
        console.result("\n".join([f"opforge.yaml:{inserted.first}", *lines]))
        report(update, root, dry_run=True)
    else:
        console.note(f"added {signature(op)}\n  opforge.yaml:{inserted.first}")
        report(update, root, dry_run=False)
        if write := to_write(added, begun):
            console.note("\n  ".join(["next:", *write]))
    if update.conflicts and not dry_run:
        raise SystemExit(ProjectError.exit_code)


def _inserted(root: Path, text: str, op: OpSpec) -> tuple[Inserted, Spec]:
    """The spec's text with the op, and what it says. Raises ProjectError if the project has an op of that name."""
    from opforge.scaffold.insertion import declared_ops, insert_op  # noqa: PLC0415
    from opforge.spec.read.parse import parse_spec  # noqa: PLC0415

    file = root / "opforge.yaml"
    for other, line in declared_ops(text, file).items():
        if snake(other) == snake(op.type):
            parse_spec(text, file)  # reports existing mistakes first
            same = other == op.type
            raise ProjectError(
                f"{file}:{line}: the project already has `{other}`"
                + ("" if same else f", and the files of `{op.type}` would have the same names"),
                hint="opforge add overwrites nothing: use another name, or edit opforge.yaml and run `opforge update`",
            )
    inserted = insert_op(text, op, file)
    try:
        return inserted, parse_spec(inserted.text, file)
    except SpecError as error:
        # Existing mistakes come first, except for `backward: MyOpGrad` of an op that is added now.
        remaining = [problem for problem in _existing_problems(text, file) if problem in error.problems]
        raise SpecError(remaining or error.problems) from None


def _existing_problems(text: str, file: Path) -> tuple[Problem, ...]:
    from opforge.scaffold.insertion import declared_ops  # noqa: PLC0415
    from opforge.spec.read.parse import parse_spec  # noqa: PLC0415

    if declared_ops(text, file):
        try:
            parse_spec(text, file)
        except SpecError as error:
            return error.problems
    return ()
