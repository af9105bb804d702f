"""METADATA of a project's wheel, and PKG-INFO of its source archive.

Source: https://packaging.python.org/en/latest/specifications/core-metadata/ (version 2.4).
"""

from __future__ import annotations

from collections.abc import Mapping

from opforge.build.key_parts import LICENCES, README
from opforge.frozen import dataclass
from opforge.spec.model import Spec


@dataclass(frozen=True)
class About:
    """A package: its spec, its version with the local part, and the project's documentation files by name."""

    spec: Spec
    version: str
    pages: Mapping[str, bytes]

    @property
    def licences(self) -> dict[str, bytes]:
        """The licence files by name."""
        return {name: self.pages[name] for name in LICENCES if name in self.pages}


def metadata(about: About, torch_version: str | None) -> bytes:
    """The text of METADATA. ``torch_version`` is that of the compiled libraries; None before compilation."""
    project = about.spec.project
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {project.package}",
        f"Version: {about.version}",
        f"Summary: Ascend C operators for PyTorch: {', '.join(op.type for op in about.spec.ops)}",
        "Requires-Python: >=3.10",
    ]
    if project.license:
        lines.append(f"License-Expression: {project.license}")
    lines += [f"License-File: {name}" for name in about.licences]
    if torch_version is None:
        lines += ["Dynamic: Requires-Dist", "Dynamic: Provides-Extra"]
    else:
        series = ".".join(torch_version.split("+")[0].split(".")[:2])
        lines.append(f"Requires-Dist: torch=={series}.*")
        lines.append("Provides-Extra: npu")
        lines.append(f'Requires-Dist: torch-npu=={series}.*; extra == "npu"')
    text = "\n".join(lines) + "\n"
    if README not in about.pages:
        return text.encode()
    return f"{text}Description-Content-Type: text/markdown\n\n".encode() + about.pages[README]
