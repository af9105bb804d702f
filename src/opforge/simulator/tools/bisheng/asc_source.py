"""What stands in a preprocessed .asc source beside C++: kernels and their launches, written as C++ for each side.

The host gets, instead of a kernel's body, the call that launches it; the device gets the body behind an entry that
takes the arguments as words. Lines stay where they are, so that messages name the user's.
Documentation: guide/编程指南/语言扩展层/SIMD-BuiltIn关键字.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from class_scope import split

# What the preprocessor leaves as it is, for us; the last ones with an argument list.
QUALIFIERS = ("__global__", "__aicore__", "__host__", "__vector__", "__cube__", "__kfc_workspace__", "__callee__")
WITH_ARGUMENTS = ("__mix__", "__schedmode__", "__launch_bounds__")
# What belongs to other architectures or processors, and what it is.
ELSEWHERE = {
    "__aicpu__": "the simulated device has no AI CPU",
    "__simd_vf__": "vector functions on registers exist on Ascend 950 only",
    "__simt_vf__": "SIMT exists on Ascend 950 only",
}
STRUCT = "SimKernel"  # the local type by which both sides know a kernel
ENTRY = "simKernel_"  # before its name: that type's function with the body, which reports show without this
MODULE = "simModule"
_LONGEST_NAME = 2000  # of a kernel in a launch, with its template arguments

_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|R"([^()\\\s]*)\((?:.|\n)*?\)\1"')
_MARKER = re.compile(r"^# \d+ .*$", re.MULTILINE)
_OPEN, _CLOSE = "([{", ")]}"
_WORD = re.compile(r"[A-Za-z_]\w*")
# Of these names host and device have functions of their own.
_HOST_FUNCTION = re.compile(r"(?<![\w:.>])(?:printf|__assert_fail)(?=\s*\()")
_DEVICE_FUNCTION = {"printf": "::AscendC::printf", "__assert_fail": "::sim::asc::AssertFailed"}
# Words that name no parameter.
_TYPE_WORDS = frozenset(
    re.findall(
        r"\w+",
        "const volatile unsigned signed int char short long float bool double void auto struct class enum typename "
        "__gm__ __restrict__ __restrict restrict",
    )
)


class SourceError(Exception):
    """The source is not as the language says; the text says where and why."""


@dataclass(frozen=True)
class Parameter:
    """A kernel's parameter: ``type name``, on one line and without its default."""

    declaration: str
    name: str
    workspace: bool  # __kfc_workspace__: it is the system's and the user's workspace


@dataclass(frozen=True)
class Kernel:
    """The definition of a kernel function in a text."""

    number: int
    name: str
    head: str  # what stands before its name: qualifiers among them
    parameters: tuple[Parameter, ...]
    inside: tuple[int, int]  # of the parameter list, without its parentheses
    body: tuple[int, int]  # with its braces

    @property
    def cores(self) -> str:
        """``cube``, ``vector``, ``mix 1 2``, or nothing where no qualifier says it."""
        mix = re.search(r"__mix__\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)", self.head)
        if mix:
            return f"mix {mix[1]} {mix[2]}"
        return next((word for word in ("cube", "vector") if f"__{word}__" in self.head), "")


@dataclass(frozen=True)
class Launch:
    """``name<arguments><<<blocks, ubuf, stream>>>(values)``: where each part begins and ends."""

    begin: int
    callee_end: int
    configuration: str
    call: int
    end: int


