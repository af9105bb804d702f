"""Removes parts of an installation: the wheel through pip, the vendor folder, files, empty folders."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from opforge.build.plain_folder import is_plain, remove_tree
from opforge.build.python_env import PythonEnv
from opforge.errors import InstallError
from opforge.toolkit.process import Runner


def pip_command(env: PythonEnv, *words: str) -> list[str | Path]:
    """The command of pip for an environment: its own, or opforge's if it has none."""
    if env.has_pip:
        head: list[str | Path] = [env.executable, "-m", "pip"]
    else:
        head = [sys.executable, "-m", "pip", "--python", env.executable]
    return [*head, "--disable-pip-version-check", "--quiet", *words]


def pip_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """``environ`` for pip, which opens paths in any letters only in Python's UTF-8 mode if the locale is C."""
    return {**environ, "PYTHONUTF8": "1"}


def remove_vendor(vendor_dir: Path, runner: Runner, environ: Mapping[str, str]) -> None:
    """Removes an installed vendor folder, by its own script if that is safe, then empty folders.

    CANN's script exits with 1 if the package was installed with a path of its own. If that path has a space, the script
    would remove another folder (asc-devkit cmake/asc/fwk_modules/scripts/uninstall.sh:31), so it is not started.
    """
    script = vendor_dir / "scripts" / "uninstall.sh"
    if script.is_file() and is_plain(vendor_dir.resolve()):
        runner.run(["bash", script], cwd=vendor_dir.parent, env=environ, timeout=120)
    remove_tree(vendor_dir)
    if vendor_dir.is_dir():
        raise InstallError(f"{vendor_dir} cannot be removed", hint="check who owns its files, and remove it")
    prune(vendor_dir.parent, 2)


def remove_files(paths: Iterable[Path]) -> None:
    """Removes files, and then empty folders up to two levels above."""
    for path in paths:
        path.unlink(missing_ok=True)
        prune(path.parent, 2)


def prune(folder: Path, levels: int) -> None:
    """Removes a folder and its parents, at most ``levels`` folders, as long as they are empty."""
    for empty in (folder, *folder.parents)[:levels]:
        with suppress(OSError):
            empty.rmdir()
