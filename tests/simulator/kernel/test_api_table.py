"""The table of the kernel API and the headers say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from api_rows import KERNEL_API, ApiFunction

HEADERS = KERNEL_API / "include" / "ascendc"

# Classes and values of the API; their methods have tests of their own.
NOT_FUNCTIONS = {"IsSameType"}


def declared(text: str) -> set[str]:
    """The names of the functions a header declares in namespace AscendC, macros expanded by hand."""
    names: set[str] = set()
    for block in re.findall(r"^namespace AscendC \{(.*?)^\}  // namespace AscendC", text, re.DOTALL | re.MULTILINE):
        names |= set(re.findall(r"^(?:inline |constexpr |template <[^>]*>\s*)*[\w:]+ (\w+)\(", block, re.MULTILINE))
        names |= set(re.findall(r"^ASCENDC_SIM_\w+\((\w+),", block, re.MULTILINE))
    return names - {"Function"} - NOT_FUNCTIONS


def test_every_function_has_a_row_and_every_row_a_function(api_table: tuple[ApiFunction, ...]) -> None:
    found = {
        (path.relative_to(HEADERS).as_posix(), n) for path in HEADERS.rglob("*.h") for n in declared(path.read_text())
    }
    assert found == {(row.header, row.name) for row in api_table}


def test_dtypes_are_those_of_the_headers(api_table: tuple[ApiFunction, ...]) -> None:
    by_macro: dict[str, tuple[str, ...]] = {}
    for path in HEADERS.glob("*.h"):
        for name, page, dtypes in re.findall(
            r'^ASCENDC_SIM_\w+\((\w+), "([^"]+)", ([^)]+)\)', path.read_text(), re.MULTILINE
        ):
            by_macro[name] = tuple(dtype.strip() for dtype in dtypes.split(","))
            assert next(row.page for row in api_table if row.name == name).endswith(page)
    listed = {row.name: row.dtypes for row in api_table}
    assert len(by_macro) > 20
    assert {name: listed[name] for name in by_macro} == by_macro


def test_every_row_has_a_page_and_a_test(api_table: tuple[ApiFunction, ...]) -> None:
    here = Path(__file__).parent
    for row in api_table:
        file, _, function = row.test.partition("::")
        assert f"def {function}(" in (here / file).read_text(), row
        assert row.page.startswith("SIMD-API/基础API/"), row
        assert (row.meaning is None) == (
            row.form in {"sync", "debug"} or (row.form == "system" and "float" not in row.header)
        ), row


@pytest.mark.parametrize("name", ["kernel_operator.h", "kernel_tensor.h"])
def test_headers_name_their_documentation(name: str) -> None:
    assert "Documentation:" in (HEADERS / name).read_text()
