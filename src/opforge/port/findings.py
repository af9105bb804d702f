"""Finds the uses of a chip's table in files: each with file, line and text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from opforge.errors import UsageError
from opforge.frozen import dataclass
from opforge.port.ascend950 import CHANGES
from opforge.port.change import Change
from opforge.soc import SOCS

TABLES = {"ascend950": CHANGES}

# Comments and, to be kept, literals: a comment's mark inside a literal begins nothing.
_COMMENT = re.compile(r"//(?:[^\\\n]|\\.)*|/\*.*?\*/|(\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*')", re.DOTALL)
_SHELL_COMMENT = re.compile(r"#[^\n]*")
_GUARD = re.compile(r"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b(.*)$", re.MULTILINE)
_FOR_OTHERS = re.compile(r"__NPU_ARCH__\s*==\s*(?!3510)\d+|__DAV_C220|__CCE_AICORE__\s*==\s*(?!310)\d+")
_FOR_IT = re.compile(r"3510|__DAV_C310|__CCE_AICORE__\s*==\s*310|!=|!\s*defined|\|\|\s*!")
_BUILT = frozenset({"build", "build_out", "dist", ".git", ".opforge", "__pycache__", ".venv"})
_MOST_BYTES = 4_000_000  # of a file


@dataclass(frozen=True)
class Finding:
    """A use of something that the chip lacks or has otherwise."""

    file: Path
    line: int
    use: str
    change: Change


def without_comments(text: str, name: str) -> str:
    """The text with each comment as blanks, so that lines and columns stay."""

    def blank(found: re.Match[str]) -> str:
        literal = found[1] if found.re is _COMMENT else None
        return literal or re.sub(r"[^\n]", " ", found[0])

    marks = _SHELL_COMMENT if name.endswith(("CMakeLists.txt", ".cmake")) else _COMMENT
    return marks.sub(blank, text)


def lines_for_others(text: str) -> set[int]:
    """The lines that the preprocessor leaves out on the chip, since they stand below a test for another one."""
    skipped: set[int] = set()
    open_parts: list[tuple[bool, int]] = []  # whether the part is for other chips, and its first line
    for found in _GUARD.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        if found[1] in {"elif", "else", "endif"} and open_parts:
            others, first = open_parts.pop()
            if others:
                skipped.update(range(first, line))
        if found[1] != "endif":
            others = found[1] in {"if", "elif"} and bool(_FOR_OTHERS.search(found[2]))
            open_parts.append((others and not _FOR_IT.search(found[2]), line + 1))
    return skipped


def findings_in(file: Path, text: str, soc: str) -> list[Finding]:
    """The uses in one file, by line."""
    code = without_comments(text, file.name)
    changes = [each for each in TABLES[soc] if file.name.endswith(each.files)]
    skipped = lines_for_others(code) if _has_other_part(code) else set()
    found: list[Finding] = []
    for change in changes:
        if change.but is not None and change.but.search(code):
            continue
        lines = set()
        for match in change.pattern.finditer(code):
            at = match.start(match.lastindex or 0)
            line = code.count("\n", 0, at) + 1
            if line in lines or line in skipped:
                continue
            lines.add(line)
            found.append(Finding(file, line, " ".join(match[match.lastindex or 0].split()), change))
            if change.once:
                break
    return sorted(found, key=lambda each: each.line)


def _has_other_part(code: str) -> bool:
    """Whether the file has code for this chip beside that for others: otherwise the missing part is the finding."""
    return re.search(r"\b3510\b|__DAV_C310", code) is not None


def files_of(path: Path) -> Iterator[Path]:
    """The file, or the sources and build files below a folder. Raises UsageError for a path that is not there."""
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise UsageError(f"{path}: there is no such file or folder", hint="give an Ascend C source, or a project")
    ends = tuple({end for changes in TABLES.values() for change in changes for end in change.files})
    for each in sorted(path.rglob("*")):
        inside = each.relative_to(path).parts[:-1]
        if each.is_file() and each.name.endswith(ends) and not _BUILT.intersection(inside):
            yield each


def findings(path: Path, soc: str) -> tuple[int, list[Finding]]:
    """How many files were read below the path, and what breaks in them on the SoC. Raises UsageError."""
    if soc not in TABLES:
        known = ", ".join(TABLES)
        what = f"--to {soc}: no table of changes" if soc in SOCS else f"--to {soc} is not a valid SoC"
        raise UsageError(what, hint=f"there are tables for: {known}")
    count, found = 0, []
    for file in files_of(path):
        count += 1
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES).decode(errors="replace")
        found += findings_in(file, text, soc)
    return count, found
