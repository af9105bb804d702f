"""Three precision standards of this field, as functions of tensors. Each gives its verdict with its numbers.

A, mixed tolerance: opbase, docs/zh/ops_precision_standard/experimental_standard.md, which operators contributed to
   CANN's repositories have to meet. Errors are measured against a more precise result, element by element.
B, relative errors: cann-bench, docs/design/precision_comparison_design.md. Mean and largest relative error (MERE,
   MARE); where the golden result is small, or small by cancellation, errors are counted, and there may be twice as many
   as the CPU makes in the same dtype.
C, two goldens: the ratio of MARE, MERE and root mean square (RMSE) to those of another device, in three levels. Source:
   cannbot, ops-precision-standard, float_compute and special_cases (secondary: the standard of commercial operators is
   not public). The other device is the CPU here, with PyTorch's own operators in the same dtype: a strict one, whose
   exp, tanh and erf in float32 are more precise than those of most chips. Where its error is 0 the ratio is 1 for an
   error of 0, and else infinite. A case that fails is tried again with other data, 200 times: it does fail where the
   medians of the ratios are more than 1, by the lower end of their 95 % confidence interval.

Infinities and NaN, as B has it (section 7): NaN must stand where the golden result has them, equal infinities match,
and an infinity beside a finite number counts as the dtype's largest. A golden result that overflows the dtype is an
infinity.

The standards are for floating-point computations. Relative errors say little of a sum that cancels: of a matrix product
the error is small against |x| @ |w| and not against x @ w (N. J. Higham, Accuracy and Stability of Numerical
Algorithms, section 3.5). B counts such elements apart and C divides by the same effect, but B knows nothing of several
operators in a row of which each rounds, as in the gradient of a product: opforge.testing.verify states which standard
decides there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

EPSILON = 1e-7  # added to |golden| where it divides


@dataclass(frozen=True)
class Tolerance:
    """Of one dtype: an element matches within ``atol + rtol * |golden|``; none is off by more than ``limit``."""

    rtol: float
    atol: float
    limit: float


# A, section 2.2
TOLERANCES = {
    torch.float16: Tolerance(2**-9, 2**-9, 1e-1),
    torch.bfloat16: Tolerance(2**-6, 2**-6, 1e0),
    torch.float32: Tolerance(2**-10, 2**-16, 1e-2),
}
MATCHED = 0.99
ULPS = 32  # units in the last place that any element may be off, whatever the limit is


@dataclass(frozen=True)
class Relative:
    """Of one dtype. ``threshold`` is of MERE, a tenth of that of MARE; below ``small`` golden results are small.

    ``small_error`` is the absolute error that counts there; below ``cancelled`` results may be small by cancellation.
    """

    threshold: float
    small: float
    small_error: float
    cancelled: float


# B, sections 2.2, 3.2 and 4.3
RELATIVES = {
    torch.float16: Relative(2**-10, 2**-11, 2**-16, 2**-5),
    torch.bfloat16: Relative(2**-7, 2**-8, 2**-16, 2**-3),
    torch.float32: Relative(2**-13, 2**-14, 2**-30, 2**-8),
}
MARE_FACTOR = 10
COUNT_RATIO = 2


@dataclass(frozen=True)
class Limits:
    """Those of A and of B, by dtype. A project may have rows of its own."""

    tolerances: Mapping[torch.dtype, Tolerance]
    relatives: Mapping[torch.dtype, Relative]


STANDARD = Limits(TOLERANCES, RELATIVES)

# C: most of the ratios of MARE, MERE and RMSE, the strictest level first
LEVELS = {"L2": (2.0, 1.2, 1.2), "L1": (5.0, 1.5, 1.5), "L0": (10.0, 2.0, 2.0)}
RETRIES = 200  # the fewest that the standard takes
RESAMPLES = 1000  # of the bootstrap


def without_rule(dtypes: Iterable[torch.dtype], limits: Limits = STANDARD) -> list[str]:
    """The floating-point dtypes that there is no row for: float64, of which the standards have none, and small ones."""
    known = limits.tolerances.keys() & limits.relatives.keys()
    unknown = (dtype for dtype in dict.fromkeys(dtypes) if dtype.is_floating_point and dtype not in known)
    return [str(dtype).removeprefix("torch.") for dtype in unknown]


@dataclass(frozen=True)
class Pair:
    """A result beside the golden one, both in float64 and flat. ``settled`` elements match or fail without numbers."""

    actual: Tensor
    golden: Tensor
    dtype: torch.dtype  # of the result
    matching: Tensor  # equal infinities, NaN in both
    failing: Tensor  # NaN in one of them
    limits: Limits = STANDARD

    @property
    def measured(self) -> Tensor:
        """The elements whose errors are numbers."""
        return ~(self.matching | self.failing)

    @property
    def errors(self) -> Tensor:
        """Absolute errors of all elements; 0 where special values match, infinite where they do not."""
        error = torch.where(self.matching, 0.0, (self.actual - self.golden).abs())
        return torch.where(self.failing, float("inf"), error)

    @property
    def relative_errors(self) -> Tensor:
        """``errors`` divided by the golden result."""
        size = torch.where(self.golden.isfinite(), self.golden.abs(), 1.0)
        return self.errors / (size + EPSILON)


def paired(actual: Tensor, golden: Tensor, limits: Limits = STANDARD) -> Pair:
    """Both of one shape; ``golden`` in float64, or in the dtype in which it could be had."""
    if actual.shape != golden.shape:
        raise ValueError(f"the result has shape {list(actual.shape)}, and the golden one {list(golden.shape)}")
    dtype = actual.dtype
    a, g = actual.detach().cpu().double().flatten(), golden.detach().cpu().double().flatten()
    rounded = g.to(dtype).double()
    g = torch.where(rounded.isinf(), rounded, g)
    matching = (a.isnan() & g.isnan()) | (a.isinf() & (a == g))
    failing = a.isnan() ^ g.isnan()
    largest = torch.finfo(dtype).max
    settled = matching | failing
    return Pair(
        torch.where(settled, a, a.clamp(-largest, largest)),
        torch.where(settled, g, g.clamp(-largest, largest)),
        dtype,
        matching,
        failing,
        limits,
    )


def units(golden: Tensor, dtype: torch.dtype) -> Tensor:
    """The distance of neighbouring numbers of ``dtype`` at each element of ``golden``."""
    facts = torch.finfo(dtype)
    exponents = torch.frexp(golden.abs().clamp(min=facts.tiny, max=facts.max)).exponent
    return facts.eps * torch.exp2(exponents.double() - 1)


@dataclass(frozen=True)
class ToleranceVerdict:
    """Standard A. ``matched`` is a share of all elements, ``max_ulp`` the largest error in units in the last place."""

    passed: bool
    matched: float
    max_abs_error: float
    max_ulp: float


def mixed_tolerance(pair: Pair) -> ToleranceVerdict:
    """Standard A."""
    error = pair.errors
    ulp = units(torch.where(pair.golden.isfinite(), pair.golden, 0.0), pair.dtype)
    share = _mean((tolerance_used(pair) <= 1).double(), nothing=1.0)
    bounded = bool((error <= (ULPS * ulp).clamp(min=pair.limits.tolerances[pair.dtype].limit)).all())
    return ToleranceVerdict(share >= MATCHED and bounded, share, _largest(error), _largest(error / ulp))


def tolerance_used(pair: Pair) -> Tensor:
    """The share of A's tolerance that each element's error takes; more than 1 does not match."""
    tolerance = pair.limits.tolerances[pair.dtype]
    return pair.errors / (tolerance.atol + tolerance.rtol * torch.where(pair.golden.isfinite(), pair.golden.abs(), 0.0))


@dataclass(frozen=True)
class Counts:
    """Elements of one region, and how many of them are wrong here and on the CPU."""

    count: int
    errors: int
    native_errors: int

    @property
    def passed(self) -> bool:
        """Whether they are at most twice as many as the CPU's, or two where it has none."""
        return self.errors <= COUNT_RATIO * max(self.native_errors, 1)


