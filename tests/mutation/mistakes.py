"""Plants mistakes that authors make into the text of a kernel, one at a time.

A rule finds sites by a pattern in one line and says what an author would have written there instead. Each rule belongs
to a class of mistakes; the table of results counts by class.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


def _grown(number: str) -> str:
    """Another constant."""
    other = f"{float(number) * 1.25 + 0.25:g}"
    return f"{other}f" if "." in other else f"{other}.0f"


Change = Callable[["re.Match[str]"], "str | None"]  # the new text of the match; None: this is no site


@dataclass(frozen=True)
class Mistake:
    """One changed line: ``kind`` is the class of mistake, ``line`` counts from 1."""

    kind: str
    line: int
    old: str
    new: str

    def planted(self, text: str) -> str:
        """The file with the mistake."""
        lines = text.split("\n")
        assert lines[self.line - 1].strip() == self.old
        indent = lines[self.line - 1][: -len(lines[self.line - 1].lstrip())]
        lines[self.line - 1] = indent + self.new
        return "\n".join(lines)


def _swap(*pair: str) -> Change:
    others = {pair[0]: pair[1], pair[1]: pair[0]}
    return lambda match: others[match[0]]


def _arguments(one: int, two: int) -> Change:
    """A call with two of its arguments exchanged."""

    def change(match: re.Match[str]) -> str | None:
        given = match[2].split(", ")
        if max(one, two) >= len(given) or given[one] == given[two] or "(" in match[2]:
            return None
        given[one], given[two] = given[two], given[one]
        return f"{match[1]}({', '.join(given)})"

    return change


OFFSET, ROW, CAST, TAIL = "offset of one operand", "off by one row", "missing cast", "wrong tail"
DTYPE, AXIS, STALE, CORE = "wrong dtype", "wrong axis", "stale tile", "dropped core"
GRADIENT, STEP, COUNT = "swapped operand or gradient", "wrong instruction", "wrong count"

_CALL = r"\b((?:AscendC::)?(?:Sub|Div|Compare|Select))\(([^;]*)\)(?=;)"

RULES: tuple[tuple[str, str, Change], ...] = (
    (OFFSET, r"(?<=Gm)\[([^\[\]]+)\]", lambda m: "[0]" if m[1] != "0" else None),
    (OFFSET, r"(?<=Gm)\[([^\[\]]+)\]", lambda m: f"[{m[1]} + 1]"),
    (OFFSET, r"(?<=Queue)(\w+)\.CopyIn\((\w+), (\w+)\)", lambda m: f"{m[1]}.CopyIn({m[2]}, tile_io::Place{{0, 0, 1}})"),
    (OFFSET, r"\bPlace (\w+)\{(\w+), 0, 1\}", lambda m: f"Place {m[1]}{{0, 0, 1}}"),
    (OFFSET, r"\.CopyOut\((\w+), (\w+),", lambda m: f".CopyOut({m[1]}, {m[2]} + 1,"),
    (OFFSET, r"\b(\w*[oO]ffset) = ([^;]+) \+ ([\w.>-]+);", lambda m: f"{m[1]} = {m[2]};"),
    (OFFSET, r"\b(begin|first|start|row|offset) \* ([\w>.-]+)", lambda m: f"{m[1]} + {m[2]}"),
    (ROW, r"(?<=; )(\w+) < ([^;]+)(?=; )", lambda m: f"{m[1]} < {m[2]} - 1"),
    (ROW, r"(?<=; )(\w+) < ([^;]+)(?=; )", lambda m: f"{m[1]} <= {m[2]}"),
    (ROW, r"\b(int64_t|uint32_t|int32_t|uint64_t) (\w+) = 0(?=; \w+ <)", lambda m: f"{m[1]} {m[2]} = 1"),
    (ROW, r"\b(row|tileNumber|rowNumber) \+ 1\b", lambda m: m[1]),
    (CAST, r"CAST_(RINT|ROUND)\b", lambda _: "CAST_FLOOR"),
    (CAST, r"CAST_(RINT|ROUND)\b", lambda _: "CAST_TRUNC"),
    (CAST, r"^(?:AscendC::)?Cast\([^;]*\);$", lambda _: ""),
    (TAIL, r"\b(AtMost|Least)\(([^()]+|[^()]*\([^()]*\)[^()]*), ([^(),]+)\)", lambda m: m[3]),
    (TAIL, r"\b(\w+) < ([\w>.-]+) \? ([^:]+) : ([^;]+)(?=;)", lambda m: m[4]),
    (TAIL, r"\b(\w+) < ([\w>.-]+) \? ([^:]+) : ([^;]+)(?=;)", lambda m: f"{m[1]} > {m[2]} ? {m[3]} : {m[4]}"),
    (TAIL, r"\b(CeilDiv|RoundUp)\(([^()]+), ([^()]+)\)", lambda m: m[2]),
    (DTYPE, r"sizeof\((float|Type\w+|T|half|int32_t|uint32_t)\)", lambda m: f"(sizeof({m[1]}) / 2)"),
    (DTYPE, r"(?<=<uint32_t>\()sizeof\((float|Type\w+|T|half)\)", lambda m: f"(sizeof({m[1]}) * 2)"),
    (AXIS, r"(?<=tile\.)(row|column)\b", _swap("row", "column")),
    (AXIS, r"(?<=origin\.)(row|column)\b", _swap("row", "column")),
    (AXIS, r"\b(rowCount|columnCount)\b(?! =)", _swap("rowCount", "columnCount")),
    (AXIS, r"\b(tileRows|tileColumns)\b(?! =)", _swap("tileRows", "tileColumns")),
    (AXIS, r"(?<=[>.])(rows|cols)\b(?! =)", _swap("rows", "cols")),
    (AXIS, r"(?<=[>.])(rows|columns)\b(?! =)", _swap("rows", "columns")),
    (AXIS, r"(?<=[>.])(rows|hidden)\b(?! =)", _swap("rows", "hidden")),
    (STALE, r"^(?:AscendC::)?PipeBarrier<\w+>\(\);$", lambda _: ""),
    (STALE, r"^(?:AscendC::)?WaitFlag<[^;]*;$", lambda _: ""),
    (STALE, r"^(?:AscendC::)?SetFlag<[^;]*;$", lambda _: ""),
    (STALE, r"^Order<[^;]*;$", lambda _: ""),
    (STALE, r"^(\w+)\.WaitIterateAll\(\);$", lambda _: ""),
    (STALE, r"^(\w+)\.EnQue\([^;]*;$", lambda _: ""),
    (STALE, r"^(\w+)\.FreeTensor\([^;]*;$", lambda _: ""),
    (STALE, r"\b1 - slot\b", lambda _: "slot"),
    (STALE, r"^(?:[\w.]+\.)?(?:DataCopy|DataCopyPad|CopyIn)\([^;]*;$", lambda _: ""),
    (CORE, r"(?:AscendC::)?GetBlockIdx\(\)", lambda m: f"({m[0]} / 2)"),
    (CORE, r"(?:AscendC::)?GetBlockIdx\(\)", lambda m: f"({m[0]} == 1 ? 0 : {m[0]})"),
    (CORE, r"(?:AscendC::)?GetBlockNum\(\)", lambda m: f"({m[0]} + 1)"),
    (CORE, r"\bworkerNumber = (.*);", lambda m: f"workerNumber = ({m[1]}) / 2;"),
    (GRADIENT, _CALL, _arguments(1, 2)),
    (GRADIENT, r"\.EnQue\(grad(\w+)Local, ", lambda m: f".EnQue(grad{'Up' if m[1] != 'Up' else 'Gate'}Local, "),
    (GRADIENT, r"\b(x|y|gate|up)(?=Place\);$)", lambda m: {"x": "y", "y": "x", "gate": "up", "up": "gate"}[m[1]]),
    (STEP, r"\b(Add|Sub)(?=\()", _swap("Add", "Sub")),
    (STEP, r"\b(Mul|Div)(?=\()", _swap("Mul", "Div")),
    (STEP, r"\b(Max|Min)(?=\()", _swap("Max", "Min")),
    (STEP, r"\b(Maxs|Mins)(?=\()", _swap("Maxs", "Mins")),
    (STEP, r"\b(GT|LT|GE|LE)\b", lambda m: m[1].replace("T", "#").replace("E", "T").replace("#", "E")),
    (STEP, r"\b(Exp|Ln)(?=\()", _swap("Exp", "Ln")),
    (STEP, r"\b(Sqrt|Rsqrt)(?=\()", _swap("Sqrt", "Rsqrt")),
    (STEP, r"\b(Abs|Relu)(?=\()", _swap("Abs", "Relu")),
    (STEP, r"(?<![\w.])(\d+\.\d+)f\b", lambda m: _grown(m[1])),
    (STEP, r"^AscendC::(?:Adds|Muls|Exp|Sqrt|Abs|Ln)\([^;]*;$", lambda _: ""),
    (COUNT, r"(?<=, )(elementCount|count)(?=\);)", lambda m: f"{m[1]} - 1"),
    (COUNT, r"(?<=, )(elementCount|count)(?=\);)", lambda m: f"{m[1]} / 2"),
    (COUNT, r"\b(\w+) \+= (?!kTile)([\w>.-]*[eE]lements|[\w>.-]*[rR]ows)\b", lambda m: f"{m[1]} += {m[2]} + 1"),
)  # fmt: skip


def mistakes(text: str) -> Iterator[Mistake]:
    """All mistakes that the rules know for a file, each once. Comments, includes and declarations stay."""
    found = set()
    for kind, pattern, change in RULES:
        for number, line in enumerate(text.split("\n"), 1):
            code = line.strip()
            if code.startswith(("//", "#", "static constexpr uint32_t kBuffers", "using ")) or not code:
                continue
            for match in re.finditer(pattern, code):
                put = change(match)
                new = None if put is None else code[: match.start()] + put + code[match.end() :]
                if new is not None and new != code and (number, new) not in found:
                    found.add((number, new))
                    yield Mistake(kind, number, code, new or ";")
