"""The key of the simulated toolkit: a printable value of everything that it depends on."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from functools import cached_property
from pathlib import Path

from opforge.frozen import dataclass
from opforge.sha256 import sha256
from opforge.toolkit.build_tools import find_compiler
from opforge.toolkit.source_digest import source_digest

SOURCES = Path(__file__).parents[1] / "simulator"
STAMP = "toolkit.json"  # the key of a finished toolkit, in its root

# The x86-64-v3 level (System V ABI, "Micro-Architecture Levels"): AVX2, FMA and F16C, by the names of /proc/cpuinfo.
_X86_64_V3 = frozenset({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"})


@dataclass(frozen=True)
class Compiler:
    """A compiler, identified by its file: asking for its version would cost each build a process."""

    path: str
    file: str  # with symbolic links resolved
    size: int
    mtime_ns: int


@dataclass(frozen=True)
class SimulatorKey:
    """Everything that a built toolkit depends on. Toolkits with equal keys are interchangeable.

    ``compiler`` compiles the kernels; it has compiled the toolkit, too, unless that is the prebuilt one of a platform
    wheel. A prebuilt toolkit has the key of the compiled toolkit that it replaces: both have the same sources and the
    same level of the CPU, and compilers share the C++ ABI in which kernels and op_host call the toolkit's libraries.
    """

    sources: str  # SHA-256 over the simulator's files and the SoC table
    compiler: Compiler
    machine: str
    march: str  # the -march value, "" for the compiler's default

    @cached_property
    def digest(self) -> str:
        """A short name for folders."""
        text = json.dumps(asdict(self), sort_keys=True)
        return sha256(text.encode()).hexdigest()[:16]


def simulator_key(
    environ: Mapping[str, str],
    sources: Path = SOURCES,
    cpuinfo: Path = Path("/proc/cpuinfo"),
    notes: Path | None = None,
) -> SimulatorKey:
    """The key for the compiler that ``environ`` leads to and the CPU of this machine.

    ``notes`` is a folder in which ``source_digest`` remembers the sources' digest.

    Raises:
        ToolkitError: there is no compiler.
    """
    path = find_compiler(environ)
    file = path.resolve()
    stat = file.stat()
    return SimulatorKey(
        sources=source_digest(sources, notes),
        compiler=Compiler(str(path), str(file), stat.st_size, stat.st_mtime_ns),
        machine=os.uname().machine,
        march=_march(cpuinfo),
    )


def _march(cpuinfo: Path) -> str:
    if os.uname().machine != "x86_64" or not cpuinfo.is_file():
        return ""
    with cpuinfo.open(encoding="utf-8", errors="replace") as lines:
        flags = next((line for line in lines if line.startswith("flags")), "")
    return "x86-64-v3" if set(flags.split()) >= _X86_64_V3 else "x86-64-v2"
