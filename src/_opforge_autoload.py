"""Lets ``import torch`` work beside torch_npu in environments where no NPU toolkit is activated.

torch imports torch_npu by itself, and torch_npu needs libascendcl: without CANN or the simulated device, ``import
torch`` raises. ``zzz_opforge_autoload.pth`` calls ``settle`` at each start of Python in an environment with opforge.
The file's name puts it after the files of ``opforge install --activate``, which activate a toolkit.

``opforge run`` names a file in OPFORGE_FAILED_TEXTS: uncaught errors are then also written there, so that it can
explain them.

It imports only os, because it runs at every start, and is not part of the package opforge, because a project's tests
find another package of that name first.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping

TYPE_CHECKING = False  # as in typing, which takes time to import
if TYPE_CHECKING:
    from types import TracebackType

_VARIABLE = "TORCH_DEVICE_BACKEND_AUTOLOAD"  # torch's
_OURS = "OPFORGE_NO_AUTOLOAD"  # set with it, for child processes, which inherit both
_TEXTS = "OPFORGE_FAILED_TEXTS"  # a file; opforge.install.failed_texts has the same name
_LIBRARY = "libascendcl.so"
_LOADER_CACHE = "/etc/ld.so.cache"


def settle(environ: MutableMapping[str, str] = os.environ, loader_cache: str = _LOADER_CACHE) -> None:
    """Switches torch's autoload off if torch_npu could not be loaded; on again if a toolkit was activated since.

    A value that the user has set stays.
    """
    if environ.get(_TEXTS):
        _keep_uncaught(environ[_TEXTS])
    if _is_activated(environ, loader_cache):
        undo(environ)
    elif _VARIABLE not in environ:
        environ[_VARIABLE] = "0"
        environ[_OURS] = "1"


def undo(environ: MutableMapping[str, str] = os.environ) -> None:
    """Removes what ``settle`` has set, so that processes with an activated toolkit do not inherit it."""
    if environ.pop(_OURS, None) is not None:
        environ.pop(_VARIABLE, None)


def _keep_uncaught(file: str) -> None:
    """Lets Python also write the tracebacks of uncaught errors to the file; they are printed as before."""
    import sys  # noqa: PLC0415

    before = sys.excepthook

    def keep(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, Exception):
            import traceback  # noqa: PLC0415

            try:
                with open(file, "a", encoding="utf-8", errors="replace") as out:
                    out.writelines(traceback.format_exception(error))
            except OSError:  # the command that asked for it has ended
                pass
        before(kind, error, trace)

    sys.excepthook = keep


def _is_activated(environ: MutableMapping[str, str], loader_cache: str) -> bool:
    """Whether set_env.sh of CANN or of the simulated toolkit was sourced, or the system's loader knows CANN."""
    if environ.get("ASCEND_HOME_PATH") or environ.get("ASCEND_TOOLKIT_HOME"):
        return True
    folders = environ.get("LD_LIBRARY_PATH", "").split(":")
    if any(folder and os.path.exists(os.path.join(folder, _LIBRARY)) for folder in folders):
        return True
    try:
        with open(loader_cache, "rb") as file:
            return _LIBRARY.encode() in file.read()
    except OSError:
        return False
