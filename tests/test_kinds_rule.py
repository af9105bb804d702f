"""Only kinds/<kind>/ knows what kind a kernel is. Other code asks a kernel for properties with meanings of their own.

The rule holds for src/ and for the forms. It does not hold for the language: spec, ir and plan may speak of matrix
products in expressions and of ops without an expression. The simulator has kernels only; opforge.testing reads the
tables of a project's operators, whose fields are its interface.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "opforge"
TEMPLATES = ROOT / "templates"

LANGUAGE = {"spec", "ir", "plan"}
APART = {"simulator", "testing"}

KIND_NAMES = r"(?:elementwise|products|handwritten|by_?hand|written_by_hand)"
# Plans and kernels of one kind, by the names of their classes.
KIND_TYPE = re.compile(r"\w*Plan$|\w+Kernel$|^(Elementwise|Products|Rows|Handwritten)(Torch)?$")
# A word of a name: has_products, ELEMENTWISE_OPS.
KIND_WORD = re.compile(rf"(?:^|_){KIND_NAMES}(?:_|$)", re.IGNORECASE)
KIND_FOLDERS = sorted(path.name for path in (PACKAGE / "kinds").iterdir() if (path / "__init__.py").is_file())
KIND_MODULE = re.compile(rf"opforge\.kinds\.(?:{'|'.join(KIND_FOLDERS)})\b")
# What docs/templates.md promises to team templates.
PROMISED = {("render/template_context.py", "handwritten")}
# The places that make programs of specs: here `graph` is asked for, and what it means gets a name.
MAKERS = {"program.py", "kinds/__init__.py"}


def outside() -> list[Path]:
    """The modules that do not belong to a kind."""
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        first, *rest = path.relative_to(PACKAGE).parts
        if first not in LANGUAGE | APART and not (first == "kinds" and len(rest) > 1):
            found.append(path)
    return found


def names_in(node: ast.AST) -> Iterator[str]:
    """The identifiers that a node itself has."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.alias(name=name):
            yield name
        case ast.keyword(arg=str() as name):
            yield name
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            yield name


def is_graph(node: ast.AST) -> bool:
    """Whether an expression is the graph of something, which handwritten ops do not have."""
    return isinstance(node, ast.Name | ast.Attribute) and re.search(r"\bgraph$", ast.unparse(node)) is not None


def asked_in_python(text: str) -> set[str]:
    """Whatever in a module asks for a kind: types of plans and kernels, imports of one kind, flags, missing graphs."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        found |= {name for name in names_in(node) if KIND_WORD.search(name)}
        match node:
            case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, types]):
                tested = {each.id for each in ast.walk(types) if isinstance(each, ast.Name)}
                tested |= {each.attr for each in ast.walk(types) if isinstance(each, ast.Attribute)}
                found |= {name for name in tested if KIND_TYPE.search(name)}
            case ast.ImportFrom(module=str() as module) if KIND_MODULE.match(module):
                found.add(module)
            case ast.Compare(ops=[ast.Is() | ast.IsNot()]) if is_graph(node.left):
                found.add(ast.unparse(node))
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                parts = test.values if isinstance(test, ast.BoolOp) else [test]
                operands = [part.operand if isinstance(part, ast.UnaryOp) else part for part in parts]
                found |= {ast.unparse(operand) for operand in operands if is_graph(operand)}
            case ast.MatchClass(cls=cls) if KIND_TYPE.search(ast.unparse(cls).rpartition(".")[2]):
                found.add(ast.unparse(cls))
    return found


def asked_in_form(text: str) -> set[str]:
    """The names of kinds that a form asks for: in conditions, loops and slots."""
    tree = Environment(autoescape=False).parse(text)  # noqa: S701  (forms are source code)
    used = {node.name for node in tree.find_all(nodes.Name)} | {node.attr for node in tree.find_all(nodes.Getattr)}
    return {name for name in used if KIND_WORD.search(name)}


def test_only_kinds_know_the_kinds() -> None:
    findings = {}
    for path in outside():
        name = path.relative_to(PACKAGE).as_posix()
        asked = asked_in_python(path.read_text(encoding="utf-8"))
        asked -= {word for place, word in PROMISED if place == name}
        if name == "kinds/__init__.py":  # the one list of kinds, and what the spec says of an op
            asked -= {"Elementwise", "Products", "Rows", "Handwritten", "handwritten"}
            asked -= {f"opforge.kinds.{kind}" for kind in KIND_FOLDERS}
        if name in MAKERS:
            asked = {each for each in asked if "graph" not in each}
        if asked:
            findings[name] = asked
    assert findings == {}


def test_no_form_asks_for_a_kind() -> None:
    forms = [path for folder in ("code", "project") for path in sorted((TEMPLATES / folder).rglob("*"))]
    shared = [
        path for path in forms if path.is_file() and "__pycache__" not in path.parts and "kinds" not in path.parts
    ]
    asked = {}
    for path in shared:
        if path.name != "copier.yml" and (found := asked_in_form(path.read_text(encoding="utf-8"))):
            asked[path.relative_to(TEMPLATES).as_posix()] = found
    assert asked == {}
    assert len(shared) > 50


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from opforge.kinds import derive\nisinstance(x, int | str)", set()),
        ("if kernel.expressed and kernel.broadcasts: pass", set()),
        ("isinstance(plan, MatmulPlan)", {"MatmulPlan"}),
        ("isinstance(plan, (Plan, other.HandwrittenPlan))", {"Plan", "HandwrittenPlan"}),
        ("isinstance(kernel, Products)", {"Products"}),
        ("isinstance(kernel.torch, ProductsTorch)", {"ProductsTorch"}),
        ("match kernel:\n    case MixedKernel(): pass", {"MixedKernel"}),
        ("from opforge.kinds.products import Products", {"opforge.kinds.products", "Products"}),
        ("if graph is None: pass", {"graph is None"}),
        ("x = 1 if kernel.graph is not None else 2", {"kernel.graph is not None"}),
        ("if not kernel.graph or x: pass", {"kernel.graph"}),
        ("if op.handwritten: pass", {"handwritten"}),
        ("if signature.products: pass", {"products"}),
        ("def f(*, by_hand: bool) -> None: pass", {"by_hand"}),
        ("Form(elementwise=True)", {"elementwise"}),
        ("class Form:\n    has_products: bool", {"has_products"}),
        ("def elementwise_case() -> None: pass", {"elementwise_case"}),
        ("from opforge.kinds.launcher import Direct\nmade = itertools.product(a, b); isinstance(node, Product)", set()),
    ],
)
def test_who_asks_for_a_kind_is_found(text: str, found: set[str]) -> None:
    assert asked_in_python(text) == found


@pytest.mark.parametrize(
    ("form", "found"),
    [
        ("{% if plain %}{{ op.function }}{% endif %} a form may write about products", set()),
        ("{% if products %}{% endif %}", {"products"}),
        ("{% if not op.by_hand %}{% endif %}", {"by_hand"}),
        ("{% for op in elementwise_ops %}{% endfor %}", {"elementwise_ops"}),
        ("{{ op.handwritten }}", {"handwritten"}),
    ],
)
def test_a_form_that_asks_for_a_kind_is_found(form: str, found: set[str]) -> None:
    assert asked_in_form(form) == found
