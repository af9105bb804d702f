"""What the device compiler refuses and the host's compiler would take: found in a kernel's text and in its object."""

from __future__ import annotations

import functools
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from compile_options import ROOT, TOOLKIT

# Functions of libm: the device compiler has none of them (it has sqrt and abs).
LIBM = """
    acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp2 expm1 fdim floor fma fmax fmin
    fmod frexp hypot ilogb ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nearbyint nextafter
    pow remainder remquo rint round scalbn sin sinh tan tanh tgamma trunc
"""
LIBM_NAMES = {name + suffix for name in LIBM.split() for suffix in ("", "f")}

# Instructions on doubles, as objdump prints them: what arithmetic with an integer and 0.5 leaves behind.
DOUBLE_INSTRUCTION = re.compile(r"\tv?(?:add|sub|mul|div|sqrt|min|max|ucomi|comi|cvt\w*)(?:sd|pd)\b|\tv?cvtsd\w+\b")

# "  1234:\tcall   1180 <Factorial(int)>": a call of a function's beginning, or a jump there.
CALL_INSTRUCTION = re.compile(r"\t(call|bl|jmp|b)\s+[0-9a-f]+ <((?:(?!\+0x[0-9a-f]+>$|@plt>$).)+)>$")

RECURSION = "device code has no recursion at run time: write a loop, or a template that recurses at compile time"

LIBRARY = "device code has no C++ standard library; AscendC::Std has what there is of it"

NO_LIBM = "libm does not exist on the AI Core: use the vector API"

FORBIDDEN = {
    "double": "double precision does not exist on the AI Core: write float, and 1.0f for 1.0",
    "throw": "the device compiler has no exceptions",
    "try": "the device compiler has no exceptions",
    "dynamic_cast": "the device compiler has no run-time type information",
    "typeid": "the device compiler has no run-time type information",
    "virtual": "the device compiler has no virtual functions",
}

# How the host starts a kernel: operator repositories have such functions behind their kernels, outside of the CPU's
# debugging. They are no part of what the device runs.
LAUNCH = re.compile(r"\b\w+(?:\s*<[^<>;]*>)?\s*<<<[^;]*?>>>\s*\([^;]*?\)\s*;")


def without_launches(text: str) -> str:
    """Preprocessed text without its kernel<<<...>>>(...); and with its lines where they are."""
    return LAUNCH.sub(lambda launch: ";" + "\n" * launch[0].count("\n"), text) if "<<<" in text else text


# Where a function runs, as the device compiler spells it; its headers call this __aicore__.
CORE_SIDE = re.compile(r"\[\s*(?:host\s*,\s*)?aicore\s*\]")


def without_core_sides(text: str) -> str:
    """Preprocessed text without ``[aicore]`` and ``[host, aicore]``, which mean nothing to the host's compiler."""
    return CORE_SIDE.sub(lambda side: "\n" * side[0].count("\n"), text) if "aicore" in text else text


# A partial specialisation that names a pack of another type than the template's: clang takes it, g++ never chooses it.
FOREIGN_PACK = re.compile(
    r"(template\s*<[^<>;{}]*?\btypename\s+(\w+)\b[^<>;{}]*?)\b(?:std\s*::\s*)?size_t(\s*\.\.\.\s*)(\w+)"
    r"(\s*>\s*(?:struct|class)\s+\w+\s*<\s*\w+\s*<\s*\2\s*,\s*\4\s*\.\.\.\s*>)"
)


def with_own_packs(text: str) -> str:
    """Preprocessed text in which such a pack has the type that the template it belongs to says."""
    return FOREIGN_PACK.sub(r"\1\2\3\4\5", text) if "size_t..." in text else text


DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(\w+)(.*)")
KEY_CHOICE = re.compile(r"^[ \t]*#[ \t]*if\b.*\bTILING_KEY_(VAR|IS)\b", re.MULTILINE)


def with_keys_at_run_time(text: str) -> str:
    """A kernel's source in which ``#if TILING_KEY_VAR == 1`` inside functions is an ``if`` statement, line by line.

    CANN compiles a kernel once for each tiling key and defines the macro; here one object has all keys.
    """
    if not KEY_CHOICE.search(text):
        return text
    lines, depth, chosen = [], 0, []
    for line in text.split("\n"):
        found = DIRECTIVE.match(line)
        word, rest = (found[1], found[2].split("//")[0].strip()) if found else ("", "")
        if word.startswith("if"):
            chosen.append(depth > 0 and KEY_CHOICE.match(line) is not None and not rest.endswith("\\"))
        ours = bool(chosen) and chosen[-1]
        statements = {"if": f"if ({rest}) {{", "elif": f"}} else if ({rest}) {{", "else": "} else {", "endif": "}"}
        lines.append(statements[word] if ours and word in statements else line)
        if word == "endif" and chosen:
            chosen.pop()
        if not word:
            depth += line.count("{") - line.count("}")
    return "\n".join(lines)


def says_only_meanings(said: str, kind: str) -> bool:
    """Whether all that g++ objects to, as errors or as warnings of -fpermissive, is that a name changes its meaning."""
    found = [
        line for line in said.splitlines() if f" {kind}: " in line and (kind == "error" or "[-fpermissive]" in line)
    ]
    wrong = kind == "warning" and " error: " in said
    return bool(found) and not wrong and all(" changes meaning of " in line for line in found)


