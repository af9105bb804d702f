"""The option ``--on``: runs the command on another machine."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from opforge.cli.shared.console import current


def option_words(options: Mapping[str, object], flags: Mapping[str, bool]) -> list[str]:
    """The command line of the options and flags that were given."""
    words = [f"{option}={value}" for option, value in options.items() if value is not None]
    return words + [flag for flag, given in flags.items() if given]


def run_elsewhere(on: str, start: Path, python: Path | None, words: Sequence[str]) -> int:
    """Runs ``opforge WORDS`` on the machine ``on``, with the Python there. Returns its exit status."""
    from opforge.cli.shared.runners import new_runner  # noqa: PLC0415
    from opforge.remote.address import read_address  # noqa: PLC0415
    from opforge.remote.job import RemoteJob  # noqa: PLC0415
    from opforge.scaffold.project_root import find_root  # noqa: PLC0415

    console = current()
    job = RemoteJob(read_address(on), find_root(start).resolve(), new_runner(), dict(os.environ))
    arguments = [*words, *([] if python is None else [f"--python={python}"])]
    ended = job.run(str(python or "python3"), arguments, console.note)
    if ended.output:
        console.result(ended.output.rstrip("\n"))
    return ended.code
