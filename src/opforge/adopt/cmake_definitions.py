"""Finds macros that the CMake files of a repository define for op_host, with a value that the sources need."""

from __future__ import annotations

import os
import re
from pathlib import Path

from opforge.plain_files import read_plain
from opforge.spec.op_sources import is_define

_CALL = re.compile(r"\b(?:target_compile_definitions|add_compile_definitions)\s*\(([^()]*)\)")
_PAIR = re.compile(r"""(?<![\w<:$])([A-Z][A-Z0-9_]{3,})=("[^"]*"|\$<[^\s]*|[\w.+-]+)""")
_TEXT = re.compile(r'"[^"]*"')
_SKIPPED = frozenset(("build", "build_out", "docs", "examples", "python", "test", "tests", "third_party", "ut"))


def definitions(top: Path) -> dict[str, str]:
    """The macros with their first values; a generator expression counts as the first text in it."""
    found: dict[str, str] = {}
    for folder, inner, files in os.walk(top):
        inner[:] = sorted(name for name in inner if name not in _SKIPPED and name[0] != ".")
        for name in sorted(files):
            if name == "CMakeLists.txt" or name.endswith(".cmake"):
                text = read_plain(Path(folder, name)).decode(errors="replace")
                for call in _CALL.finditer(text):
                    for macro, value in _PAIR.findall(call[1]):
                        said = _TEXT.search(value) if value.startswith("$") else None
                        plain = said[0] if said else value
                        if is_define(f"{macro}={plain}"):
                            found.setdefault(macro, plain)
    return found


def needs_definition(text: str, name: str) -> bool:
    """Whether a source uses a macro as a value, and does not define it. Macros of ``#if`` have their default."""
    word = re.escape(name)
    if re.search(rf"^[ \t]*#[ \t]*define[ \t]+{word}\b", text, re.MULTILINE):
        return False
    lines = (line for line in text.splitlines() if re.search(rf"\b{word}\b", line))
    return any(not re.match(r"[ \t]*(#[ \t]*(if|elif|ifdef|ifndef|undef)|//)", line) for line in lines)