def says_only_constants(said: str) -> bool:
    """Whether all that g++ objects to is double precision in a ``constexpr``, of which the compilers leave a number."""
    lines = said.splitlines()
    errors = [place for place, line in enumerate(lines) if " error: " in line]
    behind = ["".join(lines[place : place + 2]) for place in errors]
    return bool(errors) and all("[-Werror=double-promotion]" in text and "constexpr" in text for text in behind)


def own_lines(text: str) -> Iterator[tuple[str, str]]:
    """The lines of preprocessed text that come from the project's own files, each with its place "file:line"."""
    file, line, own = "", 0, False
    for row in text.splitlines():
        marker = re.match(r'# (\d+) "([^"]*)"(.*)', row)
        if marker:
            line, file = int(marker[1]), marker[2]
            own = "3" not in marker[3].split() and not file.startswith(("<", f"{ROOT}/"))
            continue
        if own:
            yield f"{file}:{line}", re.sub(r"\"(\\.|[^\"\\])*\"|'(\\.|[^'\\])+'", '""', row)
        line += 1


def own_files(text: str) -> set[str]:
    """The project's own files in preprocessed text."""
    return {place.rsplit(":", 1)[0] for place, _ in own_lines(text)}


def lint(text: str) -> list[str]:
    """What the device compiler refuses and the host's compiler would take."""
    found: list[str] = []
    for place, row in own_lines(text):
        # Tensors of doubles may be copied, types compared, measured and given to templates, as DTYPE_X is, and pointers
        # cast. A constant is the compiler's as long as it meets other constants alone: what is left of such arithmetic
        # at run time shows in the object.
        plain = re.sub(r"\b(?!\w+_cast\b)(\w+)<[^<>;]*\bdouble\b[^<>;]*>", r"\1<>", row)
        plain = re.sub(r"\bdouble\s*\*|\bsizeof\s*\(\s*double\s*\)", "*", plain)
        plain = re.sub(r"\bconst(?:expr)?\s+(?:static\s+)?double\s+(\w+\s*=)", r"const \1", plain)
        words = [word for word in FORBIDDEN if re.search(rf"\b{word}\b", plain)]
        found += [f"{place}: error: {word}: {FORBIDDEN[word]}" for word in words]
        names = [name for name in re.findall(r"\bstd\s*::\s*(\w+)\s*\(", plain) if name in LIBM_NAMES]
        found += [f"{place}: error: std::{name}: {NO_LIBM}" for name in names]
        names = re.findall(r"\bstd\s*::\s*(tuple|make_tuple|tie)\b", plain)  # which AscendC::Std has too
        found += [f"{place}: error: std::{name}: {LIBRARY}" for name in names]
    return found


def calls_of(text: str, names: set[str]) -> list[str]:
    """Where the project's own files call one of the functions of libm."""
    return [
        f"{place}: error: {name}: {NO_LIBM}"
        for place, row in own_lines(text)
        for name in sorted(names)
        if re.search(rf"\b{name}\s*\(", row)
    ]


@functools.cache
def disassembly(built: Path) -> str:
    """The instructions of an object, each behind the place it comes from. "" without objdump."""
    objdump = shutil.which("objdump")
    if objdump is None:
        return ""
    command = [objdump, "--disassemble", "--demangle", "--line-numbers", "--no-show-raw-insn", "--section=.text"]
    return subprocess.run(
        [*command, str(built)], capture_output=True, encoding="utf-8", errors="replace", check=False
    ).stdout


def own_instructions(built: Path) -> Iterator[tuple[str, str, str]]:
    """The instructions that come from the project's files: the function they are in, their place, themselves."""
    function = place = ""
    for row in disassembly(built).splitlines():
        at = re.match(r"(?:\./)?((?:/|(?<=\./)).+:\d+)(?: \(discriminator \d+\))?$", row)
        begun = re.match(r"[0-9a-f]+ <(.+)>:$", row)
        if begun:
            function, place = begun[1], ""
        elif at:
            place = at[1] if "/./" not in row else ""  # what encloses the kernel's source is named so
        elif place and not place.startswith((f"{TOOLKIT}/include/", "/usr/")):
            yield function, place, row


def doubles(built: Path) -> list[str]:
    """Where the kernel computes with doubles that no warning speaks of. Nothing is found without objdump."""
    places = {place: None for _, place, row in own_instructions(built) if DOUBLE_INSTRUCTION.search(row)}
    return [f"{place}: error: arithmetic in double precision: {FORBIDDEN['double']}" for place in places]


def recursions(built: Path) -> list[str]:
    """Where a function calls one that comes back to it. One that the compiler has made a loop of is none."""
    called: dict[str, dict[str, str]] = {}
    for function, place, row in own_instructions(built):
        call = CALL_INSTRUCTION.search(row)
        if call and (call[1] in {"call", "bl"} or call[2] != function):
            called.setdefault(function, {}).setdefault(call[2], place)

    def reached(first: str) -> set[str]:
        found, left = {first}, [first]
        while left:
            more = set(called.get(left.pop(), ())) - found
            found |= more
            left += more
        return found

    return [
        f"{place}: error: {function.partition('(')[0].split()[-1]} calls itself: {RECURSION}"
        for function, calls in called.items()
        for target, place in calls.items()
        if function in reached(target)
    ]
