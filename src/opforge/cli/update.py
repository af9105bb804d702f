"""``opforge update``: updates a project to its spec, its template and this opforge, and merges edits."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from opforge.cli.shared.console import Json, current
from opforge.cli.shared.options import project_option
from opforge.cli.shared.template_options import TemplateOptions, template_options
from opforge.cli.shared.updating import bring_up_to_date, report, rows, spec_text
from opforge.errors import ProjectError


@click.command(short_help="Update the project.")
@project_option
@template_options
@click.option("--dry-run", is_flag=True, help="Print what would change; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print what was changed as JSON.")
def command(*, start: Path, answers: Mapping[str, str], trust: bool, dry_run: bool, as_json: bool) -> None:
    """Render the project again, from its opforge.yaml and with this opforge, and merge the result with your edits.

    If you and opforge changed the same lines, the file gets both versions between conflict markers; resolve them before
    the next build. Files that you removed stay removed, unless an op does not compile without them.

    The exit code is 5 if conflicts are left.
    """
    from opforge.kinds import derive  # noqa: PLC0415
    from opforge.scaffold.lock import read_lock  # noqa: PLC0415
    from opforge.scaffold.project_root import find_root  # noqa: PLC0415
    from opforge.scaffold.project_status import required_lock  # noqa: PLC0415
    from opforge.spec.read.parse import parse_spec  # noqa: PLC0415

    root = find_root(start)
    lock = required_lock(root, read_lock(root))
    text = spec_text(root)
    program = derive(parse_spec(text, root / "opforge.yaml"))
    update = bring_up_to_date(root, lock, text, text, program, chosen=TemplateOptions(trust, answers), dry_run=dry_run)
    if as_json:
        notes: list[Json] = list(update.notes)
        current().json({"root": str(root), "written": not dry_run, "files": rows(update), "notes": notes})
    else:
        report(update, root, dry_run=dry_run)
    if update.conflicts and not dry_run:
        raise SystemExit(ProjectError.exit_code)
