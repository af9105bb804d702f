"""One cause of a failure, as a row of the tables in ``causes``."""

from __future__ import annotations

from opforge.frozen import dataclass

# How likely a cause is the root of the others in one log; the lowest comes first.
ROOT = 0  # the machine or the environment
SPECIFIC = 1  # one thing in one file or call
SYMPTOM = 2  # follows from something else, which the log may not show

ISSUES = "https://github.com/"


@dataclass(frozen=True)
class Cause:
    """A failure that a text shows.

    ``pattern`` is a regular expression that is searched in the whole text; ``^`` and ``$`` match at lines. In
    ``title``, ``cause``, ``fix`` and the arguments of ``check``, ``{0}`` is the matched text and ``{1}`` its first
    group. ``check`` is the name of a function of ``local_checks`` and its arguments; ``look`` tells a person what to
    look at where nothing can be checked. ``needs`` is a part of every match; it makes patterns that begin with names
    quick in long logs. ``example`` is a real text of this failure, and ``source`` is where it stands.
    """

    key: str
    rank: int
    pattern: str
    title: str
    cause: str
    fix: str
    example: str
    source: str
    check: tuple[str, ...] = ()
    look: str = ""
    needs: str = ""
