"""Kernels that were compiled before, kept in the toolkit (<root>/cache/kernels) by everything that decides on them.

The key has the preprocessed text with the names that files have in messages, the content of the project's own files
(some rules look at them as they are written), the options, the compiler and its binutils. The toolkit's own headers and
tools are the toolkit's key. So the same kernel in another project, folder or branch is not compiled twice.

An entry is one file: the SHA-256 of the object, then the object. It appears by rename and is checked on each use.
OPFORGE_SIM_KEEP_KERNELS=0 compiles every kernel, and keeps none.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from device_code import own_files

_MOST_BYTES = 400_000_000
_DAY_NS = 24 * 3600 * 10**9  # an entry's time is that of its last use, to the day: reading writes little
_DIGEST = 64
_READ_BY_COMPILERS = ("COMPILER_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH", "SOURCE_DATE_EPOCH")
_MAP = re.compile(r"-f(?:file|macro|debug)-prefix-map=(.*)=([^=]*)")
_MARKER = re.compile(r'^(# \d+ ")([^"\n]*)', re.MULTILINE)


def key(texts: Sequence[str], code: str, compiler: Sequence[str], options: Sequence[str], work: Path) -> str:
    """The name of the entry for preprocessed ``texts`` with ``code`` behind them, compiled in the folder ``work``."""
    maps = [(match[1], match[2]) for match in map(_MAP.fullmatch, options) if match]
    named = {str(work): ".", **dict(maps)}
    digest = hashlib.sha256()
    for text in texts:
        digest.update(_renamed(text, named).encode("utf-8", "surrogateescape"))
        ours = f"{work}/"  # it includes the project's source by its path
        for name in sorted(file for file in own_files(text) if not file.startswith(ours)):
            digest.update(f"\0{_name(name, named)}\0{_content(name)}".encode("utf-8", "surrogateescape"))
    programs = [shutil.which(name) for name in (compiler[0], "as", "ld", "objcopy", "objdump")]
    depends = [
        code,
        list(compiler),
        [option for option in options if not _MAP.fullmatch(option)],
        [_stamp(program) for program in programs],
        {name: os.environ.get(name) for name in _READ_BY_COMPILERS},
    ]
    digest.update(repr(depends).encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:40]


def kept(root: Path, name: str, make: Callable[[], bytes]) -> bytes:
    """The object of the entry ``name``; what ``make`` gives, kept for the next time, where there is none."""
    if os.environ.get("OPFORGE_SIM_KEEP_KERNELS") == "0":
        return make()
    path = root / "cache" / "kernels" / name
    found = _read(path)
    if found is not None:
        with suppress(OSError):
            if time.time_ns() - path.stat().st_mtime_ns > _DAY_NS:
                os.utime(path)
        return found
    made = make()
    with suppress(OSError):  # a toolkit that may only be read
        _write(path, made)
        _bound(path)
    return made


def _read(path: Path) -> bytes | None:
    """The object of an entry; None where there is none, or one that is damaged: that is removed."""
    try:
        data = path.read_bytes()
        if hashlib.sha256(data[_DIGEST:]).hexdigest().encode() == data[:_DIGEST]:
            return data[_DIGEST:]
    except FileNotFoundError:
        return None
    except OSError:
        pass
    print(f"asc_opc: note: {path} is damaged: the kernel is compiled again", file=sys.stderr)
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    return None


def _write(path: Path, made: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            file.write(hashlib.sha256(made).hexdigest().encode() + made)
            file.close()
            Path(file.name).replace(path)
        except OSError:
            Path(file.name).unlink(missing_ok=True)
            raise


def _bound(new: Path) -> None:
    """Removes the entries that were not used for longest, and what killed processes have left."""
    entries, total = [], 0
    with os.scandir(new.parent) as found:
        for entry in found:
            with suppress(OSError):
                about = entry.stat(follow_symlinks=False)
                if entry.name.startswith("."):
                    if time.time_ns() - about.st_mtime_ns > _DAY_NS:
                        Path(entry.path).unlink()
                    continue
                entries.append((entry.name == new.name, about.st_mtime_ns, about.st_size, entry.path))
                total += about.st_size
    for _, _, size, path in sorted(entries):
        if total <= _MOST_BYTES:
            return
        with suppress(OSError):
            Path(path).unlink()
        total -= size


def _renamed(text: str, named: Mapping[str, str]) -> str:
    """Preprocessed text with its files named as the maps of prefixes have them; the last that fits, as in compilers."""
    return _MARKER.sub(lambda marker: marker[1] + _name(marker[2], named), text)


def _name(path: str, named: Mapping[str, str]) -> str:
    for old, new in reversed(named.items()):
        if path.startswith(old):
            return new + path[len(old) :]
    return path


def _content(path: str) -> str:
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return "missing"


def _stamp(program: str | None) -> tuple[str, int, int] | None:
    if program is None:
        return None
    real = Path(program).resolve()
    found = real.stat()
    return str(real), found.st_size, found.st_mtime_ns
