"""``opforge clean``: removes what builds wrote into a project."""

from __future__ import annotations

import os
from pathlib import Path

import click

from opforge.cli.shared.console import Json, current
from opforge.cli.shared.options import make_request, project_option

_UNITS = ("bytes", "kB", "MB", "GB")


@click.command(short_help="Remove build/ and dist/.")
@click.option("--dry-run", is_flag=True, help="Print what would be removed; remove nothing.")
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print what was removed as JSON.")
def command(*, dry_run: bool, start: Path, as_json: bool) -> None:
    """Remove build/ and dist/ of the project. The next build compiles everything.

    Sources, installed packages and the simulated toolkit stay.
    """
    from opforge.build.cleaning import clean  # noqa: PLC0415

    request = make_request(start, "auto", None, None)
    done = clean(request, dry_run=dry_run)
    console = current()
    if as_json:
        rows: list[Json] = [{"path": str(r.path), "files": r.files, "bytes": r.size} for r in done.removed]
        console.json({"root": str(request.root), "dry_run": dry_run, "removed": rows, "kept": list(done.kept)})
        return
    for reason in done.kept:
        console.note(f"kept: {reason}")
    verb = "would remove" if dry_run else "removed"
    for each in done.removed:
        files = "1 file" if each.files == 1 else f"{each.files} files"
        console.note(f"{verb} {os.path.relpath(each.path)}: {files}, {_shown(each.size)}")
    if not done.removed:
        console.note("nothing to remove")


def _shown(size: int) -> str:
    """A size in the largest unit of which it has at least one."""
    number, unit = float(size), 0
    while number >= 1000 and unit < len(_UNITS) - 1:
        number, unit = number / 1000, unit + 1
    return f"{number:.1f} {_UNITS[unit]}" if unit else f"{size} bytes"
