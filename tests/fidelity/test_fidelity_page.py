"""docs/fidelity.md, from results/: each comparison with its counts, what was compared, and what could not be."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parent / "operators"))

from kept_results import RESULTS
from operators_page import public_operators

PAGE = Path(__file__).parents[2] / "docs" / "fidelity.md"
Result = dict[str, Any]

HEAD = """\
# How closely the simulator matches CANN

A test writes this page from the files in `tests/fidelity/results/` (`pytest tests/fidelity --update-golden`). The
programs that compare are in `tests/fidelity/`; its README.md says how to run them against a checkout of the public
sources. `make qualify` runs what takes hours. *Commit* is opforge's own at the time of the run; a plus means that the
tree had changes.
"""


def table(*rows: tuple[object, ...]) -> str:
    """A Markdown table; the first row is its head."""
    head, *others = [" | ".join(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row) for row in rows]
    return "\n".join([f"| {head} |", "|" + "---|" * len(rows[0]), *(f"| {row} |" for row in others)]) + "\n"


def declarations(found: Result) -> str:
    rows = [
        (name, part["names"], part["forms"], part["same"], sum(part["differ_with_a_reason"].values()),
         part["differ_without_a_reason"], part["compared_with"])
        for name, part in found["parts"].items()
    ]  # fmt: skip
    return (
        table(("part", "names", "forms", "the same", "differ with a reason", "without", "compared with"), *rows)
        + """
