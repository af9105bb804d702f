"""docs/kernel_api.md: what of the kernel API is simulated, from the table; ``pytest --update-golden`` writes it."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest
from api_rows import TIERS, ApiFunction, Documented, Ranked, read_documented, read_frequency

PAGE = Path(__file__).parents[3] / "docs" / "kernel_api.md"
COUNTED = 220
C_API = 192

FAMILIES = {
    "adv": "Functions above the instructions",
    "copy": "Copies",
    "cube": "Cube cores: instructions and the Matmul object",
    "index": "Gather, sort, transpose, index",
    "sync": "Synchronisation, atomics, cache",
    "system": "Tensors, buffers, system variables, scalars, debugging",
    "vector": "Vector functions",
}

HEAD = """# The kernel API

`tests/simulator/kernel/test_api_page.py` writes this page from `src/opforge/simulator/kernel/api/`. It lists what a
kernel may call on the simulated toolkit, and what the toolkit refuses with a message. Data types are those of Atlas A2
and A3; if the inference products (Ascend 310P) have others, they follow. `T<-U` means that the source's type is U.
Pages are those of the Ascend C documentation below `docs/zh/api/`. A method is written `.Method`.
"""


def coverage(table: tuple[ApiFunction, ...], ranked: tuple[Ranked, ...]) -> str:
    statuses: dict[str, set[str]] = {}
    for row in table:
        statuses.setdefault(row.name, set()).add(row.status)
    groups: dict[str, list[Ranked]] = {"simulated": [], "refused": [], "missing": []}
    for entry in ranked:
        mine = statuses.get(entry.name.removeprefix("cce:"), set())  # cce: a raw intrinsic of the compiler
        groups["simulated" if "simulated" in mine else "refused" if mine else "missing"].append(entry)
    lines = [
        f"783 real operators call these {len(ranked)} functions and methods most often: "
        f"simulated: {len(groups['simulated'])}; "
        f"refused, with a message that says why: {len(groups['refused'])}; "
        f"unknown to the toolkit, so that a kernel which calls one does not compile: {len(groups['missing'])}.",
        "",
    ]
    for group in ("refused", "missing"):
        if groups[group]:
            names = ", ".join(f"`{entry.name}` {entry.ops}" for entry in groups[group])
            lines += [f"{group.capitalize()}, with the number of operators that call it: {names}.", ""]
    return "\n".join(lines)


def label(row: ApiFunction) -> str:
    return f"{row.of}{row.name}" if row.of else row.name


def answer(page: Documented, table: tuple[ApiFunction, ...]) -> str:
    """What the table says of a page."""
    if page.row == "-":
        return "absent"
    wanted = {row.status for row in table if (label(row) == page.row if page.row else row.page.endswith(page.page))}
    return "simulated" if "simulated" in wanted else "refused" if wanted else "unanswered"


def conformance(table: tuple[ApiFunction, ...], pages: tuple[Documented, ...]) -> str:
    answers = [(page, answer(page, table)) for page in pages]
    count = Counter(each for _, each in answers)
    lines = [
        f"{len(pages)} pages below 基础API and 高阶API describe functions of Atlas A2 or ascend310p: "
        f"simulated: {count['simulated']}; refused, with a message that says why: {count['refused']}; absent, so that "
        f"a kernel which uses one does not compile: {count['absent']}. Not counted: tiling "
        f"functions of the host ([host_api.md](host_api.md)), and the C-API (`asc_...`, {C_API} pages), which is "
        "absent.",
        "",
        "| absent | pages |",
        "|---|---|",
    ]
    absent = [page.page.rpartition("/") for page, each in answers if each == "absent"]
    for folder, names in groupby(absent, key=lambda each: each[0]):
        lines.append(f"| {folder} | {', '.join(name for _, _, name in names)} |")
    return "\n".join([*lines, ""])


def dtypes_of(row: ApiFunction) -> str:
    text = ", ".join(row.dtypes)
    if row.dtypes_310p is None or row.dtypes_310p == row.dtypes:
        return text
    return f"{text or 'none'}; 310P: {', '.join(row.dtypes_310p)}"


def family_table(rows: list[ApiFunction]) -> str:
    lines = ["| function | data types | tier | status | page |", "|---|---|---|---|---|"]
    for row in sorted(rows, key=lambda row: (row.tier, row.of, row.name, row.header)):
        status = f"refused: {row.why}" if row.status == "refused" else row.status
        cells = (f"`{label(row)}`", dtypes_of(row), row.tier, status, row.page)
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines) + "\n"


def page(table: tuple[ApiFunction, ...], ranked: tuple[Ranked, ...], pages: tuple[Documented, ...]) -> str:
    parts = [HEAD, coverage(table, ranked), conformance(table, pages), "| tier | what |\n|---|---|"]
    parts[-1] += "".join(f"\n| {tier} | {what} |" for tier, what in TIERS.items()) + "\n"
    for family, rows in groupby(table, key=lambda row: row.family):
        parts.append(f"## {FAMILIES[family]}\n\n{family_table(list(rows))}")
    return "\n".join(parts)


def test_the_page(request: pytest.FixtureRequest, api_table: tuple[ApiFunction, ...]) -> None:
    text = page(api_table, read_frequency()[:COUNTED], read_documented())
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, "docs/kernel_api.md is not what the table says: --update-golden"


def test_every_name_of_the_list_falls_into_one_group() -> None:
    row = ApiFunction("vector", "Abs", "h", "SIMD-API/x", "T1", "unary", ("half",), None, "t::t")
    refused = ApiFunction("sync", "B", "", "SIMD-API/x", "T1", "x", (), None, "t::t", status="refused", why="because")
    text = coverage((row, refused), (Ranked("Abs", "", 9), Ranked("B", "", 8), Ranked("C", "", 7)))
    assert "simulated: 1; refused, with a message that says why: 1; unknown" in text
    assert "call it: `B` 8.\n" in text
    assert "call it: `C` 7.\n" in text


def test_every_documented_page_is_answered(api_table: tuple[ApiFunction, ...]) -> None:
    pages = read_documented()
    assert len({each.page for each in pages}) == len(pages)
    assert [each.page for each in pages if answer(each, api_table) == "unanswered"] == []
    named = {row.page.removeprefix("SIMD-API/") for row in api_table}
    assert [each.page for each in pages if (each.row == "") != (each.page in named)] == []
    row = ApiFunction("vector", "Abs", "h", "SIMD-API/x/Abs", "T1", "unary", ("half",), None, "t::t")
    assert answer(Documented("x/Abs", "A2", ""), (row,)) == "simulated"
    assert answer(Documented("x/Relu", "A2", ""), (row,)) == "unanswered"
    assert answer(Documented("x/Relu", "A2", "Relu"), (row,)) == "unanswered"
