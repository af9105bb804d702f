"""docs/toolkit_differences.md: what CANN's tools do and the simulated ones do not, from differences.json."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "toolkit_differences.md"
TOOLS = HERE.parents[1] / "src" / "opforge" / "simulator" / "tools"
HEAD = """\
# Differences between CANN's tools and the simulated toolkit

A test writes this page from `tests/simulator/differences.json` (`pytest --update-golden`). The simulated CMake
functions, msOpGen, asc_opc, run package and installer have the same interfaces as CANN's, without their awkward
behaviour. A test can turn that behaviour on: OPFORGE_SIM_AWKWARD takes names from the column *here*, separated by
commas, or `all`. `tests/build/test_awkward.py` tests opforge with each of them and with all, on a toolkit that it takes
for CANN; `tests/build/test_switches.py` tests what each name turns on, without opforge. All sources are public:
asc-devkit 82b89a1, asc-tools 2113e48, msopgen 685d183 and the text files of CANN 8.1.RC1.
`tests/fidelity/toolkit/cited.py` looks up every cited line in checkouts of them.
"""


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((HERE / "differences.json").read_text(encoding="utf-8"))
    return found


ASKED = {
    ".cmake": re.compile(r"_asc_awkward\(([a-z0-9-]+) "),
    ".sh": re.compile(r"^[^#]*?(?:\bawkward |\*,)([a-z0-9-]+)", re.MULTILINE),
    ".py": re.compile(r"""\bawkward\("([a-z0-9-]+)"\)"""),
}


def switches_of_the_tools() -> set[str]:
    """The names that the tools ask for."""
    found = set()
    for path in TOOLS.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts and path.suffix in ("", *ASKED):
            found |= set(ASKED[path.suffix or ".py"].findall(path.read_text(encoding="utf-8")))
    return found - {"all"}


def switches_of(test: str) -> set[str]:
    """The names that a file of tests has as parameters, or in the names of its tests."""
    text = re.sub("  #.*", "", (HERE.parent / "build" / test).read_text(encoding="utf-8"))
    listed = re.findall(r"^(?:BUILDING|INSTALLING|ALONE) = \[(.*?)\]", text, re.MULTILINE | re.DOTALL)
    words = {word for block in listed for word in re.findall(r'"([a-z0-9-]+)"', block)}
    return words | {name.replace("_", "-") for name in re.findall(r"^def test_([a-z0-9_]+?)__", text, re.MULTILINE)}


def test_every_switch_is_a_row_and_has_its_tests(rows: list[dict[str, str]]) -> None:
    listed = {row["switch"] for row in rows if row["here"] == "switch"}
    assert len(listed) > 20
    assert listed == switches_of_the_tools()
    assert listed == switches_of("test_switches.py")
    assert listed == switches_of("test_awkward.py")


def test_what_is_the_same_here_is_tested(rows: list[dict[str, str]]) -> None:
    for row in rows:
        if row["here"] == "same":
            file, _, name = row["test"].partition("::")
            assert f"def {name}(" in (HERE.parents[1] / file).read_text(encoding="utf-8")


def test_every_row_says_where_and_why(rows: list[dict[str, str]]) -> None:
    for row in rows:
        assert row["source"], row
        assert {"same": "test", "switch": "switch", "other": "why"}[row["here"]] in row


def page(rows: list[dict[str, str]]) -> str:
    here = {"same": "the same", "switch": "`{switch}`", "other": "{why}"}
    lines = [HEAD]
    for part in dict.fromkeys(row["part"] for row in rows):
        lines += [f"## {part}", "", "| CANN | source | here | opforge |", "|---|---|---|---|"]
        for row in rows:
            if row["part"] == part:
                cells = [row["there"], row["source"], here[row["here"]].format(**row), row.get("opforge", "")]
                lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def test_the_page(rows: list[dict[str, str]], request: pytest.FixtureRequest) -> None:
    text = page(rows)
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, f"{PAGE.name} is not what the table says: --update-golden"
