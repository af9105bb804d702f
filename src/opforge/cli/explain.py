"""``opforge explain``: the cause and fix of an error code, or of everything known in a log."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.console import Console, Json, current
from opforge.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from opforge.explain.codes.code import Code
    from opforge.explain.explanation import Explanation

_MOST_BYTES = 16_000_000  # of a log; the end of a longer one is read


def _completions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG001
    """The codes that begin with a word, and files."""
    from click.shell_completion import CompletionItem  # noqa: PLC0415

    from opforge.explain.codes.lookup import CODES  # noqa: PLC0415

    codes = [code for code in CODES.values() if incomplete and code.number.startswith(incomplete.upper())]
    return [*(CompletionItem(code.number, help=code.name) for code in codes), CompletionItem(incomplete, type="file")]


@click.command(short_help="Explain an error code or a log.")
@click.argument("what", metavar="CODE | LOGFILE | -", required=False, shell_complete=_completions)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def command(ctx: click.Context, *, what: str | None, as_json: bool) -> None:
    """Explain an error code (161002, 507015, EZ9999, ...), or the known errors in a log file; - reads stdin.

    Each explanation has the cause, a check on this machine with its result, and the fix. The most likely root comes
    first. The exit code is 0 if something was explained, otherwise 1.

    \b
    opforge explain 561103
    opforge explain build.log
    python train.py 2>&1 | opforge explain -
    """  # noqa: D301  (click's mark for lines to keep)
    from opforge.cli.shared.runners import new_runner  # noqa: PLC0415
    from opforge.explain.codes.lookup import find_code, is_code, nearest_codes  # noqa: PLC0415
    from opforge.explain.explanation import explained_code, explanations  # noqa: PLC0415
    from opforge.explain.machine import Machine  # noqa: PLC0415

    if what is None:
        if sys.stdin.isatty():
            raise click.MissingParameter(ctx=ctx, param=ctx.command.params[0])
        what = "-"
    console = current()
    machine = Machine(dict(os.environ), runner=new_runner())
    nearest: Sequence[Code] = ()
    if is_code(what) and not Path(what).exists():
        code = find_code(what)
        found = [] if code is None else [explained_code(machine, code)]
        nearest = nearest_codes(what) if code is None else ()
        name = None
    else:
        text, name = _read(what)
        found = explanations(machine, text)
    if as_json:
        console.json({"explained": [_fields(one) for one in found], "nearest": [code.number for code in nearest]})
    else:
        for one in found:
            _print(console, one, name)
        if not found:
            _print_unknown(console, what, nearest)
    ctx.exit(0 if found else 1)


def _read(what: str) -> tuple[str, str]:
    """The text of a log, and its name for messages; a text that is not a file's name is the log itself."""
    if what == "-":
        if sys.stdin.isatty():
            current().note("reading stdin; end with Ctrl-D")
        return sys.stdin.buffer.read()[-_MOST_BYTES:].decode(errors="replace"), "stdin"
    try:
        with Path(what).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            file.seek(max(0, size - _MOST_BYTES))
            return file.read().decode(errors="replace"), what
    except (FileNotFoundError, NotADirectoryError):
        if " " in what or "\n" in what:
            return what, "text"
        raise UsageError(
            f"{what} is not an error code, and no such file exists",
            hint="opforge explain 561103, opforge explain build.log, or COMMAND 2>&1 | opforge explain -",
        ) from None
    except IsADirectoryError:
        raise UsageError(f"{what} is a folder", hint=f"give a log file in it: ls {what}") from None


def _print(console: Console, one: Explanation, name: str | None) -> None:
    if one.line is not None:
        console.result(click.style(f"{name}:{one.line}: ", dim=True) + one.text)
    console.result(click.style(one.title, bold=True))
    console.result(f"  cause: {one.cause}")
    if one.own_look:
        console.result(f"  check: {one.own_look}")
    for sentence in one.here:
        console.result(f"  here:  {sentence}")
    console.result(f"  fix:   {one.fix}")
    if one.source and console.verbose:
        console.result(f"  see:   {one.source}")
    console.result("")


def _print_unknown(console: Console, what: str, nearest: Sequence[Code]) -> None:
    if nearest:
        console.result(f"{what} is not a known code; similar ones are:")
        for code in nearest:
            console.result(f"  {code.number:10} {code.name}: {code.cause}")
        return
    console.result(
        "nothing in it is known to opforge\n"
        "  help: give the whole log, from the first error on; CANN's own logs are in ~/ascend/log/debug/plog\n"
        "  help: `opforge doctor` checks this machine"
    )


def _fields(one: Explanation) -> dict[str, Json]:
    return {
        "key": one.key,
        "line": one.line,
        "text": one.text,
        "title": one.title,
        "cause": one.cause,
        "check": one.own_look,
        "here": list(one.here),
        "fix": one.fix,
        "source": one.source,
    }
