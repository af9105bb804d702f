"""The report of an acceptance run: a page, the numbers, and the logs, in one file that can be sent."""

from __future__ import annotations

import json
import statistics
import tarfile
from typing import TYPE_CHECKING

from opforge.frozen import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from opforge.acceptance.parts import Entry, Outcome

_COMMANDS = ("build", "install", "test", "verify", "bench", "estimate")
_WORTH_A_LOOK = 1.5


@dataclass(frozen=True)
class Compared:
    """One case of bench.

    ``measured``, the device's time, and ``estimated``, the model's, are microseconds; None without one. ``moved`` and
    ``least`` are bytes of global memory: as the simulator counts them, and if each tensor is read or written once.
    """

    op: str
    dtype: str
    label: str
    moved: int
    least: int
    estimated: float | None
    measured: float | None

    @property
    def ratio(self) -> float | None:
        """The measured time, in estimates."""
        return None if self.measured is None or self.estimated is None else self.measured / self.estimated


def compared(outcomes: Sequence[Outcome]) -> tuple[Compared, ...]:
    """The cases of bench. A simulated device's times do not count as measured."""
    return tuple(case for outcome in outcomes for case in _cases(outcome))


def _cases(outcome: Outcome) -> Iterator[Compared]:
    timed = {_case(row): row for row in outcome.timed}
    for row in outcome.estimates:
        measured = timed.get(_case(row), row)
        estimate, traffic = row["estimate"], row["traffic"]
        yield Compared(
            *_case(row),
            moved=traffic["read"] + traffic["written"],
            least=traffic["fused"],
            estimated=estimate and estimate["microseconds"],
            measured=None if measured == row else measured["custom"]["times"]["median"],
        )


def _case(row: Entry) -> tuple[str, str, str]:
    return row["op"], row["dtype"], row["label"]


def page(made_with: Mapping[str, str], outcomes: Sequence[Outcome]) -> str:
    """The report as Markdown."""
    ops = sum(len(outcome.ops) for outcome in outcomes)
    passed = sum(len(outcome.ops) for outcome in outcomes if outcome.passed)
    simulated = made_with["toolkit"].startswith("simulator")
    where = "on the simulated device: nothing here was measured on hardware" if simulated else "on this machine's NPU"
    lines = [
        "# Acceptance",
        "",
        f"{passed} of {ops} ops passed every command, {where}.",
        "",
        *(f"- {name}: {value}" for name, value in made_with.items()),
        "",
        "## Commands",
        "",
        "A command that fails ends its part; `logs/` has its output.",
        "",
        f"| part | ops | {' | '.join(_COMMANDS)} |",
        f"| --- | --- |{' --- |' * len(_COMMANDS)}",
        *map(_part_line, outcomes),
        "",
        *_failures(outcomes),
        *_numbers(compared(outcomes)),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _part_line(outcome: Outcome) -> str:
    ended = {ran.name: "ok" if ran.code == 0 else f"failed ({ran.code})" for ran in outcome.ran}
    cells = " | ".join(ended.get(name, "") for name in _COMMANDS)
    return f"| {outcome.name} | {', '.join(outcome.ops)} | {cells} |"


def _failures(outcomes: Sequence[Outcome]) -> Iterator[str]:
    failed = [(outcome, ran) for outcome in outcomes for ran in outcome.ran if ran.code != 0]
    if not failed:
        return
    yield from ("## Failures", "")
    for outcome, ran in failed:
        yield f"- {outcome.name}, {ran.name}: `{ran.last}` (logs/{outcome.name}/{ran.name}.log)"
    yield ""


def _numbers(cases: Sequence[Compared]) -> Iterator[str]:
    if not cases:
        return
    yield from ("## Bytes and times", "")
    ratios = [case.ratio for case in cases if case.ratio is not None]
    if ratios:
        spread = f"{min(ratios):.2f} to {max(ratios):.2f} estimates, {statistics.median(ratios):.2f} in the median"
        yield from (f"In {len(ratios)} cases, the measured time is {spread}.", "")
    yield "| op | dtype | shape | bytes | of the least | estimate, us | measured, us | in estimates |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for case in sorted(cases, key=_distance, reverse=True):
        mark = " *" if _distance(case) > _WORTH_A_LOOK else ""
        numbers = f"{case.moved:,} | {case.moved / max(case.least, 1):.2f}"
        times = f"{_number(case.estimated, 1)} | {_number(case.measured, 1)} | {_number(case.ratio, 2)}{mark}"
        yield f"| {case.op} | {case.dtype} | {case.label} | {numbers} | {times} |"
    if any(_distance(case) > _WORTH_A_LOOK for case in cases):
        yield from ("", f"*: measured and estimated time differ by more than {_WORTH_A_LOOK} times.")


def _number(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _distance(case: Compared) -> float:
    """How many times the larger time is the smaller one; 1 without both."""
    return 1.0 if case.ratio is None else max(case.ratio, 1 / case.ratio)


def pack(target: Path, folder: Path, text: str, outcomes: Sequence[Outcome], machine: str) -> None:
    """Writes the one file: report.md, report.json, machine.txt (`opforge doctor`), and the logs of each command."""
    (folder / "report.md").write_text(text, encoding="utf-8")
    (folder / "machine.txt").write_text(machine, encoding="utf-8")
    records = [json.loads((folder / each.name / "record.json").read_text(encoding="utf-8")) for each in outcomes]
    (folder / "report.json").write_text(json.dumps(records, indent=1) + "\n", encoding="utf-8")
    temporary = target.with_name(f".{target.name}.new")
    with tarfile.open(temporary, "w:gz") as archive:
        for name in ("report.md", "report.json", "machine.txt"):
            archive.add(folder / name, f"acceptance/{name}")
        for outcome in outcomes:
            for log in sorted((folder / outcome.name).glob("*.log")):
                archive.add(log, f"acceptance/logs/{outcome.name}/{log.name}")
    temporary.replace(target)