@dataclass(frozen=True)
class RelativeVerdict:
    """Standard B. MERE and MARE are of the elements that are neither small nor cancelled."""

    passed: bool
    mere: float
    mare: float
    threshold: float
    small: Counts
    cancelled: Counts


def relative_errors(pair: Pair, native: Pair | None) -> RelativeVerdict:
    """Standard B; ``native`` is the CPU's result in the same dtype, None for no errors of its."""
    rule = pair.limits.relatives[pair.dtype]
    mare_threshold = MARE_FACTOR * rule.threshold
    small = pair.measured & (pair.golden.abs() < rule.small)

    def cancelled(of: Pair) -> Tensor:
        near = (of.golden.abs() < rule.cancelled) & (of.actual.abs() < rule.cancelled)
        return of.measured & near & (of.golden.abs() >= rule.small)

    def wrong_small(of: Pair) -> int:
        return int((small & of.measured & (of.errors > rule.small_error)).sum())

    def wrong_cancelled(of: Pair) -> int:
        return int((cancelled(of) & (of.relative_errors > mare_threshold)).sum())

    smalls = Counts(int(small.sum()), wrong_small(pair), 0 if native is None else wrong_small(native))
    lost = cancelled(pair)
    losts = Counts(int(lost.sum()), wrong_cancelled(pair), 0 if native is None else wrong_cancelled(native))
    normal = pair.relative_errors[pair.measured & ~small & ~lost]
    mere, mare = _mean(normal, nothing=0.0), _largest(normal)
    near = mere < rule.threshold and mare < mare_threshold and not bool(pair.failing.any())
    return RelativeVerdict(near and smalls.passed and losts.passed, mere, mare, rule.threshold, smalls, losts)


