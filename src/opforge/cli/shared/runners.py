"""Makes the Runner of a command: with ``--verbose``, the console shows each process that it starts."""

from __future__ import annotations

from opforge.cli.shared.console import current
from opforge.toolkit.process import Runner


def new_runner() -> Runner:
    """A runner that reports to the console of the running command if that is verbose."""
    console = current()
    return Runner(observer=console if console.verbose else None)
