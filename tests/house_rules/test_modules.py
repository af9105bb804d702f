"""Modules stay small and say their job; none import each other in a circle, and no two have one name."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.house_rules.repository import PACKAGE, ROOT, modules, show, text_of

MOST_LINES = 400
WHY_LONG = "One file because"  # what the docstring of a longer module says, with the reason
PROGRAM = "A program of its own"  # what the docstring of a module says that another interpreter runs
OUTSIDE = {"testing"}  # the package that projects' own processes run


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
                and where != Path("jit/process_activation.py")
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
