"""Makes this Python process see the device and the operator packages that it builds.

``opforge run`` sets the environment before Python starts. Here Python runs already: the variables are set for the
libraries that are loaded from now on, and the libraries that LD_LIBRARY_PATH would lead to are loaded by their path.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import sys
from pathlib import Path

import _opforge_autoload
from opforge.build.python_env import find_env, require_torch
from opforge.build.request import cache_folder
from opforge.build.state import State
from opforge.build.toolkits import find_toolkit
from opforge.errors import EnvironmentProblem
from opforge.install.activation import activated, prepare
from opforge.install.startup_file import preloaded
from opforge.progress import Progress
from opforge.toolkit.process import Runner
from opforge.toolkit.protocol import Toolkit

_LATE_PACKAGES = "OPFORGE_SIM_LATE_PACKAGES"  # the simulated device then looks for packages again
_PACKAGES = "ASCEND_CUSTOM_OPP_PATH"

PROCESS = os.environ  # the environment of the running Python, which this module changes


def activate(progress: Progress) -> Toolkit:
    """Imports torch_npu with the device of the toolkit that builds use, and returns that toolkit.

    A second call changes nothing. Raises EnvironmentProblem if this process has another toolkit's device, and
    ToolkitError.
    """
    environ, runner = dict(PROCESS), Runner()
    env = find_env(Path(sys.executable), environ, State(), runner)
    require_torch(env)
    toolkit = find_toolkit("auto", environ, cache_folder(environ), runner, progress)
    _check_device(toolkit)
    _opforge_autoload.undo()
    if "torch_npu" not in sys.modules:
        prepare(toolkit, env, environ, runner, progress)
        PROCESS.update(activated(toolkit, env, environ))
        for library in preloaded(toolkit) if toolkit.simulated else ():
            ctypes.CDLL(str(library), mode=ctypes.RTLD_GLOBAL)
    if toolkit.simulated:
        PROCESS[_LATE_PACKAGES] = "1"
    importlib.import_module("torch_npu")
    return toolkit


def add_package(vendor: Path, toolkit: Toolkit) -> None:
    """Makes the operators of a vendor folder available, in place of a folder with its name.

    Raises EnvironmentProblem if CANN has read its list of packages already.
    """
    listed = [entry for entry in PROCESS.get(_PACKAGES, "").split(":") if entry]
    if str(vendor) in listed:
        return
    if not toolkit.simulated and importlib.import_module("torch_npu").npu.is_initialized():
        raise EnvironmentProblem(
            "the NPU of this process is in use already: CANN reads the list of operator packages only once",
            hint="call opforge.compile and opforge.load before the first tensor on the NPU; now, restart Python",
        )
    PROCESS[_PACKAGES] = ":".join([str(vendor), *(entry for entry in listed if Path(entry).name != vendor.name)])


def _check_device(toolkit: Toolkit) -> None:
    """Raises EnvironmentProblem if torch_npu was imported with another toolkit's libraries."""
    home = PROCESS.get("ASCEND_HOME_PATH", "")
    if "torch_npu" in sys.modules and os.path.realpath(home) != os.path.realpath(toolkit.root):
        raise EnvironmentProblem(
            f"torch_npu was imported with the toolkit {home or 'of the system'}; the ops would use {toolkit.root}",
            hint="restart Python, and call opforge.compile or opforge.load before you import torch_npu",
        )
