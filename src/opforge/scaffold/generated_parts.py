"""What a file that its author writes has to know of the generated header that it includes, when that has changed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath

from opforge.fileset import FileSet
from opforge.scaffold.disk import read_file
from opforge.scaffold.lock import Lock, text_sha256

# A member of a struct, an alias of a type, a constant: what a generated header declares in a line of its own.
_DECLARED = re.compile(
    r"^(?: {4})?(?:using (\w+) = |constexpr \w+ (\w+) = |[\w:]+(?:<[^;()]*>)?[ *&]+(\w+);)", re.MULTILINE
)


def part_notes(root: Path, lock: Lock, rendered: FileSet, base: Mapping[PurePosixPath, bytes]) -> tuple[str, ...]:
    """Of each written file: what its header gains that it does not use yet, and what it uses that the header loses.

    A file of an older opforge includes no such header: then how to bring it to today's form.
    """
    notes: list[str] = []
    for file in rendered:
        part = file.generated_part
        data = read_file(root / file.path) if part is not None else None
        locked = lock.files.get(file.path)
        if part is None or data is None or (locked is not None and text_sha256(data) == locked.sha256):
            continue
        text = data.decode("utf-8", "replace")
        if part not in rendered.files:
            notes.append(
                f"{file.path} is as an older opforge began it. To have {part.name} generated for it: rename the file, "
                "`opforge update`, and move your code into the new file"
            )
            continue
        before = base.get(part)
        if before is not None:
            notes += _of_changes(file.path, text, part, before.decode(), rendered.files[part].text)
    return tuple(notes)


def _of_changes(path: PurePosixPath, text: str, part: PurePosixPath, before: str, after: str) -> Iterator[str]:
    used = set(re.findall(r"\w+", text))
    old, new = _declared(before), _declared(after)
    gained = [name for name in new if name not in old and name not in used]
    lost = [name for name in old if name not in new and name in used]
    if lost:
        yield f"{path} uses {', '.join(lost)}, which {part.name} no longer has: change it, else it does not compile"
    if gained:
        yield f"{path} does not use what is new in {part.name}: {', '.join(gained)}"


def _declared(header: str) -> list[str]:
    return [next(filter(None, found)) for found in _DECLARED.findall(header)]
