"""The sentences with which the simulator refuses something, read from its sources, and those that tests expect."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

SIMULATOR = Path(__file__).parents[2] / "src" / "opforge" / "simulator"
TESTS = Path(__file__).parent

# What a user's kernel, op_host or program meets.
PARTS = (
    "kernel/engine",
    "kernel/include",
    "host/nnopbase",
    "host/op_build",
    "host/tiling",
    "host/register",
    "host/platform",
    "host/include",
    "device/runtime",
    "device/worker",
    "device/wire",
    "tools/asc_opc/asc_opc",
)

_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\\n])+'|R\"\((?P<raw>.*?)\)\"|\"(?P<text>(?:\\.|[^\"\\\n])*)\"", re.DOTALL
)
# By what a file of the engine says something: without them its strings are data, as the labels of a trace's estimates.
_SPEAKS = re.compile(r"\b(?:Fail|FailDeadlock|Rule|DeviceRule|Failure|Refusal|Refuse)\b")
# A conversion of printf, also one spelled with the macros of <cinttypes>: "%" PRIu64.
_CONVERSION = re.compile(r"%[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|h|ll|l|z|j|t)?[diouxXeEfgGcsp]|%\x01|%$")
_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\", "0": "\0", "r": "\r"}


@dataclass(frozen=True)
class Sentence:
    """A literal of at least three words; what varies in it is cut out."""

    file: str  # below the simulator
    line: int
    pieces: tuple[str, ...]

    @property
    def text(self) -> str:
        return "…".join(self.pieces)

    def found_in(self, text: str) -> bool:
        return re.search(".{0,200}?".join(map(re.escape, self.pieces)), text, re.DOTALL) is not None


def sentences() -> list[Sentence]:
    """All of them, in order of file and line."""
    found: list[Sentence] = []
    for part in PARTS:
        place = SIMULATOR / part
        files = [place] if place.is_file() else sorted(p for p in place.rglob("*") if p.suffix in {".cpp", ".h"})
        for file in files:
            source = file.read_text(encoding="utf-8")
            if part == "kernel/engine" and not _SPEAKS.search(source):
                continue
            literals = cpp_literals(source) if file.suffix else python_literals(file)
            name = file.relative_to(SIMULATOR).as_posix()
            for line, text in literals:
                cut = [piece.replace("%%", "%").strip(" :;,.\n") for piece in _CONVERSION.split(text)]
                pieces = tuple(piece for piece in cut if re.search(r"\w", piece))
                if len(re.findall(r"[A-Za-z]{2,}", " ".join(pieces))) >= 3 and " " in text.strip():
                    found.append(Sentence(name, line, pieces))
    return found


def cpp_literals(source: str) -> Iterator[tuple[int, str]]:
    """String literals with their lines, adjacent ones joined."""
    merged: list[tuple[int, str]] = []
    end = 0
    for token in _TOKEN.finditer(source):
        text = token["raw"] if token["raw"] is not None else token["text"]
        if text is None:
            continue
        text = re.sub(r"\\(x[0-9a-fA-F]{2}|.)", lambda m: _ESCAPES.get(m[1], ""), text)
        between = re.sub(r"//[^\n]*", "", source[end : token.start()])
        macro = re.fullmatch(r"\s*PRI[a-zA-Z0-9]+\s*", between)
        line = source.count("\n", 0, token.start()) + 1
        if merged and end and (not between.strip() or macro):
            merged[-1] = (merged[-1][0], merged[-1][1] + ("\x01" if macro else "") + text)
        else:
            merged.append((line, text))
        end = token.end()
    return iter(merged)


def python_literals(file: Path) -> Iterator[tuple[int, str]]:
    """Strings of a Python program without docstrings; the holes of f-strings become conversions."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node, text in strings(tree):
        yield node.lineno, text.replace("\0", "%s")


def docstrings(tree: ast.AST) -> set[int]:
    """The ids of their nodes."""
    return {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
        and isinstance(node.body[0].value, ast.Constant)
    }


def module_constants(tree: ast.AST) -> dict[str, str]:
    """The strings that have a name at the module's level."""
    constants: dict[str, str] = {}
    for node in tree.body if isinstance(tree, ast.Module) else []:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            text = _constant(node.value, constants)
            if text is not None:
                constants[node.targets[0].id] = text
    return constants


def strings(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    r"""Each string, f-string and sum of such, with the module's constants put in; "\0" stands for what else varies."""
    skipped, constants = docstrings(tree), module_constants(tree)

    def visit(node: ast.AST) -> Iterator[tuple[ast.expr, str]]:
        if id(node) in skipped:
            return
        if isinstance(node, ast.expr) and not isinstance(node, ast.Name):
            text = _constant(node, constants)
            if text is not None:
                yield node, text
                for hole in ast.walk(node):
                    if isinstance(hole, ast.FormattedValue):
                        yield from visit(hole.value)
                return
        for child in ast.iter_child_nodes(node):
            yield from visit(child)

    yield from visit(tree)


def _constant(node: ast.expr, constants: Mapping[str, str]) -> str | None:
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name):
            return constants.get(name)
        case ast.FormattedValue(value=value):
            return _constant(value, constants) or "\0"
        case ast.JoinedStr(values=values):
            return "".join(_constant(value, constants) or "\0" for value in values)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            texts = [_constant(side, constants) for side in (left, right)]
            return None if texts == [None, None] else "".join(text or "\0" for text in texts)
        case _:
            return None


