"""Errors of opforge as Python shows them: a traceback ends with the whole message, not only with its first line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from opforge.errors import OpforgeError


@contextmanager
def errors_shown(function: str) -> Iterator[None]:
    """Gives an OpforgeError that leaves the block its place, detail and hint as text.

    ``function`` is named as the place of its arguments.
    """
    try:
        yield
    except OpforgeError as error:
        said = error.render().removeprefix(f"{error.title}: ").replace("<command line>", function)
        error.args = (said,)
        raise
