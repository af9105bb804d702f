"""Makes the report of ``opforge verify``: tables of verdicts and worst elements, and a page in Markdown."""

from __future__ import annotations

from opforge.measure import quantities as q
from opforge.measure.table import Table, left, right
from opforge.measure.verify_results import FewErrors, Ratios, RelativeError, Tolerance, Verdict, VerifyReport

_STANDARDS = (
    "A: the share of elements within atol + rtol * |golden|, and the largest absolute error, also in units of the "
    "last place. B: mean and maximum relative error (MERE below its threshold, MARE below ten times that), and the "
    "number of wrong elements near zero, compared with PyTorch's own operators. C: MARE, MERE and RMSE as multiples of "
    "those of PyTorch's own operators in the same dtype, with the strictest level that they meet; C decides for "
    "products, for 16-bit dtypes, and with --standard. opforge.testing.measuring.standards has the sources."
)
_CASE = ("op", "dtype", "case", "output")


def tables(report: VerifyReport) -> tuple[Table, ...]:
    """Every verdict, and the worst element of each comparison."""
    return _verdicts(report), _worst(report)


def markdown(report: VerifyReport) -> str:
    """The whole page."""
    device = report.device
    name = q.marked(device.soc, simulated=device.simulated)
    head = f"{name}, PyTorch {device.torch}. {summary(report)}."
    head += "".join(f"\n\nLeft out: {line}." for line in report.left_out)
    return "\n\n".join(["# Precision", head, *(table.markdown().rstrip() for table in tables(report))]) + "\n"


def summary(report: VerifyReport) -> str:
    """The verdict in one line."""
    failed = [row for row in report.rows if not row.passed]
    if not failed:
        return f"passed: {len(report.rows)} comparisons"
    first = failed[0]
    which = f"{first.op}, {first.dtype}, {first.case}, {first.output}"
    standards = f" under standard {', '.join(first.failed_standards)}" if first.failed_standards else ""
    return f"failed: {len(failed)} of {len(report.rows)} comparisons; the first is {which}{standards}"


def _verdicts(report: VerifyReport) -> Table:
    rows = tuple(
        (
            *_case(row),
            _word(passed=row.passed) + _by(row.judged_by),
            f"{row.elements:,}",
            *_tolerance(row.tolerance, decides="A" in row.judged_by),
            *_relative(row.relative, decides="B" in row.judged_by),
            *_ratios(row.ratios, decides="C" in row.judged_by),
        )
        for row in report.rows
    )
    columns = (
        *left(*_CASE, "verdict"),
        *right(
            "elements", "A: matched", "A: max error", "A: ulp", "B: MERE", "B: MARE", "B: near zero", "B: cancelled"
        ),
        *right("C: MARE, MERE, RMSE"),
        *left("C: level"),
    )
    return Table("Precision", columns, rows, _STANDARDS)


def _case(row: Verdict) -> tuple[str, ...]:
    return row.op, row.dtype, row.case, row.output


def _word(*, passed: bool, decides: bool = True) -> str:
    """A standard's verdict: "FAIL" if it decides, "off" if it does not."""
    return "pass" if passed else "FAIL" if decides else "off"


def _by(letters: str) -> str:
    """The deciding standards, if not all three: for float32 functions, and results of several operators in a row."""
    return "" if letters in {"ABC", ""} else f", by {' and '.join(letters)}"


def _tolerance(found: Tolerance | None, *, decides: bool) -> tuple[str, str, str]:
    if found is None:
        return q.NOTHING, q.NOTHING, q.NOTHING
    share = f"{_word(passed=found.passed, decides=decides)} {q.percent(found.matched)}"
    return share, q.error(found.max_abs_error), q.three_digits(found.max_ulp)


def _relative(found: RelativeError | None, *, decides: bool) -> tuple[str, str, str, str]:
    if found is None:
        return q.NOTHING, q.NOTHING, q.NOTHING, q.NOTHING
    mere = f"{_word(passed=found.passed, decides=decides)} {q.error(found.mere)} < {q.error(found.threshold)}"
    return mere, q.error(found.mare), _few(found.small), _few(found.cancelled)


def _few(found: FewErrors | None) -> str:
    return q.NOTHING if found is None else f"{found.errors:,} of {found.count:,}, native {found.native_errors:,}"


def _ratios(found: Ratios | None, *, decides: bool) -> tuple[str, str]:
    if found is None:
        return q.NOTHING, q.NOTHING
    numbers = ", ".join(map(q.times, (found.mare, found.mere, found.rmse)))
    again = f", {found.retries} more tried" if found.retries else ""
    return f"{_word(passed=found.passed, decides=decides)} {numbers}{again}", found.level or "none"


def _worst(report: VerifyReport) -> Table:
    rows = tuple(
        (
            *_case(row),
            f"[{', '.join(map(str, worst.index))}]",
            f"{worst.value:.8g}",
            f"{worst.golden:.8g}",
            q.error(worst.error),
            worst.rule,
            row.golden,
        )
        for row in report.rows
        if (worst := row.worst) is not None
    )
    columns = (*left(*_CASE, "index"), *right("value", "golden", "error"), *left("rule", "golden in"))
    return Table("Worst elements", columns, rows, "The element of each comparison with the largest error.")