def expected() -> list[str]:
    """The strings of all tests of the simulator, those inside of programs that they start among them."""
    found: list[str] = []
    pending = [file.read_text(encoding="utf-8") for file in sorted(TESTS.rglob("*.py")) if file != Path(__file__)]
    while pending:
        try:
            tree = ast.parse(textwrap.dedent(pending.pop()))
        except (SyntaxError, ValueError):
            continue
        for _, text in strings(tree):
            found.append(text)
            if "\n" in text:
                pending.append(text.replace("\0", "0"))
    return found


@dataclass(frozen=True)
class Rule:
    """A rule of the kernel engine: its id, text and documentation page, and what is said when it is broken.

    One that devices do not enforce has what they do instead, and where that can be read.
    """

    file: str
    id: str
    text: str
    page: str
    details: tuple[str, ...]  # with … for what varies
    does: str = ""
    source: str = ""

    def found_in(self, text: str) -> bool:
        return self.text in text and (not self.page or self.page.split("/")[-1] in text)


ENGINE = SIMULATOR / "kernel" / "engine"
_RULE = re.compile(r"\b(Device)?Rule (\w+) = (?=\{)")
_CALL = re.compile(r"\b(?:Fail|FailDeadlock|LetPass)\(")
_LITERAL = r'"(?:\\.|[^"\\])*"'
# A rule whose page depends on the call: the folder of the pages.
_PAGES = {"page.c_str()": "基础API/Memory矢量计算/数据搬运", "page": "基础API/Memory矢量计算"}


def _bracketed(source: str, start: int) -> str:
    """The text between the bracket at ``start`` and the one that closes it."""
    depth, at = 0, start
    for token in re.finditer(rf"{_LITERAL}|'(?:\\.|[^'])'|[][(){{}}]", source[start:]):
        depth += (token[0] in "([{") - (token[0] in ")]}")
        at = start + token.start()
        if depth == 0:
            break
    return source[start + 1 : at]


def _listed(text: str) -> list[str]:
    """The parts of a list, as they are written."""
    parts, depth, last = [], 0, 0
    for token in re.finditer(rf"{_LITERAL}|[][(){{}},]", text):
        depth += (token[0] in "([{") - (token[0] in ")]}")
        if token[0] == "," and depth == 0:
            parts.append(text[last : token.start()])
            last = token.end()
    return [part.strip() for part in (*parts, text[last:]) if part.strip()]


class _Source:
    """A file of the engine, with what its names stand for."""

    def __init__(self, file: Path) -> None:
        self.name = file.relative_to(SIMULATOR).as_posix()
        self.text = re.sub(r"^\s*//[^\n]*", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE)
        named = re.findall(rf"constexpr const char\* (\w+) =\s*((?:{_LITERAL}\s*)+);", self.text)
        self.constants = {name: _joined(value) for name, value in named}

    def value(self, part: str) -> str:
        """A literal, or what a name or a macro of pages stands for."""
        if part in self.constants:
            return self.constants[part]
        for macro, prefix in _PAGE_MACROS.items():
            if re.match(rf"{macro}\b", part):
                return prefix + _joined(part)
        return _PAGES.get(part) or _joined(part)

    def rules(self) -> Iterator[Rule]:
        """All that the file states, without those that are written where they are applied."""
        calls = [_bracketed(self.text, match.end() - 1) for match in _CALL.finditer(self.text)]
        known: dict[str, list[str]] = {}
        for match in _RULE.finditer(self.text):
            parts = _listed(_bracketed(self.text, match.end()))
            rest = [self.value(part) for part in parts[1:]] if match[1] else []
            words = _listed(parts[0][1:-1] if match[1] else ", ".join(parts))
            for field, member in enumerate(("id", "text", "page")):
                other = words[field].removesuffix(f".{member}")
                if other != words[field]:
                    words[field] = f'"{known[other.removesuffix(".rule")][field]}"'
            known[match[2]] = said = [self.value(word) for word in words[:3]]
            mine = [call for call in calls if re.search(rf"[^\w]{match[2]}\b", call)]
            yield Rule(self.name, said[0], said[1], said[2], tuple(filter(None, map(_detail, mine))), *rest)
        for match in re.finditer(r"return (?=\{\{\")", self.text):  # a rule for every page, as OperandRule
            parts = _listed(_bracketed(self.text, match.end()))
            said = [self.value(word) for word in _listed(parts[0][1:-1])]
            yield Rule(self.name, said[0], said[1], said[2], (), *(self.value(part) for part in parts[1:]))
        for call in calls:
            inline = re.search(rf"\{{\s*({_LITERAL}),\s*({_LITERAL}(?:\s*{_LITERAL})*),\s*(\w+|{_LITERAL})\s*\}}", call)
            if inline is not None:
                said = [self.value(word) for word in inline.groups()]
                yield Rule(self.name, said[0], said[1], said[2], (_detail(call.replace(inline[0], "")),))
        refuse = rf"Refuse\(bursts, call, ({_LITERAL}),\s*({_LITERAL}),\s*({_LITERAL})"
        for identity, text, what in re.findall(refuse, self.text):
            yield Rule(
                self.name, identity[1:-1], text[1:-1], "基础API/Memory矢量计算/数据搬运", (f"{what[1:-1]} is …",)
            )


