"""opforge.testing goes without the rest of opforge: what it imports, and a copy of it on a path of its own."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from opforge.scaffold.vendoring import package_files

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "opforge" / "testing"
ALLOWED = {*sys.stdlib_module_names, "numpy", "torch", "torch_npu", "torchair", "pytest"}  # torchair is torch_npu's
OF_PYTEST = ("session.py", "failures.py")
LIGHT = ("__init__", "interface", "report", "bench", "verify", "leaks")  # programs say what is wrong without torch


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_it_imports_little(path: Path) -> None:
    for name in imported(path):
        top = name.split(".")[0]
        assert top in ALLOWED or name.startswith("opforge.testing"), f"{path}: {name}"
        assert top != "pytest" or path.name in OF_PYTEST or path.parent.name == "checks", f"{path}: {name}"
        assert not name.startswith("opforge.testing.checks") or path.parent.name == "checks", f"{path}: {name}"


def copied(folder: Path) -> Path:
    for file in package_files():
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8")
    return folder


def in_copy(folder: Path, code: str) -> str:
    """What ``code`` prints where opforge is that of ``folder``."""
    environ = {"PYTHONPATH": str(copied(folder)), "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.torch
def test_a_copy_is_whole(tmp_path: Path) -> None:
    names = [
        ".".join(path.relative_to(PACKAGE.parents[1]).with_suffix("").parts).removesuffix(".__init__")
        for path in sorted(PACKAGE.rglob("*.py"))
    ]
    code = (
        f"import importlib, sys\nfor name in {names!r}:\n    importlib.import_module(name)\n"
        "print({m.__file__ for n, m in sys.modules.items() if n.split('.')[0] == 'opforge'})"
    )
    files = ast.literal_eval(in_copy(tmp_path, code))
    assert len(files) == len(names) + 1
    assert all(Path(file).is_relative_to(tmp_path / "opforge") for file in files)


def test_programs_start_without_torch(tmp_path: Path) -> None:
    names = [f"opforge.testing.{name}".removesuffix(".__init__") for name in LIGHT]
    code = f"import sys, {', '.join(names)}\nprint(sorted({{'torch', 'numpy', 'pytest'}} & {{*sys.modules}}))"
    assert in_copy(tmp_path, code) == "[]\n"


@pytest.mark.parametrize("program", ["bench", "verify", "leaks"])
def test_a_program_without_an_activated_environment(program: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", f"opforge.testing.{program}"],
        env={"PYTHONPATH": str(copied(tmp_path))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (
        1,
        "No CANN and no simulated toolkit is activated. Type `opforge build && opforge install`, and then "
        f"`opforge run -- python -m opforge.testing.{program}`.\n",
    )


def test_nothing_of_a_generated_package_imports_opforge() -> None:
    """What is installed goes without opforge; its benchmarks alone do not."""
    found = {}
    for path in sorted((ROOT / "examples").glob("*/python/**/*.py")):
        found[path] = [name for name in imported_by_form(path) if name.split(".")[0] == "opforge"]
    assert len(found) > 20
    assert not any(found.values()), found
    for path in sorted((ROOT / "templates" / "code" / "torch" / "python").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        assert "import opforge" not in text, path
        assert "from opforge" not in text, path


def imported_by_form(path: Path) -> set[str]:
    """As ``imported``, for packages, which import relatively as well."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return names | {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}
