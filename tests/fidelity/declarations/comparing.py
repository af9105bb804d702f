"""Two tables of declarations side by side: what differs, and the reasons why a difference may stand."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from clang_ast import parse
from parts import HERE, Part, Side
from reading import Reader, Table

REASONS = HERE / "reasons.json"
PUBLIC = HERE / "public"


@dataclass(frozen=True)
class Read:
    """What a side declares, in which file each name first stands, and what the parser complained of."""

    table: Table
    files: dict[str, str]
    errors: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """A name that is declared otherwise there. ``lines``: "+ form" for ours alone, "- form" for theirs alone."""

    name: str
    file: str
    lines: tuple[str, ...]
    absent: bool  # the public headers lack the name

    @property
    def kind(self) -> str:
        if self.absent:
            return "only here"
        signs = {line[0] for line in self.lines}
        return {"+": "more forms here", "-": "more forms there"}.get("".join(signs), "another form")


@dataclass(frozen=True)
class Reason:
    """Why lines of some names may differ. ``names`` is matched as a whole, ``lines`` is looked for in each line.

    ``part``: the only comparison that it speaks of, where it does not speak of all.
    """

    names: re.Pattern[str]
    lines: re.Pattern[str]
    why: str
    part: str | None

    def covers(self, part: str, name: str, line: str) -> bool:
        return self.part in {None, part} and bool(self.names.fullmatch(name) and self.lines.search(line))


def read(side: Side, root: Path, left_out: Iterable[str] = ("/sim/",)) -> Read:
    counted, private = side.counts(root), tuple(left_out)
    unit = parse(side.source(), side.arguments(root))
    reader = Reader(lambda file: file.startswith(counted) and not any(each in file for each in private))
    reader.read(unit)
    files = {name: str(Path(file.removeprefix(f"{root}/"))) for name, file in reader.files.items()}
    errors = tuple(str(each) for each in unit.diagnostics if each.severity > 2)
    return Read(dict(reader.table), files, errors)


def read_theirs(part: Part, root: Path) -> Read:
    """All units of the public side: a name is as the first that declares it says."""
    table: Table = {}
    files: dict[str, str] = {}
    errors: tuple[str, ...] = ()
    for side in part.theirs:
        found = read(side, root, ())
        table.update({name: forms for name, forms in found.table.items() if name not in table})
        files.update({name: file for name, file in found.files.items() if name not in files})
        errors += found.errors
    for mine, public in part.stands_for:
        constructor = f"{public}::{public.rpartition('::')[2]}"
        for name in [each for each in table if f"{each}::".startswith(f"{public}::")]:
            own = f"{mine}::{mine.rpartition('::')[2]}" if name == constructor else mine + name.removeprefix(public)
            table[own] = table[name]
    return Read(table, files, errors)


def differences(ours: Read, theirs: Table) -> list[Difference]:
    """Of the names that we declare, in order of file and name."""
    found = []
    for name, forms in ours.table.items():
        public = theirs.get(name, set())
        lines = [f"+ {form}" for form in sorted(forms - public)] + [f"- {form}" for form in sorted(public - forms)]
        if lines:
            found.append(Difference(name, ours.files[name], tuple(lines), name not in theirs))
    return sorted(found, key=lambda each: (each.file, each.name))


def read_reasons() -> list[Reason]:
    listed = json.loads(REASONS.read_text(encoding="utf-8"))
    return [
        Reason(re.compile(each["names"]), re.compile(each.get("lines", "")), each["why"], each.get("part"))
        for each in listed
    ]


def why(part: str, difference: Difference, reasons: list[Reason]) -> list[str] | None:
    """The reasons of all its lines, or None where a line has none."""
    found: list[str] = []
    for line in difference.lines:
        reason = next((each for each in reasons if each.covers(part, difference.name, line)), None)
        if reason is None:
            return None
        if reason.why not in found:
            found.append(reason.why)
    return found


def read_public(part: str) -> Table:
    """The public forms of the names that we declare, as ``compare.py --write`` has put them down."""
    kept = json.loads((PUBLIC / f"{part}.json").read_text(encoding="utf-8"))
    table = read_public(kept["like"]) if "like" in kept else {}
    table.update({name: set(forms) for name, forms in kept["names"].items() if forms is not None})
    return {name: forms for name, forms in table.items() if kept["names"].get(name, ()) is not None}
