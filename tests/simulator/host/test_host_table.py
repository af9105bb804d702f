"""host/api.json, the table of the op_host API: it says what the headers have and which test calls it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]
HOST = REPOSITORY / "src" / "opforge" / "simulator" / "host"
PAGE = REPOSITORY / "docs" / "host_api.md"

CLASSES = ("OpDef", "TilingContext", "InferContext", "Platform", "MatmulTiling", "Shape/Tensor/Attrs")


@dataclass(frozen=True)
class Method:
    """One row: how many of 1645 op_host folders call it, the header that declares it, the source that tests it."""

    of: str
    name: str
    ops: int
    header: str
    test: str
    status: str
    why: str


def table() -> list[Method]:
    rows = json.loads((HOST / "api.json").read_text(encoding="utf-8"))
    return [
        Method(
            row["class"],
            row["name"],
            row["ops"],
            row.get("header", ""),
            row.get("test", ""),
            row.get("status", "simulated"),
            row.get("why", ""),
        )
        for row in rows
    ]


@pytest.mark.parametrize("of", CLASSES)
def test_every_row_is_true(of: str) -> None:
    for method in table():
        if method.of != of or method.status == "refused":
            continue
        declared = (HOST / "include" / method.header).read_text(encoding="utf-8")
        assert re.search(rf"\b{method.name}\(", declared), method
        called = (REPOSITORY / method.test).read_text(encoding="utf-8")
        assert re.search(rf"(\.|->){method.name}(<[^;()]*>)?\(", called), method


def test_refusals_say_why_and_rows_are_ranked() -> None:
    rows = table()
    assert {method.of for method in rows} == set(CLASSES)
    assert all(bool(method.why) == (method.status == "refused") for method in rows)
    assert len({(method.of, method.name) for method in rows}) == len(rows)
    for of in CLASSES:
        counts = [method.ops for method in rows if method.of == of]
        assert counts == sorted(counts, reverse=True)


def page() -> str:
    rows = table()
    simulated = [method for method in rows if method.status == "simulated"]
    lines = [
        "# The op_host API of the simulated toolkit",
        "",
        "A test writes this page from `src/opforge/simulator/host/api.json`. *ops* is how many of 1645 handwritten",
        f"op_host folders of public repositories call a method. {len(simulated)} of these {len(rows)} are simulated.",
    ]
    for of in CLASSES:
        lines += ["", f"## {of}", "", "| method | ops | status | header |", "|---|---|---|---|"]
        for method in rows:
            if method.of == of:
                status = method.status + (f": {method.why}" if method.why else "")
                lines.append(f"| `{method.name}` | {method.ops} | {status} | {method.header} |")
    return "\n".join(lines) + "\n"


def test_the_page_is_the_table(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page()
