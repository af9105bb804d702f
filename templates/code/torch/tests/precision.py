"""When a result is close enough to the golden one, and the data that it is tried with.

Source of both: the experimental precision standard of CANN's operator base (opbase, ops_precision_standard): an element
matches within ``atol + rtol * |golden|``; 99 of 100 must match, and none may be further off than the limit or 32 units
in the last place. Stricter here: the first and last elements, where tails go wrong, must all match.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from op_cases import OpCase


@dataclass(frozen=True)
class Tolerance:
    """Of one dtype. ``limit`` is the most that any element may be off."""

    rtol: float
    atol: float
    limit: float


TOLERANCES = {
    torch.float16: Tolerance(2**-9, 2**-9, 1e-1),
    torch.bfloat16: Tolerance(2**-6, 2**-6, 1e0),
    torch.float32: Tolerance(2**-10, 2**-16, 1e-2),
}
MATCHED = 0.99
EDGE = 64  # elements at each end that must all match


def assert_close(actual: Tensor, golden: Tensor, what: str = "the result") -> None:
    """``actual``, from the NPU, has golden's shape and dtype, and values within the dtype's tolerance."""
    assert actual.shape == golden.shape, f"{what} has shape {list(actual.shape)}, not {list(golden.shape)}"
    assert actual.dtype == golden.dtype, f"{what} has dtype {actual.dtype}, not {golden.dtype}"
    tolerance = TOLERANCES[golden.dtype]
    a, g = actual.detach().cpu().double().flatten(), golden.detach().cpu().double().flatten()
    same = (a == g) | (a.isnan() & g.isnan())  # infinities and NaN included
    error = torch.where(same, 0.0, (a - g).abs()).nan_to_num(nan=float("inf"))
    size = torch.where(g.isfinite(), g.abs(), 0.0)
    matches = error <= tolerance.atol + tolerance.rtol * size
    bounded = error <= (32 * torch.finfo(golden.dtype).eps * size).clamp(min=tolerance.limit)
    edges = torch.cat([matches[:EDGE], matches[-EDGE:]])
    if matches.double().mean().nan_to_num(nan=1.0) >= MATCHED and bool(bounded.all()) and bool(edges.all()):
        return
    wrong = torch.nonzero(~matches).flatten()
    first = int(wrong[0])
    raise AssertionError(
        f"{what} ({golden.dtype}, shape {list(golden.shape)}): {len(wrong)} of {g.numel()} elements are off, the first "
        f"at flat index {first}: {a[first]:.9g} instead of {g[first]:.9g}; the largest error is {error.max():.3g}"
    )


def random_tensor(shape: Sequence[int], dtype: torch.dtype, seed: int) -> Tensor:
    """CPU data as the standard has it: half uniform in [-5, 5], half normal with random mean and deviation."""
    source = torch.Generator().manual_seed(seed)
    uniform = torch.rand(tuple(shape), generator=source) * 10 - 5
    mean, deviation = (torch.rand(2, generator=source) * torch.tensor([10.0, 1.9]) + torch.tensor([-5.0, 0.1])).tolist()
    normal = torch.randn(tuple(shape), generator=source) * deviation + mean
    chosen = torch.rand(tuple(shape), generator=source) < 0.5
    return torch.where(chosen, uniform, normal).to(dtype)


def random_inputs(op: OpCase, column: int, *shapes: Sequence[int]) -> list[Tensor]:
    """CPU tensors for all inputs; the shapes are repeated as often as it takes."""
    dtypes = op.columns[column]
    return [random_tensor(shapes[i % len(shapes)], dtype, seed=i + 1) for i, dtype in enumerate(dtypes)]
