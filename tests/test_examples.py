"""``examples/`` is what opforge generates today: nothing in it was edited, nothing is missing, nothing is left over."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from opforge.cli import main as cli

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = {"vector_add": ["new", "VectorAdd", "--inputs", "x,y"]}
BUILT = {"build", "dist", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache"}


def texts(root: Path) -> dict[str, str]:
    """Every committed file of a project."""
    return {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file() and BUILT.isdisjoint(path.relative_to(root).parts)
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_what_opforge_generates(name: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    fresh = tmp_path / name
    assert cli.run(["--quiet", *EXAMPLES[name], "--path", str(fresh)]) == 0
    committed = ROOT / "examples" / name
    if pytestconfig.getoption("--update-golden"):
        shutil.rmtree(committed, ignore_errors=True)
        shutil.copytree(fresh, committed)
    found, made = texts(committed), texts(fresh)
    assert sorted(found) == sorted(made)
    for path, text in made.items():
        assert found[path] == text, f"examples/{name}/{path} differs: run pytest tests/test_examples.py --update-golden"


def test_every_example_is_checked() -> None:
    projects = {path.parent.name for path in (ROOT / "examples").glob("*/opforge.yaml")}
    assert projects == set(EXAMPLES)
