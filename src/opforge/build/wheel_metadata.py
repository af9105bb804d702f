"""METADATA of a project's wheel, and PKG-INFO of its source archive.

Source: https://packaging.python.org/en/latest/specifications/core-metadata/ (version 2.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.build.key_parts import LICENCES, README
from opforge.build.python_env import version_numbers
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
        lines += requirements((torch_version,))
    text = "\n".join(lines) + "\n"
    if README not in about.pages:
        return text.encode()
    return f"{text}Description-Content-Type: text/markdown\n\n".encode() + about.pages[README]


def requirements(torch_versions: Sequence[str]) -> tuple[str, ...]:
    """The lines of METADATA that require one of these versions of PyTorch, or another of their series."""
    needed = _requirement(sorted({version_numbers(version)[:2] for version in torch_versions}))
    return (f"Requires-Dist: torch{needed}", "Provides-Extra: npu", f'Requires-Dist: torch-npu{needed}; extra == "npu"')


def _requirement(series: Sequence[tuple[int, ...]]) -> str:
    """A specifier for these series: a range without those between them that are not among them."""
    first, last = series[0], series[-1]
    if first == last:
        return f"=={_text(first)}.*"
    between = [(first[0], minor) for minor in range(first[1], last[1])] if first[0] == last[0] else []
    without = [f"!={_text(each)}.*" for each in between if each not in series]
    return ",".join([f">={_text(first)}", f"<{last[0]}.{last[1] + 1}", *without])


def _text(series: Sequence[int]) -> str:
    return ".".join(map(str, series))
