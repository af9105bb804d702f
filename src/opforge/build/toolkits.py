"""Finds the requested toolkit, and builds the simulator if it is missing."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from opforge.progress import Progress, step_when_told
from opforge.toolkit import cann, detect
from opforge.toolkit.process import Runner
from opforge.toolkit.protocol import Toolkit


def find_toolkit(
    request: detect.Request,
    environ: Mapping[str, str],
    cache: Path,
    runner: Runner,
    progress: Progress,
    *,
    project: Path | None = None,
) -> Toolkit:
    """The requested toolkit, built if necessary. ``project`` may have a record of its own. Raises ToolkitError."""
    choice = detect.choose(request, environ, project)
    if choice.kind == "cann" and choice.root is not None:
        return cann.load_cann(choice.root, environ, choice.reason)
    from opforge.toolkit.simulator import ensure_simulator  # noqa: PLC0415  (not needed with CANN)

    with step_when_told(progress, "toolkit") as tell:
        root = ensure_simulator(cache, runner=runner, environ=environ, progress=tell)
    return simulated(root, choice.reason)


def simulated(root: Path, reason: str) -> Toolkit:
    """The simulated toolkit at ``root``; the name of the folder is its key."""
    return Toolkit(
        kind="simulator",
        root=root,
        version=cann.read_version(root),
        fingerprint=root.name,
        reason=reason,
        msopgen=(str(root / "bin" / "msopgen"),),
        asc_dir=root / "lib64" / "cmake" / "ASC",
    )
