"""``opforge vendor``: copies opforge.testing into a project, for machines without opforge."""

from __future__ import annotations

import os
from pathlib import Path

import click

from opforge.cli.shared.console import current
from opforge.cli.shared.groups import SuggestingGroup
from opforge.cli.shared.options import project_option


@click.group(cls=SuggestingGroup, short_help="Copy opforge.testing into the project.")
def command() -> None:
    """Copy a package that a project needs for its development into the project."""


@command.command("testing")
@project_option
@click.option("--force", is_flag=True, help="Replace files that were edited, or that opforge did not write.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def testing_command(*, start: Path, force: bool, as_json: bool) -> None:
    """Copy opforge.testing, which tests and measures operators, to tests/_opforge of the project.

    Then pytest runs the project's tests on machines without opforge, and `PYTHONPATH=tests/_opforge python -m
    opforge.testing.bench` measures. `opforge test`, `bench` and `verify` use the copy too, if there is one. The same
    command replaces it after an update of opforge.
    """
    from opforge.scaffold.exported_files import write_export  # noqa: PLC0415
    from opforge.scaffold.project_root import find_root  # noqa: PLC0415
    from opforge.scaffold.vendoring import VENDORED, package_files  # noqa: PLC0415

    hint = "move your files out of tests/_opforge"
    export = write_export(package_files(), find_root(start) / VENDORED, force=force, instead=hint)
    console = current()
    if as_json:
        written, removed = [str(path) for path in export.written], [str(path) for path in export.removed]
        console.json({"folder": str(export.folder), "files": written, "removed": removed})
        return
    console.note(f"copied opforge.testing, {len(export.written)} files, to {os.path.relpath(export.folder)}")
