"""Checks whether the simulated device's worker can sandbox kernels here (simulator/device/worker/sandbox.cpp)."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
from collections.abc import Mapping

VARIABLE = "OPFORGE_SIM_SANDBOX"
_PR_SET_SECCOMP = 22
_SECCOMP_MODE_FILTER = 2


def without_sandbox(environ: Mapping[str, str]) -> str | None:
    """Why kernels run without a sandbox; None if they run in it."""
    if environ.get(VARIABLE) == "off":
        return f"{VARIABLE}=off"
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "aarch64"):
        return f"there is none for {platform.system()} {platform.machine()}"
    error = _error_of_no_filter()
    if error == errno.EFAULT:
        return None
    return f"this kernel or container takes no seccomp filters: {os.strerror(error)}"


def _error_of_no_filter() -> int:
    """The error for a null pointer as filter: EFAULT if Linux supports filters. Installs no filter."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_SECCOMP_MODE_FILTER), ctypes.c_void_p(None), 0, 0)
    return ctypes.get_errno()
