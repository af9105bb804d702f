"""Updates a project to its spec, its template and this opforge, and reports the changes."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from opforge.cli.shared.console import Json, current
from opforge.cli.shared.template_options import TemplateOptions, template_fetch
from opforge.errors import ProjectError, UsageError

if TYPE_CHECKING:
    from opforge.build.rendering import Rendered
    from opforge.program import Program
    from opforge.scaffold.lock import Lock
    from opforge.scaffold.project_update import Change, Update


_WHY = {
    "kept": "edited, and no longer rendered: delete it if you do not need it",
    "left out": "you removed it",
    "replaced": "opforge owns it; your edit is kept beside it, in a file that ends in ~",
}


def spec_text(root: Path) -> str:
    """The text of the project's opforge.yaml, in the current edition. Raises SpecError and ProjectError."""
    from opforge.spec.read.editions import read_current  # noqa: PLC0415
    from opforge.spec.read.parse import load_spec  # noqa: PLC0415

    file = root / "opforge.yaml"
    try:
        text = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        load_spec(file)  # raises the error
        raise
    return read_current(text, file)[0]


def bring_up_to_date(
    root: Path, lock: Lock, found: str, text: str, program: Program, *, chosen: TemplateOptions, dry_run: bool
) -> Update:
    """Update the project to a spec's text, for ``opforge update`` and ``add``; ``found`` is ``spec_text``'s result.

    All checks run before the first write. The text is written first, so that an interrupted run can be repeated. Raises
    SpecError, PlanError, OSError, and ProjectError if another call changed the project meanwhile.
    """
    from opforge.build.project_lock import project_lock  # noqa: PLC0415
    from opforge.scaffold.disk import write_bytes  # noqa: PLC0415
    from opforge.scaffold.lock import read_lock  # noqa: PLC0415
    from opforge.scaffold.project_update import apply_update, plan_update  # noqa: PLC0415

    file = root / "opforge.yaml"
    rendered = rendered_for(program, lock, root, chosen)
    notes: tuple[str, ...] = ()
    if lock.edition < program.spec.edition:
        notes = (f"opforge.yaml was of edition {lock.edition}; its text is brought to {program.spec.edition}",)
    if dry_run:
        return _with_notes(plan_update(root, lock, rendered.files), notes)
    with project_lock(root / "build"):
        if (read_lock(root), spec_text(root)) != (lock, found):
            raise ProjectError(
                f"another program changed {root} at the same time", hint="nothing was written; try again"
            )
        update = plan_update(root, lock, rendered.files)
        if text.encode() != file.read_bytes():
            write_bytes(file.resolve(), text.encode())  # keeps a link
        apply_update(root, update, rendered.files, program.spec, rendered.template)
    return _with_notes(update, notes)


def _with_notes(update: Update, notes: tuple[str, ...]) -> Update:
    return dataclasses.replace(update, notes=(*notes, *update.notes))


def rendered_for(program: Program, lock: Lock, root: Path, chosen: TemplateOptions) -> Rendered:
    """The current rendering of the project at ``root``, with the version of its template."""
    from opforge.build.rendering import render_for, with_answers  # noqa: PLC0415
    from opforge.scaffold.lock import BUILT_IN  # noqa: PLC0415

    if lock.template == BUILT_IN and (chosen.answers or chosen.trust):
        raise UsageError(
            "--answer and --trust are for team templates, and this project has none",
            hint="`opforge new --template` creates a project from one",
        )
    fetch = template_fetch()
    record = with_answers(lock.template, chosen.answers) if chosen.answers else lock.template
    return render_for(program, root, record, fetch, trust=chosen.trust)


def rows(update: Update) -> list[Json]:
    """The changes as JSON."""
    listed: list[Json] = []
    for change in update.changes:
        came, went = change.counts
        listed.append(
            {
                "path": str(change.path),
                "action": change.action,
                "added": came,
                "removed": went,
                "conflicts": list(change.conflicts),
                "imported_by": None if change.imported_by is None else str(change.imported_by),
            }
        )
    return listed


def report(update: Update, root: Path, *, dry_run: bool) -> None:
    """Prints what was done, or with ``dry_run`` would be, one line per file."""
    console = current()
    notes = [f"note: {note}" for note in update.notes]
    if not update.changes:
        console.note("\n".join([*notes, f"nothing to do: {root.name} is up to date"]))
        return
    lines = [*(line for change in update.changes for line in describe(change)), *notes]
    if dry_run:
        console.result("\n".join(lines))
        console.note(f"{_count(update)}; nothing was written")
        return
    console.note("\n".join([*lines, f"updated {root.name}: {_count(update)}"]))
    if update.conflicts:
        console.error(
            "error: conflicts are left\n"
            "  help: at each `<<<<<<<`, keep the right lines of both sides and remove the three markers, "
            "then build again"
        )


def describe(change: Change) -> Sequence[str]:
    """A change in one line; a conflict has one line for each place."""
    if change.action == "conflict":
        return [f"  conflict {change.path}:{line}" for line in change.conflicts]
    if change.imported_by is not None:
        return [f"  kept     {change.path}: no longer rendered, but {change.imported_by} imports it: it is yours now"]
    if change.action in _WHY:
        return [f"  {change.action:8} {change.path}: {_WHY[change.action]}"]
    came, went = change.counts
    return [f"  {change.action:8} {change.path} (+{came} -{went})"]


def _count(update: Update) -> str:
    counts: dict[str, int] = {}
    for change in update.changes:
        counts[change.action] = counts.get(change.action, 0) + 1
    words = {"conflict": "in conflict"}
    return ", ".join(f"{count} {words.get(action, action)}" for action, count in counts.items())
