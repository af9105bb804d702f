"""Packs the source archive (sdist) of a project: its files without build outputs.

Source: https://packaging.python.org/en/latest/specifications/source-distribution-format/
"""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path

from opforge.build.key_parts import PAGES
from opforge.build.wheel_metadata import About, metadata
from opforge.plain_files import read_within
from opforge.spec.read.parse import load_spec

_MADE = ("build", "dist", "__pycache__", "node_modules")  # skipped, like hidden folders, environments and *.egg-info
_OWN = ".opforge"  # the only hidden folder with sources: the build backend and the lock


def source_archive(root: Path, folder: Path) -> Path:
    """Writes ``<package>-<version>.tar.gz`` to ``folder``. The same files always give the same bytes.

    Raises SpecialFileError for a link that leads out of the project.
    """
    spec = load_spec(root / "opforge.yaml")
    files = {name: read_within(root / name, root) for name in _sources(root)}
    pages = {name: files[name] for name in PAGES if name in files}
    about = About(spec, spec.project.version, pages)
    top = f"{spec.project.package}-{spec.project.version}"
    target = folder / f"{top}.tar.gz"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, data in sorted({**files, "PKG-INFO": metadata(about, None)}.items()):
            entry = tarfile.TarInfo(f"{top}/{name}")
            entry.size = len(data)
            entry.mode = 0o755 if name in files and (root / name).stat().st_mode & 0o100 else 0o644
            archive.addfile(entry, io.BytesIO(data))
    target.write_bytes(gzip.compress(packed.getvalue(), mtime=0))
    return target


def _sources(root: Path) -> Iterator[str]:
    """The source files of a project, as relative paths."""
    pending = [root]
    while pending:
        for path in pending.pop().iterdir():
            if path.is_dir():
                if not path.is_symlink() and not _is_made(path):
                    pending.append(path)
            elif path.suffix != ".pyc":
                yield path.relative_to(root).as_posix()


def _is_made(folder: Path) -> bool:
    name = folder.name
    hidden = name.startswith(".") and name != _OWN
    return hidden or name in _MADE or name.endswith(".egg-info") or (folder / "pyvenv.cfg").is_file()
