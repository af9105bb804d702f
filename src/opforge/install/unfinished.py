"""Removes leftovers of killed installations: each notes its target first, and the next command cleans up."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from opforge.build.plain_folder import SCRATCH, remove_tree
from opforge.build.python_env import PythonEnv
from opforge.errors import InstallError
from opforge.install.receipts import read_receipt, receipt_path
from opforge.install.removal import pip_command, pip_environment, remove_files, remove_vendor
from opforge.toolkit.process import Runner

_BEGUN = ".begun"


@contextmanager
def noted(env: PythonEnv, package: str, vendor_dir: Path) -> Iterator[None]:
    """Notes that a package is being installed; the note is removed after success or complete removal.

    After a kill or Ctrl-C it stays, because pip may have been running.
    """
    env.receipts.mkdir(parents=True, exist_ok=True)
    note = env.receipts / f"{package}{_BEGUN}"
    note.write_text(json.dumps({"vendor_dir": str(vendor_dir)}), encoding="utf-8")
    try:
        yield
    except InstallError:
        remove_files([note])
        raise
    remove_files([note])


def take_away_unfinished(env: PythonEnv, target: Path, runner: Runner, environ: Mapping[str, str]) -> tuple[str, ...]:
    """Removes leftovers of killed installations in an environment and in ``target``; returns their packages' names.

    The caller holds the locks of both, so no installation is running there.
    """
    packages = []
    for note in sorted(env.receipts.glob(f"*{_BEGUN}")):
        package = note.name.removesuffix(_BEGUN)
        try:
            vendor_dir = Path(json.loads(note.read_text(encoding="utf-8"))["vendor_dir"])
        except (OSError, ValueError, KeyError, TypeError):
            vendor_dir = None  # killed while writing the note: nothing was installed
        if vendor_dir is not None:
            _sweep(vendor_dir.parents[1])
            take_away(env, package, vendor_dir, runner, environ)
            packages.append(package)
        remove_files([note])
    remove_files(env.receipts.glob("*.new"))
    for ours in env.purelib.glob("~*/_build.json"):  # leftovers of any killed pip
        remove_tree(ours.parent)
    _sweep(target)
    return tuple(packages)


def take_away(env: PythonEnv, package: str, vendor_dir: Path, runner: Runner, environ: Mapping[str, str]) -> None:
    """Removes a package completely: a partial installation must not look like a complete one."""
    path = receipt_path(env.receipts, package)
    try:
        files = read_receipt(path).files if path.is_file() else ()
    except InstallError:
        files = ()
    remove_vendor(vendor_dir, runner, environ)
    if (env.purelib / package).is_dir():
        runner.run(
            pip_command(env, "uninstall", "--yes", package), cwd=env.prefix, env=pip_environment(environ), timeout=600
        )
    # pip does not remove a package without its dist-info, or folders that it renamed while replacing one.
    names = re.compile(rf"(?:{re.escape(package)}|{_renamed(package)})(?:-.*\.dist-info)?")
    for left in env.purelib.iterdir():
        if names.fullmatch(left.name):
            remove_tree(left)
    remove_files([*map(Path, files), path])


def _renamed(package: str) -> str:
    """A pattern for the names of folders that pip is replacing: the next free name of the same length.

    Source: pip, _internal/utils/temp_dir.py, AdjacentTempDirectory.
    """
    return "|".join(rf"~[-~.=%\d]{{{kept - 1}}}{re.escape(package[kept:])}" for kept in range(1, len(package)))


def _sweep(target: Path) -> None:
    """Removes work folders of installers, and partially moved vendor folders."""
    vendors = target / "vendors"
    for left in (*target.glob(f"{SCRATCH}*"), *vendors.glob(".*.new.*"), *vendors.glob(".*.old.*")):
        remove_tree(left)
