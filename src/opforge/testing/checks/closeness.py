"""When a result is close enough to the golden one.

Source: the experimental precision standard of CANN's operator base (opbase, ops_precision_standard): an element
matches within ``atol + rtol * |golden|``; 99 of 100 must match, and none may be further off than the limit or 32 units
in the last place. Stricter here: the first and last elements, where tails go wrong, must all match.

That leaves room for what kernels compute in float32, of which a unit is 2^-24: rational approximations of tanh and
erf, and with them gelu, are a few units off; a power is exp(y * log(x)), as many units as |y * log(x)|, of which there
are at most 88. Results of 16-bit types are rounded once. Where a gradient is a sum over what was broadcast, its terms
were rounded to 16 bits before, and the sum may cancel: twice the error that the CPU makes in the same steps is allowed,
as the standards that compare with another device have it.

Integers and truth values that follow from float32 may fall to the other side of a boundary: one in a thousand, by one.

Of a matrix product the error is small against |x| @ |w| and not against x @ w, which may cancel (N. J. Higham, Accuracy
and Stability of Numerical Algorithms, section 3.5); so there a share of the result's root mean square is allowed, too.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from opforge.testing.measuring.standards import MATCHED, TOLERANCES, ULPS

# Of the root mean square of a result with products; 16-bit gradients are made of products that were rounded themselves.
# float32 is held to what other standards for this field ask of it (2^-13), which products in HF32 would not meet.
OF_THE_MEAN = {torch.float16: 2**-9, torch.bfloat16: 2**-6, torch.float32: 2**-13}
ON_ONE_SIDE = 0.999
EDGE = 64  # elements at each end that must all match


def assert_close(
    actual: Tensor, golden: Tensor, what: str = "the result", native: Tensor | None = None, more: float = 0.0
) -> None:
    """``actual``, from the NPU, has golden's shape and dtype, and values within the dtype's tolerance and ``more``.

    ``native`` is the CPU's result in the same steps: twice its largest error is allowed besides.
    """
    assert actual.shape == golden.shape, f"{what} has shape {list(actual.shape)}, not {list(golden.shape)}"
    assert actual.dtype == golden.dtype, f"{what} has dtype {actual.dtype}, not {golden.dtype}"
    a, g = actual.detach().cpu().double().flatten(), golden.detach().cpu().double().flatten()
    same = (a == g) | (a.isnan() & g.isnan())  # infinities and NaN included
    error = torch.where(same, 0.0, (a - g).abs()).nan_to_num(nan=float("inf"))
    if golden.dtype.is_floating_point:
        largest = torch.finfo(golden.dtype).max
        overflowed = a.isinf() & g.isfinite() & (a.sign() == g.sign())  # no further off than the largest number is
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
        return
    wrong = torch.nonzero(~matches).flatten()
    first = int(wrong[0])
    raise AssertionError(
        f"{what} ({golden.dtype}, shape {list(golden.shape)}): {len(wrong)} of {g.numel()} elements are off, the first "
        f"at flat index {first}: {a[first]:.9g} instead of {g[first]:.9g}; the largest error is {error.max():.3g}"
    )


def assert_product_close(
    actual: Tensor, golden: Tensor, what: str = "the result", native: Tensor | None = None
) -> None:
    """As assert_close, for what comes of matrix products."""
    exact = golden.detach().double().flatten()
    finite = exact[exact.isfinite()]
    more = OF_THE_MEAN[golden.dtype] * float(finite.square().mean().sqrt()) if len(finite) else 0.0
    assert_close(actual, golden, what, native, more)


def assert_same(actual: Any, expected: Any) -> None:
    """All tensors are alike, bit by bit."""
    torch.testing.assert_close(actual, expected, rtol=0, atol=0, equal_nan=True)


def _largest_error(native: Tensor, golden: Tensor) -> float:
    error = (native.detach().cpu().double().flatten() - golden).abs()
    return float(error[error.isfinite()].amax()) if bool(error.isfinite().any()) else 0.0
