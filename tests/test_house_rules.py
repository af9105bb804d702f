"""The rules of the house that no linter knows: forms hold no logic, tables miss no member, files stay small."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tokenize
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

import pytest
from jinja2 import Environment, nodes

from opforge.scaffold.base_file import BASE_FILE

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "opforge"
TEMPLATES = ROOT / "templates"

MOST_LINES = 400
WHY_LONG = "One file because"  # what the docstring of a longer module says, with the reason
PROGRAM = "A program of its own"  # what the docstring of a module says that another interpreter runs
OUTSIDE = {"testing"}  # the package that projects' own processes run

# What a form is made of: text, slots, `for`, `if flag`. Everything else is logic and belongs to the context's maker.
FORM_NODES = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.Name,
    nodes.Getattr,
    nodes.For,
    nodes.If,
    nodes.Not,
    nodes.Operand,  # of a comparison, which is found itself
)
FORM_FILTERS = {"wrap", "comment"}


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that git tracks, or would with the next commit."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split("\0")
    return tuple(path for name in names if name and (path := ROOT / name).is_file())


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if PACKAGE / "simulator" not in path.parents)


def forms() -> list[Path]:
    """Those of opforge: code/ and project/, whose copier.yml is for copier; other folders are templates of teams."""
    found = (path for folder in ("code", "project") for path in (TEMPLATES / folder).rglob("*"))
    left_out = {"__pycache__", "copier.yml"}
    return sorted(path for path in found if path.is_file() and not left_out.intersection(path.parts))


def show(findings: list[str]) -> str:
    return "\n" + "\n".join(findings)


def logic_in(form: str) -> list[str]:
    """What of a form's text is more than slots, loops over a name and plain flags."""
    findings = []
    tree = Environment(autoescape=False).parse(form)  # noqa: S701  (forms are source code)
    for node in tree.find_all(nodes.Node):
        if isinstance(node, nodes.Filter):
            if node.name not in FORM_FILTERS:
                findings.append(f"line {node.lineno}: filter {node.name}")
        elif isinstance(node, (nodes.Const, nodes.Keyword)):
            continue  # arguments of an allowed filter; anywhere else their parent is found
        elif not isinstance(node, FORM_NODES):
            findings.append(f"line {node.lineno}: {type(node).__name__}")
        elif isinstance(node, nodes.Not) and not isinstance(node.node, (nodes.Name, nodes.Getattr)):
            findings.append(f"line {node.lineno}: Not of more than a flag")
    return findings


