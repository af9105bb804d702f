"""Errors of opforge as Python shows them: a traceback ends with the whole message, not only with its first line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from opforge.errors import OpforgeError
from opforge.naming import snake


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


@contextmanager
def files_named_as(op_type: str, new_type: str) -> Iterator[None]:
    """Gives the sources of an op that got another type their own names in the messages of a build."""
    try:
        yield
    except OpforgeError as error:
        renamed = re.compile(rf"(op_host|op_kernel)/{snake(new_type)}(?![a-z0-9])")
        own = rf"\1/{snake(op_type)}"
        error.what = renamed.sub(own, error.what)
        error.detail = None if error.detail is None else renamed.sub(own, error.detail)
        raise
