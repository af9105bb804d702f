"""Shared libraries that often do not load, and the package that has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from opforge.frozen import dataclass
from opforge.toolkit.process import Runner


@dataclass(frozen=True)
class Library:
    """A library: the package that has it, and the command that makes it available."""

    package: str
    command: str


_TOOLKIT = Library("the CANN toolkit", "source /usr/local/Ascend/ascend-toolkit/set_env.sh")
_DRIVER = Library(
    "the NPU driver",
    "export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:/usr/local/Ascend/driver/lib64/driver:"
    "/usr/local/Ascend/driver/lib64/common (in a container: mount /usr/local/Ascend/driver)",
)
_NNAL = Library("NNAL (ATB)", "source /usr/local/Ascend/nnal/atb/set_env.sh")
_TORCH = Library("torch", "import torch before the extension")

# The beginning of a library's name.
LIBRARIES: Mapping[str, Library] = {
    "libascend_hal": _DRIVER,
    "libdrvdsmi": _DRIVER,
    "libdcmi": _DRIVER,
    "libc_sec": _DRIVER,
    "libmmpa": _DRIVER,
    "libascend_protobuf": _TOOLKIT,
    "libascendcl": _TOOLKIT,
    "libascendalog": _TOOLKIT,
    "libhccl": _TOOLKIT,
    "libopapi": _TOOLKIT,
    "libnnopbase": _TOOLKIT,
    "libruntime": _TOOLKIT,
    "libge_runner": _TOOLKIT,
    "libgraph": _TOOLKIT,
    "libregister": _TOOLKIT,
    "libexe_graph": _TOOLKIT,
    "libacl_": _TOOLKIT,
    "libmsprofiler": _TOOLKIT,
    "libprofapi": _TOOLKIT,
    "libtiling_api": _TOOLKIT,
    "libplatform": _TOOLKIT,
    "liberror_manager": _TOOLKIT,
    "libunified_dlog": _TOOLKIT,
    "libalog": _TOOLKIT,
    "libascend_dump": _TOOLKIT,
    "libatb": _NNAL,
    "libasdops": _NNAL,
    "libmki": _NNAL,
    "liblcal": _NNAL,
    "libtorch_npu": Library("torch_npu", "import torch_npu before the extension"),
    "libtorch": _TORCH,
    "libc10": _TORCH,
    "libpython3": Library("Python's shared library", "apt install libpython3-dev"),
    "libgfortran": Library("libgfortran", "apt install libgfortran5"),
    "libopenblas": Library("OpenBLAS", "apt install libopenblas0"),
    "libgomp": Library("libgomp", "apt install libgomp1"),
    "libstdc++": Library("libstdc++", "apt install libstdc++6"),
    "libGL": Library("libGL", "apt install libgl1"),
    "libglib-2.0": Library("glib", "apt install libglib2.0-0"),
    "libgthread-2.0": Library("glib", "apt install libglib2.0-0"),
    "libz.": Library("zlib", "apt install zlib1g"),
    "libzstd": Library("zstd", "apt install libzstd1"),
    "libffi": Library("libffi", "apt install libffi8"),
    "libssl": Library("OpenSSL", "apt install libssl3"),
    "libcrypto": Library("OpenSSL", "apt install libssl3"),
    "libsqlite3": Library("SQLite", "apt install libsqlite3-0"),
    "libnuma": Library("libnuma", "apt install libnuma1"),
    "libjemalloc": Library("jemalloc", "apt install libjemalloc2"),
    "libcust_opapi": Library("your operator package", "opforge install, then opforge run -- COMMAND"),
}


def library_package(name: str) -> Library | None:
    """The package of a library; the longest beginning wins."""
    found = [start for start in LIBRARIES if name.startswith(start)]
    return LIBRARIES[max(found, key=len)] if found else None


def folders_with(name: str, folders: list[Path]) -> list[Path]:
    """The folders, of those given, that contain the library."""
    return [folder for folder in folders if (folder / name).exists()]


def is_stub_folder(folder: Path) -> bool:
    """Whether its libraries are stubs, which are only for linking."""
    return bool({"devlib", "stub", "stubs"} & set(folder.parts))


def not_found(runner: Runner, ldd: Path, program: Path, environ: Mapping[str, str], seconds: float) -> list[str]:
    """The libraries that a program needs and the loader does not find, by ``ldd``. Raises ToolkitError."""
    done = runner.run([ldd, program], cwd=Path("/"), env=environ, timeout=seconds)
    lines = [line.rstrip() for line in done.output.splitlines()]
    return list(dict.fromkeys(line.split()[0] for line in lines if line.endswith("=> not found")))
