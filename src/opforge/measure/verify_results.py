"""Reads the report of ``opforge.testing.verify``: outputs and gradients beside goldens, by three standards."""

from __future__ import annotations

import math
from collections.abc import Sequence

from opforge.frozen import dataclass
from opforge.measure.json_fields import Entry
from opforge.measure.programs import Device, InstalledProject, left_out, nothing, run_program


@dataclass(frozen=True)
class Tolerance:
    """Standard A: the share of elements within atol + rtol * |golden|, and the largest error."""

    passed: bool
    matched: float
    max_abs_error: float
    max_ulp: float


@dataclass(frozen=True)
class FewErrors:
    """A rule of standard B that counts elements: all, the wrong ones, and those wrong in native PyTorch."""

    count: int
    errors: int
    native_errors: int


@dataclass(frozen=True)
class RelativeError:
    """Standard B: mean (MERE) and maximum (MARE) of the relative error; MERE must be below ``threshold``."""

    passed: bool
    mere: float
    mare: float
    threshold: float
    small: FewErrors | None  # for elements near zero
    cancelled: FewErrors | None  # for elements with cancellation


@dataclass(frozen=True)
class Ratios:
    """Standard C: errors as multiples of another device's. ``level`` is the strictest level that they meet."""

    passed: bool
    level: str | None
    mare: float
    mere: float
    rmse: float
    retries: int = 0  # with other data, after a failure; ``passed`` is the final verdict


@dataclass(frozen=True)
class Worst:
    """The element with the largest error, and the rule that measures it."""

    index: tuple[int, ...]
    value: float
    golden: float
    error: float
    rule: str


@dataclass(frozen=True)
class Verdict:
    """One output or gradient of one case. A standard that does not apply is None."""

    op: str
    dtype: str
    case: str
    output: str
    gradient: bool
    elements: int
    golden: str
    passed: bool
    judged_by: str  # the letters of the deciding standards; the others are only reported
    tolerance: Tolerance | None
    relative: RelativeError | None
    ratios: Ratios | None
    worst: Worst | None

    @property
    def failed_standards(self) -> str:
        """The letters of the deciding standards that it fails."""
        standards = (("A", self.tolerance), ("B", self.relative), ("C", self.ratios))
        failed = (letter for letter, found in standards if found is not None and not found.passed)
        return "".join(letter for letter in failed if letter in self.judged_by)


@dataclass(frozen=True)
class VerifyReport:
    """A whole run."""

    device: Device
    rows: tuple[Verdict, ...]
    left_out: tuple[str, ...] = ()  # ops with the reasons

    @property
    def passed(self) -> bool:
        """Whether all verdicts passed."""
        return all(row.passed for row in self.rows)


def verify(installed: InstalledProject, arguments: Sequence[str] = ()) -> VerifyReport:
    """Runs the program. Raises MeasureError if its exit status contradicts its report, and as ``run_program``."""
    ran = run_program(installed, "verify", arguments, judges=True)
    report = parse_verify(ran.report, ran.device, arguments)
    ran.require_verdict(passed=report.passed)
    return report


def parse_verify(document: Entry, device: Device, arguments: Sequence[str] = ()) -> VerifyReport:
    """The report, with every field validated. Raises MeasureError."""
    report = VerifyReport(device, tuple(_verdict(e) for e in document.entries("rows")), left_out(document))
    if not report.rows:
        raise nothing(document, "nothing was compared", arguments)
    if document.flag("passed") != report.passed:
        raise document.error("`passed` contradicts its rows")
    return report


def _verdict(entry: Entry) -> Verdict:
    tolerance, relative, ratios = entry.maybe("A"), entry.maybe("B"), entry.maybe("C")
    worst = entry.maybe("worst")
    row = Verdict(
        op=entry.text("op"),
        dtype=entry.text("dtype"),
        case=entry.text("case"),
        output=entry.text("output"),
        gradient=entry.flag("gradient"),
        elements=entry.count("elements"),
        golden=entry.text("golden"),
        passed=entry.flag("passed"),
        judged_by=entry.text("judged_by") if "judged_by" in entry.fields else "ABC",
        tolerance=None if tolerance is None else _tolerance(tolerance),
        relative=None if relative is None else _relative(relative),
        ratios=None if ratios is None else _ratios(ratios),
        worst=None if worst is None else _worst(worst),
    )
    if row.passed and row.failed_standards:
        raise entry.error(f"`passed` is true, and standard {row.failed_standards} failed")
    return row


def _tolerance(entry: Entry) -> Tolerance:
    found = Tolerance(
        entry.flag("passed"), entry.number("matched"), entry.number("max_abs_error"), entry.number("max_ulp")
    )
    if not 0 <= found.matched <= 1:
        raise entry.error(f"`matched` is {found.matched}, and not a share between 0 and 1")
    return found


def _relative(entry: Entry) -> RelativeError:
    threshold = entry.number("threshold")
    if not math.isfinite(threshold) or threshold <= 0:
        raise entry.error(f"`threshold` is {threshold}, and not a number above 0")
    return RelativeError(
        passed=entry.flag("passed"),
        mere=entry.number("mere"),
        mare=entry.number("mare"),
        threshold=threshold,
        small=_few(entry.maybe("small")),
        cancelled=_few(entry.maybe("cancelled")) if "cancelled" in entry.fields else None,
    )


def _few(entry: Entry | None) -> FewErrors | None:
    if entry is None:
        return None
    return FewErrors(entry.count("count"), entry.count("errors"), entry.count("native_errors"))


def _ratios(entry: Entry) -> Ratios:
    level = None if entry.is_null("level") else entry.text("level")
    numbers = (entry.number("mare"), entry.number("mere"), entry.number("rmse"))
    return Ratios(
        entry.flag("passed"), level, *numbers, retries=entry.count("retries") if "retries" in entry.fields else 0
    )


def _worst(entry: Entry) -> Worst:
    numbers = (entry.number("value"), entry.number("golden"), entry.number("error"))
    return Worst(entry.counts("index"), *numbers, rule=entry.text("rule"))
