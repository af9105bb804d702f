"""One error code, as a row of the tables in ``codes``."""

from __future__ import annotations

from opforge.frozen import dataclass


@dataclass(frozen=True)
class Code:
    """An error code, its name in the headers, its cause and its fix; ``check`` and ``look`` as in ``Cause``.

    ``generic`` codes say only that something else failed.
    """

    number: str
    name: str
    cause: str
    fix: str
    check: tuple[str, ...] = ()
    generic: bool = False
