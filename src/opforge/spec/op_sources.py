"""Reads the paths of an op's parts in a project: its reference in torch and its source files."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

from opforge.errors import Problem
from opforge.spec.source import Token

FOLDERS = ("op_host", "op_kernel")
_REFERENCE = r"([A-Za-z][A-Za-z0-9_]*):([A-Za-z_][A-Za-z0-9_]*)"
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.+-]*"
_SOURCE = rf"({_PART}/)*?(op_host|op_kernel)(/{_PART})+\.(cpp|cc|h|hpp)"
# C++ of op_host that the ops of a repository share: common/src/tiling_base/tiling_util.cpp.
_SHARED = rf"({_PART}/)*?src(/{_PART})*/{_PART}\.(cpp|cc)"
_INCLUDE = rf"\.|(\.\./)*{_PART}(/{_PART})*"
# A macro, and its value: a number, a name, or text in quotes.
_DEFINE = r"""[A-Za-z_][A-Za-z0-9_]*(=([A-Za-z0-9_.+-]*|"[A-Za-z0-9_ .:/\[\]-]*"))?"""
_LONGEST = 200


def read_reference(word: Token | None, problems: list[Problem]) -> str | None:
    """``module:function``: a module of the project's Python package, and a torch function in it."""
    if word is None:
        return None
    match = re.fullmatch(_REFERENCE, word.text)
    if match is not None and not any(keyword.iskeyword(part) for part in match.groups()):
        return word.text
    hint = "for example `golden:my_op`: the function `my_op` in `golden.py` of the project's Python package"
    problems.append(word.problem(f"`{word.text}` is not a valid reference", hint))
    return None


def read_host_cpp(word: Token | None, problems: list[Problem]) -> int:
    """A C++ standard that the compilers of op_host support."""
    if word is None:
        return 11
    if word.text not in ("11", "14", "17"):
        hint = "expected 11, 14 or 17; it does not affect kernels"
        problems.append(word.problem(f"`{word.text}` is not a valid C++ standard for op_host", hint))
        return 11
    return int(word.text)


def is_define(text: str) -> bool:
    """Whether opforge.yaml accepts a definition."""
    return re.fullmatch(_DEFINE, text) is not None and len(text) <= _LONGEST


def read_define(words: Sequence[Token] | None, problems: list[Problem]) -> tuple[str, ...]:
    """Definitions for the compilers of op_host."""
    names: dict[str, str] = {}
    for word in words or ():
        name = word.text.partition("=")[0]
        if not is_define(word.text):
            hint = "expected NAME or NAME=value, such as `LEVEL=2` or `'MODULE=\"OP_TILING\"'`"
            problems.append(word.problem(f"`{word.text}` is not a valid definition", hint))
        elif name in names:
            problems.append(word.problem(f"`{name}` is defined twice", "remove one of them"))
        names[name] = word.text
    return tuple(names.values())


def read_include(words: Sequence[Token] | None, problems: list[Problem]) -> tuple[str, ...]:
    """Folders relative to the project, inside or above it."""
    folders: list[str] = []
    for word in words or ():
        text = word.text
        if text in folders:
            problems.append(word.problem(f"`{text}` is given twice", "remove one of them"))
        elif not re.fullmatch(_INCLUDE, text) or len(text) > _LONGEST:
            hint = (
                "expected a path relative to the project, such as `common/inc` or `../common/inc`; `.` is the project"
            )
            problems.append(word.problem(f"`{text}` is not a valid include folder", hint))
        folders.append(text)
    return tuple(folders)


def is_source(text: str) -> bool:
    """Whether a path is valid in an op's ``sources``."""
    named = re.fullmatch(_SOURCE, text) is not None or is_shared(text)
    return named and ".." not in text.split("/") and len(text) <= _LONGEST


def is_shared(text: str) -> bool:
    """Whether a path is that of a host source outside of op_host, below a folder ``src``."""
    return re.fullmatch(_SHARED, text) is not None and not set(FOLDERS) & set(text.split("/"))


def unit_of(source: str) -> str:
    """The folder that contains the source's op_host or op_kernel: empty for the project's root, else ``gelu``.

    For a shared source, its own folder.
    """
    parts = source.split("/")
    first = next((place for place, part in enumerate(parts) if part in FOLDERS), len(parts) - 1)
    return "/".join(parts[:first])


def kernel_among(sources: Sequence[str]) -> str:
    """The source with an op's kernel: the first one, since headers of other ops may follow."""
    found = (source for source in sources if source.endswith((".cpp", ".cc")) and _folder_of(source) == "op_kernel")
    return next(found, sources[-1])


def _folder_of(source: str) -> str:
    """``op_host`` or ``op_kernel``, whichever comes first in the path; shared sources are the host's."""
    return next((part for part in source.split("/") if part in FOLDERS), FOLDERS[0])


def read_sources(words: Sequence[Token] | None, problems: list[Problem]) -> tuple[str, ...]:
    """Files below op_host and op_kernel, at least one of each, in the project's root or in one folder of it."""
    if words is None:
        return ()
    before = len(problems)
    sources: list[str] = []
    for word in words:
        text = word.text
        if text in sources:
            problems.append(word.problem(f"`{text}` is given twice", "remove one of them"))
        elif not is_source(text):
            hint = "expected a path below op_host or op_kernel, such as `op_kernel/my_op.cpp`"
            problems.append(word.problem(f"`{text}` is not a valid source of an op", hint))
        sources.append(text)
    if len(problems) == before:
        units = dict.fromkeys(map(unit_of, sources))
        for folder in FOLDERS:
            starts = tuple(f"{unit}/{folder}/" if unit else f"{folder}/" for unit in units)
            if words and not any(text.startswith(starts) and text.endswith((".cpp", ".cc")) for text in sources):
                what = f"`sources` lists no C++ file under {folder}"
                problems.append(
                    words[0].problem(
                        what, f"for example `{folder}/my_op.cpp`; remove `sources` to use the default files"
                    )
                )
    return tuple(sources)