@pytest.mark.parametrize("form", forms(), ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_a_form_holds_no_logic(form: Path) -> None:
    assert logic_in(text_of(form)) == []


@pytest.mark.parametrize(
    ("form", "found"),
    [
        ("{{ a.b }}{% for x in xs %}{{ x }}{% if not loop.last %}, {% endif %}{% endfor %}", []),
        ("f({{ items | wrap }});", []),
        ("{{ text | indent(4) }}", ["line 1: filter indent"]),
        ("{% if a == b %}{% endif %}", ["line 1: Compare"]),
        ("{{ f(x) }}", ["line 1: Call"]),
        ("{{ x | upper }}", ["line 1: filter upper"]),
        ("{% set x = y %}", ["line 1: Assign"]),
        ("{{ a + b }}", ["line 1: Add"]),
        ("{% if a and b %}{% endif %}", ["line 1: And"]),
        ("{% macro m() %}{% endmacro %}", ["line 1: Macro"]),
    ],
)
def test_logic_in_a_form_is_found(form: str, found: list[str]) -> None:
    assert logic_in(form) == found


# A string of Python that is a line of generated code: a statement or the head of a block in C++, a statement in Python,
# a list that is to be laid out, several lines. Values of an f-string are @.
CODE_LINE = re.compile(
    r"""
    ; \s* $ | [)\w@] \s \{ \s* $
  | ^ \s* (?:return|raise|def|class|template|using)\b \s+ \S
  | ^ \s* from \s \S+ \s import \s \S
  | ^ \s* (?:if|for|while|with|else)\b .* :$
  | ^ \s* (?:[\w@:<>&*]+ \s)* [\w@.\[\]>-]+ (?: , \s [\w@.]+)* \s [-+|]?= \s (?! (?:None|True|False|@)$ ) \S
  | =\s? [{(\[] $
  | [;{}(),:\]@] \n [ ]* \S
    """,
    re.VERBOSE,
)
# The modules that print code: the layout of lists and of statements.
PRINTERS = {"render/layout.py", "render/torch/statements.py"}
# Those that write English, with line breaks, formulas and samples of code.
PROSE = {
    "render/readme.py",
    "kinds/products/description.py",  # what `opforge inspect plan` prints
}


def strings_in(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The strings of a module with their lines, an f-string as one text; without docstrings."""
    left_out: set[ast.AST] = set()
    for node in ast.walk(tree):
        if (
            isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))
            and node.body
            and isinstance(node.body[0], ast.Expr)
        ):
            left_out.add(node.body[0].value)
        elif isinstance(node, ast.JoinedStr):
            left_out.update(node.values)
            left_out.update(
                each.format_spec for each in node.values if isinstance(each, ast.FormattedValue) and each.format_spec
            )
    for node in ast.walk(tree):
        if node in left_out:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value
        elif isinstance(node, ast.JoinedStr):
            parts = (str(each.value) if isinstance(each, ast.Constant) else "@" for each in node.values)
            yield node.lineno, "".join(parts)


def code_lines(text: str) -> list[str]:
    """The lines of code in the strings of a module, each with its place."""
    return [f"{line}: {found!r}" for line, found in strings_in(ast.parse(text)) if CODE_LINE.search(found)]


def test_lines_of_code_stand_in_forms() -> None:
    known = {str(path.relative_to(PACKAGE)) for path in modules()}
    assert known >= PRINTERS | PROSE
    findings = [
        f"{name}:{found}"
        for name in sorted(known - PRINTERS - PROSE)
        if name.startswith(("render/", "kinds/"))
        for found in code_lines(text_of(PACKAGE / name))
    ]
    assert not findings, show(findings)


@pytest.mark.parametrize("name", sorted(PRINTERS | PROSE))
def test_a_module_with_lines_of_code_needs_its_exception(name: str) -> None:
    assert code_lines(text_of(PACKAGE / name))


@pytest.mark.parametrize(
    "line",
    [
        '"context->SetBlockDim(n);"',
        'f"const size_t {name} = {value};"',
        'f"inline std::string {name}({parameters}) {{"',
        'f"return {value}"',
        'f"from {module} import {name}"',
        'f"if {name} is not None:"',
        'f"ctx.{name} = {name}.shape"',
        'f"{name}, {other} = torch.split({x})"',
        '"inputs={"',
        'f"at::Tensor {name};\\n    {name} = x;"',
        'fill("f(", items, ");")',
    ],
)
def test_a_line_of_code_in_a_string_is_found(line: str) -> None:
    assert code_lines(f'"""A module."""\n\nLINES = [{line}]\n')


@pytest.mark.parametrize(
    "text",
    [
        'f"const {kind}& {name}"',
        'f"{place}.empty() ? 0 : 1"',
        'f"{name}: int = {value}"',
        '"the shapes; they broadcast"',
    ],
)
def test_an_expression_in_a_string_is_no_line_of_code(text: str) -> None:
    assert not code_lines(f"TEXT = {text}\n")


SAMPLES = (
    """\
edition: 1
project: {name: vector_add, package: vector_add, vendor: vector_add, version: 0.1.0, soc: [ascend910b]}
ops:
  VectorAdd:
    inputs: {x: {dtype: [float16, bfloat16, float32]}, y: {}}
    compute: z = x + y
    reference: golden:added
""",
    """\
edition: 1
project: {name: two, package: two, vendor: two, version: 0.1.0, soc: [ascend910b, ascend910_93], license: MIT}
ops:
  TwoWays:
    doc: A sum and a gated product.
    inputs: {x: {dtype: [float32]}, y: {}}
    attrs: {beta: {type: int}, alpha: {type: float, default: 1.5}}
    outputs: {s: {}, p: {}}
    compute: |
      s = exp(alpha) * x + y
      p = silu(x) * min(y, beta)
  Forward:
    inputs: {x: {dtype: [bfloat16]}}
    compute: y = exp(-abs(x))
    backward: false
""",
    """\
edition: 1
project: {name: coupled, package: coupled, vendor: coupled, version: 0.1.0, soc: [ascend910b, ascend310p]}
ops:
  Gate:
    inputs: {x: {dtype: [float16, float32]}, y: {}}
    compute: z = silu(x) * y
""",
    """\
edition: 1
project: {name: products, package: products, vendor: products, version: 0.1.0, soc: [ascend910b]}
ops:
  Gated:
    inputs:
      x: {dtype: [float16], shape: ["...", K]}
      w: {shape: [K, N]}
      v: {shape: [K, N]}
      bias: {shape: [N], optional: true}
    attrs: {alpha: {type: float, default: 1.5}}
    compute: y = silu(x @ w + where(present(bias), bias, 0.0)) * (x @ v) * alpha
    reference: golden:gated
""",
    """\
edition: 1
project: {name: kinds, package: kinds, vendor: kinds, version: 0.1.0, soc: [ascend910b]}
ops:
  Kinds:
    inputs:
      m: {dtype: [bool], shape: ["...", H]}
      x: {dtype: [float16], shape: ["...", H]}
      bias: {dtype: [float16], shape: [H], optional: true}
      gain: {dtype: [float32], scalar: true}
    compute: y = where(m, gelu(x), where(present(bias), bias, 0.0)) * gain
  Into:
    inputs: {x: {dtype: [float16]}, y: {}}
    outputs: {z: {inplace: x}}
    compute: z = x + y
  ByHand:
    inputs: {x: {dtype: [float32]}}
    outputs: {y: {shape: ["..."]}}
    reference: golden:by_hand
""",
)


HAVE_CONTEXTS = ("opforge.render.", "opforge.kinds.")  # modules with contexts of forms


@pytest.fixture(scope="module")
def fillings() -> dict[str, list[object]]:
    """Every form that rendering and exporting SAMPLES fills, with the contexts it is filled with."""
    from opforge.kinds import derive
    from opforge.render import project
    from opforge.render.forms import render_form
    from opforge.render.torch.op_plugin import render_op_plugin
    from opforge.spec.read.parse import parse_spec

    filled: dict[str, list[object]] = defaultdict(list)

    def record(name: str, context: object) -> str:
        filled[name].append(context)
        return render_form(name, context)  # type: ignore[type-var]

    with pytest.MonkeyPatch.context() as patch:
        for name, module in list(sys.modules.items()):
            if name.startswith(HAVE_CONTEXTS) and getattr(module, "render_form", None) is render_form:
                patch.setattr(module, "render_form", record)
        for text in SAMPLES:
            spec = parse_spec(text, None)
            program = derive(spec)
            project.render_project(program)
            project.render_project(program.in_project(lambda _: "of an older opforge"))
            render_op_plugin(program, "npu_")
    return filled


def contexts(value: object) -> Iterator[object]:
    """A context and every context inside it: the dataclasses of opforge.render."""
    if is_dataclass(value):
        if type(value).__module__.startswith(HAVE_CONTEXTS):
            yield value
        for field in fields(value):
            yield from contexts(getattr(value, field.name))
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from contexts(item)


def names_in(form: str) -> set[str]:
    """Every name and attribute that a form uses."""
    tree = Environment(autoescape=False).parse(text_of(TEMPLATES / form))  # noqa: S701
    used = {node.name for node in tree.find_all(nodes.Name)}
    return used | {node.attr for node in tree.find_all(nodes.Getattr)}


def test_every_form_is_filled_by_some_project(fillings: dict[str, list[object]]) -> None:
    unused = {str(form.relative_to(TEMPLATES)) for form in forms()} - set(fillings)
    assert not unused


def test_every_field_of_a_context_is_used_by_a_form(fillings: dict[str, list[object]]) -> None:
    used: dict[type, set[str]] = defaultdict(set)
    for form, filled in fillings.items():
        for context in filled:
            for part in contexts(context):
                used[type(part)] |= names_in(form)
    trees = [ast.parse(text_of(path)) for room in ("render", "kinds") for path in (PACKAGE / room).rglob("*.py")]
    read = {node.attr for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    unused = [
        f"{context.__module__}.{context.__name__}.{field.name}"
        for context, names in used.items()
        for field in fields(context)
        if field.name not in names | read  # a value inside a context may have fields for its maker alone
    ]
    assert not unused, show(unused)


def operator_tables() -> dict[str, set[str]]:
    """Every table with a row for each operator of the IR."""
    from opforge.ir.builder import FOLDS
    from opforge.ir.differentiate import DERIVATIVE
    from opforge.ir.evaluate import MEANING
    from opforge.render.ascendc.scalars import SPELLINGS
    from opforge.render.torch.spelling import SCALAR, TENSOR

    return {
        "meaning in torch": set(MEANING),
        "derivative": set(DERIVATIVE),
        "meaning of constants": set(FOLDS),
        "spelling in Python": set(TENSOR),
        "spelling in Python, numbers": set(SCALAR),
        "spelling in op_host": set(SPELLINGS) - {"cast"},
    }


@pytest.mark.torch
def test_every_operator_is_in_every_table() -> None:
    from opforge.ir.graph import OPERATORS

    for table, members in operator_tables().items():
        assert members == set(OPERATORS), table


def test_every_instruction_of_a_plan_is_a_function_of_the_simulator() -> None:
    """Or of the header that projects bring along."""
    from opforge.render.ascendc.instruction_spelling import CALLS, FUNCTIONS

    headers = "".join(text_of(path) for path in (PACKAGE / "simulator/kernel/include").rglob("*.h"))
    missing = {name for name in CALLS if name not in FUNCTIONS and not re.search(rf"\b{name}[(,]", headers)}
    own = text_of(ROOT / "templates/code/ascendc/op_kernel/vector_math.h")
    missing |= {name for name in FUNCTIONS if f" void {name}(" not in own}
    assert not missing


def test_every_operator_has_a_test() -> None:
    """By name, in the tests of what gives it its meaning."""
    from opforge.ir.graph import OPERATORS

    tests = "".join(text_of(path) for path in (ROOT / "tests" / "ir").rglob("*.py"))
    missing = {name for name in OPERATORS if not re.search(rf"\b{name}\b", tests)}
    assert not missing


def test_the_toolkits_own_list_of_socs_is_the_table() -> None:
    """The programs of the toolkit run without opforge, and so carry what they need of the table."""
    from opforge.soc import SOCS

    script = ast.parse(text_of(PACKAGE / "simulator/tools/cmake/scripts/kernel_columns.py"))
    assigned = [node for node in script.body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "SOCS"]
    assert len(assigned) == 1
    listed = ast.literal_eval(assigned[0].value)
    assert listed == {soc.name: (soc.default_version.name, soc.npu_arch) for soc in SOCS.values()}


def test_the_device_simulates_the_chip_that_install_takes_for_the_default() -> None:
    from opforge.soc import SIMULATED_BY_DEFAULT

    settings = text_of(PACKAGE / "simulator/device/runtime/settings.cpp")
    assert f'soc == nullptr ? "{SIMULATED_BY_DEFAULT}" : soc' in settings


def test_goldens_have_a_test() -> None:
    """A golden file whose name no test beside it knows is a leftover."""
    orphans = []
    for folder in (ROOT / "tests").rglob("golden"):
        sources = "".join(text_of(path) for path in folder.parent.glob("*.py"))
        for path in folder.rglob("*"):
            words = {*path.relative_to(folder).parts, path.stem}
            if path.is_file() and not any(word in sources for word in words):
                orphans.append(str(path.relative_to(ROOT)))
    assert not orphans, show(orphans)


def test_modules_stay_small() -> None:
    long = []
    for path in modules():
        count = len(text_of(path).splitlines())
        docstring = ast.get_docstring(ast.parse(text_of(path))) or ""
        if count > MOST_LINES and WHY_LONG not in docstring:
            long.append(f"{path.relative_to(ROOT)}: {count} lines, and no '{WHY_LONG} ...' in its docstring")
    assert not long, show(long)


def test_every_module_states_its_job() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in modules()
        if text_of(path).strip() and ast.get_docstring(ast.parse(text_of(path))) is None
    ]
    assert not silent, show(silent)


def test_one_module_starts_processes_and_one_package_reads_the_environment() -> None:
    findings = []
    for path in modules():
        tree = ast.parse(text_of(path))
        where = path.relative_to(PACKAGE)
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names = [f"{node.value.id}.{node.attr}"]
            started = {"subprocess", "os.system", "os.popen", "multiprocessing", "os.posix_spawn"}.intersection(names)
            if started and where != Path("toolkit/process.py"):
                findings.append(f"{where}:{node.lineno}: {', '.join(sorted(started))}")
            read = {"os.environ", "os.getenv", "sys.argv"}.intersection(names)
            if (
                read
                and where.parts[0] not in {"cli", "__main__.py", *OUTSIDE}
                and PROGRAM not in (ast.get_docstring(tree) or "")
            ):
                findings.append(f"{where}:{node.lineno}: {', '.join(sorted(read))}")
            printed = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
            if printed and where != Path("cli/shared/console.py") and where.parts[0] not in OUTSIDE:
                findings.append(f"{where}:{node.lineno}: print")
    assert not findings, show(findings)


def imports_of(texts: Mapping[str, str]) -> dict[str, set[str]]:
    """Which modules each of these modules imports: anywhere in it, in functions and for type checkers too."""
    found: dict[str, set[str]] = {name: set() for name in texts}
    for name, text in texts.items():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                found[name] |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                full = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
                found[name] |= {module if module in texts else node.module or "" for module in full.values()}
        found[name] &= set(texts) - {name}
    return found


def cycles(imports: Mapping[str, set[str]]) -> list[list[str]]:
    """Modules that import each other, directly or by way of others."""
    left = {name: set(imported) for name, imported in imports.items()}
    while True:  # what imports nothing that is left, or is imported by nothing that is left, is in no cycle
        imported = set().union(*left.values()) if left else set()
        ends = {name for name, others in left.items() if not others or name not in imported}
        if not ends:
            break
        left = {name: others - ends for name, others in left.items() if name not in ends}
    return [[name, *sorted(left[name])] for name in sorted(left)]


def module_texts() -> dict[str, str]:
    names = {path: ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in modules()}
    return {name.removesuffix(".__init__"): text_of(path) for path, name in names.items()}


def test_no_modules_import_each_other() -> None:
    texts = module_texts()
    assert sum(map(len, imports_of(texts).values())) > 1000  # they were found at all
    assert cycles(imports_of(texts)) == []


@pytest.mark.parametrize(
    ("texts", "found"),
    [
        ({"a": "import b", "b": "import c", "c": ""}, []),
        ({"a": "import b", "b": "def f():\n    from a import x"}, [["a", "b"], ["b", "a"]]),
        (
            {"a": "import b", "b": "if TYPE_CHECKING:\n    import c", "c": "import a"},
            [["a", "b"], ["b", "c"], ["c", "a"]],
        ),
        ({"p": "from p import a", "p.a": "from p import b", "p.b": ""}, []),
        ({"p": "from p.a import A", "p.a": "from p import A", "d": "import p"}, [["p", "p.a"], ["p.a", "p"]]),
    ],
)
def test_modules_that_import_each_other_are_found(texts: Mapping[str, str], found: list[list[str]]) -> None:
    assert cycles(imports_of(texts)) == found


# The programs of opforge.testing are called like the commands that run them.
SHARED = {"bench", "verify"}


def own_named() -> list[Path]:
    """The modules that need a name of their own; the kinds of kernels have the same parts by the same names."""
    return [path for path in modules() if PACKAGE / "kinds" not in path.parents or path.parent == PACKAGE / "kinds"]


def shared_names(paths: Iterable[Path]) -> set[str]:
    """The names that several modules have; ``__init__`` is none."""
    counts = Counter(path.stem for path in paths)
    return {name for name, count in counts.items() if count > 1 and name != "__init__"}


def test_no_two_modules_have_one_name() -> None:
    assert shared_names(own_named()) == SHARED


def test_two_modules_of_one_name_are_found() -> None:
    planted = ("spec/__init__.py", "spec/printer.py", "ir/__init__.py", "ir/printer.py", "ir/graph.py")
    assert shared_names(map(Path, planted)) == {"printer"}


def commands() -> dict[str, Path]:
    """Every module of a command by its name; what several need is in cli/shared."""
    return {path.stem: path for path in (PACKAGE / "cli").glob("*.py") if path.stem not in ("__init__", "main")}


def imported_commands(text: str, names: Iterable[str]) -> set[str]:
    """The commands that a module imports, anywhere in it."""
    imported = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported |= {node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in names if f"opforge.cli.{name}" in imported}


def test_no_command_imports_another() -> None:
    from opforge.cli.main import COMMANDS

    known = commands()
    assert set(known) == set(COMMANDS)
    shared = (PACKAGE / "cli" / "shared").glob("*.py")
    findings = [
        f"{path.relative_to(PACKAGE)} imports {', '.join(sorted(found))}"
        for path in (*known.values(), *shared)
        if (found := imported_commands(text_of(path), known))
    ]
    assert not findings, show(findings)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from opforge.cli.build import make_request", {"build"}),
        ("def f():\n    from opforge.cli import build, new", {"build", "new"}),
        ("import opforge.cli.new", {"new"}),
        ("from opforge.cli.shared.console import current\nfrom opforge.build import wheel", set()),
        ("from opforge.cli import shared", set()),
    ],
)
def test_a_command_that_imports_another_is_found(text: str, found: set[str]) -> None:
    assert imported_commands(text, ("build", "new")) == found


# Spelled in two parts, so that this file may be searched as well.
UNFINISHED = re.compile("|".join(("TO" + "DO", "FIX" + "ME", "raise NotImplemented" + "Error", "x" + "fail")))


def test_nothing_is_left_for_later() -> None:
    findings = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in tracked()
        if path.relative_to(ROOT).parts[0] in ("src", "tests", "templates", "examples", "benchmarks")
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if UNFINISHED.search(line)
    ]
    assert not findings, show(findings)


HOSTS = ("py" + "pi.org", "python" + "hosted.org", "npm" + "js.org", "deb" + "ian.org")
MACHINE = re.compile("|".join([r"(?<![\w.$}])/(?:work|root)/", *map(re.escape, HOSTS)]))


def test_no_file_names_a_registry_or_a_path_of_one_machine() -> None:
    findings = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path in tracked()
        for number, line in enumerate(text_of(path).splitlines(), 1)
        if MACHINE.search(line) or str(ROOT) in line
    ]
    assert not findings, show(findings)


def test_sources_are_utf8_with_line_feeds() -> None:
    findings = []
    for path in tracked():
        data = path.read_bytes()
        if path.name == BASE_FILE.name or path.suffix == ".xz":
            continue  # of an example, and a recorded project: compressed texts
        if b"\0" in data[:1024]:
            findings.append(f"{path.relative_to(ROOT)}: a binary file")
        elif b"\r\n" in data:
            findings.append(f"{path.relative_to(ROOT)}: CRLF")
        elif path.suffix == ".py":
            with path.open("rb") as file:
                assert tokenize.detect_encoding(file.readline)[0] == "utf-8", path
    assert not findings, show(findings)


def test_the_readme_starts_with_the_two_commands() -> None:
    readme = text_of(ROOT / "README.md")
    assert 0 < readme.index("make demo") < readme.index("make test") < 2000


def test_continuous_integration_runs_the_readmes_command() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert text_of(script).startswith("#!/usr/bin/env bash\n")
    assert "set -euo pipefail" in text_of(script)
    assert "make test-all" in text_of(script)
    makefile = text_of(ROOT / "Makefile")
    for target in ("demo", "test", "test-all", "lint", "setup"):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
