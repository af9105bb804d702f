"""Installs a finished build if the environment does not have it, for commands that use the installed package."""

from __future__ import annotations

import hashlib
from pathlib import Path

from opforge.build.editable import PATH_FILE
from opforge.build.pipeline import Built
from opforge.build.request import BuildRequest
from opforge.install.receipts import Receipt, read_receipt, receipt_path


def renew_installation(request: BuildRequest, built: Built) -> Path:
    """The vendor folder of the installed build, after an installation if another build or none is installed.

    A new installation keeps the prefix, the chip and the start-up file of the previous one. It does not call the ops,
    because the command that follows does. Raises InstallError.
    """
    package = built.wheel.name.partition("-")[0]
    path = receipt_path(built.env.receipts, package)
    old = read_receipt(path) if path.is_file() else None
    editable = None if old is not None else _editable_vendor(request, built, package)
    if editable is not None:
        return editable
    if old is not None and _is_current(old, built):
        return Path(old.vendor_dir)
    from opforge.build.project_lock import project_lock  # noqa: PLC0415  (these: not if the build is installed)
    from opforge.install.installing import install  # noqa: PLC0415
    from opforge.progress import step  # noqa: PLC0415

    why = f"{package} in {built.env.prefix} is another build" if old else f"{package} is not in {built.env.prefix}"
    with project_lock(request.folder), step(request.progress, "install", why):
        done = install(
            request,
            built,
            prefix=None if old is None else Path(old.vendor_dir).parents[1],
            activate=old is not None and bool(old.files),
            soc_version=None if old is None else _kept_chip(request, old),
            call_ops=False,
        )
    return Path(done.receipt.vendor_dir)


def _kept_chip(request: BuildRequest, old: Receipt) -> str | None:
    """The chip of the previous installation; None if the project is not built for it any more."""
    from opforge.soc import soc_of_version  # noqa: PLC0415
    from opforge.spec.read.parse import load_spec  # noqa: PLC0415

    soc = soc_of_version(old.soc)
    return old.soc if soc is not None and soc.name in load_spec(request.spec_as_built).project.soc else None


def _is_current(receipt: Receipt, built: Built) -> bool:
    """Whether the receipt is of this build, and what it describes is still there."""
    info = built.env.purelib / f"{receipt.package}-{receipt.version}.dist-info"
    return (
        Path(receipt.vendor_dir).is_dir()
        and info.is_dir()
        and receipt.toolkit_root == str(built.toolkit.root)
        and receipt.wheel_sha256 == hashlib.sha256(built.wheel.read_bytes()).hexdigest()
    )


def _editable_vendor(request: BuildRequest, built: Built, package: str) -> Path | None:
    """The vendor folder of pip's editable installation of this project, which each build brings up to date."""
    try:
        place = Path((built.env.purelib / PATH_FILE.format(package=package)).read_text(encoding="utf-8").strip())
    except OSError:
        return None
    if place.parent.resolve() != request.folder.resolve():
        return None
    return next((folder for folder in (place / package / "opp" / "vendors").glob("*") if folder.is_dir()), None)
