"""The option ``--rules``, and the collection of the simulated device's warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.console import Json, current, jsonable

if TYPE_CHECKING:
    from opforge.toolkit.device_warnings import Collection

rules_option = click.option(
    "--rules",
    type=click.Choice(("device", "documented")),
    help="How to treat kernels that break a rule which devices do not enforce: device warns and continues, documented "
    "refuses them. The default is in opforge.yaml: device for adopted ops, documented for all others.",
)


def collect_warnings(environ: Mapping[str, str], rules: str | None, *, shown: bool = False) -> Collection:
    """Collects the warnings of the processes that this command starts; its end prints them with a summary.

    ``shown``: these processes write to this terminal, so only the summary is printed. With ``--json`` nothing is
    printed: the command puts ``warning_rows`` into its result.
    """
    return click.get_current_context().with_resource(collected_warnings(environ, rules, shown=shown))


@contextmanager
def collected_warnings(environ: Mapping[str, str], rules: str | None, *, shown: bool) -> Iterator[Collection]:
    """``collect_warnings`` for the processes of a block, with the summary at its end."""
    from opforge.toolkit.device_warnings import collecting, sum_up  # noqa: PLC0415

    console = current()
    with collecting(environ, rules) as collection:
        try:
            yield collection
        finally:
            found = () if console.as_json else collection.warnings()
            for warning in () if shown else found:
                console.warning(warning.text.removeprefix("warning: "))
            if found:
                console.warning(sum_up(found))


def warning_rows(collection: Collection) -> list[Json]:
    """The warnings for ``--json``: the device's record of each, and the number of processes that reported it."""
    return [{**{k: jsonable(v) for k, v in w.fields.items()}, "times": w.times} for w in collection.warnings()]
