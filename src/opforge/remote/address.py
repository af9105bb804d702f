"""Reads ``ssh://[user@]host[:port][/folder]``."""

from __future__ import annotations

import re
from urllib.parse import unquote

from opforge.errors import UsageError
from opforge.frozen import dataclass

# A host or a user that begins with "-" would be an option of ssh, and such options run programs.
_FORM = re.compile(
    r"ssh://(?:(?P<user>[A-Za-z0-9_][\w.-]*)@)?(?P<host>[A-Za-z0-9_][\w.-]*|\[[0-9A-Fa-f:.]+\])"
    r"(?::(?P<port>[0-9]{1,5}))?(?P<folder>/.*)?",
    re.ASCII,
)


@dataclass(frozen=True)
class Address:
    """A machine, and the folder there for projects; "" is the default folder."""

    target: str  # [user@]host
    port: int | None
    folder: str

    def command(self, script: str, *options: str) -> list[str]:
        """The ssh command that runs a quoted script, with options such as "BatchMode=yes".

        It notices a broken connection in 45 s.
        """
        options = ("ConnectTimeout=20", "ServerAliveInterval=15", "ServerAliveCountMax=3", *options)
        return ["ssh", "-T", *(word for option in options for word in ("-o", option)), *self._words, script]

    @property
    def typed(self) -> str:
        """The ssh command that a user types to reach the machine."""
        return " ".join(["ssh", *self._words]).replace(" -- ", " ")

    @property
    def _words(self) -> list[str]:
        port = [] if self.port is None else ["-p", str(self.port)]
        return [*port, "--", self.target]


def read_address(text: str) -> Address:
    """The address. Raises UsageError for other forms."""
    match = _FORM.fullmatch(text)
    if match is None or not 0 < int(match["port"] or 22) < 2**16:
        raise UsageError(
            f"--on {text}: expected ssh://[user@]host[:port][/folder]",
            hint="ssh://npu1, ssh://me@npu1:2222/data/builds; names in ~/.ssh/config work as hosts",
        )
    host = match["host"].strip("[]")
    target = host if match["user"] is None else f"{match['user']}@{host}"
    return Address(target, int(match["port"]) if match["port"] else None, unquote(match["folder"] or "").rstrip("/"))
