"""``opforge status``: compares a project with its spec, this opforge, and the files that opforge wrote."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.console import current
from opforge.cli.shared.options import project_option
from opforge.cli.shared.template_options import TemplateOptions
from opforge.cli.shared.updating import describe, rendered_for, rows, spec_text
from opforge.errors import OpforgeError, ProjectError
from opforge.release import __version__

if TYPE_CHECKING:
    from opforge.scaffold.project_status import Drift, Local


@click.command(short_help="Show what is edited, stale or broken.")
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(*, start: Path, as_json: bool) -> None:
    """Show what you edited or removed, and what `opforge update` would do.

    The exit code is 0 if there is nothing to do, even with edits; 5 if the project is stale, if conflicts are not
    resolved, or if a part of .opforge is missing; 3 if opforge.yaml is not valid.
    """
    from opforge.scaffold.project_root import find_root  # noqa: PLC0415
    from opforge.scaffold.project_status import local_status  # noqa: PLC0415

    local = local_status(find_root(start))
    found, error = _drift(local)
    pending = found is None or found.update is None or bool(found.update.changes) or found.spec_changed
    clean = not pending and not local.unmerged and not local.bases_missing
    console = current()
    if as_json:
        console.json(
            {
                "root": str(local.root),
                "clean": clean,
                "opforge": {"rendered_with": local.lock.opforge, "running": __version__},
                "template": local.lock.template.name,
                "spec_changed": None if found is None else found.spec_changed,
                "template_changed": None if found is None else found.template_changed,
                "edited": [str(path) for path in local.edited],
                "missing": [str(path) for path in local.missing],
                "unmerged": [
                    {"path": str(path), "line": line} for path, lines in local.unmerged.items() for line in lines
                ],
                "bases_missing": [str(path) for path in local.bases_missing],
                "update": None if found is None or found.update is None else rows(found.update),
                "problem": None if error is None else error.render(),
            }
        )
    else:
        lines = _text(local, found)
        if lines:
            console.result("\n".join(lines))
        if error is not None:
            console.error(error.render())
    if not clean:
        raise SystemExit(error.exit_code if error is not None else ProjectError.exit_code)


def _drift(local: Local) -> tuple[Drift | None, OpforgeError | None]:
    """The changes of an update; None with the error if the spec cannot be read or rendered."""
    from opforge.kinds import derive  # noqa: PLC0415
    from opforge.scaffold.project_status import drift  # noqa: PLC0415
    from opforge.spec.read.parse import parse_spec  # noqa: PLC0415

    try:
        spec = parse_spec(spec_text(local.root), local.root / "opforge.yaml")
        rendered = rendered_for(derive(spec), local.lock, local.root, TemplateOptions())
    except OpforgeError as error:
        return None, error
    found = drift(local, spec, rendered.files, rendered.template)
    return found, found.blocked


def _text(local: Local, found: Drift | None) -> list[str]:
    lines: list[str] = []
    lines += _section("unresolved conflicts (resolve them before you build)", _places(local))
    lines += _section(
        "rendered text is missing (restore .opforge from version control, or an update marks every difference)",
        map(str, local.bases_missing),
    )
    if found is not None and found.update is not None and (found.update.changes or found.spec_changed):
        lines += [f"stale: {_reasons(local, found)}; `opforge update` would make these changes:"]
        lines += [line for change in found.update.changes for line in describe(change)]
    if not lines and found is not None:
        lines = [f"{local.root.name} is up to date"]
    lines += _section("edited", map(str, local.edited))
    lines += _section("removed by you", map(str, local.missing))
    return lines


def _places(local: Local) -> Iterable[str]:
    return (f"{path}:{line}" for path, lines in local.unmerged.items() for line in lines)


def _reasons(local: Local, found: Drift) -> str:
    reasons = []
    if found.spec_changed:
        reasons.append("opforge.yaml changed")
    if found.template_changed:
        reasons.append(f"the template {local.lock.template.name} changed")
    if found.opforge_changed:
        reasons.append(f"rendered with opforge {local.lock.opforge}; this is {__version__}")
    return ", ".join(reasons) or "opforge renders these files differently now"


def _section(title: str, items: Iterable[str]) -> list[str]:
    listed = [f"  {item}" for item in items]
    return [f"{title}:", *listed] if listed else []
