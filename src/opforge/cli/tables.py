"""Tables on a terminal: as wide as it is, with long cells folded; elsewhere each row is one line."""

from __future__ import annotations

import io
import shutil
import sys

from opforge.cli.console import Console
from opforge.measure.table import Table

_INDENT = "  "
_UNBOUNDED = 10_000  # columns of what is no terminal


def show_table(console: Console, table: Table) -> None:
    """The table as a result, in plain letters that every encoding has."""
    from rich.console import Console as RichConsole  # noqa: PLC0415  (60 ms)
    from rich.table import Table as RichTable  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    width = shutil.get_terminal_size().columns - len(_INDENT) if is_terminal() else _UNBOUNDED
    shown = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in table.columns:
        shown.add_column(Text(column.title), justify="right" if column.right else "left", overflow="fold")
    for row in table.rows:
        shown.add_row(*map(Text, row))
    stream = io.StringIO()
    RichConsole(file=stream, width=width, color_system=None, force_terminal=False).print(shown)
    lines = [line.rstrip() for line in stream.getvalue().splitlines()]
    console.result("\n".join([f"{table.title}:", *(_INDENT + line for line in lines), ""]))


def is_terminal() -> bool:
    """Whether somebody looks at stdout."""
    return sys.stdout is not None and sys.stdout.isatty()