class Text:
    """Preprocessed text that can be walked over."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._strings = {found.start(): found.end() for found in _STRING.finditer(_without_markers(text))}

    def place(self, at: int) -> str:
        """``file:line``."""
        before = at
        while (before := self.text.rfind("\n# ", 0, before)) >= 0:
            marker = re.compile(r'\n# (\d+) "([^"]*)".*\n').match(self.text, before)
            if marker:
                return f"{marker[2]}:{int(marker[1]) + self.text.count(chr(10), marker.end(), at)}"
        return "?"

    def skip(self, at: int) -> int:
        """Past the string at ``at``, or past one character."""
        return self._strings.get(at, at + 1)

    def close(self, at: int) -> int:
        """Past the bracket that closes the one at ``at``."""
        depth, begin = 0, at
        while at < len(self.text):
            letter = self.text[at]
            depth += (letter in _OPEN) - (letter in _CLOSE)
            at = self.skip(at)
            if depth == 0:
                return at
        raise SourceError(f"{self.place(begin)}: error: '{self.text[begin]}' is never closed")

    def find(self, letters: str, at: int) -> int:
        """The first of ``letters`` outside of brackets, from ``at`` on; -1 if there is none."""
        while at < len(self.text):
            if self.text[at] in letters:
                return at
            at = self.close(at) if self.text[at] in _OPEN else self.skip(at)
        return -1


def _without_markers(text: str) -> str:
    """The same text and places, with nothing in line markers: their quotes are no strings."""
    return _MARKER.sub(lambda found: " " * len(found[0]), text)


def _parameter(text: str, index: int) -> Parameter:
    text = " ".join(_MARKER.sub(" ", text).split())
    workspace = "__kfc_workspace__" in text
    text = stripped(text.partition("=")[0]).strip()
    array = re.search(r"(\w+)\s*\[[^\]]*\]$", text)
    if array:
        text = f"{text[: array.start()]}* {array[1]}"
    # Template arguments and what is before :: are parts of the type.
    plain = re.sub(r"\w+\s*::\s*", "", re.sub(r"<.*>", " x ", text))
    words = [word for word in _WORD.findall(plain) if word not in _TYPE_WORDS]
    basic = any(word in _TYPE_WORDS - {"const", "volatile", "__restrict__", "__gm__"} for word in _WORD.findall(plain))
    last = _WORD.findall(text)[-1] if re.search(r"\w$", text) else ""
    if last and last not in _TYPE_WORDS and len(words) + basic > 1:
        return Parameter(text, last, workspace)
    return Parameter(f"{text} simUnnamed{index}", f"simUnnamed{index}", workspace)


def kernels(text: Text) -> list[Kernel]:
    """The kernel functions that are defined. Raises SourceError."""
    found: list[Kernel] = []
    for word in re.finditer(r"\b__global__\b", text.text):
        begin = max(text.text.rfind(letter, 0, word.start()) for letter in ";{}")
        at = word.end()
        while True:  # the parenthesis behind the name
            at = text.find("(;{", at)
            if at < 0 or text.text[at] != "(":
                raise SourceError(f"{text.place(word.start())}: error: __global__ stands before no function")
            named = re.search(r"(\w+)\s*(?:<[^()]*>\s*)?$", text.text[word.end() : at])
            if named and named[1] not in (*WITH_ARGUMENTS, "__attribute__", "alignas"):
                break
            at = text.close(at)
        end = text.close(at)
        behind = text.find(";{", end)
        if behind < 0 or text.text[behind] == ";":
            continue  # a declaration
        if re.search(r"\b__global__\b", text.text[word.end() : at]):
            continue
        head = _MARKER.sub(" ", text.text[begin + 1 : at])
        foreign = next((name for name in ELSEWHERE if name in head), None)
        if foreign:
            raise SourceError(f"{text.place(word.start())}: error: {foreign} {named[1]}: {ELSEWHERE[foreign]}")
        inside = (at + 1, end - 1)
        written = text.text[inside[0] : inside[1]]
        parts = [] if written.strip() in ("", "void") else list(split(_MARKER.sub(" ", written)))
        parameters = tuple(_parameter(part, index) for index, part in enumerate(parts))
        found.append(Kernel(len(found), named[1], head, parameters, inside, (behind, text.close(behind))))
    return found


def launches(text: Text) -> Iterator[Launch]:
    """All ``<<<...>>>``. Raises SourceError."""
    for mark in re.finditer(r"<<\s?<(?!<)", text.text):
        if _in_string(text, mark.start()) or re.search(
            r"operator\s*$", text.text[max(0, mark.start() - 20) : mark.start()]
        ):
            continue
        at = mark.end()
        while not re.match(r">>\s?>", text.text[at : at + 4]):
            if at >= len(text.text) or text.text[at] in ";{}":
                raise SourceError(f"{text.place(mark.start())}: error: '<<<' without '>>>'")
            at = text.close(at) if text.text[at] in _OPEN else text.skip(at)
        configuration = " ".join(_MARKER.sub(" ", text.text[mark.end() : at]).split())
        call = text.text.index(">", at + 2) + 1
        call = next((i for i in range(call, len(text.text)) if not text.text[i].isspace()), call)
        if text.text[call : call + 1] != "(":
            raise SourceError(f"{text.place(call)}: error: '<<<{configuration}>>>' without the kernel's arguments")
        if not 2 <= len(list(split(configuration))) <= 3:
            reason = "it takes numBlocks, dynUBufSize and, behind them, a stream"
            raise SourceError(f"{text.place(mark.start())}: error: '<<<{configuration}>>>': {reason}")
        from_ = max(0, mark.start() - _LONGEST_NAME)
        callee = text.text[from_ : mark.start()].rstrip()
        begin = _callee(callee)
        if begin < 0:
            raise SourceError(f"{text.place(mark.start())}: error: '<<<' stands behind no kernel")
        yield Launch(from_ + begin, from_ + len(callee), configuration, call, text.close(call))


def _opened(text: str) -> int:
    """Where the bracket opens that ``text`` ends with; > and < count where they are in no other bracket."""
    at, angles, others = len(text), 0, 0
    while at > 0:
        at -= 1
        others += (text[at] in _CLOSE) - (text[at] in _OPEN)
        if others == 0:
            angles += (text[at] == ">") - (text[at] == "<")
        if (others == 0 and angles == 0) or text[at] == ";":
            break
    return at


def _callee(text: str) -> int:
    """Where the name begins that ``text`` ends with; -1 if it ends with none."""
    at = len(text)
    if text.endswith((">", ")", "]")):
        at = _opened(text)
    name = re.search(r"(?:::\s*)?(?:\w+\s*(?:::|\.|->)\s*)*\w+\s*$", text[:at])
    if name:
        return name.start()
    return at if at < len(text) and text[at] in _OPEN else -1


def _in_string(text: Text, at: int) -> bool:
    line = text.text.rfind("\n", 0, at) + 1
    if text.text.startswith("#", line):
        return True
    while line < at:
        line = text.skip(line)
    return line != at


def stripped(text: str) -> str:
    """Without the qualifiers."""
    text = re.sub(rf"\b(?:{'|'.join(WITH_ARGUMENTS)})\s*\([^()]*\)", " ", text)
    return re.sub(rf"\b(?:{'|'.join(QUALIFIERS)})\b", " ", text)


def _skeleton(text: str) -> str:
    """As many lines, and the line markers; nothing else."""
    return "\n".join(row if _MARKER.fullmatch(row) else "" for row in text.split("\n"))


def _rewritten(text: str, edits: list[tuple[int, int, str]]) -> str:
    """With each (begin, end) replaced. A later edit inside of an earlier one is gone with what it was in."""
    parts, at = [], 0
    for begin, end, new in sorted(edits, key=lambda edit: (edit[0], -edit[1])):
        if begin < at:
            continue
        parts += [text[at:begin], new]
        at = end
    return stripped("".join([*parts, text[at:]]))


def _named(kernel: Kernel, text: str) -> tuple[int, int, str]:
    """The parameter list with a name for each parameter, in as many lines."""
    begin, end = kernel.inside
    if not any(one.name.startswith("simUnnamed") for one in kernel.parameters):
        return begin, begin, ""
    listed = ", ".join(one.declaration for one in kernel.parameters)
    return begin, end, listed + _skeleton(text[begin:end])


def _launched(launch: Launch, text: str) -> list[tuple[int, int, str]]:
    between = _skeleton(text[launch.callee_end : launch.call])
    return [
        (launch.begin, launch.begin, f"(::sim::asc::Configure({launch.configuration}), "),
        (launch.callee_end, launch.call, between),
        (launch.end, launch.end, ")"),
    ]


def host(text: Text, found: list[Kernel]) -> str:
    """What the host's compiler gets."""
    edits = [edit for launch in launches(text) for edit in _launched(launch, text.text)]
    for kernel in found:
        struct = f"{STRUCT}{kernel.number}_"
        names = ", ".join(f'"{one.name}"' for one in kernel.parameters) or "nullptr"
        workspace = next((i for i, one in enumerate(kernel.parameters) if one.workspace), -1)
        values = "".join(f", {one.name}" for one in kernel.parameters)
        stub = (
            f"{{ struct {struct} {{}}; static const char* const simNames[] = {{{names}}}; "
            f'::sim::asc::Launch({MODULE}, typeid({struct}).name(), "{kernel.name}", {workspace}, simNames{values}); }}'
        )
        edits.append(_named(kernel, text.text))
        edits.append((*kernel.body, stub + _skeleton(text.text[slice(*kernel.body)])))
    return _rewritten(text.text, edits)