Every name that the simulated headers declare: kinds, parameters, qualifiers, template parameters, default arguments,
overloads, enumerators, fields, constants, macros. The reasons are in `tests/fidelity/declarations/differences.md`.
Not compared: the types of the compiler that no public header declares, and which data types a function takes (the
programs below compile for that).
"""
    )


def compiled(found: Result) -> str:
    rows = [(kind, counts["compiled"], counts["refused"]) for kind, counts in found["sources"].items()]
    names = found["projects"]
    projects = ", ".join(names) if len(names) < 5 else f"{len(names)} projects, from {names[0]} to {names[-1]}"
    refusals = "".join(f"- `{name}`: {text}\n" for name, text in found["refusals"].items())
    return (
        f"Sources of {projects}, by g++ in CPU mode, syntax only.\n\n"
        + table(("source", "compiled", "refused"), *rows)
        + (f"\n{refusals}" if refusals else "")
    )


def examples(found: Result) -> str:
    return (
        f"{found['examples']:,} examples of asc-devkit, {found['for_dav_2201']:,} of them for Atlas A2; what the "
        "compiler says first of each:\n\n"
    ) + table(("outcome", "examples"), *found["by_class"].items())


def toolkit(found: Result) -> str:
    parts = [(part["part"], "real" if part["real"] else "stands in", part["source"]) for part in found["components"]]
    cases = [
        (case["case"].replace("_", " "), "ok" if case["passed"] else "wrong", case["outcome"])
        for case in found["cases"]
    ]
    return (
        f"{found['passed']} of {len(cases)} cases pass, as {found['user']} on {found['machine']}.\n\n"
        + table(("part of the toolkit", "", "source"), *parts)
        + "\n"
        + table(("case", "", "outcome"), *cases)
    )


KINDS = {
    "elementwise": "elementwise",
    "rows": "with rows",
    "products": "with products",
    "productrows": "with rows of products",
}


def each_op(folder: str, heading: str, about: str, count: str, wrong: str) -> str:
    """A row for each kind of op, from the files that a long run keeps, one for each op."""
    found = [json.loads(file.read_text(encoding="utf-8")) for file in sorted((RESULTS / folder).glob("*.json"))]
    rows = []
    for kind, name in KINDS.items():
        ops = [each for each in found if each["kind"] == kind]
        rows.append((name, len(ops), f"{sum(each[count] for each in ops):,}", sum(each[wrong] for each in ops)))
    commits = ", ".join(dict.fromkeys(each["commit"][:10] for each in found))
    return f"## {heading}\n\n*Commit {commits}.*\n\n{about}\n\n{table(('kind of op', 'ops', count, wrong), *rows)}"


def attacks(found: Result) -> str:
    counts = table(("attack", "count"), *sorted(found["kinds"].items()))
    what = "after each, the next command ends well, and its artifacts are those of a clean build of what is on disk"
    return f"{found['attacks']} attacks, {found['wrong']} wrong: {what}.\n\n{counts}"


def counted(found: Result) -> str:
    """A result that says by itself what its counts are: ``about``, ``counts``, ``not_compared``."""
    text = [found["about"], "", table(("", "count"), *found["counts"].items())]
    text += ["", *(f"- {line}" for line in found.get("differences", ()))] if found.get("differences") else []
    if found.get("not_compared"):
        text += ["", "Not compared:", "", *(f"- {line}" for line in found["not_compared"])]
    return "\n".join(text).rstrip() + "\n"


def times(found: Result) -> str:
    kinds = {"elementwise": "elementwise ops", "row": "ops over rows", "product": "products"}
    rows = [
        (kinds[kind], part["cases"], f"{part['median']:.0%}", f"{part['most']:.0%}")
        for kind, part in found["kinds"].items()
    ]
    both = found["both"]
    rows.append(("elementwise and rows", both["cases"], f"{both['median']:.0%}", f"{both['most']:.0%}"))
    cases = [
        (row["op"], row["shape"], row["dtype"], row["measured"], row["estimated"], f"{row['error']:+.0%}", row["bound"])
        for row in found["rows"]
    ]
    launch, hbm = found["fitted"]["launch"], found["fitted"]["hbm"]
    return (
        f"Microseconds on 910B2: measured ones of CANN's kernels (hicann/cann-bench, `tasks/level1/<op>/cases.yaml`), "
        f"and estimates of opforge's own. Fitted: a launch takes {launch} us, HBM reaches {hbm:g} GB/s. Each op is "
        f"estimated with constants that were fitted without it. Products are not fitted; in the median they are "
        f"estimated at {found['products_over_measured']} times what was measured. The case of "
        f"maximum with int8 is not compared: no kernel of opforge computes it.\n\n"
        + table(("", "cases", "median error", "80 % of cases within"), *rows)
        + "\n"
        + table(("op", "shape", "dtype", "measured", "estimated", "error", "bound by"), *cases)
    )


SECTIONS: dict[str, tuple[str, Callable[[Result], str]]] = {
    "declarations": ("Declarations of the headers", declarations),
    "compile_catalog": ("Generated sources against the public headers of 9.x", compiled),
    "compile_catalog_81": ("Generated kernels against the headers of 8.1.RC1", compiled),
    "compile_handwritten": ("Handwritten operators of the tests against the public headers of 9.x", compiled),
    "compile_examples": ("Public examples against our headers", examples),
    "toolkit": ("Projects through CANN's public build", toolkit),
    "matmul_tiling": ("Matmul tilings", counted),
    "other_tilings": ("Other tiling functions", counted),
    "times": ("Estimated and measured times", times),
    "attacks_killed_builds": ("Builds that are killed", attacks),
    "attacks_killed_installs": ("Installations that are killed", attacks),
    "attacks_interrupted_edits": ("Edits while builds and installations run", attacks),
}  # fmt: skip


# Of results with a file for each op: title, text, and what its counts are called.
EACH_OP = {
    "every_size": (
        "Ops of the catalog at every size",
        "Each op in each dtype, on three or four chips, at sizes around those of blocks and tiles; rows of each "
        "length in each count.",
        "launches",
        "wrong",
    ),
    "batches": (
        "Ops of the catalog alone and in batches",
        "1, 2 and 7 rows alone, on chips of every regime, compared bit by bit with the same rows among 61.",
        "cases",
        "differ",
    ),
}


def sections() -> Iterator[str]:
    for name, (title, render) in SECTIONS.items():
        file = RESULTS / f"{name}.json"
        if file.is_file():
            found = json.loads(file.read_text(encoding="utf-8"))
            commit = found["commit"][:10] + "+" * found["commit"].endswith("+")
            yield f"## {title}\n\n*Commit {commit}.*\n\n{render(found)}"
    for folder, texts in EACH_OP.items():
        yield each_op(folder, *texts)
    yield f"## Public operators\n\n{public_operators(table)}"


def test_every_result_has_its_section() -> None:
    assert {file.stem for file in RESULTS.glob("*.json")} <= set(SECTIONS)


def test_the_page(request: pytest.FixtureRequest) -> None:
    text = "\n".join([HEAD, *sections()])
    if request.config.getoption("--update-golden"):
        PAGE.write_text(text, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == text, f"{PAGE.name} is not what the results say: --update-golden"