@dataclass(frozen=True)
class RatioVerdict:
    """Standard C. ``level`` is the strictest that is met, None for none."""

    passed: bool
    level: str | None
    mare: float
    mere: float
    rmse: float
    specials_differ: bool = False  # NaN where it is wrong, which no ratio tells

    @property
    def ratios(self) -> tuple[float, float, float]:
        """Of MARE, MERE and RMSE."""
        return self.mare, self.mere, self.rmse


def error_ratios(pair: Pair, native: Pair) -> RatioVerdict:
    """Standard C; ``native`` is the other device's result. NaN on either side is not a difference."""
    own, other = _metrics(pair), _metrics(native)
    mare, mere, rmse = ratios = [_ratio(mine, theirs) for mine, theirs in zip(own, other, strict=True)]
    met = (name for name, most in LEVELS.items() if all(r <= m for r, m in zip(ratios, most, strict=True)))
    differ = bool((pair.failing & ~native.failing).any())
    level = None if differ else next(met, None)
    return RatioVerdict(level is not None, level, mare, mere, rmse, differ)


def passes_again(first: RatioVerdict, others: Sequence[RatioVerdict]) -> bool:
    """Whether a case that failed standard C passes after retries with other data.

    The ratios that were too large are judged by their medians, at the lower ends of 95 % confidence intervals from a
    bootstrap. Raises ValueError for fewer retries than the standard requires.
    """
    if len(others) < RETRIES:
        raise ValueError(f"{len(others)} retries are too few: the standard takes {RETRIES}")
    found = torch.tensor([each.ratios for each in others], dtype=torch.float64)
    source = torch.Generator().manual_seed(0)
    chosen = torch.randint(len(found), (RESAMPLES, len(found)), generator=source)
    medians = found[chosen].median(dim=1).values.sort(dim=0).values
    lower = medians[RESAMPLES // 40 - 1].tolist()  # 2.5 % of them are lower
    large = [ratio > most for ratio, most in zip(first.ratios, LEVELS["L0"], strict=True)]
    kept = all(median <= 1 for median, asked in zip(lower, large, strict=True) if asked)
    return kept and not any(each.specials_differ for each in (first, *others))


def _metrics(pair: Pair) -> tuple[float, float, float]:
    relative, absolute = pair.relative_errors[pair.measured], pair.errors[pair.measured]
    return _largest(relative), _mean(relative, nothing=0.0), _mean(absolute.square(), nothing=0.0) ** 0.5


def _ratio(mine: float, theirs: float) -> float:
    return mine / theirs if theirs > 0 else 1.0 if mine == 0 else float("inf")


def _mean(values: Tensor, *, nothing: float) -> float:
    return float(values.mean()) if values.numel() else nothing


def _largest(values: Tensor) -> float:
    return float(values.max()) if values.numel() else 0.0


@dataclass(frozen=True)
class ExactVerdict:
    """Of integers and truth values. ``max_abs_error`` is 1 for a wrong truth value."""

    passed: bool
    matched: float
    max_abs_error: float


def exactness(actual: Tensor, golden: Tensor, *, from_floats: bool) -> ExactVerdict:
    """Integers are equal, as B has it (section 7.3).

    Where they follow from floating-point numbers (a comparison, a rounding) one in a thousand may have fallen to the
    other side of the boundary, by one: golden is more precise than any kernel.
    """
    a, g = actual.detach().cpu().flatten(), golden.detach().cpu().flatten().to(actual.dtype)
    error = (a.double() - g.double()).abs()
    matched, largest = _mean((error == 0).double(), nothing=1.0), _largest(error)
    passed = (matched >= 0.999 and largest <= 1) if from_floats else matched == 1.0
    return ExactVerdict(passed, matched, largest)


def at_ties(actual: Tensor, golden: Tensor, single: Tensor | None) -> Tensor:
    """Golden integers that follow from floats: ``single`` where the result has it and it is the next one.

    Inputs of 16 bits meet ties often. Where float64 has 63.5, float32 may have the number below.
    """
    if single is None:
        return golden
    same = (actual.cpu() == single) & ((single.double() - golden.double()).abs() <= 1)
    return torch.where(same, single.to(golden.dtype), golden)
