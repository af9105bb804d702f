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
_SPEAKS = re.compile(r"\b(?:Fail|FailDeadlock|Rule|Failure|Refusal|Refuse)\b")
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
    """A rule of the kernel engine: its text, the documentation's page, and what is said when it is broken."""

    file: str
    name: str  # in the source; "" where the rule is written where it is applied
    text: str
    page: str
    details: tuple[str, ...]  # with … for what varies

    def found_in(self, text: str) -> bool:
        return self.text in text and (not self.page or self.page.split("/")[-1] in text)


_RULE = re.compile(r"constexpr Rule (\w+) = \{(.*?)\};", re.DOTALL)
_FAIL = re.compile(r"\b(?:Fail|FailDeadlock)\((?P<call>[^;]*?)\);", re.DOTALL)
_LITERAL = r'"(?:\\.|[^"\\])*"'


def _page_macros() -> dict[str, str]:
    """Macros that put a folder before a page's name."""
    engine = SIMULATOR / "kernel" / "engine"
    text = "".join(file.read_text(encoding="utf-8") for file in sorted(engine.iterdir()))
    return dict(re.findall(r"#define (\w+_PAGES?)(?:\(\w+\))? \"([^\"]*)\"", text))


_PAGE_MACROS = _page_macros()


def rules() -> list[Rule]:
    """The engine's, in order of file and line."""
    found: list[Rule] = []
    for file in sorted((SIMULATOR / "kernel" / "engine").glob("*.cpp")):
        source = file.read_text(encoding="utf-8")
        pages = dict(re.findall(rf"constexpr const char\* (k\w*Page) = ({_LITERAL});", source))
        fails = [match["call"] for match in _FAIL.finditer(source)]
        name = file.relative_to(SIMULATOR).as_posix()
        for constant, body in _RULE.findall(source):
            mine = [call for call in fails if re.search(rf"[^\w]{constant}\b", call)]
            found.append(Rule(name, constant, *_parts(body, pages), tuple(filter(None, map(_detail, mine)))))
        for call in fails:
            inline = re.search(rf"\{{({_LITERAL}(?:\s*{_LITERAL})*,\s*(?:{_LITERAL}|k\w*Page))\}}", call)
            if inline is not None:
                detail = _detail(call.replace(inline[0], ""))
                found.append(Rule(name, "", *_parts(inline[1], pages), (detail,)))
        for _, text in cpp_literals(source):
            whole = re.search(r"(.*)\n  rule: (.+) \[(.+)\]", text, re.DOTALL)
            if whole is not None:
                found.append(Rule(name, "", whole[2], whole[3], (whole[1].strip(" :"),) if whole[1] else ()))
        for rule, what in re.findall(rf"Refuse\(bursts, call,\s*({_LITERAL}),\s*({_LITERAL})", source):
            found.append(Rule(name, "", rule[1:-1], "基础API/Memory矢量计算/数据搬运", (f"{what[1:-1]} is …",)))
    return found


def _parts(body: str, pages: Mapping[str, str]) -> tuple[str, str]:
    """A rule's text and page."""
    literals = [text for _, text in cpp_literals(body)]
    for macro, prefix in _PAGE_MACROS.items():
        if macro in body:
            return literals[0], prefix + "".join(literals[1:2])
    named = re.search(r"\bk\w*Page\b", body)
    return literals[0], pages[named[0]][1:-1] if named else literals[1]


def _detail(call: str) -> str:
    """The format of a Fail with … for its conversions, "" where nothing else is in it."""
    literals = [text for _, text in cpp_literals(re.sub(r"\?[^:]*:", "", call))]
    formats = [text for text in literals if "%" in text and re.search(r"\w", _CONVERSION.sub("", text))]
    detail = _CONVERSION.sub("…", formats[0] if formats else max(literals, key=len, default="")).replace("%%", "%")
    return detail if re.search(r"\w", detail) else ""


def page_of_rules() -> str:
    """docs/rules.md."""
    pages: dict[str, dict[str, list[str]]] = {}
    for rule in rules():
        pages.setdefault(rule.page, {}).setdefault(rule.text, []).extend(rule.details)
    lines = [
        "# What the simulated device checks",
        "",
        "Written from the simulator's sources by `tests/simulator/test_every_rule.py`; each rule has a kernel that",
        "breaks it in `tests/simulator/kernel`. A message names op, block, file, line and function, then what is wrong",
        "with the numbers, then the rule and its page. `…` stands for what varies. Pages are those of the Ascend C",
        "documentation, below `SIMD-API/` where nothing else is said.",
        "",
    ]
    for page in sorted(pages):
        lines += [f"## {page}", ""]
        for text, details in pages[page].items():
            lines.append(f"* **{text}**")
            lines += [f"  * `{detail}`" for detail in dict.fromkeys(details)]
        lines.append("")
    return "\n".join(lines)
