"""A hook of hatchling: with OPFORGE_PREBUILT=1, the wheel is a platform wheel, with the simulated toolkit compiled.

The toolkit is that of opforge's cache, and is compiled if the cache has none of these sources. If the Python that
builds the wheel has PyTorch, the wheel also has the device's ATen library for that version.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

_ON = os.environ.get("OPFORGE_PREBUILT", "") not in {"", "0"}


class PrebuiltToolkit(BuildHookInterface):
    """Without the variable, it changes nothing: the wheel stays py3-none-any, and needs no compiler."""

    def dependencies(self) -> list[str]:
        """What the compilation needs from the package index."""
        return ["cmake>=3.25", "ninja>=1.11"] if _ON else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds the toolkit's files, and a tag with this machine's libc (manylinux or musllinux).

        The libraries may work with an older libc. There, pip takes the pure wheel, if the index has it.
        """
        if not _ON or version == "editable":
            return
        sys.path.insert(0, str(Path(self.root, "src")))
        for path, name in _files().items():
            build_data["force_include"][str(path)] = f"opforge/prebuilt/{name}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_platform()}"


def _platform() -> str:
    """The newest libc's tag that holds for this machine. ``linux_*`` would promise nothing about the libc."""
    own = f"linux_{os.uname().machine}"
    return next((tag for tag in platform_tags() if tag != own), own)


def _files() -> dict[Path, str]:
    """The files of the toolkit, each with its path below the toolkit's root."""
    from opforge.build.request import cache_folder
    from opforge.errors import EnvironmentProblem
    from opforge.toolkit.aten_library import ensure_aten
    from opforge.toolkit.process import Runner
    from opforge.toolkit.simulator import ensure_simulator

    runner = Runner()
    root = ensure_simulator(cache_folder(os.environ), runner=runner, environ=os.environ, progress=_tell)
    names = json.loads((root / "files.json").read_text(encoding="utf-8"))
    paths = [root / name for name in names if "__pycache__" not in name]
    with suppress(EnvironmentProblem):  # this Python has no PyTorch
        library = ensure_aten(root, Path(sys.executable), runner=runner, environ=os.environ, progress=_tell)
        paths += library.parent.iterdir()
    return {path: str(path.relative_to(root)) for path in paths}


def _tell(text: str) -> None:
    sys.stderr.write(f"{text}\n")