def device(text: Text, found: list[Kernel]) -> str:
    """What the compiler of kernels gets."""
    edits = [edit for launch in launches(text) for edit in _launched(launch, text.text)]
    for begin, end in _functions(text):
        calls = _HOST_FUNCTION.finditer(text.text, begin, end)
        edits += [(called.start(), called.end(), _DEVICE_FUNCTION[called[0]]) for called in calls]
    for kernel in found:
        struct = f"{STRUCT}{kernel.number}_"
        taken = "".join(f" {one.declaration} = simArguments;" for one in kernel.parameters)
        begin, end = kernel.body
        before = (
            f"{{ struct {struct} {{ static void {ENTRY}{kernel.name}(const uint64_t* simWords) "
            f"{{ [[maybe_unused]] ::sim::asc::Arguments simArguments(simWords);{taken} "
        )
        unused = "".join(f" static_cast<void>({one.name});" for one in kernel.parameters)
        edits.append(_named(kernel, text.text))
        edits += [
            (begin, begin, before),
            (end, end, f" }} }};{unused} ::sim::asc::Keep(&{struct}::{ENTRY}{kernel.name}); }}"),
        ]
    return _rewritten(text.text, edits)


def _functions(text: Text) -> Iterator[tuple[int, int]]:
    """Where functions that run on the device begin and end, from their qualifier on."""
    at = 0
    for word in re.finditer(r"\b__(?:aicore|global)__\b", text.text):
        if word.start() >= at:
            body = text.find("{;", word.end())
            at = text.close(body) if body >= 0 and text.text[body] == "{" else word.end()
            yield word.start(), at


def device_only(text: Text) -> str:
    """The text with nothing outside of functions that run on the device, whose rules are not the host's."""
    kept, at = [], 0
    for begin, end in _functions(text):
        kept += [_skeleton(text.text[at:begin]), text.text[begin:end]]
        at = end
    return "".join([*kept, _skeleton(text.text[at:])])
