"""``opforge`` and ``python -m opforge``."""

from __future__ import annotations

import signal
import sys
from typing import NoReturn

from opforge.cli.main import run


def main() -> None:
    """Run the command line of this process and exit with its code."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _ended)
    sys.exit(run(sys.argv[1:]))


def _ended(number: int, _frame: object) -> NoReturn:
    """Leave as after Ctrl-C: what was started is ended, what was half made is removed."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
