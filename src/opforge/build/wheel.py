"""Packs the Python package, the compiled libraries and the vendor tree into a wheel, in this process.

Format: the binary distribution format of the Python packaging specifications; RECORD is written by the wheel library.
"""

from __future__ import annotations

import json
import platform
import zipfile
from dataclasses import dataclass
from pathlib import Path

from opforge import __version__
from opforge.build.adapter import ADAPTER, GLUE
from opforge.build.vendor_tree import VendorTree, file_hashes
from opforge.spec.model import OpSpec, Spec
from opforge.toolkit.protocol import Toolkit
from opforge.toolkit.simulator_layout import read_sources

# Sourced by people: makes the operators inside this installed package visible to the runtime.
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
    """What a wheel is made of."""

    spec: Spec
    ops: tuple[OpSpec, ...]  # all that have a kernel
    toolkit: Toolkit
    torch_version: str
    libraries: Path  # folder with libadapter.so and libnpu_glue.so
    vendor: VendorTree
    source: Path  # python/<package>


def wheel_version(spec: Spec, toolkit: Toolkit) -> str:
    """``0.1.0+sim`` when built for the simulator: it must not pass for the real one."""
    return f"{spec.project.version}+sim" if toolkit.simulated else spec.project.version


def wheel_name(spec: Spec, toolkit: Toolkit) -> str:
    """The file name, by the rules of the wheel format."""
    return f"{spec.project.package}-{wheel_version(spec, toolkit)}-{tag()}.whl"


def tag() -> str:
    """Any Python 3, this machine: the adapter is loaded by torch.ops.load_library and has no Python ABI."""
    return f"py3-none-linux_{platform.machine()}"


def build_wheel(parts: WheelParts, dist: Path) -> Path:
    """Writes the wheel; it appears whole or not at all."""
    from wheel.wheelfile import WheelFile  # noqa: PLC0415  (20 ms, and only when a wheel is made)

    dist.mkdir(parents=True, exist_ok=True)
    name = wheel_name(parts.spec, parts.toolkit)
    scratch = dist.parent / "build" / "wheel"
    scratch.mkdir(parents=True, exist_ok=True)
    package = parts.spec.project.package
    with WheelFile(scratch / name, "w") as wheel:
        for path in sorted(parts.source.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                _add(wheel, path, f"{package}/{path.relative_to(parts.source).as_posix()}")
        for library in (ADAPTER, GLUE):
            _add(wheel, parts.libraries / library, f"{package}/lib/{library}")
        root = f"{package}/opp/vendors/{parts.spec.project.vendor}"
        for path in sorted(parts.vendor.path.rglob("*")):
            if path.is_file():  # a link is stored as what it points to: wheels have no links
                _add(wheel, path, f"{root}/{path.relative_to(parts.vendor.path).as_posix()}")
        info = f"{package}-{wheel_version(parts.spec, parts.toolkit)}.dist-info"
        about = f"Wheel-Version: 1.0\nGenerator: opforge {__version__}\nRoot-Is-Purelib: false\nTag: {tag()}\n"
        for path_in_wheel, text in (
            (f"{package}/set_env.sh", SET_ENV.format(vendor=parts.spec.project.vendor)),
            (f"{package}/_build.json", build_note(parts)),
            (f"{info}/METADATA", _metadata(parts)),
            (f"{info}/WHEEL", about),
            (f"{info}/top_level.txt", f"{package}\n"),
        ):
            _put(wheel, path_in_wheel, text.encode(), executable=False)
    target = dist / name
    (scratch / name).replace(target)
    for other in dist.glob(f"{package}-*.whl"):
        if other != target:
            other.unlink()
    return target


def build_note(parts: WheelParts) -> str:
    """``_build.json``: what the package was built for, which it checks before it loads."""
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
                "torch": parts.torch_version.split("+")[0],
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


def _metadata(parts: WheelParts) -> str:
    project = parts.spec.project
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project.package}",
        f"Version: {wheel_version(parts.spec, parts.toolkit)}",
        f"Summary: Ascend C operators for PyTorch: {', '.join(op.type for op in parts.spec.ops)}",
        "Requires-Python: >=3.10",
    ]
    if project.license:
        lines.append(f"License: {project.license}")
    return "\n".join(lines) + "\n"


def _add(wheel: zipfile.ZipFile, path: Path, name: str) -> None:
    _put(wheel, name, path.read_bytes(), executable=bool(path.stat().st_mode & 0o111))


def _put(wheel: zipfile.ZipFile, name: str, data: bytes, *, executable: bool) -> None:
    """One entry without a time of its own: the same parts give the same wheel."""
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.external_attr = (0o100755 if executable else 0o100644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    wheel.writestr(entry, data)
