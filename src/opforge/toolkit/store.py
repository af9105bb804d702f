"""Stores results in the cache by their key, atomically; checks them on each use and removes the oldest.

An entry is a folder named by its key, with its files and their digests. Entries are added and removed by rename, so
several processes may share a store; a process whose entry was just removed makes it again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from opforge.errors import ProjectError
from opforge.frozen import dataclass
from opforge.plain_files import read_plain

_DIGESTS = "digests.json"
_USED_AGAIN_NS = 24 * 3600 * 10**9  # an entry's time is its last use, to the day, so that reads rarely write


@dataclass(frozen=True)
class Store:
    """Entries below a folder, of at most ``most_bytes`` in total. ``tell`` is called for damaged entries."""

    folder: Path
    most_bytes: int
    tell: Callable[[str], None]

    def get(self, key: str) -> dict[str, bytes] | None:
        """An entry's files; None if there is no entry. A damaged entry is removed."""
        entry = self.folder / key
        try:
            digests = json.loads(read_plain(entry / _DIGESTS))
            files = {name: read_plain(entry / name) for name in digests}
            for name, data in files.items():
                if hashlib.sha256(data).hexdigest() != digests[name]:
                    raise ValueError(f"{name} has another content")  # noqa: TRY301
        except (OSError, ValueError, TypeError, AttributeError, ProjectError) as error:
            if os.path.lexists(entry):
                self.tell(f"{entry} in the cache is damaged ({_said(error)}): it is made again")
                _remove(entry)
            return None
        with suppress(OSError):
            if time.time_ns() - entry.stat().st_mtime_ns > _USED_AGAIN_NS:
                os.utime(entry)
        return files

    def put(self, key: str, files: Mapping[str, bytes]) -> bool:
        """Stores an entry and replaces one with the same key. False if the cache cannot be written."""
        scratch = self.folder / f".{key}.{os.urandom(4).hex()}.new"
        try:
            scratch.mkdir(parents=True)
            for name, data in files.items():
                (scratch / name).write_bytes(data)
            digests = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
            (scratch / _DIGESTS).write_text(json.dumps(digests), encoding="utf-8")
            _remove(self.folder / key)
            with suppress(OSError):  # another process was faster: its entry is the same
                scratch.rename(self.folder / key)
            self._bound(key)
        except OSError:
            return False
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return True

    def _bound(self, kept: str) -> None:
        """Removes the least recently used entries, and leftovers of killed processes."""
        entries = []
        for entry in self.folder.iterdir():
            with suppress(OSError):
                if entry.name.startswith("."):
                    if time.time_ns() - entry.stat().st_mtime_ns > _USED_AGAIN_NS:
                        shutil.rmtree(entry, ignore_errors=True)
                    continue
                size = sum(path.stat().st_size for path in entry.iterdir())
                entries.append((entry.name == kept, entry.stat().st_mtime_ns, size, entry))
        total = sum(size for _, _, size, _ in entries)
        for _, _, size, entry in sorted(entries):
            if total <= self.most_bytes:
                return
            _remove(entry)
            total -= size


def _remove(entry: Path) -> None:
    """Removes an entry atomically, whether file or folder."""
    gone = entry.with_name(f".{entry.name}.{os.urandom(4).hex()}.old")
    with suppress(OSError):
        entry.rename(gone)
        if gone.is_dir() and not gone.is_symlink():
            shutil.rmtree(gone, ignore_errors=True)
        else:
            gone.unlink()


def _said(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{Path(error.filename or '').name}: {error.strerror}"
    return getattr(error, "what", None) or str(error)
