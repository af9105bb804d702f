# Owned by opforge: `opforge update` replaces this file.
# SPDX-License-Identifier: Apache-2.0
"""Loads the compiled part of this package, after checking that it fits the machine and the environment.

Each failed check says what is wrong and which command helps. Without torch_npu, or if CANN is not activated, the
package still works on CPU tensors.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path

import torch

FOLDER = Path(__file__).absolute().parents[1]  # not resolved: in an editable installation, this file is a link
PACKAGE = FOLDER.name


@dataclass(frozen=True)
class Build:
    """The contents of _build.json, which describes this build."""

    vendor: str
    toolkit: str  # "simulator" or "cann"
    toolkit_sources: str  # which simulator; empty for CANN
    torch: tuple[str, ...]  # the versions it was compiled for
    content_hash: str  # of the operator package
    files: Mapping[str, str]  # SHA-256 of each file in it, by its path

    @property
    def vendor_tree(self) -> Path:
        """The operator package inside this Python package."""
        return FOLDER / "opp" / "vendors" / self.vendor


def load() -> None:
    """Registers torch.ops.<package>. Raises ImportError when this build cannot work here."""
    if not (FOLDER / "_build.json").is_file():
        raise ImportError(
            f"{FOLDER} is the source of {PACKAGE}, without its compiled part. "
            "Type `opforge build && opforge install` in the project, and start Python from another folder."
        )
    build = _read_build()
    adapter = _adapter(build)
    _check_toolkit(build)
    if _npu_is_usable():
        _check_operator_packages(build)
    torch.ops.load_library(str(adapter))
    set_path = getattr(ctypes.CDLL(str(adapter)), f"{PACKAGE}_set_opapi_path")
    set_path(os.fsencode(build.vendor_tree / "op_api" / "lib" / "libcust_opapi.so"))


def _read_build() -> Build:
    facts = json.loads((FOLDER / "_build.json").read_text(encoding="utf-8"))
    return Build(**{field.name: facts[field.name] for field in fields(Build)})


def _adapter(build: Build) -> Path:
    """The library for this PyTorch; all releases 2.13.x have the same C++ interface."""
    series = ".".join(torch.__version__.split("+")[0].split(".")[:2])
    adapter = FOLDER / "lib" / f"torch-{series}" / "libadapter.so"
    if not adapter.is_file():
        built_for = " or ".join(build.torch)
        raise ImportError(
            f"{PACKAGE} was built for torch {built_for}, and this is torch {torch.__version__}: their C++ interfaces "
            f"differ. Install torch {built_for}, or build and install {PACKAGE} again in this environment."
        )
    return adapter


def _check_toolkit(build: Build) -> None:
    """Refuses a package for the simulator with CANN activated, and a package for an NPU with the simulator."""
    home = os.environ.get("ASCEND_HOME_PATH")
    if not home or not Path(home).is_dir():
        return
    facts = _toolkit_facts(Path(home))
    simulated = facts.get("simulated") == "1"
    if simulated != (build.toolkit == "simulator"):
        built_for = "the simulated toolkit" if build.toolkit == "simulator" else "CANN"
        here = "a simulated toolkit" if simulated else "CANN"
        toolchain = "simulator" if simulated else "cann"
        raise ImportError(
            f"{PACKAGE} was built for {built_for}, and ASCEND_HOME_PATH={home} is {here}. "
            f"Type `opforge build --toolchain {toolchain} && opforge install` in the project."
        )
    if simulated and facts.get("sources") != build.toolkit_sources:
        raise ImportError(
            f"{PACKAGE} was built for the simulator made of {build.toolkit_sources}, and ASCEND_HOME_PATH={home} is one "
            f"made of {facts.get('sources')}: their C++ interfaces may differ. "
            "Type `opforge build && opforge install` in the project, or activate the simulator it was built for."
        )


def _toolkit_facts(home: Path) -> dict[str, str]:
    """The lines `name=value` of version.cfg; empty without the file."""
    try:
        lines = (home / "version.cfg").read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return {}
    words = (line.partition("=") for line in lines)
    return {name.strip(): value.strip() for name, separator, value in words if separator}


def _npu_is_usable() -> bool:
    if "torch_npu" in sys.modules:
        return True
    home = os.environ.get("ASCEND_HOME_PATH")
    return bool(home) and Path(home or "").is_dir() and importlib.util.find_spec("torch_npu") is not None


def _check_operator_packages(build: Build) -> None:
    """Makes CANN find this operator package. CANN uses only environment variables, and reads them once."""
    found = False
    for tree in _visible_trees(build.vendor):
        content_hash = _content_hash(tree)
        if content_hash == build.content_hash or tree.resolve() == build.vendor_tree.resolve():
            _check_files(build, tree)
            found = True
        else:
            raise ImportError(
                f"two operator packages of vendor {build.vendor} differ: {tree} (content {_short(content_hash)}) and "
                f"{build.vendor_tree} (content {_short(build.content_hash)}). Type `opforge install` in the project to "
                "install both alike, or remove the first one."
            )
    if not found:
        raise ImportError(
            f"CANN will not find the kernels of {PACKAGE}: ASCEND_CUSTOM_OPP_PATH does not name {build.vendor_tree}. "
            f"Before Python starts, type `source {FOLDER / 'set_env.sh'}`, or start it by `opforge run -- python ...`."
        )


def _check_files(build: Build, tree: Path) -> None:
    """Refuses a package with changed files, which would compute something else. CANN itself reports missing files."""
    for name, sha256 in build.files.items():
        file = tree / name
        if file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() != sha256:
            raise ImportError(
                f"{file} is not what {PACKAGE} was built with: it was changed after `opforge install`. Type "
                "`opforge install` in the project to install it again."
            )


def _visible_trees(vendor: str) -> Iterator[Path]:
    """Installed operator packages of this vendor, in the order in which CANN searches them."""
    for entry in os.environ.get("ASCEND_CUSTOM_OPP_PATH", "").split(":"):
        if entry and Path(entry).name == vendor and Path(entry).is_dir():
            yield Path(entry)
    opp = os.environ.get("ASCEND_OPP_PATH")
    if opp and (Path(opp) / "vendors" / vendor).is_dir():
        yield Path(opp) / "vendors" / vendor


def _content_hash(tree: Path) -> str | None:
    try:
        return str(json.loads((tree / "opforge.json").read_text(encoding="utf-8"))["content_hash"])
    except (OSError, ValueError, KeyError):
        return None


def _short(content_hash: str | None) -> str:
    return content_hash[:12] if content_hash else "unknown"
