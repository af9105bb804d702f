"""Computes the environment variables for installed ops: the toolkit's, and the installed vendor folders."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path

from opforge.build.editable import PATH_FILE
from opforge.build.python_env import PythonEnv
from opforge.errors import UsageError
from opforge.install.receipts import all_receipts
from opforge.progress import Progress, step_when_told
from opforge.soc import SOCS, soc_of_version
from opforge.toolkit.process import Runner
from opforge.toolkit.protocol import Toolkit


def activated(
    toolkit: Toolkit, env: PythonEnv, environ: Mapping[str, str], soc_version: str | None = None
) -> dict[str, str]:
    """``environ`` with toolkit and installed packages; the environment's programs are first on PATH.

    The simulated chip is ``soc_version``, else $OPFORGE_SOC, else the chip that all packages were installed for.
    """
    receipts = [r for r in all_receipts(env.receipts) if Path(r.vendor_dir).is_dir()]
    chips = {r.soc for r in receipts}
    if soc_version is None and "OPFORGE_SOC" not in environ and len(chips) == 1:
        soc_version = chips.pop()
    active = toolkit.activation(environ, soc_version)
    custom = custom_path(env, environ)
    if custom:
        active["ASCEND_CUSTOM_OPP_PATH"] = ":".join(custom)
    programs = str(env.executable.parent)
    active["PATH"] = ":".join([programs, *(part for part in active["PATH"].split(":") if part != programs)])
    return active


def custom_path(env: PythonEnv, environ: Mapping[str, str]) -> list[str]:
    """ASCEND_CUSTOM_OPP_PATH of the activated environment: the installed packages, then its previous value."""
    installed = [receipt for receipt in all_receipts(env.receipts) if Path(receipt.vendor_dir).is_dir()]
    vendors = [receipt.vendor_dir for receipt in installed]
    vendors += _of_wheels(env, {receipt.package for receipt in installed})
    real = {os.path.realpath(vendor) for vendor in vendors}
    before = [part for part in environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(":") if part]
    return [*vendors, *(part for part in before if os.path.realpath(part) not in real)]


def _of_wheels(env: PythonEnv, others: AbstractSet[str]) -> Iterator[str]:
    """The vendor folders inside packages that only pip installed: complete, but without a receipt.

    A name such as ~ackage is left by a killed pip that was replacing a package.
    """
    for note in (*sorted(env.purelib.glob("*/_build.json")), *_of_editables(env)):
        try:
            vendor = json.loads(note.read_text(encoding="utf-8"))["vendor"]
        except (OSError, ValueError, KeyError, TypeError):
            continue  # another tool's
        folder = note.parent / "opp" / "vendors" / str(vendor)
        if note.parent.name not in others and note.parent.name.isidentifier() and folder.is_dir():
            yield str(folder)


def _of_editables(env: PythonEnv) -> Iterator[Path]:
    """The notes of editable packages."""
    for line in sorted(env.purelib.glob(PATH_FILE.format(package="*"))):
        try:
            folder = Path(line.read_text(encoding="utf-8").strip())
        except (OSError, ValueError):
            continue
        yield from folder.glob("*/_build.json")


def prepare(toolkit: Toolkit, env: PythonEnv, environ: Mapping[str, str], runner: Runner, progress: Progress) -> None:
    """Builds the simulated device's ATen operators for this environment's PyTorch, if missing."""
    if not toolkit.simulated or env.torch is None:
        return
    from opforge.toolkit.aten_library import ensure_aten  # noqa: PLC0415  (not needed with CANN)

    with step_when_told(progress, "device") as tell:
        ensure_aten(toolkit.root, env.executable, runner=runner, environ=environ, progress=tell)


def chip(name: str | None) -> str | None:
    """The chip to simulate for ``--soc``: a chip (Ascend910B3) or a compute unit (ascend910b). Raises UsageError."""
    if name is None:
        return None
    if name.lower() in SOCS:
        return SOCS[name.lower()].default_version.name
    soc = soc_of_version(name)
    if soc is None:
        known = ", ".join(f"{soc.name} ({soc.default_version.name})" for soc in SOCS.values())
        raise UsageError(f"--soc {name} is not a valid chip", hint=f"known are: {known}, and their other chips")
    return next(version.name for version in soc.versions if version.name.lower() == name.lower())
