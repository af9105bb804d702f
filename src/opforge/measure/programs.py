"""Runs a program of a project's benchmarks/ in an activated environment, and gives back the report it wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opforge.build.device_warnings import Collection
from opforge.build.request import BuildRequest
from opforge.errors import MeasureError, ProjectError, UsageError
from opforge.measure.document import Entry, read_document
from opforge.progress import step

COUNTERS = "OPFORGE_SIM_PROFILE"  # the file to which the simulated device appends a line for each launch

_WRONG_ARGUMENTS = 2  # the exit status of argparse


@dataclass(frozen=True)
class Ground:
    """Where measuring takes place: a project that is installed, an interpreter, and activated variables."""

    request: BuildRequest
    python: Path
    environ: Mapping[str, str]
    warnings: Collection  # of the simulated device, in what is run here

    @property
    def reports(self) -> Path:
        """What measuring leaves for people."""
        return self.request.folder / "reports"


@dataclass(frozen=True)
class Facts:
    """What all reports say of the device; ``simulated`` means that no time in it says anything about hardware."""

    simulated: bool
    soc: str
    torch: str


@dataclass(frozen=True)
class Ran:
    """A program that came to its end: its report, whether its exit status says "passed", and its words."""

    report: Entry
    facts: Facts
    passed: bool
    log: Path


def run_program(
    ground: Ground,
    name: str,
    arguments: Sequence[str] = (),
    *,
    report: str | None = None,
    environ: Mapping[str, str] | None = None,
    judges: bool = False,
) -> Ran:
    """Runs ``benchmarks/<name>.py`` with ``--json``; ``environ`` is laid over the ground's.

    ``report`` names its files where they are not called like the program. One that ``judges`` ends with status 1 where
    its verdict is bad, and is believed then as well.

    Raises:
        ProjectError: the project has no such program.
        UsageError: it refuses its arguments.
        MeasureError: it ended in another way, or left no report that can be read.
    """
    request, stem = ground.request, report or name
    program = request.root / "benchmarks" / f"{name}.py"
    if not program.is_file():
        raise ProjectError(
            f"{request.root.name} has no benchmarks/{name}.py",
            hint="`opforge update` gives it to a project of an older opforge; if you removed it, restore it from your "
            "version control",
        )
    file, log = ground.reports / f"{stem}.json", request.log(stem)
    for old in (file, log):
        old.unlink(missing_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    variables = {
        **ground.environ,
        **(environ or {}),
        "PYTHONIOENCODING": "utf-8",  # its words go to a log, and a locale of one byte a letter must not end it
        "PYTHONUNBUFFERED": "1",  # also the last words before a crash
    }
    words: list[str | Path] = [ground.python, program, "--json", file, *arguments]
    with step(request.progress, stem, f"benchmarks/{name}.py"):
        done = request.runner.run(words, cwd=request.root, env=variables, log=log)
    refused = re.search(r"^\S+\.py: error: (.+)", done.output, re.MULTILINE)
    if done.code == _WRONG_ARGUMENTS and refused is not None:
        raise UsageError(f"benchmarks/{name}.py: {refused[1]}", hint=f"opforge {name} --help")
    if not (done.code == 1 and judges and file.is_file()):
        done.require(f"benchmarks/{name}.py", MeasureError)
    if not file.is_file():
        raise MeasureError(f"benchmarks/{name}.py succeeded but did not write {file}", detail=done.tail())
    document = read_document(file)
    facts = Facts(document.flag("simulated"), document.text("soc"), document.text("torch"))
    return Ran(document, facts, done.ok, log)


def left_out(report: Entry) -> tuple[str, ...]:
    """What a program says that it leaves out: an op, and why."""
    listed = report.entries("left_out") if "left_out" in report.fields else ()
    return tuple(f"{entry.text('op')}: {entry.text('why').rstrip('.')}" for entry in listed)


_MENDED = {  # what a program says of an op that it leaves out: what to do
    "the standards have no row for": "give the dtype limits in TOLERANCES and RELATIVES of benchmarks/standards.py, "
    "or compare it in a test of your own",
    "it has no reference": "name what the op computes: `reference` of the op in opforge.yaml",
    "its kernel body is not written yet": "write the kernel, and the line that says so will be gone",
}


def nothing(document: Entry, what: str, arguments: Sequence[str]) -> MeasureError:
    """For a report without rows: with what was left out, or with a choice that none of the cases fits."""
    reasons = left_out(document)
    if reasons:
        hints = [hint for said, hint in _MENDED.items() if any(said in reason for reason in reasons)]
        return MeasureError(
            f"{what}: all that was asked for is left out", detail="\n".join(reasons), hint="; ".join(hints) or None
        )
    if arguments:
        return MeasureError(
            f"{what}: no case of the operators fits {' '.join(arguments)}",
            hint="leave the choice away to see which cases there are",
        )
    return document.error(what)
