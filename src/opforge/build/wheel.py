"""Packs the Python package, the compiled libraries and the vendor tree into a wheel, in this process.

Format: the binary distribution format of the Python packaging specifications.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import json
import platform
import zipfile
from collections.abc import Iterator
from pathlib import Path

from opforge import __version__
from opforge.build.adapter_libraries import ADAPTER, GLUE
from opforge.build.files_read import Inputs
from opforge.build.simulator_note import NAME, simulator_note
from opforge.build.vendor_tree import VendorTree, file_hashes
from opforge.frozen import dataclass
from opforge.spec.model import OpSpec, Spec
from opforge.toolkit.protocol import Toolkit
from opforge.toolkit.simulator_layout import read_sources

PROGRAMS = (".so", ".sh")  # files of the vendor tree that the installer makes executable

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
    package: Inputs  # python/<package>


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
    dist.mkdir(parents=True, exist_ok=True)
    package = parts.spec.project.package
    target = dist / wheel_name(parts.spec, parts.toolkit)
    scratch = dist.parent / "build" / f".{target.name}"
    info = f"{package}-{wheel_version(parts.spec, parts.toolkit)}.dist-info"
    record = []
    with zipfile.ZipFile(scratch, "w") as file:
        for entry in _entries(parts, info):
            _put(file, entry)
            digest = base64.urlsafe_b64encode(hashlib.sha256(entry.data).digest()).rstrip(b"=").decode()
            record.append((entry.name, f"sha256={digest}", str(len(entry.data))))
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows([*record, (f"{info}/RECORD", "", "")])
        _put(file, _Entry(f"{info}/RECORD", text.getvalue().encode()))
    scratch.replace(target)
    for other in dist.glob(f"{package}-*.whl"):
        if other != target:
            other.unlink()
    return target


@dataclass(frozen=True)
class _Entry:
    """A file in the wheel."""

    name: str
    data: bytes
    runs: bool = False


def _entries(parts: WheelParts, info: str) -> Iterator[_Entry]:
    """Every file but RECORD, in the order in which they are packed."""
    package, vendor = parts.spec.project.package, parts.spec.project.vendor
    for name in parts.package.names:
        data = parts.package.read(name)
        yield _Entry(name.removeprefix("python/"), data, name in parts.package.programs)
    for library in (ADAPTER, GLUE):
        yield _Entry(f"{package}/lib/{library}", (parts.libraries / library).read_bytes(), runs=True)
    for path in sorted(parts.vendor.path.rglob("*")):
        if path.is_file():  # a link is stored as what it points to: wheels have no links
            name = f"{package}/opp/vendors/{vendor}/{path.relative_to(parts.vendor.path).as_posix()}"
            yield _Entry(name, path.read_bytes(), path.suffix in PROGRAMS)
    if parts.toolkit.simulated:
        yield _Entry(f"{package}/opp/vendors/{vendor}/{NAME}", simulator_note(parts.spec, parts.ops).encode())
    about = f"Wheel-Version: 1.0\nGenerator: opforge {__version__}\nRoot-Is-Purelib: false\nTag: {tag()}\n"
    for name, text in (
        (f"{package}/set_env.sh", SET_ENV.format(vendor=vendor)),
        (f"{package}/_build.json", build_note(parts)),
        (f"{info}/METADATA", _metadata(parts)),
        (f"{info}/WHEEL", about),
        (f"{info}/top_level.txt", f"{package}\n"),
    ):
        yield _Entry(name, text.encode())


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


def _put(file: zipfile.ZipFile, entry: _Entry) -> None:
    """One entry without a time or rights of its own: the same parts give the same wheel."""
    about = zipfile.ZipInfo(entry.name, date_time=(1980, 1, 1, 0, 0, 0))
    about.external_attr = (0o100755 if entry.runs else 0o100644) << 16
    about.compress_type = zipfile.ZIP_DEFLATED
    file.writestr(about, entry.data)
