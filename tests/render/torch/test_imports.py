"""Every module of every generated package can be imported, for pairs of the catalog's ops and of ops that need more.

An op brings modules along by what its expression needs: alone it may import, and not beside one that `fuse` finds. The
operators are declared without an implementation, by the schemas that the adapter has.
"""

from __future__ import annotations

import importlib
import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from torch_projects import render, spec_of, write

from opforge.naming import snake
from opforge.spec import catalog
from tests.portion import Portion
from tests.sampled import sampled

pytestmark = pytest.mark.torch

HEAD = "edition: 1\nproject: {{name: {0}, package: {0}, vendor: {0}, version: 0.1.0, soc: [ascend910b]}}\nops:\n"
# Numbers that Python computes of attributes; no gradient; no expression; an input that may be left out; in place.
MORE = {
    "Powered": """\
Powered:
  inputs: {x: {shape: [...], dtype: [float16, float32]}}
  attrs: {alpha: {type: float, default: 2.0}}
  compute: y = x * alpha**2
""",
    "Counted": """\
Counted:
  inputs: {x: {shape: [...], dtype: [int32]}}
  compute: y = x + 1
""",
    "Skeleton": """\
Skeleton:
  inputs: {x: {shape: [...], dtype: [float16]}}
  outputs: {y: {shape: [...]}}
""",
    "Shifted": """\
Shifted:
  inputs: {x: {shape: [..., H], dtype: [float32]}, b: {shape: [..., H], optional: true}}
  compute: y = x + where(present(b), b, 0.0)
""",
    "InPlace": """\
InPlace:
  inputs: {x: {shape: [...], dtype: [float32]}}
  outputs: {y: {inplace: x}}
  compute: y = relu(x)
""",
}
NAMES = catalog.names()
OPS = (*NAMES, *MORE)
RUNTIME = """\
import torch

_LIBRARY = torch.library.Library({package!r}, "DEF")


def load():
    for schema in {schemas!r}:
        _LIBRARY.define(schema)
"""
_NUMBER = itertools.count()
_SCHEMA = re.compile(r'library\.def\(((?:\s*"(?:[^"\\]|\\.)*")+)\)')


def spec_text(package: str, ops: Sequence[str]) -> str:
    folder = Path(catalog.__file__).parent
    entries = (MORE.get(op) or (folder / f"{snake(op)}.yaml").read_text(encoding="utf-8") for op in ops)
    return HEAD.format(package) + "".join(f"  {line}\n" for entry in entries for line in entry.splitlines())


def modules(package: Path) -> Iterator[str]:
    for path in sorted(package.rglob("*.py")):
        yield ".".join(path.relative_to(package.parent).with_suffix("").parts).removesuffix(".__init__")


def import_all(ops: Sequence[str], folder: Path) -> None:
    """Renders a project of these ops and imports all modules of its package."""
    package = f"imported_{next(_NUMBER)}"
    project = write(render(spec_of(spec_text(package, ops))), folder / package)
    adapter = (project / "csrc" / "adapter.cpp").read_text(encoding="utf-8")
    schemas = ["".join(re.findall(r'"((?:[^"\\]|\\.)*)"', words)) for words in _SCHEMA.findall(adapter)]
    assert schemas
    runtime = project / "python" / package / "_opforge" / "_runtime.py"
    runtime.write_text(RUNTIME.format(package=package, schemas=schemas), encoding="utf-8")
    sys.path.insert(0, str(project / "python"))
    try:
        for module in modules(project / "python" / package):
            importlib.import_module(module)
    except ImportError as e:
        raise AssertionError(f"{' and '.join(ops)}: {e}") from e
    finally:
        sys.path.remove(str(project / "python"))


@pytest.mark.parametrize("more", MORE)
def test_beside_an_op_that_fuse_finds(more: str, tmp_path: Path) -> None:
    import_all([more], tmp_path)
    import_all(["VectorAdd", more], tmp_path)


@pytest.mark.parametrize("ops", [*itertools.zip_longest(NAMES[::2], NAMES[1::2], fillvalue="VectorAdd")], ids="-".join)
def test_pairs_of_the_catalog(ops: tuple[str, str], tmp_path: Path) -> None:
    import_all(ops, tmp_path)


PAIRS = tuple(itertools.combinations(OPS, 2))


@pytest.mark.parametrize("count", sampled((300, len(PAIRS)), {300}))
def test_many_pairs(count: int, tmp_path: Path, portion: Portion[tuple[str, str]]) -> None:
    """All of them take half an hour."""
    for ops in portion(PAIRS, count):
        import_all(ops, tmp_path)
