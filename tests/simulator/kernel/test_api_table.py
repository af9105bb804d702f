"""The table of the kernel API and the headers say the same."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from api_rows import FREQUENCY, KERNEL_API, TIERS, ApiFunction, read_frequency
from harness import TESTS

HEADERS = KERNEL_API / "include" / "ascendc"

# Classes and values of the API; their methods have tests of their own.
NOT_FUNCTIONS = {"IsSameType"}


def declared(text: str) -> set[str]:
    """The names of the functions a header declares in namespace AscendC, macros expanded by hand."""
    names: set[str] = set()
    for block in re.findall(r"^namespace AscendC \{(.*?)^\}  // namespace AscendC", text, re.DOTALL | re.MULTILINE):
        plain = re.sub(r"^template <[^{;]*?>\n", "", block, flags=re.DOTALL | re.MULTILINE)
        names |= set(re.findall(r"^(?:template <.*> )?\w[\w:<>,&* ]*[ &*](\w+)\(", plain, re.MULTILINE))
        names |= set(re.findall(r"^ASCENDC_SIM_\w+\((\w+),", block, re.MULTILINE))
    return names - {"Function"} - NOT_FUNCTIONS


def body_of(name: str, text: str) -> str:
    """What stands between the braces of a class; "" where the header defines none of that name."""
    found = re.search(rf"^(?:class|struct) {name}\b[^;{{]*\{{(.*?)^\}};", text, re.DOTALL | re.MULTILINE)
    return found[1] if found else ""


def stands_in(row: ApiFunction, text: str) -> bool:
    """Whether the header declares what the row is about: a function, a method, a macro or a type."""
    name = row.name.rpartition("::")[2]
    if row.of:
        return re.search(rf"\b{name.removeprefix('.')}\(", body_of(row.of, text)) is not None
    spellings = (
        rf"^\s*#define {name}\b",
        rf"^\s*(?:class|struct|enum class|enum) {name}\b",
        rf"^\s*using .*\b{name}\b",
    )
    return name in declared(text) or any(
        re.search(s, text, re.MULTILINE) for s in (*spellings, rf"^\S.*[ &*]{name}\(", rf"^ASCENDC_SIM_\w+\({name}\b")
    )


def test_every_function_has_a_row(api_table: tuple[ApiFunction, ...]) -> None:
    found = {
        (path.relative_to(HEADERS).as_posix(), n) for path in HEADERS.rglob("*.h") for n in declared(path.read_text())
    }
    rows = {(row.header, row.name.rpartition("::")[2]) for row in api_table}
    assert not found - rows, f"add a row to api/<family>.json for each of {sorted(found - rows)}"


def test_every_row_stands_in_its_header(api_table: tuple[ApiFunction, ...]) -> None:
    texts = {path.relative_to(HEADERS).as_posix(): path.read_text() for path in HEADERS.rglob("*.h")}
    lacking = [
        row
        for row in api_table
        if (row.header or row.status == "simulated") and not stands_in(row, texts.get(row.header, ""))
    ]
    assert not lacking


def test_a_row_is_whole(api_table: tuple[ApiFunction, ...]) -> None:
    twice = [key for key, n in Counter((r.name, r.of, r.header) for r in api_table).items() if n > 1]
    assert not twice
    for row in api_table:
        assert row.tier in TIERS, row
        assert row.name.startswith(".") == bool(row.of), row
        assert row.status in {"simulated", "refused"}, row
        assert bool(row.why) == (row.status == "refused"), row
        if row.meaning is not None:
            compile(row.meaning, row.name, "eval")


def test_dtypes_are_those_of_the_headers(api_table: tuple[ApiFunction, ...]) -> None:
    """Of the functions that a macro declares: `ASCENDC_SIM_X(Name, "page", half, float)`, or A2<...>, M200<...>."""

    def names(listed: str) -> tuple[str, ...]:
        return tuple(dtype.strip() for dtype in listed.split(","))

    rows = {(row.header, row.name): row for row in api_table}
    seen = 0
    for path in HEADERS.rglob("*.h"):
        for name, page, dtypes in re.findall(
            r'^ASCENDC_SIM_\w+\((\w+), "([^"]+)", (?:\w+::k\w+, )?([^;]+?)\);?$', path.read_text(), re.MULTILINE
        ):
            row = rows[path.relative_to(HEADERS).as_posix(), name]
            seen += 1
            assert row.page.endswith(page)
            on_a2, on_310p = re.search(r"A2<([^>]*)>", dtypes), re.search(r"M200<([^>]*)>", dtypes)
            assert row.dtypes == names(on_a2[1] if on_a2 else dtypes)
            if on_310p:
                assert (row.dtypes_310p or ("",)) == names(on_310p[1])
    assert seen > 20


def test_every_row_has_a_page_and_a_test(api_table: tuple[ApiFunction, ...]) -> None:
    tests = {path.name: path.read_text() for path in TESTS.rglob("test_*.py")}
    for row in api_table:
        file, _, function = row.test.partition("::")
        assert f"def {function}(" in tests[file], row
        assert row.page.startswith(("SIMD-API/", "Utils-API/")), row


def test_the_ranked_list_is_ranked() -> None:
    ranked = read_frequency()
    assert len(ranked) > 220, FREQUENCY
    assert [r.ops for r in ranked] == sorted((r.ops for r in ranked), reverse=True)
    assert len({r.name for r in ranked}) == len(ranked)


@pytest.mark.parametrize("name", ["kernel_operator.h", "kernel_tensor.h"])
def test_headers_name_their_documentation(name: str) -> None:
    assert "Documentation:" in (HEADERS / name).read_text()
