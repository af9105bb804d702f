"""``opforge uninstall``: takes away what install put there, down to the folders it made."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from opforge.build.python_env import PythonEnv
from opforge.build.receipts import Receipt, read_receipt, receipt_path
from opforge.errors import InstallError
from opforge.toolkit.process import Runner


def uninstall(package: str, env: PythonEnv, runner: Runner, environ: Mapping[str, str]) -> Receipt:
    """Removes wheel, vendor folder, start-up files and receipt. Raises InstallError when nothing is installed."""
    path = receipt_path(env.receipts, package)
    if not path.is_file():
        installed = ", ".join(p.stem for p in sorted(env.receipts.glob("*.json")))
        raise InstallError(
            f"{package} was not installed into {env.prefix} by opforge",
            hint=f"installed are: {installed}" if installed else "nothing is installed there; --python chooses another",
        )
    receipt = read_receipt(path)
    done = runner.run(pip_command(env, "uninstall", "--yes", package), cwd=env.prefix, env=environ, timeout=600)
    done.require(f"pip did not uninstall {package}", InstallError)
    remove_vendor(Path(receipt.vendor_dir), runner, environ)
    remove_files([*map(Path, receipt.files), path])
    for module in receipt.files:
        for cached in Path(module).parent.glob(f"__pycache__/{Path(module).stem}.*.pyc"):
            cached.unlink()
            _prune(cached.parent, 1)
    return receipt


def pip_command(env: PythonEnv, *words: str) -> list[str | Path]:
    """Pip for an environment: its own, or opforge's where it has none."""
    if env.has_pip:
        head: list[str | Path] = [env.executable, "-m", "pip"]
    else:
        head = [sys.executable, "-m", "pip", "--python", env.executable]
    return [*head, "--disable-pip-version-check", "--quiet", *words]


def remove_vendor(vendor_dir: Path, runner: Runner, environ: Mapping[str, str]) -> None:
    """Removes an installed vendor folder with its own script, or as a folder where it has none; then what is empty."""
    script = vendor_dir / "scripts" / "uninstall.sh"
    if script.is_file():
        runner.run(["bash", script], cwd=vendor_dir.parent, env=environ, timeout=120)
    if vendor_dir.is_dir():
        shutil.rmtree(vendor_dir)
    _prune(vendor_dir.parent, 2)


def remove_files(paths: Iterable[Path]) -> None:
    """Removes files, and the folders they leave empty up to two levels above."""
    for path in paths:
        path.unlink(missing_ok=True)
        _prune(path.parent, 2)


def _prune(folder: Path, levels: int) -> None:
    for empty in (folder, *folder.parents)[:levels]:
        with suppress(OSError):
            empty.rmdir()
