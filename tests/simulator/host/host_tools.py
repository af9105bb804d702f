"""The toolkit's host side as a build uses it: compile op_host sources, run op_build."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class HostTools:
    """The toolkit's host side, as a build uses it."""

    root: Path
    preload: Mapping[str, str]  # the environment of programs that load a sanitized host side

    def compile(self, output: Path, *sources: Path, flags: Sequence[str] = (), standard: str = "c++11") -> Path:
        """A shared library of op_host or generated sources, warnings as errors."""
        command = ["g++", f"-std={standard}", "-O0", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"]
        command += [f"-I{self.root / 'include'}", *map(str, sources), "-o", str(output)]
        command += [f"-L{self.root / 'lib64'}", "-lexe_graph", "-lregister", "-ltiling_api", *flags]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return output

    def op_build(self, *arguments: object, **env: str) -> subprocess.CompletedProcess[str]:
        """Runs op_build as the build does: no library path, it finds its own libraries."""
        environ = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        return subprocess.run(
            [str(self.root / "tools" / "opbuild" / "op_build"), *map(str, arguments)],
            env={**environ, "LD_LIBRARY_PATH": str(self.root / "lib64"), **self.preload, **env},
            capture_output=True,
            text=True,
            check=False,
        )
