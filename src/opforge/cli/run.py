"""``opforge run``: runs a command with the toolkit and the installed ops activated."""

from __future__ import annotations

import os
from pathlib import Path

import click

from opforge.cli.shared.activating import Activated, activate
from opforge.cli.shared.console import current
from opforge.cli.shared.options import chip_option, python_option, toolchain_option
from opforge.cli.shared.rules_option import collect_warnings, rules_option
from opforge.errors import UsageError
from opforge.toolkit.detect import Request

_NOT_EXECUTABLE = 126  # as in shells
_NOT_FOUND = 127


@click.command(
    short_help="Run a command in the activated environment.",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@toolchain_option
@python_option("use")
@chip_option
@rules_option
@click.option(
    "--json", "as_json", is_flag=True, help="Without COMMAND: print the variables that activation sets, as JSON."
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    toolchain: Request,
    python: Path | None,
    soc: str | None,
    rules: str | None,
    as_json: bool,
    words: tuple[str, ...],
) -> None:
    """Run COMMAND in the activated environment: device='npu' works, and Python finds installed ops.

    If Python ends with an error that `opforge explain` knows, its explanation follows.
    opforge exits with the command's status; as in a shell, 127 means that it was not found, 126 that it does not run.
    """
    from opforge.cli.shared.explained_errors import failed_texts_explained  # noqa: PLC0415
    from opforge.cli.shared.runners import new_runner  # noqa: PLC0415

    if as_json == bool(words):
        what = (
            "--json does not run COMMAND: it prints the variables that activation sets"
            if as_json
            else "COMMAND is missing"
        )
        raise UsageError(what, hint="opforge run -- python your_script.py, or opforge run --json")
    active = activate(toolchain, python, soc)
    if as_json:
        changed = {name: value for name, value in active.environ.items() if os.environ.get(name) != value}
        current().json({"python": str(active.python), "variables": dict(sorted(changed.items()))})
        return
    refused = _refused(words[0], active)
    if refused is not None:
        current().ended("CommandNotStarted", *refused)
        ctx.exit(refused[0])
    warnings = collect_warnings(active.environ, rules, shown=True)
    with failed_texts_explained() as texts:
        environ = {**active.environ, **warnings.variables, **texts}
        code = new_runner().attach(words, cwd=Path.cwd(), env=environ)
    ctx.exit(code)


def _refused(program: str, active: Activated) -> tuple[int, str, str] | None:
    """Exit code, message and hint for a command that cannot start; None if it can."""
    from opforge.toolkit.process import find_program  # noqa: PLC0415

    path = active.environ["PATH"]
    if find_program(program, path) is not None:
        return None
    file = Path(program)
    if file.is_file() and (os.sep in program or file.suffix == ".py"):
        hint = f"opforge run -- python {program}" if file.suffix == ".py" else f"chmod +x {program}"
        return _NOT_EXECUTABLE, f"cannot run {program}: the file is not executable", hint
    if os.sep in program:
        return _NOT_FOUND, f"cannot run {program}: this file does not exist", f"the current folder is {Path.cwd()}"
    folders = len(path.split(os.pathsep))
    return (
        _NOT_FOUND,
        f"cannot run {program}: none of the {folders} folders on PATH has it; the first is {active.python.parent}",
        "check the spelling, or install it; `opforge run --json` prints PATH in the activated environment",
    )