def _joined(text: str) -> str:
    return "".join(literal for _, literal in cpp_literals(text))


def _page_macros() -> dict[str, str]:
    """Macros that put a folder before a page's name."""
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(ENGINE.rglob("*.[ch]*")))
    return dict(re.findall(r"#define (\w+_PAGES?)(?:\(\w+\))? \"([^\"]*)\"", text))


_PAGE_MACROS = _page_macros()


def _sources() -> list[Path]:
    """The engine's, in order of file name."""
    return sorted(ENGINE.rglob("*.cpp"), key=lambda file: file.name)


def rules() -> list[Rule]:
    """The engine's, in order of file name and line."""
    return [rule for file in _sources() for rule in _Source(file).rules()]


def open_rules() -> list[Rule]:
    """Those that a project may allow: that devices do not enforce, and that ask for it where they are applied."""
    named = [name for file in _sources() for name in _asked_for(file.read_text(encoding="utf-8"))]
    return [rule for rule in rules() if rule.source or rule.id in named]


def _asked_for(source: str) -> Iterator[str]:
    for name in re.findall(r"findings\.Of\((k\w+), ", source):
        identity = re.search(rf"Rule {name} = \{{\s*\"([^\"]+)\"", source)
        if identity is not None:
            yield identity[1]


def _detail(call: str) -> str:
    """The format of a Fail with … for its conversions, "" where nothing else is in it."""
    literals = [text for _, text in cpp_literals(re.sub(r"\?[^:]*:", "", call))]
    formats = [text for text in literals if "%" in text and re.search(r"\w", _CONVERSION.sub("", text))]
    detail = _CONVERSION.sub("…", formats[0] if formats else max(literals, key=len, default="")).replace("%%", "%")
    return detail if re.search(r"\w", detail) else ""


HEAD = """\
# What the simulated device checks

`tests/simulator/test_every_rule.py` writes this page from the simulator's sources. For each rule,
`tests/simulator/kernel` has a kernel that breaks it. A message names op, block, file, line and function, then
says what is wrong, with numbers, then gives the rule and its page. `…` stands for what varies. Pages are those
of the Ascend C documentation, below `SIMD-API/` by default. Each rule has a short name that does not change.

## Two modes

The documentation states some rules that devices do not enforce: kernels break them every day and run.
`--rules=documented` refuses such a kernel. `--rules=device` warns and continues as a device does; what would
be wrong, undefined or a hang on a device is still an error. `opforge test`, `install`, `run`, `verify`,
`bench` and `trace` have the option; elsewhere, set `OPFORGE_SIM_RULES`. Without either,
`simulator: {rules: ...}` in opforge.yaml decides. The default is *device* for ops with `sources`, which
`opforge adopt` writes, and *documented* for all others and for programs without a project. `--sanitize` is
independent of this: it selects how much is checked.

Each kernel line gets one warning: on stderr of the launching process, in the summary at the end of the
command, and in `--json`. A single rule can be allowed in opforge.yaml; each message has the lines to paste:

    simulator:
      rules: documented
      allow:
        - {rule: gm-tail, op: RmsNorm, in: op_kernel/rms_norm.h, why: rows are padded by the caller}
        - {rule: use-after-free, level: warning, why: we are getting rid of it}

`why` is required, and at least one of `rule`, `op` and `in`; `in` is the end of the source's path. Without
`level: warning` the rule is allowed silently. A change of `simulator` compiles nothing: the next `opforge
test` follows it, and `opforge build` puts it into the wheel. A run package that its own installer installs
does not contain it. These rules can be allowed:
"""


def page_of_rules() -> str:
    """docs/rules.md."""
    lines = [HEAD]
    for rule in sorted(open_rules(), key=lambda rule: rule.id):
        lines.append(f"* `{rule.id}`: {rule.text}")
        lines.append(f"  * devices: {rule.does} [{rule.source}]" if rule.source else "  * an error in both modes")
    pages: dict[str, dict[str, list[Rule]]] = {}
    for rule in rules():
        pages.setdefault(rule.page, {}).setdefault(rule.text, []).append(rule)
    lines += [
        "",
        "All other rules are errors in both modes: they protect the process, or are wrong on devices too.",
        "",
    ]
    for page in sorted(pages):
        lines += [f"## {page}", ""]
        for text, found in pages[page].items():
            names = ", ".join(f"`{name}`" for name in dict.fromkeys(rule.id for rule in found))
            lines.append(f"* **{text}** ({names})")
            lines += [f"  * `{detail}`" for detail in dict.fromkeys(d for rule in found for d in rule.details)]
        lines.append("")
    return "\n".join(lines)
