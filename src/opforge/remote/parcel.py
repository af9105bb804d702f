"""Packs a project's files for another machine, and takes artifacts that come back."""

from __future__ import annotations

import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from opforge.errors import BuildError, ProjectError
from opforge.plain_files import read_within
from opforge.sha256 import sha256
from opforge.toolkit.process import Runner

_LEFT_OUT = frozenset({"build", "dist", ".git", "__pycache__", ".venv", "venv", ".pytest_cache"})


def project_files(root: Path, runner: Runner, environ: Mapping[str, str]) -> list[str]:
    """The files to send, by their paths from ``root``: without build/, dist/ and files that git ignores."""
    ignored = _ignored(root, runner, environ)
    found: list[str] = []
    for here, folders, names in os.walk(root):
        inside = os.path.relpath(here, root)
        prefix = "" if inside == "." else f"{inside}/"
        top = prefix == ""
        folders[:] = sorted(
            name
            for name in folders
            if not (name in _LEFT_OUT and (top or name == "__pycache__")) and f"{prefix}{name}/" not in ignored
        )
        for name in folders:
            if os.path.islink(f"{here}/{name}"):  # noqa: PTH114
                raise ProjectError(
                    f"{here}/{name} is a link to a folder; --on sends plain files", hint="copy the folder"
                )
        found += [prefix + name for name in names if prefix + name not in ignored and not name.endswith(".pyc")]
    return sorted(found)


def _ignored(root: Path, runner: Runner, environ: Mapping[str, str]) -> frozenset[str]:
    if not any((folder / ".git").exists() for folder in (root, *root.parents)):
        return frozenset()
    command = ["git", "-c", "core.quotePath=off", "ls-files", "-z", "-o", "-i", "--exclude-standard", "--directory"]
    done = runner.run(command, cwd=root, env=environ)
    done.require("cannot list the files that git ignores", ProjectError)
    return frozenset(done.output.split("\0"))


def pack(root: Path, files: list[str], parcel: Path) -> str:
    """Writes a compressed tar of the files and of their list. Returns the key of names, modes and contents."""
    key = sha256()
    with tarfile.open(parcel, "w:gz", compresslevel=1) as tar:
        for name in files:
            data = read_within(root / name, root)
            status = (root / name).stat()
            entry = tarfile.TarInfo(f"project/{name}")
            entry.size, entry.mtime, entry.mode = len(data), int(status.st_mtime), status.st_mode & 0o755
            key.update(f"{name}\0{entry.mode}\0{len(data)}\0".encode(errors="surrogateescape") + data)
            tar.addfile(entry, io.BytesIO(data))
        listing = "".join(f"{name}\0" for name in files).encode(errors="surrogateescape")
        entry = tarfile.TarInfo("files")
        entry.size = len(listing)
        tar.addfile(entry, io.BytesIO(listing))
    return key.hexdigest()


def take(parcel: Path, digest: str, root: Path) -> str:
    """Replaces dist/ by the artifacts of a parcel, if it has any. Returns the output of the command.

    Raises BuildError, and leaves dist/ as it is, if the parcel is not what the other machine packed.
    """
    if sha256(parcel.read_bytes()).hexdigest() != digest:
        raise BuildError(
            "the artifacts arrived damaged: their SHA-256 is not that of the other machine; dist/ is unchanged",
            hint="run the same command again",
        )
    output = ""
    incoming = Path(tempfile.mkdtemp(prefix=".dist-", dir=root))
    try:
        with tarfile.open(parcel) as tar:
            for entry in tar:
                name = Path(entry.name).name
                stream = tar.extractfile(entry) if entry.isfile() else None
                if stream is not None and entry.name == "out":
                    output = stream.read().decode(errors="replace")
                elif stream is not None and entry.name == f"dist/{name}" and name.endswith((".run", ".whl")):
                    (incoming / name).write_bytes(stream.read())
                    (incoming / name).chmod(0o755 if name.endswith(".run") else 0o644)
        if any(incoming.iterdir()):
            incoming.chmod(0o755)
            _swap(incoming, root / "dist")
    finally:
        shutil.rmtree(incoming, ignore_errors=True)
    return output


def _swap(incoming: Path, dist: Path) -> None:
    """Puts the new folder in the old one's place; ``incoming`` is the old one afterwards."""
    if not dist.exists():
        incoming.rename(dist)
        return
    old = incoming.with_name(f"{incoming.name}-old")
    dist.rename(old)
    incoming.rename(dist)
    shutil.rmtree(old, ignore_errors=True)
