"""``docs/errors.md``: every message of the case files, as a page; and what every message has.

``pytest --update-golden`` writes the page from the outcomes in ``cases/``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "cases"
PAGE = Path(__file__).parents[2] / "docs" / "errors.md"

# The files of cases, in the page's order, and what each is about.
CHAPTERS = {
    "file_refused": "A file and its fields",
    "file_signatures_refused": "Kinds of arguments",
    "file_kinds_refused": "Kinds of values",
    "file_values_refused": "Values and sizes that tests draw",
    "file_axes_refused": "A dimension that only a call knows",
    "file_products_refused": "Matrix products in a file",
    "compute_refused": "Expressions",
    "compute_products_refused": "Matrix products in an expression",
    "options_refused": "The command line",
}
SHOWN = 40  # lines of an input that a page shows


def read(path: Path) -> list[tuple[str, str, str]]:
    """Name, input and outcome of each case."""
    parts = re.split(r"^\[case (\w+)\]\n", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    cases = []
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        text, _, out = body.partition("[out]\n")
        cases.append((name, text.rstrip("\n"), out.rstrip("\n")))
    return cases


def messages(out: str) -> list[str]:
    """The errors of an outcome, one by one."""
    return re.split(r"^(?=error: )", re.sub(r"^\d+ errors\n?", "", out + "\n", flags=re.MULTILINE), flags=re.MULTILINE)[
        1:
    ]


def chapter(stem: str, title: str) -> list[str]:
    lines = [f"## {title}", ""]
    for name, text, out in read(CASES / f"{stem}.txt"):
        if not out.startswith("error"):
            continue
        given = f"opforge new {text}" if stem.startswith("options") else text
        language = "yaml" if stem.startswith("file") else "sh" if stem.startswith("options") else "python"
        fence = "````" if "```" in text + out else "```"
        lines += [f"### {name.replace('_', ' ').strip()}", ""]
        if given.count("\n") < SHOWN:
            lines += [f"{fence}{language}", given, fence, ""]
        lines += [f"{fence}text", out, fence, ""]
    return lines


def page() -> str:
    lines = [
        "# Error messages",
        "",
        "Every message about a spec, an expression or the options of `opforge new`: what is wrong, where, and what",
        "to do. opforge reports all errors of a file at once. Do not edit: `tests/spec/test_gallery.py` generates this",
        "page from the tests' cases, which contain each message word for word.",
        "",
        *(f"- [{title}](#{title.lower().replace(' ', '-')})" for title in CHAPTERS.values()),
        "",
    ]
    for stem, title in CHAPTERS.items():
        lines += chapter(stem, title)
    return "\n".join(lines).rstrip("\n") + "\n"


def test_every_file_of_refused_cases_has_a_chapter() -> None:
    assert {path.stem for path in CASES.glob("*_refused.txt")} == set(CHAPTERS)


def test_the_page_is_what_the_cases_say(request: pytest.FixtureRequest) -> None:
    now = page()
    if request.config.getoption("--update-golden"):
        PAGE.write_text(now, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == now, "docs/errors.md is not what the cases say: --update-golden"


@pytest.mark.parametrize("stem", CHAPTERS)
def test_every_message_has_a_place_a_caret_and_what_to_do(stem: str) -> None:
    seen = 0
    for name, _, out in read(CASES / f"{stem}.txt"):
        for message in messages(out):
            first, *rest = message.rstrip("\n").split("\n")
            assert re.match(r"error: (opforge\.yaml|<command line>):\d+:\d+: \S", first), (name, first)
            assert not first.endswith("."), (name, first)
            if len(rest) > 1:  # all but what is wrong with a file as a whole
                assert re.match(r" +\d+ \| ", rest[0]), (name, first)
                assert re.match(r" +\| *\t*\^+$", rest[1].replace("\t", " ")), (name, first)
            assert rest, (name, first)
            assert rest[-1].startswith("  help: "), (name, first, "no help")
            seen += 1
    assert seen >= 1
