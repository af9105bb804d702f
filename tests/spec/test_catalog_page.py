"""``docs/catalog.md``: every op that ``opforge new`` knows by name, as a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from opforge.spec import catalog
from opforge.spec.model import OpSpec

PAGE = Path(__file__).parents[2] / "docs" / "catalog.md"
HEAD = """# The ops that opforge knows by name

`opforge new <name>` creates a project with one of these ops, `opforge add <name>` adds one to a project;
`--like <name>` starts an op of another name from it. Do not edit: `tests/spec/test_catalog_page.py` generates this
page from the catalog.

| op | inputs | expression | |
|---|---|---|---|
"""


def row(op: OpSpec) -> str:
    """The op's line of the table."""
    shapes = (f"{t.name} {shape}" if (shape := f"[{', '.join(t.dims)}]") != "[...]" else t.name for t in op.inputs)
    lines = "<br>".join(f"`{line.strip()}`" for line in op.compute.replace("|", r"\|").splitlines())
    return f"| {op.type} | {', '.join(shapes)} | {lines} | {op.doc} |"


def test_the_page_is_what_the_catalog_says(request: pytest.FixtureRequest) -> None:
    ops = [op for op in map(catalog.entry, catalog.names()) if op is not None]
    assert len(ops) == len(catalog.names()) >= 100
    now = HEAD + "".join(f"{row(op)}\n" for op in ops)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(now, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == now, "docs/catalog.md is not what the catalog says: --update-golden"
