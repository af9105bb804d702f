"""The size of a generated project: a budget that holds for later work too, and nothing in it that nobody needs."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest

from opforge.cli import main as cli
from opforge.fileset import is_owned
from opforge.scaffold.base_file import BASE_FILE

ROOT = Path(__file__).resolve().parents[2]


def lines_of(root: Path) -> dict[str, int]:
    """The lines of each file of a project that people read, by its path."""
    files = {str(path.relative_to(root)): path for path in root.rglob("*") if path.is_file()}
    return {
        name: path.read_text(encoding="utf-8").count("\n") for name, path in files.items() if name != str(BASE_FILE)
    }


def texts_of(root: Path) -> dict[str, str]:
    kinds = {".h", ".cpp", ".py", ".txt"}
    files = {str(path.relative_to(root)): path for path in sorted(root.rglob("*")) if path.suffix in kinds}
    return {name: path.read_text(encoding="utf-8") for name, path in files.items()}


def unused(texts: dict[str, str]) -> list[str]:
    """Headers that no other file includes, and modules of the package that no other file names."""
    found = []
    for name in texts:
        path = PurePosixPath(name)
        others = [text for other, text in texts.items() if other != name]
        if path.suffix == ".h":
            pattern = rf'#include "(?:[^"]*/)?{re.escape(path.name)}"'
        elif path.suffix == ".py" and path.parts[0] == "python" and path.stem != "__init__":
            pattern = rf"\b{re.escape(path.stem)}\b"
        else:
            continue
        if not any(re.search(pattern, text) for text in others):
            found.append(name)
    return found


def created(tmp_path: Path, *words: str) -> Path:
    root = tmp_path / "project"
    assert cli.run(["--quiet", "new", *words, "--path", str(root)]) == 0
    return root


def test_vector_add_is_small_enough_to_read(tmp_path: Path) -> None:
    lines = lines_of(created(tmp_path, "VectorAdd", "--inputs", "x,y"))
    theirs = {name: count for name, count in lines.items() if not is_owned(PurePosixPath(name))}
    assert len(theirs) <= 30, sorted(theirs)
    assert sum(theirs.values()) <= 2500
    assert sum(lines.values()) <= 4500


SPECS = {
    "elementwise": ("VectorAdd", "--inputs", "x,y"),
    "products": ("SwiGLU", "--inputs", "x,w_gate,w_up"),
    "handwritten": ("PickRow", "--inputs", "x,rows", "--outputs", "y"),
    "one function": ("Doubled", "--inputs", "x", "--compute", "y = x + x", "--features", ""),
    "every feature": ("VectorAdd", "--inputs", "x,y", "--features", "modules,fuse,converter,serving,agents,aclnn"),
}


@pytest.mark.parametrize("words", SPECS.values(), ids=SPECS.keys())
def test_nothing_is_generated_that_nobody_needs(words: tuple[str, ...], tmp_path: Path) -> None:
    assert unused(texts_of(created(tmp_path, *words))) == []


def test_no_example_has_more_than_it_needs() -> None:
    for example in ("vector_add", "swiglu"):
        assert unused(texts_of(ROOT / "examples" / example)) == []


def test_a_header_that_nobody_includes_would_be_found(tmp_path: Path) -> None:
    root = created(tmp_path, *SPECS["elementwise"])
    (root / "op_host" / "opforge" / "spare.h").write_text("// nothing\n", encoding="utf-8")
    (root / "python" / "vector_add" / "_spare.py").write_text("", encoding="utf-8")
    assert unused(texts_of(root)) == ["op_host/opforge/spare.h", "python/vector_add/_spare.py"]
