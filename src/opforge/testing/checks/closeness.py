"""Decides whether a result is close enough to the golden one.

Source: the experimental precision standard of CANN's operator base (opbase, ops_precision_standard). An element matches
within ``atol + rtol * |golden|``. 99 of 100 elements must match, and no error may exceed the limit or 32 units in the
last place. This module is stricter: the first and last elements, where tails go wrong, must all match.

The tolerance covers float32 computations in kernels, with a unit of 2^-24. Rational approximations of tanh and erf, and
therefore gelu, have errors of a few units. A power is exp(y * log(x)) with an error of |y * log(x)| units, which is at
most 88. Results of 16-bit types are rounded once. If a gradient is a sum over broadcast dimensions, its terms were
rounded to 16 bits before, and the sum may cancel. Such a gradient may have twice the error of the same steps on the
CPU, as in the standards that compare with another device.

16-bit results must not lean to one side: kernels that cast with CAST_FLOOR or CAST_TRUNC are within the tolerance.

Integers and truth values computed from float32 may fall to the other side of a boundary: one in a thousand, by one.

The error of a matrix product is small relative to |x| @ |w|, but not to x @ w, which may cancel (N. J. Higham, Accuracy
and Stability of Numerical Algorithms, section 3.5). For products, a share of the result's root mean square is therefore
allowed in addition.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from opforge.testing.measuring.standards import MATCHED, TOLERANCES, ULPS

__tracebackhide__ = True  # for pytest, which then shows the test itself

# Relative to the root mean square of a result with products. 16-bit gradients consist of products that were rounded
# before. float32 must meet the limit of other standards for this field (2^-13), which products in HF32 would not meet.
OF_THE_MEAN = {torch.float16: 2**-9, torch.bfloat16: 2**-6, torch.float32: 2**-13}
ON_ONE_SIDE = 0.999
ENOUGH = 1024  # elements, for a mean of their rounding
LEANS = 0.2  # units in the last place; rounding down is 0.5 off on average, rounding to nearest 0
EDGE = 64  # number of elements at each end that must all match


def assert_close(
    actual: Tensor, golden: Tensor, what: str = "the result", native: Tensor | None = None, more: float = 0.0
) -> None:
    """Checks that ``actual``, from the NPU, has golden's shape, dtype and values, within the tolerance plus ``more``.

    ``native`` is the CPU's result of the same steps; twice its largest error is allowed in addition.
    """
    assert actual.shape == golden.shape, f"{what} has shape {list(actual.shape)}, not {list(golden.shape)}"
    assert actual.dtype == golden.dtype, f"{what} has dtype {actual.dtype}, not {golden.dtype}"
    a, g = actual.detach().cpu().double().flatten(), golden.detach().cpu().double().flatten()
    same = (a == g) | (a.isnan() & g.isnan())  # includes infinities and NaN
    error = torch.where(same, 0.0, (a - g).abs()).nan_to_num(nan=float("inf"))
    if golden.dtype.is_floating_point:
        largest = torch.finfo(golden.dtype).max
        overflowed = a.isinf() & g.isfinite() & (a.sign() == g.sign())  # counts as the largest number
        error = torch.where(overflowed, largest - g.abs(), error)
        size = torch.where(g.isfinite(), g.abs(), 0.0)
        more += 2 * _largest_error(native, g) if native is not None else 0.0
        tolerance = TOLERANCES[golden.dtype]
        matches = error <= tolerance.atol + tolerance.rtol * size + more
        bounded = error <= (ULPS * torch.finfo(golden.dtype).eps * size).clamp(min=tolerance.limit) + more
        share = MATCHED
    else:
        matches, bounded, share = same, error <= 1, ON_ONE_SIDE
    edges = torch.cat([matches[:EDGE], matches[-EDGE:]])
    if matches.double().mean().nan_to_num(nan=1.0) >= share and bool(bounded.all()) and bool(edges.all()):
        if native is None:
            _check_rounding(a, g, golden.dtype, what)
        return
    wrong = torch.nonzero(~(matches & bounded)).flatten()
    first = int(wrong[0])
    raise AssertionError(
        f"{what} ({golden.dtype}, shape {list(golden.shape)}): {len(wrong)} of {g.numel()} elements are off, the first "
        f"at flat index {first}: {a[first]:.9g} instead of {g[first]:.9g}; the largest error is {error.max():.3g}"
    )


def _check_rounding(actual: Tensor, golden: Tensor, dtype: torch.dtype, what: str) -> None:
    """Checks that 16-bit results do not lean to one side, as results do that are rounded down or towards zero."""
    if dtype not in (torch.float16, torch.bfloat16) or actual.numel() < ENOUGH:
        return
    counted = actual.isfinite() & golden.isfinite() & (golden.abs() >= torch.finfo(dtype).tiny)
    a, g = actual[counted], golden[counted]
    units = (a - g) / (torch.finfo(dtype).eps * torch.exp2(torch.floor(torch.log2(g.abs()))))
    units = units.clamp(-1, 1)  # larger errors are not of the rounding
    for side, mean in (("to one side", units.mean()), ("towards zero or away from it", (units * g.sign()).mean())):
        if len(a) >= ENOUGH and abs(float(mean)) > LEANS:
            raise AssertionError(
                f"{what} ({dtype}): results are rounded {side}: they are {float(mean):.2g} units in the last place off "
                "on average; round to nearest, as CAST_RINT does"
            )


def assert_product_close(
    actual: Tensor, golden: Tensor, what: str = "the result", native: Tensor | None = None
) -> None:
    """Like assert_close, for results of matrix products."""
    exact = golden.detach().double().flatten()
    finite = exact[exact.isfinite()]
    more = OF_THE_MEAN[golden.dtype] * float(finite.square().mean().sqrt()) if len(finite) else 0.0
    assert_close(actual, golden, what, native, more)


def assert_same(actual: Any, expected: Any) -> None:
    """Checks that all tensors are bitwise equal."""
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)


def _largest_error(native: Tensor, golden: Tensor) -> float:
    error = (native.detach().cpu().double().flatten() - golden).abs()
    return float(error[error.isfinite()].amax()) if bool(error.isfinite().any()) else 0.0
