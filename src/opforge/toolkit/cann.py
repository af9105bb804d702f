"""Finds the parts of a real CANN toolkit, in all generations of its layout.

Sources: the install trees of CANN 8.1 (msOpGen in python/site-packages, ascendc_kernel_cmake below compiler/tikcpp),
8.5 (lib64/cmake/ASCConfig.cmake) and 9.x (<arch>-linux/lib64/cmake/asc-config.cmake), and msOpGen 26 (its own wheel, a
``msopgen`` on PATH). opforge's tests run these rules on hand-made trees, not on a machine with CANN.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from opforge.errors import ToolkitError
from opforge.sha256 import sha256
from opforge.toolkit.process import find_program
from opforge.toolkit.protocol import Toolkit

_VERSION_FILES = (
    "x86_64-linux/ascend_toolkit_install.info",
    "aarch64-linux/ascend_toolkit_install.info",
    "version.cfg",
    "compiler/version.info",
    "toolkit/version.info",
    "opp/version.info",
    "runtime/version.info",
)
_VERSION_KEYS = ("version", "toolkit_running_version", "compiler_running_version")
_CUSTOMIZE = "tools/op_project_templates/ascendc/customize"
_CONFIG_NAMES = ("ASCConfig.cmake", "asc-config.cmake")


def is_simulator(root: Path) -> bool:
    """Whether ``root`` is our own toolkit: its version.cfg says ``simulated=1``."""
    try:
        return "simulated=1" in (root / "version.cfg").read_text(encoding="utf-8", errors="replace").split()
    except OSError:
        return False


def is_cann(root: Path) -> bool:
    """Whether ``root`` looks like a CANN toolkit: an op_build and the folder of the kernel compiler."""
    return root.is_dir() and not is_simulator(root) and (root / "tools" / "opbuild" / "op_build").exists()


def load_cann(root: Path, environ: Mapping[str, str], reason: str) -> Toolkit:
    """The toolkit at ``root``.

    Raises ToolkitError if it has neither find_package(ASC), which CANN has since 8.3, nor the older project template.
    """
    asc_dir, customize = find_asc_dir(root), find_customize(root)
    if asc_dir is None and customize is None:
        missing = "`opforge toolkit info` lists what is missing"
        raise ToolkitError(
            f"the CANN toolkit at {root} has neither the CMake package ASC nor {_CUSTOMIZE}",
            hint=f"install the whole toolkit ({missing}), or use --toolchain simulator",
        )
    msopgen = find_msopgen(root, environ)
    return Toolkit("cann", root, read_version(root), fingerprint(root), reason, msopgen, asc_dir, customize)


def find_asc_dir(root: Path) -> Path | None:
    """The folder of the package configuration that find_package(ASC) needs."""
    arch = f"{os.uname().machine}-linux"
    folders = (
        root / "lib64" / "cmake" / "ASC",
        root / "lib64" / "cmake",
        root / arch / "lib64" / "cmake",
        root / "compiler" / "tikcpp" / "ascendc_kernel_cmake",
        root / "tools" / "tikcpp" / "ascendc_kernel_cmake",
    )
    return next((folder for folder in folders if any((folder / name).is_file() for name in _CONFIG_NAMES)), None)


def find_customize(root: Path) -> Path | None:
    """The project template of CANN 8.x: msOpGen copies its cmake/ and scripts/ into each project."""
    folders = (root / _CUSTOMIZE, root / "toolkit" / _CUSTOMIZE)
    return next((folder for folder in folders if (folder / "cmake" / "func.cmake").is_file()), None)


def find_msopgen(root: Path, environ: Mapping[str, str]) -> tuple[str, ...]:
    """The command of msOpGen: the toolkit's own, else one on PATH (msOpGen 26 is a wheel); empty if there is none."""
    for own in (root / "bin" / "msopgen", root / "python" / "site-packages" / "bin" / "msopgen"):
        if own.is_file():
            return (str(own),) if own.parent == root / "bin" else ("python3", str(own))
    found = find_program("msopgen", environ.get("PATH"))
    return (str(found),) if found else ()


def identity(root: Path) -> Path:
    """The real path of the toolkit's op_build: CANN 8.x has a folder ``latest`` with links into that of a version."""
    return (root / "tools" / "opbuild" / "op_build").resolve()


def read_version(root: Path) -> str:
    """The toolkit's version, or ``unknown``.

    The installer's note has that of CANN. In version.cfg of 8.x, it stands behind that of a component, as in
    ``toolkit_running_version=[7.7.0.1.238:8.1.RC1]``; the version.info of 8.x has the component's alone.
    """
    for name in _VERSION_FILES:
        try:
            text = (root / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        values = {key.strip().lower(): value.strip() for key, _, value in (s.partition("=") for s in text.splitlines())}
        found = next((values[key] for key in _VERSION_KEYS if values.get(key)), "")
        if found:
            return found.strip("[]\"'").rpartition(":")[2]
    return "unknown"


def fingerprint(root: Path) -> str:
    """Hex digest of the toolkit: its path, its version files, and the programs that a build starts."""
    digest = sha256(str(root).encode())
    programs = ("tools/opbuild/op_build", "bin/asc_opc", "bin/opc", "bin/bisheng", "compiler/ccec_compiler/bin/bisheng")
    for name in (*_VERSION_FILES, *programs, f"{_CUSTOMIZE}/cmake/func.cmake"):
        try:
            stat = (root / name).stat()
        except OSError:
            continue
        digest.update(f"{name} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
