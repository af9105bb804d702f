"""Packs the Python package, the compiled libraries and the vendor tree into a wheel, in this process."""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator
from pathlib import Path

from opforge.build.adapter_libraries import ADAPTER, GLUE
from opforge.build.editable import renew
from opforge.build.files_read import Inputs
from opforge.build.key_parts import PAGES
from opforge.build.python_env import torch_series
from opforge.build.simulator_note import NAME, simulator_note
from opforge.build.vendor_tree import VendorTree, file_hashes
from opforge.build.wheel_file import Entry, pack
from opforge.build.wheel_metadata import About, metadata
from opforge.frozen import dataclass
from opforge.release import __version__
from opforge.spec.model import OpSpec, Spec
from opforge.toolkit.protocol import Toolkit
from opforge.toolkit.simulator_layout import read_sources

BUILD_NOTE = "_build.json"
PROGRAMS = (".so", ".sh")  # vendor files that the installer makes executable

# A script for users to source: it makes the operators in this installed package visible to the runtime.
SET_ENV = """\
# Lets the runtime find the operators of this package: source it after the toolkit's set_env.sh. Twice changes nothing.
if [ -n "${{BASH_SOURCE:-}}" ]; then
    _opforge_here=$(cd "$(dirname "$BASH_SOURCE")" && pwd)
elif [ -n "${{ZSH_VERSION:-}}" ]; then
    _opforge_here=$(eval 'cd "$(dirname "${{(%):-%x}}")" && pwd')
else
    echo "set_env.sh: source this file from bash or zsh" >&2
    _opforge_here=
fi
_opforge_vendor="$_opforge_here/opp/vendors/{vendor}"
case ":${{ASCEND_CUSTOM_OPP_PATH:-}}:" in
    *":$_opforge_vendor:"*) ;;
    *) export ASCEND_CUSTOM_OPP_PATH="$_opforge_vendor${{ASCEND_CUSTOM_OPP_PATH:+:$ASCEND_CUSTOM_OPP_PATH}}" ;;
esac
unset _opforge_here _opforge_vendor
"""


@dataclass(frozen=True)
class WheelParts:
    """The contents of a wheel."""

    spec: Spec
    ops: tuple[OpSpec, ...]  # all ops with a kernel
    toolkit: Toolkit
    torch_version: str  # of the libraries
    libraries: Path  # folder with libadapter.so and libnpu_glue.so
    vendor: VendorTree
    package: Inputs  # python/<package>, and the files for the metadata


def wheel_version(spec: Spec, toolkit: Toolkit) -> str:
    """``0.1.0+sim`` for the simulator, so that the wheel is not mistaken for a real one."""
    return f"{spec.project.version}+sim" if toolkit.simulated else spec.project.version


def wheel_name(spec: Spec, toolkit: Toolkit) -> str:
    """The file name, by the rules of the wheel format."""
    return f"{spec.project.package}-{wheel_version(spec, toolkit)}-{tag()}.whl"


def tag() -> str:
    """The tag for any Python 3 on this machine: torch.ops.load_library loads the adapter, so it needs no Python ABI."""
    return f"py3-none-linux_{platform.machine()}"


def build_wheel(parts: WheelParts, dist: Path) -> Path:
    """Writes the wheel and moves it to its place by one rename."""
    dist.mkdir(parents=True, exist_ok=True)
    package = parts.spec.project.package
    target = dist / wheel_name(parts.spec, parts.toolkit)
    scratch = dist.parent / "build" / f".{target.name}"
    info = f"{package}-{wheel_version(parts.spec, parts.toolkit)}.dist-info"
    pack(scratch, _entries(parts, info), f"{info}/RECORD")
    scratch.replace(target)
    for other in dist.glob(f"{package}-*.whl"):
        if other != target:
            other.unlink()
    renew(target, dist.parent)
    return target


def _entries(parts: WheelParts, info: str) -> Iterator[Entry]:
    """Every file except RECORD, in packing order."""
    package, vendor = parts.spec.project.package, parts.spec.project.vendor
    for name in parts.package.names:
        if name not in PAGES:
            data = parts.package.read(name)
            yield name.removeprefix("python/"), data, name in parts.package.programs
    yield from library_entries(package, parts.torch_version, parts.libraries)
    for path in sorted(parts.vendor.path.rglob("*")):
        if path.is_file():  # wheels have no links, so the target is stored
            name = f"{package}/opp/vendors/{vendor}/{path.relative_to(parts.vendor.path).as_posix()}"
            yield name, path.read_bytes(), path.suffix in PROGRAMS
    if parts.toolkit.simulated:
        yield f"{package}/opp/vendors/{vendor}/{NAME}", simulator_note(parts.spec, parts.ops).encode(), False
    pages = {name: parts.package.read(name) for name in parts.package.names if name in PAGES}
    about = About(parts.spec, wheel_version(parts.spec, parts.toolkit), pages)
    says = f"Wheel-Version: 1.0\nGenerator: opforge {__version__}\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    yield f"{package}/set_env.sh", SET_ENV.format(vendor=vendor).encode(), False
    yield f"{package}/{BUILD_NOTE}", build_note(parts).encode(), False
    yield f"{info}/METADATA", metadata(about, parts.torch_version), False
    yield f"{info}/WHEEL", says.encode(), False
    yield f"{info}/top_level.txt", f"{package}\n".encode(), False
    for name, text in about.licences.items():
        yield f"{info}/licenses/{name}", text, False


def library_entries(package: str, torch_version: str, libraries: Path) -> Iterator[Entry]:
    """The libraries for one series of PyTorch, in a folder of their own."""
    for library in (ADAPTER, GLUE):
        name = f"{package}/lib/torch-{torch_series(torch_version)}/{library}"
        yield name, (libraries / library).read_bytes(), True


def build_note(parts: WheelParts) -> str:
    """``_build.json``: the requirements of this build, which the package checks before it loads."""
    project = parts.spec.project
    return (
        json.dumps(
            {
                "schema": 1,
                "package": project.package,
                "version": wheel_version(parts.spec, parts.toolkit),
                "vendor": project.vendor,
                "toolkit": parts.toolkit.kind,
                "toolkit_version": parts.toolkit.version,
                "toolkit_sources": read_sources(parts.toolkit.root) if parts.toolkit.simulated else "",
                "socs": list(project.soc),
                "torch": [parts.torch_version.split("+")[0]],
                "content_hash": parts.vendor.content_hash,
                "files": file_hashes(parts.vendor.path),
                "ops": {
                    op.type: {
                        "inputs": {t.name: list(t.dtypes) for t in op.inputs},
                        "optional": [t.name for t in op.inputs if t.optional],
                        "outputs": {t.name: list(t.dtypes) for t in op.outputs},
                    }
                    for op in parts.ops
                },
            },
            indent=2,
        )
        + "\n"
    )
