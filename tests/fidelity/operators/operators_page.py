"""The section of docs/fidelity.md on public operators: how far each came, by repository, before and now."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from added_packages import PACKAGES, package_of
from selection import CHOSEN

RESULTS = Path(__file__).parents[1] / "results"
CLASSIFIED = Path(__file__).with_name("classified")
SOURCES = {
    "asc-devkit": "mirror-cann/asc-devkit",
    "cann-ops": "Hayden727/cann-ops",
    "ops-math": "hicann/ops-math",
    "ops-nn": "hicann/ops-nn",
    "ops-transformer": "hicann/ops-transformer",
    "sgl-kernel-npu": "sgl-project/sgl-kernel-npu",
    "vllm-ascend": "vllm-project/vllm-ascend",
}
CLASSES = {
    "defect": "the kernel's own defect",
    "latent": "breaks a rule; harmless on a device today",
    "ours": "opforge cannot yet",
    "outside": "out of reach",
    "open": "no row or no class yet",
}
_STEPS = ("nothing", "adopted", "built", "run")
_FIRST = ("tried", *_STEPS[1:])

Row = Mapping[str, Any]
Table = Callable[..., str]


def reached(row: Row | None, step: str) -> bool:
    """Whether an operator came as far as a step."""
    return row is not None and _STEPS.index(row["reached"]) >= _STEPS.index(step)


def is_right(row: Row) -> bool:
    """Whether every judged call is right. False without one."""
    return reached(row, "run") and 0 < row["judged"] == row["right"]


def rows_of(folder: str, repository: str) -> dict[str, Row]:
    """The rows of a repository by folder; empty without a result."""
    path = RESULTS / folder / f"{repository}.json"
    rows: dict[str, Row] = json.loads(path.read_text(encoding="utf-8"))["operators"] if path.is_file() else {}
    return rows


def classified(repository: str) -> dict[str, dict[str, str]]:
    """Why operators of a repository did not come to the end, by folder."""
    path = CLASSIFIED / f"{repository}.json"
    made: dict[str, dict[str, str]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return made


def unfinished(repository: str, folders: list[str]) -> list[str]:
    """The operators that did not run, or have a golden and are not right."""
    now = rows_of("operators", repository)
    return [
        folder
        for folder in folders
        if (row := now.get(folder)) is None or not reached(row, "run") or (row["golden"] and not is_right(row))
    ]


def public_operators(table: Table) -> str:
    """The section's text."""
    chosen = json.loads(CHOSEN.read_text(encoding="utf-8"))
    steps = ("adopted", "built", "run")
    head = ("repository", "chosen", *steps, "with a golden", "right for every size", *(f"at first {s}" for s in _FIRST))
    lines = [_counts(repository, entry["folders"]) for repository, entry in chosen.items()]
    total = ("all", *(sum(line[place] for line in lines) for place in range(1, len(head))))  # type: ignore[misc]
    text = [_ABOUT, table(head, *lines, total), _possible(chosen), _reasons(table, chosen), _seconds(chosen)]
    for repository, entry in chosen.items():
        why = classified(repository)
        left = unfinished(repository, entry["folders"])
        listed = [(f"`{folder}`", *_told(why[folder])) for folder in left if folder in why]
        text += [f"### {SOURCES[repository]} at {entry['commit']}\n"]
        text += _additions(rows_of("operators", repository))
        if listed:
            text += [table(("operator", "", "what", "where"), *listed)]
        text += (
            [f"{len(left) - len(listed)} operators have no row or no class yet.\n"] if len(left) > len(listed) else []
        )
    return "\n".join(text)


def _counts(repository: str, folders: list[str]) -> tuple[Any, ...]:
    now, before = rows_of("operators", repository), rows_of("operators_before", repository)
    rows = [now.get(folder) for folder in folders]
    compared = [row for row in rows if row is not None and row["golden"]]
    firsts = [before[folder] for folder in folders if folder in before]
    return (
        SOURCES[repository],
        len(folders),
        *(sum(reached(row, step) for row in rows) for step in _STEPS[1:]),
        len(compared),
        sum(map(is_right, compared)),
        len(firsts),
        *(sum(reached(row, step) for row in firsts) for step in _STEPS[1:]),
    )


def _possible(chosen: Mapping[str, Any]) -> str:
    """How many come as far as a step, of those that nothing but opforge keeps from it."""
    rows = [
        (row, classified(repository).get(folder, {"class": "open"})["class"])
        for repository, entry in chosen.items()
        for folder in entry["folders"]
        if (row := rows_of("operators", repository).get(folder)) is not None
    ]
    parts = []
    for word, having, done in (
        ("built", rows, lambda row: reached(row, "built")),
        ("run", rows, lambda row: reached(row, "run")),
        ("right for every size", [each for each in rows if each[0]["golden"]], is_right),
    ):
        counted = [done(row) for row, reason in having if done(row) or reason in ("ours", "open")]
        parts.append(f"{sum(counted)} of {len(counted)} are {word} ({sum(counted) / len(counted):.0%})")
    return f"Of those that no defect of their own stops, and that are in reach: {', '.join(parts)}.\n"


def _reasons(table: Table, chosen: Mapping[str, Any]) -> str:
    counts = dict.fromkeys(CLASSES, 0)
    for repository, entry in chosen.items():
        why = classified(repository)
        for folder in unfinished(repository, entry["folders"]):
            counts[why.get(folder, {"class": "open"})["class"]] += 1
    rows = [(what, counts[name]) for name, what in CLASSES.items() if counts[name]]
    return "The others, by reason:\n\n" + table(("reason", "operators"), *rows)


def _additions(rows: Mapping[str, Row]) -> list[str]:
    """The operators that had headers of other packages, and which."""
    told = []
    for folder, row in rows.items():
        packages = dict.fromkeys(map(package_of, row.get("added", ())))
        if packages:
            told.append(f"`{folder}` (added: {', '.join(PACKAGES[name] for name in packages)})")
    return [f"With headers of other packages: {'; '.join(told)}.\n"] if told else []


def _seconds(chosen: Mapping[str, Any]) -> str:
    rows = [row for repository in chosen for row in rows_of("operators", repository).values()]
    parts = []
    for step, goal in (("adopt", 8), ("build", 40)):
        seconds = sorted(row["seconds"][step] for row in rows if step in row["seconds"])
        if seconds:
            within = f"at most {goal} s for {sum(each <= goal for each in seconds)} of {len(seconds)}"
            parts.append(
                f"{step} took {seconds[len(seconds) // 2]:.0f} s (median), {within}, and {seconds[-1]:.0f} s once"
            )
    return f"On two cores {'; '.join(parts)}.\n"


def _told(why: Mapping[str, str]) -> tuple[str, str, str]:
    return (CLASSES[why["class"]], why["why"], f"`{why['place']}`")


_ABOUT = """\
Operators of public repositories, unchanged: `opforge adopt`, `build` and `install`, then calls from PyTorch on the
simulated ascend910b, as devices judge them. `tests/fidelity/operators/selection.py` has the rule that chose them. *Run*
means that every call ended without an error. Three tenths, by the same rule, are compared with a golden of ours, for
sizes with and without tails and each combination of dtypes. *At first*: opforge as it was when they were chosen, with
calls drawn from the spec alone; not all were tried then. Some include headers of packages that their users have
beside the repository: these were copied into the project and passed with `--include`, and they are named below.
"""
