"""Where an op's parts stand in a project: its reference in torch and its source files."""

from __future__ import annotations

import keyword
import re
from collections.abc import Sequence

from opforge.errors import Problem
from opforge.spec.source import Token

_REFERENCE = re.compile(r"([A-Za-z][A-Za-z0-9_]*):([A-Za-z_][A-Za-z0-9_]*)")
_SOURCE = re.compile(r"(op_host|op_kernel)(/[A-Za-z0-9_][A-Za-z0-9_.+-]*)+\.(cpp|cc|h|hpp)")
_LONGEST = 200


def read_reference(word: Token | None, problems: list[Problem]) -> str | None:
    """``module:function``: a module of the project's own Python package, and a function of it in torch."""
    if word is None:
        return None
    match = _REFERENCE.fullmatch(word.text)
    if match is not None and not any(keyword.iskeyword(part) for part in match.groups()):
        return word.text
    hint = "as `golden:my_op`: the function `my_op` in `golden.py` of the project's Python package"
    problems.append(word.problem(f"`{word.text}` is no reference", hint))
    return None


def read_sources(words: Sequence[Token] | None, problems: list[Problem]) -> tuple[str, ...]:
    """Files below op_host and op_kernel, at least one of each."""
    if words is None:
        return ()
    before = len(problems)
    sources: list[str] = []
    for word in words:
        text = word.text
        if text in sources:
            problems.append(word.problem(f"`{text}` is given twice", "leave one of them out"))
        elif not _SOURCE.fullmatch(text) or ".." in text.split("/") or len(text) > _LONGEST:
            hint = "a path below op_host or op_kernel, as `op_kernel/my_op.cpp`"
            problems.append(word.problem(f"`{text}` is no source of an op", hint))
        sources.append(text)
    if len(problems) == before:
        for folder in ("op_host", "op_kernel"):
            if words and not any(text.startswith(f"{folder}/") and text.endswith((".cpp", ".cc")) for text in sources):
                what = f"the sources have no C++ file of {folder}"
                problems.append(
                    words[0].problem(what, f"as `{folder}/my_op.cpp`; leave `sources` out for the usual ones")
                )
    return tuple(sources)
