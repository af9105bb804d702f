"""The ops that ``opforge new`` knows by name: one YAML file each, as an entry under ``ops:``."""

from __future__ import annotations

import functools
from pathlib import Path

from opforge.naming import snake
from opforge.spec.model import OpSpec
from opforge.spec.read.parse import parse_ops

_FOLDER = Path(__file__).parent
# Package names that differ from CANN's rule for file names, which gives swi_glu for SwiGLU.
_PACKAGES = {"SwiGLU": "swiglu", "GeGLU": "geglu", "ReGLU": "reglu"}


def names() -> tuple[str, ...]:
    """The op types in the catalog, in alphabetical order."""
    return tuple(sorted(op.type for file in _FOLDER.glob("*.yaml") for op in _read(file)))


def entry(op_type: str) -> OpSpec | None:
    """The catalog's op of that name, or None."""
    file = _FOLDER / f"{snake(op_type)}.yaml"
    if not op_type.isidentifier() or not file.is_file():
        return None
    return next((op for op in _read(file) if op.type == op_type), None)


def package(op_type: str) -> str | None:
    """The package name of a project for that op, or None for the op type in snake_case."""
    return _PACKAGES.get(op_type)


def find(op_type: str, inputs: tuple[str, ...]) -> OpSpec | None:
    """The catalog's op of that name with exactly these inputs, in this order."""
    op = entry(op_type)
    return op if op is not None and tuple(t.name for t in op.inputs) == inputs else None


@functools.cache
def _read(file: Path) -> tuple[OpSpec, ...]:
    return parse_ops(file.read_text(encoding="utf-8"), file)
