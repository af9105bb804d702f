"""Runs a program of opforge.testing on a project, in an activated environment, and returns its report."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from opforge.build.request import BuildRequest
from opforge.errors import MeasureError, ProjectError, UsageError
from opforge.frozen import dataclass
from opforge.measure.json_fields import Entry, read_document
from opforge.progress import step
from opforge.scaffold.vendoring import with_testing
from opforge.toolkit.device_warnings import Collection

COUNTERS = "OPFORGE_SIM_PROFILE"  # names the file to which the simulated device appends a line per launch

# What a program says before it ends with one of these statuses: argparse's, and that of opforge.testing.interface.
_REFUSED = {
    2: re.compile(r"^\S+: error: (.+)", re.MULTILINE),
    ProjectError.exit_code: re.compile(r"^error: (.+)\n  help: (.+)", re.MULTILINE),
}


@dataclass(frozen=True)
class InstalledProject:
    """An installed project, its interpreter, and the activated environment variables."""

    request: BuildRequest
    python: Path
    environ: Mapping[str, str]
    warnings: Collection  # warnings of the simulated device

    @property
    def reports(self) -> Path:
        """The folder of reports for people."""
        return self.request.folder / "reports"


@dataclass(frozen=True)
class Device:
    """The device, as in all reports; times of a ``simulated`` one say nothing about hardware."""

    simulated: bool
    soc: str
    torch: str


@dataclass(frozen=True)
class Ran:
    """A finished program: its report, whether its exit status means "passed", and its output."""

    report: Entry
    device: Device
    passed: bool
    log: Path

    def require_verdict(self, *, passed: bool) -> None:
        """Raises MeasureError if the exit status contradicts the report's verdict."""
        if self.passed != passed:
            says = "passed" if passed else "failed"
            raise self.report.error(f"it says {says}, but the program's exit status contradicts it")


def run_program(
    installed: InstalledProject,
    name: str,
    arguments: Sequence[str] = (),
    *,
    report: str | None = None,
    environ: Mapping[str, str] | None = None,
    judges: bool = False,
) -> Ran:
    """Runs ``python -m opforge.testing.<name>`` with ``--json``; ``environ`` overrides the project's variables.

    ``report`` is the stem of its files, by default the program's name. A program that ``judges`` exits with 1 if its
    verdict is bad; its report is then valid.

    Raises:
        ProjectError: the project's benchmarks/cases.py is missing, or does not work with the program.
        UsageError: the program refuses its arguments.
        MeasureError: it ended in another way, or its report is missing or cannot be read.
    """
    request, stem = installed.request, report or name
    program = f"opforge.testing.{name}"
    if not (request.root / "benchmarks" / "cases.py").is_file():
        raise ProjectError(
            f"{request.root.name} has no benchmarks/cases.py",
            hint="if you removed it, restore it from your version control; `opforge inspect files benchmarks/cases.py` "
            "prints what opforge would write",
        )
    file, log = installed.reports / f"{stem}.json", request.log(stem)
    for old in (file, log):
        old.unlink(missing_ok=True)
    file.parent.mkdir(parents=True, exist_ok=True)
    variables = with_testing({**installed.environ, **(environ or {})}, request.root, request.folder)
    variables |= {
        "PYTHONIOENCODING": "utf-8",  # a single-byte locale must not make prints fail
        "PYTHONUNBUFFERED": "1",  # keeps the last output before a crash
    }
    words: list[str | Path] = [installed.python, "-m", program, "--json", file, *arguments]
    with step(request.progress, stem, program):
        done = request.runner.run(words, cwd=request.root, env=variables, log=log)
    refused = _REFUSED[done.code].search(done.output) if done.code in _REFUSED else None
    if refused is not None and done.code == ProjectError.exit_code:
        raise ProjectError(refused[1], hint=refused[2])
    if refused is not None:
        raise UsageError(f"{program}: {refused[1]}", hint=f"opforge {name} --help")
    if not (done.code == 1 and judges and file.is_file()):
        done.require(program, MeasureError)
    if not file.is_file():
        raise MeasureError(f"{program} succeeded but did not write {file}", detail=done.tail())
    document = read_document(file)
    device = Device(document.flag("simulated"), document.text("soc"), document.text("torch"))
    return Ran(document, device, done.ok, log)


def left_out(report: Entry) -> tuple[str, ...]:
    """The ops that a program left out, with the reasons."""
    listed = report.entries("left_out") if "left_out" in report.fields else ()
    return tuple(f"{entry.text('op')}: {entry.text('why').rstrip('.')}" for entry in listed)


_MENDED = {  # what a program says of an op that it leaves out: what to do
    "the standards have no row for": "give the dtype limits in TOLERANCES and RELATIVES of benchmarks/cases.py, "
    "or compare it in a test of your own",
    "it has no reference": "set `reference` of the op in opforge.yaml",
    "its kernel body is not written yet": "write the kernel; this line then disappears",
}


def nothing(document: Entry, what: str, arguments: Sequence[str]) -> MeasureError:
    """The error for a report without rows: all ops were left out, or no case matches the choice."""
    reasons = left_out(document)
    if reasons:
        hints = [hint for said, hint in _MENDED.items() if any(said in reason for reason in reasons)]
        return MeasureError(
            f"{what}: all chosen ops are left out", detail="\n".join(reasons), hint="; ".join(hints) or None
        )
    if arguments:
        return MeasureError(
            f"{what}: no case matches {' '.join(arguments)}",
            hint="remove these options to measure all cases",
        )
    return document.error(what)
