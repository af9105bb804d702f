"""The common part of measuring commands: the installed project, the choice of cases, and the reports."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from opforge.cli.shared.console import current
from opforge.cli.shared.ready import make_ready
from opforge.cli.shared.rules_option import collect_warnings
from opforge.toolkit.detect import Request

if TYPE_CHECKING:
    from opforge.measure.programs import InstalledProject
    from opforge.measure.table import Table

_Function = TypeVar("_Function", bound=Callable[..., Any])


def choice_options(function: _Function) -> _Function:
    """The options ``--op``, ``--dtype`` and ``--quick``, which are passed on to the measuring programs."""
    for option in (
        click.option("--quick", is_flag=True, help="Run fewer cases and repetitions."),
        click.option("--dtype", "dtypes", multiple=True, metavar="DTYPE", help="Only this dtype. Repeatable."),
        click.option("--op", "ops", multiple=True, metavar="OP", help="Only this op, by type or function. Repeatable."),
    ):
        function = option(function)
    return function


def chosen(start: Path, ops: Sequence[str], dtypes: Sequence[str], *, quick: bool) -> list[str]:
    """The choice as options of the programs. Raises UsageError if the project has no such op or dtype."""
    from opforge.measure.choice import Choice, check_choice  # noqa: PLC0415

    choice = Choice(tuple(ops), tuple(dtypes), quick)
    if ops or dtypes:
        from opforge.scaffold.project_root import find_root  # noqa: PLC0415
        from opforge.spec.read.parse import load_spec  # noqa: PLC0415

        check_choice(choice, load_spec(find_root(start) / "opforge.yaml"))
    return choice.arguments()


def find_installed(
    start: Path, toolchain: Request, python: Path | None, soc: str | None, rules: str | None, *, no_build: bool
) -> InstalledProject:
    """The project with its environment activated, built and installed first unless ``no_build``.

    A lock prevents other measurements of it until this command ends, since all write the same reports.
    """
    from opforge.build.project_lock import project_lock  # noqa: PLC0415
    from opforge.measure.programs import InstalledProject  # noqa: PLC0415

    ready = make_ready(start, toolchain, python, soc, no_build=no_build)
    click.get_current_context().with_resource(project_lock(ready.request.folder, "measuring"))
    warnings = collect_warnings(ready.environ, rules)
    return InstalledProject(ready.request, ready.python, {**ready.environ, **warnings.variables}, warnings)


def show_report(tables: Sequence[Table], left_out: Sequence[str]) -> None:
    """Prints the tables as results, and the ops that are left out."""
    from opforge.cli.shared.tables import show_table  # noqa: PLC0415

    console = current()
    for table in tables:
        show_table(console, table)
    for line in left_out:
        console.note(f"left out: {line}")


def write_report(file: Path, text: str) -> Path:
    """Writes a report for people."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def name_files(files: Sequence[Path]) -> None:
    """Prints the paths of the reports."""
    current().note("written:\n" + "\n".join(f"  {os.path.relpath(file)}" for file in files))
