"""The build backend of this project: pip builds it with the opforge of the environment.

`opforge update` owns this file and replaces it. SPDX-License-Identifier: Apache-2.0
"""

import sys

try:
    from opforge.backend import (
        build_editable,
        build_sdist,
        build_wheel,
        get_requires_for_build_editable,
        get_requires_for_build_sdist,
        get_requires_for_build_wheel,
    )
except ModuleNotFoundError as error:
    if error.name not in ("opforge", "opforge.backend"):
        raise
    sys.exit(
        "this project is built by opforge, and this build environment has no opforge.\n"
        "pip's own build environment cannot have it, nor the PyTorch that the package is compiled for. Install both\n"
        "into your environment, then type: pip install . --no-build-isolation"
    )

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]
