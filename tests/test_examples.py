"""``examples/`` is what opforge generates today: nothing in it was edited, nothing is missing, nothing is left over.

What people wrote beside it stands in folders of its own, named here: opforge's lock knows nothing of them.
"""

from __future__ import annotations

import shutil
import zlib
from pathlib import Path

import pytest

from opforge.cli import main as cli

ROOT = Path(__file__).resolve().parents[1]
EXAMPLES = {
    "vector_add": ["new", "VectorAdd", "--inputs", "x,y"],
    "swiglu": ["new", "SwiGLU", "--inputs", "x,w_gate,w_up", "--features", "modules,fuse,converter,aclnn"],
}
BY_HAND = {"llama_mlp"}  # folders at the top of a project
BUILT = {"build", "dist", "__pycache__", ".pytest_cache", ".ruff_cache", ".mypy_cache"}


def texts(root: Path) -> dict[str, str]:
    """Every committed file of a project that opforge wrote."""
    return {
        str(path.relative_to(root)): _text(path)
        for path in sorted(root.rglob("*"))
        if path.is_file()
        and BUILT.isdisjoint(path.relative_to(root).parts)
        and path.relative_to(root).parts[0] not in BY_HAND
    }


def _text(path: Path) -> str:
    """What a file says; of the compressed base, what it holds."""
    if path.suffix == ".gz":
        return zlib.decompress(path.read_bytes(), wbits=31).decode()
    return path.read_text(encoding="utf-8")


def replace(committed: Path, fresh: Path) -> None:
    """The committed example becomes the fresh one; what was written by hand stays."""
    for path in committed.iterdir() if committed.is_dir() else ():
        if path.is_dir() and path.name not in BY_HAND:
            shutil.rmtree(path)
        elif path.is_file():
            path.unlink()
    shutil.copytree(fresh, committed, dirs_exist_ok=True)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_what_opforge_generates(name: str, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    fresh = tmp_path / name
    assert cli.run(["--quiet", *EXAMPLES[name], "--path", str(fresh)]) == 0
    committed = ROOT / "examples" / name
    if pytestconfig.getoption("--update-golden"):
        replace(committed, fresh)
    found, made = texts(committed), texts(fresh)
    assert sorted(found) == sorted(made)
    for path, text in made.items():
        assert found[path] == text, f"examples/{name}/{path} differs: run pytest tests/test_examples.py --update-golden"


def test_every_example_is_checked() -> None:
    projects = {path.parent.name for path in (ROOT / "examples").glob("*/opforge.yaml")}
    assert projects == set(EXAMPLES)
