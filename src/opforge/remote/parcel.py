"""Packs a project's files for another machine, and takes what comes back."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from opforge.errors import BuildError, ProjectError
from opforge.frozen import dataclass
from opforge.plain_files import read_within
from opforge.remote.command import Command
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


@dataclass(frozen=True)
class Taken:
    """The results of a job, here: the command's stdout, and the paths of files from the project's folder."""

    output: str
    files: tuple[str, ...]


def take(parcel: Path, digest: str, root: Path, command: Command) -> Taken:
    """Puts what a job brings back below ``root``.

    The packages of a folder replace that folder as a whole; reports replace files of the same name. Raises BuildError,
    and leaves everything as it is, if the parcel is not what the other machine packed, or if there is no space.
    """
    if sha256(parcel.read_bytes()).hexdigest() != digest:
        raise BuildError(
            "the results arrived damaged: their SHA-256 is not that of the other machine; nothing here has changed",
            hint="run the same command again",
        )
    output = ""
    arrived = Arrived(root)
    try:
        with tarfile.open(parcel) as tar:
            for entry in tar:
                stream = tar.extractfile(entry) if entry.isfile() else None
                path = PurePosixPath(entry.name)
                if stream is None or path.is_absolute() or ".." in path.parts:
                    continue
                if entry.name == "out":
                    output = stream.read().decode(errors="replace")
                elif str(path.parent) in command.whole and path.suffix in {".run", ".whl"}:
                    arrived.add_package(path, stream.read())
                elif any(path.is_relative_to(name) for name in command.written):
                    arrived.add_report(path, stream.read())
        arrived.put()
    except OSError as error:
        raise BuildError(
            f"the results cannot be written below {root}: {error.strerror}",
            hint="free some space and check the folder's rights; the same command fetches them then",
        ) from error
    finally:
        arrived.clean()
    return Taken(output, tuple(sorted(map(str, arrived.files))))


class Arrived:
    """Files that wait beside their places in a project until all of them are written."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: list[PurePosixPath] = []
        self._folders: dict[PurePosixPath, Path] = {}  # where the packages of a folder wait
        self._reports: dict[Path, Path] = {}  # where a report waits, and its place

    def add_package(self, path: PurePosixPath, data: bytes) -> None:
        """Writes one file of a folder that is replaced as a whole."""
        self.files.append(path)
        if path.parent not in self._folders:
            self._folders[path.parent] = Path(tempfile.mkdtemp(prefix=f".{path.parent.name}-", dir=self.root))
        new = self._folders[path.parent] / path.name
        new.write_bytes(data)
        new.chmod(0o755 if path.suffix == ".run" else 0o644)

    def add_report(self, path: PurePosixPath, data: bytes) -> None:
        """Writes one file that replaces the one of its name."""
        self.files.append(path)
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        new = place.with_name(f".{place.name}.new")
        self._reports[new] = place
        new.write_bytes(data)

    def put(self) -> None:
        """Moves everything to its place."""
        for path, folder in self._folders.items():
            folder.chmod(0o755)
            _swap(folder, self.root / path)
        for new, place in self._reports.items():
            new.replace(place)

    def clean(self) -> None:
        """Removes what is not in its place."""
        for folder in self._folders.values():
            shutil.rmtree(folder, ignore_errors=True)
        for new in self._reports:
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)


def _swap(incoming: Path, dist: Path) -> None:
    """Puts the new folder in the old one's place; ``incoming`` is the old one afterwards."""
    if not dist.exists():
        incoming.rename(dist)
        return
    old = incoming.with_name(f"{incoming.name}-old")
    dist.rename(old)
    incoming.rename(dist)
    shutil.rmtree(old, ignore_errors=True)
