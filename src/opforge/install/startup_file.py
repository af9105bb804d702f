"""``opforge install --activate``: writes a start-up file through which an environment finds the simulated device.

It is optional, because it affects every start of that Python. It does nothing if the environment variables already name
a toolkit, so that it never shadows real CANN.
"""

from __future__ import annotations

from pathlib import Path

from opforge.toolkit.protocol import Toolkit

_NOT_PRELOADED = ("libascendc_sim.so",)  # the kernel engine, only for the worker process

_MODULE = '''\
"""Written by `opforge install --activate`: finds the simulated Ascend device and the operators of {package}."""

import ctypes
import os

ROOT = {root!r}
VENDOR = {vendor_dir!r}
LIBRARIES = {libraries!r}


def _elsewhere():
    """Whether another toolkit is set up: then this file does nothing."""
    if os.path.realpath(os.environ.get("ASCEND_HOME_PATH", ROOT)) != os.path.realpath(ROOT):
        return True
    folders = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    others = [f for f in folders if f and os.path.realpath(f) != os.path.realpath(ROOT + "/lib64")]
    return any(os.path.exists(f + "/libascendcl.so") for f in others)


def activate():
    """Sets the variables of the toolkit's set_env.sh, and loads the libraries that LD_LIBRARY_PATH would lead to."""
    if not os.path.isdir(ROOT) or _elsewhere():
        return
    os.environ["ASCEND_HOME_PATH"] = ROOT
    os.environ["ASCEND_OPP_PATH"] = ROOT + "/opp"
    os.environ.setdefault("TASK_QUEUE_ENABLE", "0")
    custom = [p for p in os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(":") if p]
    others = [p for p in custom if os.path.realpath(p) != os.path.realpath(VENDOR)]
    os.environ["ASCEND_CUSTOM_OPP_PATH"] = ":".join([VENDOR, *others])
    for library in LIBRARIES:
        ctypes.CDLL(ROOT + "/lib64/" + library, mode=ctypes.RTLD_GLOBAL)


activate()
'''


def preloaded(toolkit: Toolkit) -> list[Path]:
    """The libraries to load by their path where LD_LIBRARY_PATH does not lead to them, in this order."""
    return [path for path in sorted((toolkit.root / "lib64").glob("lib*.so")) if path.name not in _NOT_PRELOADED]


def write_pth(purelib: Path, package: str, toolkit: Toolkit, vendor_dir: Path) -> list[Path]:
    """Writes two files: a line that Python runs at its start, and the module that the line imports."""
    libraries = tuple(path.name for path in preloaded(toolkit))
    module = purelib / f"_opforge_activate_{package}.py"
    line = purelib / f"opforge_{package}.pth"
    module.write_text(
        _MODULE.format(package=package, root=str(toolkit.root), vendor_dir=str(vendor_dir), libraries=libraries),
        encoding="utf-8",
    )
    line.write_text(f"import _opforge_activate_{package}\n", encoding="utf-8")
    return [line, module]
