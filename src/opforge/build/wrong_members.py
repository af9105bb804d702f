"""Suggests a member where a compiler reports that a struct has no such member.

g++ suggests names that are spelled alike; attributes and lists have a suffix (``epsAttr``), which is too far for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from opforge.spec.source import closest

_NO_MEMBER = re.compile(r"error: '(?:const )?(?:struct |class )?(\w+)' has no member named '(\w+)'$", re.MULTILINE)
_MEMBER = re.compile(
    r"^\s+(?!return\b|using\b|typedef\b)[\w:]+(?:<[^;()]*>)?[ *&]+(\w+)(?:\[\w*\])?(?: = [^;]+)?;", re.MULTILINE
)


def meant_member(said: str, headers: Iterable[Path]) -> str | None:
    """A sentence such as "did you mean `epsAttr`? RMSNormArgs has no `eps`" for the first such error of a compiler.

    ``said`` is the compiler's output, ``headers`` the files that may define the struct. None without a similar member.
    """
    found = _NO_MEMBER.search(said)
    if found is None:
        return None
    struct, wrong = found.groups()
    begins = re.compile(rf"^(?:struct|class) {struct}\b[^;{{]*\{{(.*?)^\}}", re.MULTILINE | re.DOTALL)
    for header in headers:
        body = begins.search(header.read_text(encoding="utf-8", errors="replace"))
        if body is None:
            continue
        members = _MEMBER.findall(body[1])
        longer = [member for member in members if member.lower().startswith(wrong.lower())]
        meant = min(longer, key=len) if longer else closest(wrong, members)
        return f"did you mean `{meant}`? {struct} has no `{wrong}`" if meant else None
    return None
