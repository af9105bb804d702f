"""What the simulated toolkit depends on, as one printable value."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from opforge import soc
from opforge.toolkit.programs import find_compiler

SOURCES = Path(__file__).parents[1] / "simulator"

# The x86-64-v3 level (System V ABI, "Micro-Architecture Levels"): AVX2, FMA and F16C, by the names of /proc/cpuinfo.
_X86_64_V3 = frozenset({"avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe", "xsave"})


@dataclass(frozen=True)
class Compiler:
    """A compiler, known by its file: starting it for its version would cost each build a process."""

    path: str
    file: str  # with symbolic links resolved
    size: int
    mtime_ns: int


@dataclass(frozen=True)
class SimulatorKey:
    """Everything that decides what the built toolkit is. Two equal keys have interchangeable toolkits."""

    sources: str  # SHA-256 over the simulator's files and the SoC table
    compiler: Compiler
    machine: str
    march: str  # the -march value, "" for the compiler's default

    @cached_property
    def digest(self) -> str:
        """A short name for folders."""
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def simulator_key(
    environ: Mapping[str, str], sources: Path = SOURCES, cpuinfo: Path = Path("/proc/cpuinfo")
) -> SimulatorKey:
    """The key for the compiler that ``environ`` leads to and the CPU of this machine.

    Raises:
        ToolkitError: there is no compiler.
    """
    path = find_compiler(environ)
    file = path.resolve()
    stat = file.stat()
    return SimulatorKey(
        sources=_hash(sources),
        compiler=Compiler(str(path), str(file), stat.st_size, stat.st_mtime_ns),
        machine=platform.machine(),
        march=_march(cpuinfo),
    )


def _hash(sources: Path) -> str:
    digest = hashlib.sha256()
    table = Path(soc.__file__)
    for name, file in [(str(f.relative_to(sources)), f) for f in _files(sources)] + [("soc.py", table)]:
        content = file.read_bytes()
        mode = file.stat().st_mode & 0o111
        digest.update(f"{name}\0{len(content)}\0{bool(mode)}\0".encode())
        digest.update(content)
    return digest.hexdigest()


def _files(sources: Path) -> Iterator[Path]:
    ignored = {".pyc", ".swp", ".orig"}
    for file in sorted(sources.rglob("*")):
        if file.is_file() and file.suffix not in ignored and "__pycache__" not in file.parts:
            yield file


def _march(cpuinfo: Path) -> str:
    if platform.machine() != "x86_64" or not cpuinfo.is_file():
        return ""
    with cpuinfo.open(encoding="utf-8", errors="replace") as lines:
        flags = next((line for line in lines if line.startswith("flags")), "")
    return "x86-64-v3" if set(flags.split()) >= _X86_64_V3 else "x86-64-v2"
