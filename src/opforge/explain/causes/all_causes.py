"""Every cause, in the order in which equal ranks on one line are shown."""

from __future__ import annotations

from opforge.explain.cause import Cause
from opforge.explain.causes.build_causes import BUILD
from opforge.explain.causes.device_causes import DEVICES
from opforge.explain.causes.kernel_build_causes import KERNEL_BUILD
from opforge.explain.causes.loading_causes import LOADING
from opforge.explain.causes.package_causes import PACKAGES
from opforge.explain.causes.python_causes import PYTHON
from opforge.explain.causes.run_causes import RUNS

CAUSES: tuple[Cause, ...] = (*LOADING, *PYTHON, *PACKAGES, *DEVICES, *BUILD, *KERNEL_BUILD, *RUNS)
