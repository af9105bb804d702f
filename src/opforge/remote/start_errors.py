"""The errors of a job that did not start, by the other machine's answer."""

from __future__ import annotations

from opforge.errors import EnvironmentProblem, OpforgeError, ProjectError
from opforge.release import __version__
from opforge.remote.address import Address
from opforge.toolkit.process import Completed

_SPACE = "No space left on device"
_WITH_DETAIL = frozenset({"folder", "unpack", "missing"})  # the lines above say why
_OF_DF = 2  # lines that df prints


def start_error(done: Completed, address: Address, folder: str) -> OpforgeError:
    """The error for the last line of the start script's output, whose lines before it are the detail."""
    target = address.target
    *above, last = done.output.strip().splitlines() or [""]
    word, _, rest = last.partition(" ")
    python = above[-1] if word in {"missing", "version"} and above else ""
    install = f"{address.typed} {python} -m pip install opforge=={__version__}"
    answers = {
        "folder": (f"cannot make the folder {folder} on {target}", f"check its rights, or {elsewhere(address)}"),
        "unpack": (f"cannot unpack the project in {folder} on {target}", f"check the disk, or {elsewhere(address)}"),
        "tool": (f"{target} lacks the program {rest}", f"install {rest} there"),
        "missing": (f"{python} on {target} cannot run opforge", f"{install}, or name its environment: --python PATH"),
        "version": (f"{target} has {rest}, this machine has opforge {__version__}", install),
        "busy": (
            f"another job of this project runs on {target}, with other sources or options",
            "wait for its end, or press Ctrl-C where it is followed",
        ),
    }
    what, hint = answers.get(word, (f"{target} answered something unexpected", "look at the output above"))
    if word in {"folder", "unpack"} and _SPACE in done.output:
        hint = f"the disk is full: free some space there, or {elsewhere(address)}"
        first = next(line for line in above if _SPACE in line)
        above = [first, *above[above.index(first) + 1 :][-_OF_DF:]]
    detail = done.tail() if word not in answers else None
    if word in _WITH_DETAIL:
        detail = "\n".join(line for line in above if line != python)
    error = ProjectError if word == "busy" else EnvironmentProblem
    return error(what, detail=detail or None, hint=hint)


def elsewhere(address: Address) -> str:
    """The advice to take another folder on the machine."""
    port = "" if address.port is None else f":{address.port}"
    return f"name a folder on another disk: --on ssh://{address.target}{port}/FOLDER"
