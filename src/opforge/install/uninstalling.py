"""``opforge uninstall``: removes everything that install wrote, including its folders."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from opforge.build.python_env import PythonEnv
from opforge.errors import InstallError
from opforge.install.environment_lock import environment_lock, require_writable
from opforge.install.receipts import Receipt, read_receipt, receipt_path
from opforge.install.removal import pip_command, pip_environment, prune, remove_files, remove_vendor
from opforge.install.unfinished import take_away_unfinished
from opforge.progress import Progress
from opforge.toolkit.process import Runner


def uninstall(
    package: str, env: PythonEnv, runner: Runner, environ: Mapping[str, str], progress: Progress
) -> Receipt | None:
    """Removes wheel, vendor folder, start-up files and receipt; None if there was only a killed installation.

    Raises InstallError, before removing anything, if nothing is installed or the environment is not writable.
    """
    with environment_lock(env.prefix, tell=progress.note):
        unfinished = take_away_unfinished(env, env.opp, runner, environ)
        path = receipt_path(env.receipts, package)
        if not path.is_file():
            if package in unfinished:
                return None
            installed = ", ".join(p.stem for p in sorted(env.receipts.glob("*.json")))
            nothing = "nothing is installed there; --python chooses another"
            raise InstallError(
                f"{package} was not installed into {env.prefix} by opforge",
                hint=f"installed are: {installed}" if installed else nothing,
            )
        receipt = read_receipt(path)
        vendor_dir = Path(receipt.vendor_dir)
        require_writable(env.purelib, env.receipts, vendor_dir.parent)
        done = runner.run(
            pip_command(env, "uninstall", "--yes", package), cwd=env.prefix, env=pip_environment(environ), timeout=600
        )
        done.require(f"pip did not uninstall {package}", InstallError)
        remove_vendor(vendor_dir, runner, environ)
        remove_files([*map(Path, receipt.files), path])
        for module in receipt.files:
            for cached in Path(module).parent.glob(f"__pycache__/{Path(module).stem}.*.pyc"):
                cached.unlink()
                prune(cached.parent, 1)
        return receipt
