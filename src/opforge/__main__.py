"""``opforge`` and ``python -m opforge``."""

from __future__ import annotations

import gc
import os
import signal
import sys
from typing import NoReturn

import _opforge_autoload

_OBJECTS = 200_000  # between two collections: imports and specs stay alive, and most commands end before


def main() -> None:
    """Run the command line of this process and exit with its code."""
    gc.set_threshold(_OBJECTS)
    _opforge_autoload.undo()
    _open_standard_streams()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _ended)
    try:
        from opforge.cli.main import run  # noqa: PLC0415  (an interrupt of this import must not print a traceback)

        code = run(sys.argv[1:])
        gc.freeze()  # the collection at the interpreter's end would cost 8 ms and find nothing to close
        sys.exit(code)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)


def _open_standard_streams() -> None:
    """Replace closed streams (``>&-``) by /dev/null. Otherwise the next file that is opened would get their number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))


def _ended(number: int, _frame: object) -> NoReturn:
    """Leave as after Ctrl-C: end started processes and remove unfinished files."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
