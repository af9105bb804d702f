"""Reads the warnings of the simulated device: lines of JSON that its worker appends to ``$OPFORGE_SIM_WARNINGS``.

A warning concerns a rule that devices do not enforce: the kernel continues, as on a device. Each process warns once for
an op, a rule and a line of the kernel.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from opforge.frozen import dataclass

VARIABLE = "OPFORGE_SIM_WARNINGS"
RULES = "OPFORGE_SIM_RULES"
_SCHEMA = 1


@dataclass(frozen=True)
class DeviceWarning:
    """A rule that a line of a kernel breaks: the device's record, and the number of processes that reported it."""

    fields: Mapping[str, Any]  # the line of JSON; device/README.md lists them
    times: int

    @property
    def rule(self) -> str:
        """The rule's id."""
        return str(self.fields.get("id"))

    @property
    def place(self) -> str:
        """``file:line`` in the kernel; the op if no line is known."""
        file, line = self.fields.get("file"), self.fields.get("line")
        return f"{file}:{line}" if file else str(self.fields.get("op"))

    @property
    def text(self) -> str:
        """The whole message, as on stderr of the launching process."""
        return str(self.fields.get("text", f"warning: {self.fields.get('message')}"))


@dataclass(frozen=True)
class Collection:
    """The warnings of processes whose environment has ``variables``."""

    file: Path
    start: int  # the size of the caller's file before
    variables: Mapping[str, str]

    def warnings(self) -> tuple[DeviceWarning, ...]:
        """The warnings so far, once per place, in order of first occurrence."""
        return read_warnings(self.file, self.start)


@contextmanager
def collecting(environ: Mapping[str, str], rules: str | None) -> Iterator[Collection]:
    """Collects warnings in the file that ``environ`` names, else in a temporary file."""
    with TemporaryDirectory(prefix="opforge-warnings-") as folder:
        file = Path(environ.get(VARIABLE) or Path(folder, "warnings.jsonl")).absolute()
        mode = {RULES: rules} if rules is not None else {}
        yield Collection(file, file.stat().st_size if file.is_file() else 0, {VARIABLE: str(file), **mode})


def read_warnings(file: Path, start: int = 0) -> tuple[DeviceWarning, ...]:
    """The warnings from byte ``start`` on; empty if nothing ran on a simulated device.

    Ignores an incomplete line: its worker was killed while writing.
    """
    lines = file.read_bytes()[start:].decode("utf-8", errors="replace").splitlines() if file.is_file() else []
    first: dict[tuple[object, ...], Mapping[str, Any]] = {}
    times: Counter[tuple[object, ...]] = Counter()
    for line in lines:
        with suppress(ValueError):
            fields = json.loads(line)
            if isinstance(fields, dict) and fields.get("schema") == _SCHEMA:
                place = tuple(map(str, (fields.get("op"), fields.get("id"), fields.get("file"), fields.get("line"))))
                first.setdefault(place, fields)
                times[place] += 1
    return tuple(DeviceWarning(fields, times[place]) for place, fields in first.items())


def sum_up(warnings: Sequence[DeviceWarning]) -> str:
    """The number of warnings, then a line for each with its rule and place; "" if there are none."""
    if not warnings:
        return ""
    count = f"{len(warnings)} warning{'s' if len(warnings) > 1 else ''}"
    lines = [f"{count} of the simulated device; --rules=documented refuses what opforge.yaml does not allow:"]
    width = max(len(warning.rule) for warning in warnings)
    for warning in warnings:
        often = f", in {warning.times} processes" if warning.times > 1 else ""
        lines.append(f"  {warning.rule:{width}}  {warning.place} ({warning.fields.get('op')}{often})")
    return "\n".join(lines)
