"""Checks, file by file, that an environment contains what was built, at the end of an installation."""

from __future__ import annotations

import hashlib
import json
import zipfile
from pathlib import Path

from opforge.build.python_env import PythonEnv
from opforge.build.vendor_tree import content_hash
from opforge.errors import InstallError
from opforge.install.receipts import Receipt, read_receipt, receipt_path


def require_as_built(env: PythonEnv, wheel: Path, receipt: Receipt) -> None:
    """Raises InstallError if the receipt, the vendor folder or the Python package is not this wheel's."""
    difference = _difference(env, wheel, receipt)
    if difference is not None:
        raise InstallError(
            f"the contents of {env.prefix} differ from what was built: {difference}",
            hint="something else changed it, or dist/, during this installation: run opforge install again",
        )


def _difference(env: PythonEnv, wheel: Path, receipt: Receipt) -> str | None:
    package = receipt.package
    try:
        if hashlib.sha256(wheel.read_bytes()).hexdigest() != receipt.wheel_sha256:
            return f"{wheel} has changed"
        if read_receipt(receipt_path(env.receipts, package)) != receipt:
            return f"the receipt in {env.receipts} is of another installation"
        if content_hash(Path(receipt.vendor_dir)) != receipt.content_hash:
            return f"{receipt.vendor_dir} has changed"
        infos = sorted(path.name for path in env.purelib.glob(f"{package}-*.dist-info"))
        if infos != [f"{package}-{receipt.version}.dist-info"]:
            return f"{env.purelib} has {' and '.join(infos) or 'no dist-info'} of version {receipt.version}"
        with zipfile.ZipFile(wheel) as file:
            made_of = json.loads(file.read(f"{package}/_build.json"))["content_hash"]
            if made_of != receipt.content_hash:
                return f"{wheel.name} goes with the run package {made_of[:12]}, not with {receipt.content_hash[:12]}"
            for name in file.namelist():
                if not name.endswith(".dist-info/RECORD") and file.read(name) != (env.purelib / name).read_bytes():
                    return f"{env.purelib / name} has changed"
    except OSError as e:
        return f"{e.filename}: {e.strerror}"
    return None
