"""When a result is close enough to the golden one, and the data that it is tried with.

Source of both: the experimental precision standard of CANN's operator base (opbase, ops_precision_standard): an element
matches within ``atol + rtol * |golden|``; 99 of 100 must match, and none may be further off than the limit or 32 units
in the last place. Stricter here: the first and last elements, where tails go wrong, must all match.

That leaves room for what kernels compute in float32, of which a unit is 2^-24: rational approximations of tanh and erf,
and with them gelu, are a few units off; a power is exp(y * log(x)), as many units as |y * log(x)|, of which there are at
most 88. Results of 16-bit types are rounded once. Where a gradient is a sum over what was broadcast, its terms were
rounded to 16 bits before, and the sum may cancel: twice the error that the CPU makes in the same steps is allowed, as
the standards that compare with another device have it.

Integers and truth values that follow from float32 may fall to the other side of a boundary: one in a thousand, by one.
{% if products %}

Of a matrix product the error is small against |x| @ |w| and not against x @ w, which may cancel (N. J. Higham, Accuracy
and Stability of Numerical Algorithms, section 3.5); so there a share of the result's root mean square is allowed, too.
{% endif %}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
{% if tables %}

{% endif %}
{% if elementwise %}
from op_cases import OpCase
{% endif %}
{% if products %}
from product_cases import GradientKernel, ProductCase, Sizes
{% endif %}


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
{% if products %}
# Of the root mean square of a result with products; 16-bit gradients are made of products that were rounded themselves.
# float32 is held to what other standards for this field ask of it (2^-13), which products in HF32 would not meet.
OF_THE_MEAN = {torch.float16: 2**-9, torch.bfloat16: 2**-6, torch.float32: 2**-13}
{% endif %}
MATCHED = 0.99
ON_ONE_SIDE = 0.999
EDGE = 64  # elements at each end that must all match


{% if products %}
def assert_product_close(
    actual: Tensor, golden: Tensor, what: str = "the result", native: Tensor | None = None
) -> None:
    """As assert_close, for what comes of matrix products."""
    exact = golden.detach().double().flatten()
    finite = exact[exact.isfinite()]
    more = OF_THE_MEAN[golden.dtype] * float(finite.square().mean().sqrt()) if len(finite) else 0.0
    assert_close(actual, golden, what, native, more)


{% endif %}
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
        bounded = error <= (32 * torch.finfo(golden.dtype).eps * size).clamp(min=tolerance.limit) + more
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


def _largest_error(native: Tensor, golden: Tensor) -> float:
    error = (native.detach().cpu().double().flatten() - golden).abs()
    return float(error[error.isfinite()].amax()) if bool(error.isfinite().any()) else 0.0


def random_tensor(shape: Sequence[int], dtype: torch.dtype, seed: int) -> Tensor:
    """CPU data as the standard has it: half uniform in [-5, 5], half normal with random mean and deviation.

    Integers are small: products of two must fit.
    """
    source = torch.Generator().manual_seed(seed)
    if dtype == torch.bool:
        return torch.rand(tuple(shape), generator=source) < 0.5
    if not dtype.is_floating_point:
        return torch.randint(-9 if dtype.is_signed else 0, 10, tuple(shape), generator=source).to(dtype)
    uniform = torch.rand(tuple(shape), generator=source) * 10 - 5
    mean, deviation = (torch.rand(2, generator=source) * torch.tensor([10.0, 1.9]) + torch.tensor([-5.0, 0.1])).tolist()
    normal = torch.randn(tuple(shape), generator=source) * deviation + mean
    chosen = torch.rand(tuple(shape), generator=source) < 0.5
    return torch.where(chosen, uniform, normal).to(dtype)
{% if elementwise %}


def random_inputs(op: OpCase, column: int, *leading: tuple[int, ...], **symbols: int) -> list[Tensor]:
    """CPU tensors for all inputs; leading dimensions are repeated as often as it takes."""
    shapes = op.shapes(leading or ((),), **symbols)
    return [random_tensor(shape, op.columns[column][i], seed=i + 1) for i, shape in enumerate(shapes)]
{% endif %}
{% if products %}


def product_inputs(op: ProductCase, column: int, sizes: Sizes) -> list[Tensor]:
    """CPU tensors for all inputs.

    Left operands are normal, and so are right ones, divided by the root of the number of terms, as weights are in
    networks: then the products are normal too, and no float16 overflows.
    """
    made = []
    for i, (name, shape) in enumerate(zip(op.inputs, op.shapes(sizes), strict=True)):
        dtype = op.columns[column][i]
        if name in (*op.left, *op.right):
            normal = torch.randn(shape, generator=torch.Generator().manual_seed(i + 1))
            made.append((normal / max(sizes[2], 1) ** 0.5 if name in op.right else normal).to(dtype))
        else:
            made.append(random_tensor(shape, dtype, seed=i + 1))
    return made


def kernel_inputs(kernel: GradientKernel, column: int, shape: tuple[int, ...]) -> list[Tensor]:
    """CPU tensors for all inputs."""
    return [random_tensor(shape, dtype, seed=i + 1) for i, dtype in enumerate(kernel.columns[column])]
{% endif %}
