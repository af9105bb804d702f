"""``opforge run``: runs a command with the toolkit and the installed ops activated."""

from __future__ import annotations

import os
from pathlib import Path

import click

from opforge.cli.shared.activating import activate
from opforge.cli.shared.console import current
from opforge.cli.shared.options import chip_option, python_option, toolchain_option
from opforge.cli.shared.rules_option import collect_warnings, rules_option
from opforge.errors import UsageError
from opforge.toolkit.detect import Request


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

    opforge exits with the command's status.
    """
    from opforge.toolkit.process import Runner  # noqa: PLC0415

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
    warnings = collect_warnings(active.environ, rules, shown=True)
    ctx.exit(Runner().attach(words, cwd=Path.cwd(), env={**active.environ, **warnings.variables}))
