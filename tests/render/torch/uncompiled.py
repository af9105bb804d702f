"""Packages of projects without anything compiled: in torch.ops are the references."""

from __future__ import annotations

import ast
import importlib
import sys
from pathlib import Path
from types import ModuleType

from torch_projects import render, spec_of, write

from opforge.kinds import kernel_alone
from opforge.render.torch.signature import Signature


def package_of(text: str, folder: Path) -> ModuleType:
    """The imported package of the project ``text``, with ``fuse``; its name is not imported yet."""
    spec = spec_of(text)
    name = spec.project.package
    python = write(render(spec), folder) / "python"
    package = python / name
    tree = ast.parse((package / "_ops.py").read_text(encoding="utf-8"))
    columns = [n for n in tree.body if isinstance(n, ast.AnnAssign) and ast.unparse(n.target).endswith("_COLUMNS")]
    signatures = [Signature(kernel_alone(op), name) for op in spec.ops]
    lines = [
        "import torch",
        f"from {name} import _reference",
        f"from {name}._opforge import _checks",
        f'LIBRARY = torch.library.Library("{name}", "DEF")',
        *(f'LIBRARY.define("{s.schema}")' for s in signatures),
        *(f'LIBRARY.impl("{s.function}", _reference.{s.function}, "CompositeExplicitAutograd")' for s in signatures),
        *map(ast.unparse, columns),
    ]
    (package / "_ops.py").write_text("\n".join(lines), encoding="utf-8")
    (package / "__init__.py").write_text(f"from {name}._opforge._fusion import fuse", encoding="utf-8")
    sys.path.insert(0, str(python))
    return importlib.import_module(name)
