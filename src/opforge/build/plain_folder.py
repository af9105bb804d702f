"""Chooses build folders whose paths CANN's scripts accept. The scripts pass paths unquoted to make and shells.

Source: asc-devkit cmake/asc/fwk_modules/util/ascendc_compile_kernel.py:229 (``cd {} && bash {}``),
compile_ascendc_all_ops_so.py (a makefile with unquoted paths) and scripts/install.sh (``$targetdir``). A link with a
plain name would not help, because the scripts resolve it. msOpGen accepts only ASCII letters and few other characters
(msopgen msopgen/interface/utils.py:458-465).
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from opforge.build.request import BuildRequest
from opforge.errors import EnvironmentProblem
from opforge.sha256 import sha256

_PLAIN = re.compile(r"[A-Za-z0-9_./+~-]+")
_ALLOWED = "only ASCII letters, digits and . / _ + ~ -"
SCRATCH = ".opforge-"  # prefix of the folders in which installers work
_OWNER = "project"  # a file in a cached folder with the path of the project that owns the folder


def is_plain(path: Path) -> bool:
    """Whether make, an unquoted shell command, CMake and msOpGen all read the path as one word."""
    return _PLAIN.fullmatch(str(path)) is not None and "//" not in str(path)


def cann_place(request: BuildRequest) -> Path:
    """The folder in which operators are built: ``build/cann``, or a folder in the cache if that path is not plain.

    Raises EnvironmentProblem if no folder has a plain path.
    """
    own = request.folder / "cann"
    if is_plain(own) and is_plain(own.resolve()):
        return own
    name = sha256(os.fsencode(request.root.resolve())).hexdigest()[:16]
    return _plain_place(request.cache) / "work" / name


def cann_folder(request: BuildRequest) -> Path:
    """Creates the folder ``cann_place`` and records that it belongs to this project."""
    folder = cann_place(request)
    if folder.parent != request.folder and not (folder / _OWNER).is_file():
        _remove_orphans(folder.parent)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / _OWNER).write_bytes(os.fsencode(request.root.resolve()))
    return folder


@contextmanager
def plain_scratch(beside: Path) -> Iterator[Path]:
    """Yields a temporary empty folder with a plain path, in ``beside`` if possible. ``beside`` must then exist."""
    place = beside if is_plain(beside) and is_plain(beside.resolve()) else _plain_place(None)
    for left in place.glob(f"{SCRATCH}*"):
        with suppress(OSError):  # not a folder, or a file system without folder locks
            lock = _locked(left)
            if lock is not None:  # left by a killed process; running processes hold their lock
                remove_tree(left)
                os.close(lock)
    folder, lock = _new_scratch(place)
    try:
        yield folder
    finally:
        remove_tree(folder)
        if lock is not None:
            os.close(lock)


def _new_scratch(place: Path) -> tuple[Path, int | None]:
    """A new folder and its lock, or None if locks are not available. Retries if another process removed the folder."""
    import tempfile  # noqa: PLC0415  (as shutil: not on the way of a build with nothing to do)

    while True:
        folder = Path(tempfile.mkdtemp(prefix=SCRATCH, dir=place))
        try:
            lock = _locked(folder)
        except FileNotFoundError:
            continue
        except OSError:
            return folder, None
        if lock is not None and os.fstat(lock).st_nlink > 0:
            return folder, lock


def _locked(folder: Path) -> int | None:
    """A descriptor that holds the lock of a folder; None if another process holds it."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def remove_tree(folder: Path) -> None:
    """Removes a folder even if its installer made parts of it read-only. A missing folder is not an error."""
    for parent, names, _ in os.walk(folder):
        for name in ("", *names):
            path = os.path.join(parent, name)  # noqa: PTH118  (a Path drops the empty name)
            if not os.path.islink(path) and not os.access(path, os.W_OK | os.X_OK):  # noqa: PTH114
                os.chmod(path, 0o700)  # noqa: PTH101
    import shutil  # noqa: PLC0415

    shutil.rmtree(folder, ignore_errors=True)


def _plain_place(cache: Path | None) -> Path:
    """The cache folder, or else a folder for temporary files that belongs to this user."""
    if cache is not None and is_plain(cache.resolve()):
        return cache
    import tempfile  # noqa: PLC0415

    temporary = Path(tempfile.gettempdir()).resolve() / f"opforge-{os.getuid()}"
    if not is_plain(temporary):
        raise EnvironmentProblem(
            f"CANN's build does not accept all characters of the path {cache or temporary}, nor of {temporary}",
            hint=f"export OPFORGE_CACHE=<a folder whose path has {_ALLOWED}>",
        )
    temporary.mkdir(mode=0o700, exist_ok=True)
    found = temporary.lstat()
    if temporary.is_symlink() or found.st_uid != os.getuid() or found.st_mode & 0o022:
        raise EnvironmentProblem(
            f"{temporary} belongs to another user, or others may write to it",
            hint=f"remove it, or export OPFORGE_CACHE=<a folder whose path has {_ALLOWED}>",
        )
    return temporary


def _remove_orphans(place: Path) -> None:
    """Removes the folders of projects that no longer exist."""
    for owner in place.glob(f"*/{_OWNER}"):
        if not os.path.isdir(owner.read_bytes()):  # noqa: PTH112  (a path of any bytes)
            remove_tree(owner.parent)
