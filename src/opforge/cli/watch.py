"""``opforge watch``: builds, installs and tests at each saved edit."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.console import current
from opforge.cli.shared.explained_errors import explain_detail
from opforge.cli.shared.options import chip_option, project_option, python_option, toolchain_option
from opforge.cli.shared.pytest_runs import run_pytest
from opforge.cli.shared.ready import make_ready
from opforge.cli.shared.rules_option import rules_option
from opforge.errors import OpforgeError
from opforge.frozen import dataclass
from opforge.toolkit.detect import Request

if TYPE_CHECKING:
    from opforge.build.edits import Snapshot

_SHOWN = 3  # changed files in a message


@dataclass(frozen=True)
class _Round:
    """The options of every round."""

    root: Path
    toolchain: Request
    python: Path | None
    soc: str | None
    rules: str | None
    arguments: tuple[str, ...]
    as_json: bool

    def run(self, edited: Sequence[str] | None) -> Snapshot:
        """Builds, installs and tests ``edited``, or everything if None; returns the sources that it has seen.

        An error of opforge is printed, since the next edit may correct it.
        """
        from opforge.build.edits import snapshot  # noqa: PLC0415

        seen = snapshot(self.root)
        try:
            while True:
                ready = make_ready(self.root, self.toolchain, self.python, self.soc, no_build=False, pytest=True)
                now = snapshot(self.root)  # an edit during the build, or a file that the build rendered
                if now == seen:
                    break
                seen = now
            selected = self._selected(edited)
            if selected is not None:
                said = {"changed": list(edited or ())}
                words = (*self.arguments, *selected)
                run_pytest(ready, words, self.rules, as_json=self.as_json, said=said)
                _end_after(ready.request.runner.signalled)
        except OpforgeError as error:
            current().failure(error)
            explain_detail(current(), error)
        return seen

    def _selected(self, edited: Sequence[str] | None) -> tuple[str, ...] | None:
        from opforge.build.edits import selected_tests  # noqa: PLC0415
        from opforge.spec.read.parse import load_spec  # noqa: PLC0415

        if edited is None:
            return ()
        selected = selected_tests(edited, load_spec(self.root / "opforge.yaml"), self.root)
        if selected is None:
            current().note("no test is about this edit")
        elif selected:
            current().note(f"pytest {' '.join(selected)}")
        return selected


@click.command(
    short_help="Build, install and test at each saved edit.", context_settings={"ignore_unknown_options": True}
)
@toolchain_option
@python_option("test in")
@chip_option
@rules_option
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each run of the tests.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[PYTEST ARGUMENTS]")
def command(
    *,
    toolchain: Request,
    python: Path | None,
    soc: str | None,
    rules: str | None,
    start: Path,
    as_json: bool,
    arguments: tuple[str, ...],
) -> None:
    """Build, install and run all tests, then do so again at each saved edit, with the tests of what changed.

    After an edit of an op's sources only tests with its name run, after an edit of a test file only that file. Ctrl-C
    ends it. Further arguments go to pytest.
    """
    from opforge.build.edits import wait_for_edits  # noqa: PLC0415
    from opforge.scaffold.project_root import find_root  # noqa: PLC0415

    console = current()
    console.as_json = as_json  # errors are printed here, and the command continues
    root = find_root(start)
    each = _Round(root, toolchain, python, soc, rules, arguments, as_json)
    edited: tuple[str, ...] | None = None
    while True:
        seen = each.run(edited)
        console.note(f"watching {root.name}; Ctrl-C ends")
        edited = wait_for_edits(root, seen)
        more = f" and {len(edited) - _SHOWN} more" if len(edited) > _SHOWN else ""
        console.note(f"\nchanged: {', '.join(edited[:_SHOWN])}{more}")


def _end_after(number: int) -> None:
    """Ends the command if a signal came while the tests ran, which the tests have also received."""
    if number == signal.SIGINT:
        raise KeyboardInterrupt
    if number:
        raise SystemExit(128 + number)
