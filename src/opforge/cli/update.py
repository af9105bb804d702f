"""``opforge update``: the project follows its spec, its template and this opforge; edits are merged and kept."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.cli.console import Json, current
from opforge.cli.options import project_option
from opforge.errors import ProjectError, UsageError

if TYPE_CHECKING:
    from opforge.build.rendering import Rendered
    from opforge.scaffold.lock import Lock
    from opforge.scaffold.template import Fetch, Fetched
    from opforge.scaffold.update import Change, Update
    from opforge.spec.model import Spec

_WHY = {
    "kept": "edited, and no longer rendered: delete it if you do not need it",
    "left out": "you removed it",
}


@dataclass(frozen=True)
class TemplateOptions:
    """What a command line says of a project's team template; one of opforge's own needs nothing."""

    trust: bool = False
    answers: Mapping[str, str] = field(default_factory=dict)


def answers_of(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> dict[str, str]:
    """``("NAME=VALUE", ...)`` as a mapping."""
    for word in value:
        if "=" not in word:
            raise click.BadParameter(f"{word!r} has no `=`: expected NAME=VALUE", ctx, param)
    return {name: answer for name, _, answer in (word.partition("=") for word in value)}


def template_options(function: Callable[..., None]) -> Callable[..., None]:
    """The options about a project's team template."""
    answer = click.option(
        "--answer",
        "answers",
        multiple=True,
        callback=answers_of,
        metavar="NAME=VALUE",
        help="Answer a question of the project's team template. Repeatable.",
    )
    trust = click.option("--trust", is_flag=True, help="Let that template run its own code.")
    return answer(trust(function))


@click.command(short_help="Update the project.")
@project_option
@template_options
@click.option("--dry-run", is_flag=True, help="Print what would change; write nothing.")
@click.option("--json", "as_json", is_flag=True, help="Print what was changed as JSON.")
def command(*, start: Path, answers: Mapping[str, str], trust: bool, dry_run: bool, as_json: bool) -> None:
    """Render the project again, from its opforge.yaml and with this opforge, and merge the result with your edits.

    If you and opforge changed the same lines, the file gets both versions between conflict markers; resolve them before
    the next build. Files that you removed stay removed.

    The exit code is 5 if conflicts are left.
    """
    from opforge.scaffold.lock import read_lock  # noqa: PLC0415
    from opforge.scaffold.state import find_root  # noqa: PLC0415
    from opforge.scaffold.status import required_lock  # noqa: PLC0415

    root = find_root(start)
    lock = required_lock(root, read_lock(root))
    text = spec_text(root)
    update = bring_up_to_date(root, lock, text, text, TemplateOptions(trust, answers), dry_run=dry_run)
    if as_json:
        current().json({"root": str(root), "written": not dry_run, "files": rows(update)})
    else:
        report(update, root, dry_run=dry_run)
    if update.conflicts and not dry_run:
        raise SystemExit(ProjectError.exit_code)


def spec_text(root: Path) -> str:
    """The text of the project's opforge.yaml, in today's edition. Raises SpecError and ProjectError."""
    from opforge.scaffold.editions import migrated  # noqa: PLC0415
    from opforge.spec.parse import load_spec  # noqa: PLC0415

    file = root / "opforge.yaml"
    try:
        text = file.read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        load_spec(file)  # says what is wrong
        raise
    return migrated(text, file)


def bring_up_to_date(
    root: Path, lock: Lock, found: str, text: str, chosen: TemplateOptions, *, dry_run: bool
) -> Update:
    """What ``opforge update`` and ``opforge add`` do with a spec's text; ``found`` is what ``spec_text`` gave for it.

    Nothing is written before all of it is known to work; the text itself goes first, so that an interrupted run can be
    repeated. Raises SpecError, PlanError, OSError, and ProjectError where another call changed the project meanwhile.
    """
    from opforge.build.project_lock import project_lock  # noqa: PLC0415
    from opforge.scaffold.disk import write_bytes  # noqa: PLC0415
    from opforge.scaffold.lock import read_lock  # noqa: PLC0415
    from opforge.scaffold.update import apply_update, plan_update  # noqa: PLC0415
    from opforge.spec.parse import parse_spec  # noqa: PLC0415

    file = root / "opforge.yaml"
    spec = parse_spec(text, file)
    rendered = rendered_for(spec, lock, root, chosen)
    if dry_run:
        return plan_update(root, lock, rendered.files)
    with project_lock(root / "build"):
        if (read_lock(root), spec_text(root)) != (lock, found):
            raise ProjectError(
                f"another program changed {root} at the same time", hint="nothing was written; try again"
            )
        update = plan_update(root, lock, rendered.files)
        if text.encode() != file.read_bytes():
            write_bytes(file.resolve(), text.encode())  # a link stays one
        apply_update(root, update, rendered.files, spec, rendered.template)
    return update


def template_fetch() -> Fetch:
    """How templates from git are brought here. Until one is asked for, nothing of that is imported."""

    def fetch(address: str, ref: str | None) -> Fetched:
        from opforge.build.rendering import git_fetch  # noqa: PLC0415
        from opforge.build.request import cache_folder  # noqa: PLC0415
        from opforge.toolkit.process import Runner  # noqa: PLC0415

        environ = dict(os.environ)
        return git_fetch(cache_folder(environ), environ, Runner(), current().note)(address, ref)

    return fetch


def rendered_for(spec: Spec, lock: Lock, root: Path, chosen: TemplateOptions) -> Rendered:
    """What the project at ``root`` is rendered to today, and from which version of its template."""
    from opforge.build.rendering import render_for, with_answers  # noqa: PLC0415
    from opforge.scaffold.lock import BUILT_IN  # noqa: PLC0415

    if lock.template == BUILT_IN and (chosen.answers or chosen.trust):
        raise UsageError(
            "--answer and --trust are for team templates, and this project has none",
            hint="`opforge new --template` creates a project from one",
        )
    fetch = template_fetch()
    record = with_answers(lock.template, chosen.answers) if chosen.answers else lock.template
    return render_for(spec, root, record, fetch, trust=chosen.trust)


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
            }
        )
    return listed


def report(update: Update, root: Path, *, dry_run: bool) -> None:
    """What was done, or would be, one line a file."""
    console = current()
    if not update.changes:
        console.note(f"nothing to do: {root.name} is up to date")
        return
    lines = [line for change in update.changes for line in describe(change)]
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
    """A change in one line; a conflict in one for each place."""
    if change.action == "conflict":
        return [f"  conflict {change.path}:{line}" for line in change.conflicts]
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
