"""Chooses the toolkit of a command: the requested one, that of the environment, or the one that was recorded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from opforge.errors import ToolkitError
from opforge.frozen import dataclass
from opforge.toolkit.cann import identity, is_cann, is_simulator, read_version
from opforge.toolkit.protocol import Kind
from opforge.toolkit.recorded_choice import Record, read_record

Request = Literal["auto", "simulator", "cann"]

ROOT = Path("/")
SIMULATOR = "simulator"


@dataclass(frozen=True)
class Choice:
    """A kind of toolkit, its root if it is CANN, and the reason for the choice."""

    kind: Kind
    root: Path | None
    reason: str


def choose(request: Request, environ: Mapping[str, str], project: Path | None = None, top: Path = ROOT) -> Choice:
    """The toolkit that ``--toolchain`` names. ``auto``: ASCEND_HOME_PATH, then the record of project or user.

    The simulator's root is None: it is built or found in the cache. Raises ToolkitError if CANN is requested and
    nothing names one, and if the recorded toolkit does not exist. ``top`` is the root of the file system.
    """
    if request == "simulator":
        return Choice("simulator", None, "--toolchain simulator asks for it")
    named = environ.get("ASCEND_HOME_PATH")
    root = Path(named) if named else None
    record = read_record(project, environ)
    if root is not None and is_cann(root):
        beside = f"; it goes before {record.named} of {record.file}" if record and not _same(record, root) else ""
        return Choice("cann", root, f"ASCEND_HOME_PATH is the CANN toolkit {root}{beside}")
    what = _said(root)
    activated = root is not None and is_simulator(root)
    if record is not None and not (activated and request == "auto"):
        found = resolve(record, environ, top)
        if found.kind == "cann" or request == "auto":
            return found
        what = found.reason
    if request == "cann":
        raise ToolkitError(
            f"--toolchain cann: {what}",
            hint="source set_env.sh of a CANN toolkit, or `opforge toolkit use` one; `opforge toolkit list` shows them",
        )
    beside = f"; it goes before {record.named} of {record.file}" if record and record.named != SIMULATOR else ""
    return Choice("simulator", None, f"{what}{beside}")


def resolve(record: Record, environ: Mapping[str, str], top: Path = ROOT) -> Choice:
    """The recorded toolkit. Raises ToolkitError if this machine does not have it."""
    if record.named == SIMULATOR:
        return Choice("simulator", None, f"{record.file} says {SIMULATOR}")
    reason = f"{record.file} says {record.named}"
    if record.named.startswith("/"):
        root = Path(record.named)
        if is_cann(root):
            return Choice("cann", root, reason)
        why = "has no tools/opbuild/op_build" if root.is_dir() else "does not exist"
        what = f"the toolkit {root}, which {record.file} names, {why}"
        raise ToolkitError(what, hint=_ANOTHER)
    from opforge.toolkit.installed_cann import installed_cann, of_version  # noqa: PLC0415  (looks at many folders)

    found = installed_cann(environ, top)
    of_it = of_version(found, record.named)
    if not of_it:
        there = ", ".join(f"{one.version} at {one.root}" for one in found) or "none"
        what = f"CANN {record.named}, which {record.file} names, was not found; CANN on this machine: {there}"
        raise ToolkitError(what, hint=_ANOTHER)
    return Choice("cann", of_it[0].root, reason)


_ANOTHER = "`opforge toolkit use` another one (`opforge toolkit list`), or --toolchain simulator"


def _said(root: Path | None) -> str:
    if root is None:
        return "ASCEND_HOME_PATH is not set"
    if is_simulator(root):
        return f"ASCEND_HOME_PATH is the simulated toolkit {root}"
    if root.is_dir():
        return f"ASCEND_HOME_PATH is {root}, which has no tools/opbuild/op_build"
    return f"ASCEND_HOME_PATH is {root}, which does not exist"


def _same(record: Record, root: Path) -> bool:
    if record.named.startswith("/"):
        return identity(Path(record.named)) == identity(root)
    version = read_version(root)
    return version == record.named or version.startswith(f"{record.named}.")
