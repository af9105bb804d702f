"""Chooses the toolkit of a command: the requested one, or real CANN if the environment points to it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from opforge.errors import ToolkitError
from opforge.frozen import dataclass
from opforge.toolkit.cann import is_cann, is_simulator
from opforge.toolkit.protocol import Kind

Request = Literal["auto", "simulator", "cann"]


@dataclass(frozen=True)
class Choice:
    """A kind of toolkit, its root if the environment names it, and the reason for the choice."""

    kind: Kind
    root: Path | None
    reason: str


def choose(request: Request, environ: Mapping[str, str]) -> Choice:
    """The toolkit that ``--toolchain`` names; ``auto`` means CANN if ASCEND_HOME_PATH points to it.

    The simulator's root is None: it is built or found in the cache. Raises ToolkitError if CANN is requested and
    ASCEND_HOME_PATH does not point to it.
    """
    named = environ.get("ASCEND_HOME_PATH")
    root = Path(named) if named else None
    if request == "simulator":
        return Choice("simulator", None, "--toolchain simulator asks for it")
    if root is None:
        if request == "cann":
            raise ToolkitError(
                "--toolchain cann needs ASCEND_HOME_PATH, and it is not set",
                hint="source set_env.sh of the CANN toolkit, or use --toolchain simulator",
            )
        return Choice("simulator", None, "ASCEND_HOME_PATH is not set")
    if is_cann(root):
        return Choice("cann", root, f"ASCEND_HOME_PATH is the CANN toolkit {root}")
    if is_simulator(root):
        what = f"ASCEND_HOME_PATH is the simulated toolkit {root}"
    elif root.is_dir():
        what = f"ASCEND_HOME_PATH is {root}, which has no tools/opbuild/op_build"
    else:
        what = f"ASCEND_HOME_PATH is {root}, which does not exist"
    if request == "cann":
        raise ToolkitError(
            f"--toolchain cann: {what}",
            hint="source set_env.sh of a CANN toolkit (8.3 or later), not only of its runtime",
        )
    return Choice("simulator", None, what)
