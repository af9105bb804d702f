"""Compares generated headers with the authored files that include them, to report new and removed members."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from opforge.fileset import FileSet
from opforge.scaffold.disk import read_file
from opforge.scaffold.lock import Lock, text_sha256

# A declaration in a generated header, on a line of its own: a member of a struct, or a constant.
_DECLARED = re.compile(r"^(?: {4})?(?:constexpr \w+ (\w+) = |[\w:]+(?:<[^;()]*>)?[ *&]+(\w+);)", re.MULTILINE)
_INCLUDED = re.compile(r'^#include "(.+)"', re.MULTILINE)

Texts = Mapping[PurePosixPath, str]


def part_notes(root: Path, lock: Lock, rendered: FileSet, base: Mapping[PurePosixPath, bytes]) -> tuple[str, ...]:
    """Notes for the authors of edited files after an update.

    They list new names of generated headers that a file does not use, and removed names that it still uses. For a file
    that an older opforge started, they say how to move its code.
    """
    authored = {file.path for file in rendered if file.authored}
    parts = {file.generated_part for file in rendered if file.generated_part in rendered.files}
    written, notes = _written(root, lock, rendered), []
    for path in written:
        part = rendered.files[path].generated_part
        if part is not None and part not in parts:
            notes.append(
                f"{path} is as an older opforge began it. To have {part.name} generated for it: rename the file, "
                "`opforge update`, and move your code into the new file"
            )
    texts = {**{file.path: file.text for file in rendered if file.path in authored | parts}, **written}
    reached = {path: _reached(path, texts) for path in sorted(written, reverse=True)}  # kernels before op_host
    said: set[str] = set()
    for path, headers in reached.items():
        known = [part for part in headers if part in parts and part in base]
        old, new = _declared([base[part].decode() for part in known]), _declared([texts[part] for part in known])
        used = set(re.findall(r"\w+", written[path]))
        lost = [name for name in old if name not in new and name in used]
        if lost:
            gone = f"uses what the generated headers no longer have: {', '.join(lost)}"
            notes.append(f"{path} {gone}. It does not compile until you change it")
        if any(path in others for others in reached.values()):
            continue  # its includer uses the member from the generated header
        gained = [name for name in new if name not in {*old, *used, *said}]
        said.update(gained)
        if gained:
            notes.append(f"{path} does not use what is new in the generated headers: {', '.join(gained)}")
    return tuple(notes)


def _written(root: Path, lock: Lock, rendered: FileSet) -> dict[PurePosixPath, str]:
    """The edited files that include a generated header, or should include one."""
    found = {}
    for file in rendered:
        data = read_file(root / file.path) if file.generated_part is not None else None
        locked = lock.files.get(file.path)
        if data is not None and (locked is None or text_sha256(data) != locked.sha256):
            found[file.path] = data.decode("utf-8", "replace")
    return found


def _reached(path: PurePosixPath, texts: Texts) -> list[PurePosixPath]:
    """The files of ``texts`` that a file includes, directly or through others."""
    found: list[PurePosixPath] = []
    todo = [path]
    while todo:
        at = todo.pop(0)
        for name in _INCLUDED.findall(texts[at]):
            header = PurePosixPath(os.path.normpath(at.parent / name))
            if header in texts and header not in found:
                found.append(header)
                todo.append(header)
    return found


def _declared(headers: Sequence[str]) -> list[str]:
    names = (next(filter(None, found)) for header in headers for found in _DECLARED.findall(header))
    return list(dict.fromkeys(names))
