"""Reads and writes ``.opforge/base.json.gz``: each file's text as rendered, the base of three-way merges.

It is one compressed file, so that searches, reviews and counts see each line of a project once. `zcat` prints it. Older
projects have a folder ``.opforge/base`` with a copy of each file; the next write replaces it.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Container, Mapping
from pathlib import Path, PurePosixPath

from opforge.errors import ProjectError
from opforge.fileset import FileSet, is_owned
from opforge.scaffold.disk import read_file, remove, write_bytes

BASE_FILE = PurePosixPath(".opforge/base.json.gz")
OLD_FOLDER = PurePosixPath(".opforge/base")

_SCHEMA = 1
_GZIP = 31  # zlib's window bits for gzip's format, without a time

Texts = Mapping[PurePosixPath, bytes]


def base_of(rendered: FileSet, own: Container[PurePosixPath] = ()) -> Texts:
    """The texts that later merges start from. A project's ``own`` files and those that opforge owns are not merged."""
    files = (file for file in rendered if file.path not in own and not is_owned(file.path))
    return {file.path: file.text.encode() for file in files}


def dump_base(texts: Texts) -> bytes:
    """The bytes of the file; other versions of zlib may compress the same texts to other bytes."""
    files = {str(path): text.decode("utf-8", "surrogateescape") for path, text in sorted(texts.items())}
    packed = zlib.compressobj(wbits=_GZIP)
    return packed.compress(json.dumps({"schema": _SCHEMA, "files": files}, indent=0).encode()) + packed.flush()


def read_base(root: Path) -> dict[PurePosixPath, bytes]:
    """The texts by their paths in the project; empty without the file. Raises ProjectError for a damaged file."""
    data = read_file(root / BASE_FILE)
    return _of_folder(root) if data is None else _parsed(root, data)


def write_base(root: Path, texts: Texts) -> None:
    """Replaces the file if its texts differ, and removes the folder of an older project."""
    wanted, found = dump_base(texts), read_file(root / BASE_FILE)
    if found is None or (found != wanted and _parsed(root, found) != texts):
        write_bytes(root / BASE_FILE, wanted)
    for path in _of_folder(root):
        remove(root, OLD_FOLDER / path)


def _parsed(root: Path, data: bytes) -> dict[PurePosixPath, bytes]:
    try:
        fields = json.loads(zlib.decompress(data, wbits=_GZIP))
        if fields["schema"] == _SCHEMA:
            files = fields["files"].items()
            return {PurePosixPath(path): text.encode("utf-8", "surrogateescape") for path, text in files}
        why = f"it has schema {fields['schema']}, and this opforge reads {_SCHEMA}"
    except (zlib.error, ValueError, KeyError, TypeError, AttributeError) as error:
        why = str(error) or type(error).__name__
    raise ProjectError(
        f"{root / BASE_FILE} is damaged: {why}",
        hint="take the file from your version control; if a merge left it in conflict, take one side. `opforge update` "
        "also works without the file, but then it marks every difference in edited files",
    )


def _of_folder(root: Path) -> dict[PurePosixPath, bytes]:
    folder = root / OLD_FOLDER
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file()) if folder.is_dir() else ()
    return {PurePosixPath(path.relative_to(folder).as_posix()): path.read_bytes() for path in paths}
