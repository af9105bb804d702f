"""The machine that checks look at: its variables and files. Tests give another root."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from opforge.frozen import dataclass
from opforge.toolkit.process import Runner

_LINKER_FOLDERS = ("/lib", "/usr/lib", "/lib64", "/usr/lib64", "/usr/local/lib")


@dataclass(frozen=True)
class Machine:
    """Environment variables, the root of the file system, and what starts programs."""

    environ: Mapping[str, str]
    root: Path = Path("/")
    runner: Runner = field(default_factory=Runner)

    def path(self, path: str) -> Path:
        """An absolute path below the root."""
        return self.root / path.lstrip("/")

    def entries(self, name: str) -> list[Path]:
        """The folders of a variable such as LD_LIBRARY_PATH."""
        return [Path(part) for part in self.environ.get(name, "").split(":") if part]

    def library_folders(self) -> list[Path]:
        """The folders in which the loader looks, in its order; without those of ld.so.conf."""
        plain = [self.path(folder) for folder in _LINKER_FOLDERS]
        return [*self.entries("LD_LIBRARY_PATH"), *plain, *sorted(self.path("/usr/lib").glob("*-linux-gnu"))]

    def site_packages(self) -> list[Path]:
        """The folders of Python packages: of the activated environment, else of this Python."""
        prefix = self.environ.get("VIRTUAL_ENV") or self.environ.get("CONDA_PREFIX")
        if prefix:
            found = sorted(Path(prefix).glob("lib*/python3*/site-packages"))
            if found:
                return found
        return [Path(folder) for folder in sys.path if folder]
