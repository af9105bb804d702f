"""``opforge adopt`` of msOpGen's JSON: creates a new project with the prototype's signature."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from opforge.cli.shared.console import current
from opforge.cli.shared.new_ops import check_names, report_created, warn_of_ops
from opforge.errors import Problem, ProjectError, SpecError
from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.spec.model import OpSpec, Spec

if TYPE_CHECKING:
    from opforge.spec.source import Passage

_LARGEST = 10 * 1024 * 1024  # bytes; msOpGen's limit


@dataclass(frozen=True)
class Prototype:
    """The options of a command line for msOpGen's JSON."""

    file: Path
    package: str | None
    socs: tuple[str, ...] | None
    license: str | None
    computes: Mapping[str, Passage]
    path: Path | None


def adopt_json(options: Prototype, *, dry_run: bool, as_json: bool) -> None:
    """Write the project, or only print what would be written. Raises SpecError with every problem of the file."""
    from opforge.kinds import derive  # noqa: PLC0415
    from opforge.render.project import render_project  # noqa: PLC0415
    from opforge.scaffold.new_project import check_free, write_project  # noqa: PLC0415
    from opforge.scaffold.project_root import SPEC_FILE  # noqa: PLC0415
    from opforge.spec.foreign.prototype import read_prototypes  # noqa: PLC0415

    if options.file.stat().st_size >= _LARGEST:
        raise ProjectError(f"{options.file} is too large: the limit is 10 MiB", hint="msOpGen refuses such files too")
    try:
        text = options.file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise ProjectError(f"{options.file} is not UTF-8 text (byte {error.start})", hint="save it as UTF-8") from None
    read = read_prototypes(text, options.file, options.computes)
    console = current()
    for warning in read.warnings:
        console.warning(warning.render())
    spec = _spec(options, read.ops)
    root = Path(os.path.normpath(Path.cwd() / (options.path or spec.project.package)))
    check_free(root)
    check_names(spec)
    program = derive(spec)
    files = render_project(program)
    if not dry_run:
        write_project(files, spec, root)
    if as_json or dry_run:
        warn_of_ops(program)
    if as_json:
        console.json(
            {
                "root": str(root),
                "written": not dry_run,
                "ops": [op.type for op in spec.ops],
                "warnings": [warning.render() for warning in read.warnings],
                "files": [str(file.path) for file in files],
            }
        )
    elif dry_run:
        console.result(files.files[SPEC_FILE].text)
    else:
        report_created(program, files, root)


def _spec(options: Prototype, ops: tuple[OpSpec, ...]) -> Spec:
    from opforge.spec.check.assemble import assemble_project  # noqa: PLC0415
    from opforge.spec.draft import ProjectDraft  # noqa: PLC0415
    from opforge.spec.source import option_token  # noqa: PLC0415

    name = options.package or (snake(ops[0].type) if len(ops) == 1 else options.file.stem)
    draft = ProjectDraft(
        name=option_token("--package", name),
        package=option_token("--package", name),
        soc=tuple(option_token("--soc", soc) for soc in options.socs) if options.socs else None,
        license=option_token("--license", options.license) if options.license else None,
    )
    problems: list[Problem] = []
    project = assemble_project(draft, problems)
    if problems or project is None:
        raise SpecError(problems)
    return Spec(project, ops)
