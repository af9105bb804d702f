"""``docs/catalog.md``: every op that ``opforge new`` knows by name, as a table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from opforge.spec import catalog
from opforge.spec.model import OpSpec

PAGE = Path(__file__).parents[2] / "docs" / "catalog.md"
RESULTS = Path(__file__).parents[1] / "fidelity" / "results"
HEAD = """# The ops that opforge knows by name

`opforge new <name>` creates a project with one of these ops, `opforge add <name>` adds one to a project;
`--like <name>` starts an op of another name from it. Do not edit: `tests/spec/test_catalog_page.py` generates this
page from the catalog.

| op | inputs | expression | |
|---|---|---|---|
"""
COSTS = """
## What they cost

One launch on {soc}, estimated as [how_fast.md](how_fast.md) says; `make qualify` measures it. Bytes are those that the
kernel moves, over the bytes of its tensors. An error is the largest one against float64, over the largest result.

| op | kernel | first input | bytes | float16 us | bfloat16 us | float32 us | bound by | float16 error | float32 error |
|---|---|---|---|---|---|---|---|---|---|
"""
FLOATS = ("float16", "bfloat16", "float32")


def row(op: OpSpec) -> str:
    """The op's line of the table."""
    shapes = (f"{t.name} {shape}" if (shape := f"[{', '.join(t.dims)}]") != "[...]" else t.name for t in op.inputs)
    lines = "<br>".join(f"`{line.strip()}`" for line in op.compute.replace("|", r"\|").splitlines())
    return f"| {op.type} | {', '.join(shapes)} | {lines} | {op.doc} |"


def cost(op: str, kind: str, cases: list[dict[str, Any]]) -> str:
    """The op's line of the second table."""
    by_dtype = {case["dtype"]: case for case in cases}
    times = [str(by_dtype[d]["microseconds"]) if d in by_dtype else "" for d in FLOATS]
    errors = [
        f"{max(by_dtype[d]['errors'].values()):g}" if by_dtype.get(d, {}).get("errors") else "" for d in FLOATS[::2]
    ]
    bytes_moved = max(case["bytes"] for case in cases)
    bounds = ", ".join(dict.fromkeys(case["bound"] for case in cases))
    shape = " x ".join(map(str, cases[0]["shape"]))
    return f"| {' | '.join((op, kind, shape, f'{bytes_moved:g}', *times, bounds, *errors))} |"


def costs() -> str:
    """The table of what `make qualify` has measured; empty if nothing."""
    found = {f.stem: json.loads(f.read_text(encoding="utf-8")) for f in sorted((RESULTS / "catalog").glob("*.json"))}
    lines = [cost(op, each["kind"], each["cases"]) for op, each in found.items()]
    return COSTS.format(soc=next(iter(found.values()))["soc"]) + "".join(f"{line}\n" for line in lines) if lines else ""


def test_the_page_is_what_the_catalog_says(request: pytest.FixtureRequest) -> None:
    ops = [op for op in map(catalog.entry, catalog.names()) if op is not None]
    assert len(ops) == len(catalog.names()) >= 100
    now = HEAD + "".join(f"{row(op)}\n" for op in ops) + costs()
    if request.config.getoption("--update-golden"):
        PAGE.write_text(now, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == now, "docs/catalog.md is not what the catalog says: --update-golden"
