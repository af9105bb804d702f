"""``opforge`` and ``python -m opforge``."""

from __future__ import annotations

import sys

from opforge.cli.main import run


def main() -> None:
    """Run the command line of this process and exit with its code."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
