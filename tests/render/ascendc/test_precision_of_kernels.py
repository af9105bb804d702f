"""How exact generated kernels are: float32 within so many units in the last place, 16 bits rounded from float32."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from generated_ops import Chip, GeneratedOps, harness
from torch import Tensor

from tests.sampled import quick

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

WHOLE = Chip(48)


def gelu(x: Tensor) -> Tensor:
    return 0.5 * x * torch.special.erfc(-x / 2**0.5)


def gelu_tanh(x: Tensor) -> Tensor:
    return x * torch.sigmoid(2 * (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3))


def slope_of(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    leaf = x.clone().requires_grad_()
    return torch.autograd.grad(function(leaf).sum(), leaf)[0]


def numbers(count: int = 40000) -> Tensor:
    """Evenly over what curves bend in, and of all sizes of either sign."""
    generator = torch.Generator().manual_seed(7)
    even = torch.rand(count, generator=generator) * 20 - 10
    sizes = 10.0 ** (torch.rand(count, generator=generator) * 14 - 10)
    signs = torch.randint(0, 2, (count,), generator=generator) * 2 - 1
    return torch.cat([even, sizes * signs])


def units(got: Tensor, exact: Tensor) -> Tensor:
    """Distances in units in the last place of the exact result, where that is a normal number."""
    normal = torch.isfinite(exact.float()) & (exact.abs() > 2.0**-126)
    unit = torch.from_numpy(np.spacing(exact.float().abs().numpy())).double()
    return ((got.double() - exact).abs() / unit)[normal]


@pytest.mark.parametrize(
    ("name", "output", "meaning", "bound"),
    [
        ("Curves", 0, torch.tanh, 2),
        ("Curves", 1, torch.erf, 2),
        ("Roots", 0, lambda x: x.abs().sqrt() + (x.abs() + 1).rsqrt(), 2),
        ("Roots", 1, torch.reciprocal, 1),
        ("Roots", 2, lambda x: x.abs().log(), 1),
        ("Sigmoid", 0, torch.sigmoid, 3),
        ("Logarithms", 0, torch.log1p, 2),
        ("Logarithms", 1, torch.log2, 3),
        ("Exponentials", 0, torch.expm1, 2),
        ("Exponentials", 1, torch.exp2, 3),
        ("Waves", 0, torch.sin, 3),
        ("Waves", 1, torch.cos, 3),
        ("Inverses", 0, torch.asin, 3),
        ("Inverses", 1, torch.acos, 3),
        ("Inverses", 2, torch.atan, 2),
        ("Inverses", 3, torch.erfinv, 4),
        ("Hyperbolic", 0, torch.sinh, 3),
        ("Hyperbolic", 1, torch.cosh, 3),
        ("Hyperbolic", 2, torch.asinh, 3),
        ("Hyperbolic", 3, torch.acosh, 3),
        ("Hyperbolic", 4, torch.atanh, 3),
        ("Tails", 0, torch.erfc, 8),
        ("Tails", 3, torch.log10, 3),
        ("Smooth", 0, torch.nn.functional.softplus, 3),
        ("Smooth", 2, torch.nn.functional.logsigmoid, 3),
        ("LogSigmoid", 0, torch.nn.functional.logsigmoid, 2),
        ("Declines", 0, lambda x: torch.expm1(-x.abs()), 2),
        ("Units", 0, lambda x: torch.nn.functional.elu(x, 0.7), 3),
        ("Units", 1, torch.selu, 3),
    ],
)
def test_units_in_the_last_place(
    ops: GeneratedOps, name: str, output: int, meaning: Callable[[Tensor], Tensor], bound: float
) -> None:
    x = numbers()
    result = ops.run(name, [x], WHOLE)[output]
    assert units(result, meaning(x.double())).max() <= bound


def test_functions_of_two_tensors(ops: GeneratedOps) -> None:
    """Of numbers of all sizes, and every pair of zeros of either sign, infinities and NaN."""
    odd = torch.tensor([0.0, -0.0, 1.0, -1.0, 2.0, 1e-30, math.inf, -math.inf, math.nan])
    pairs = [part.flatten() for part in torch.meshgrid(odd, odd, indexing="ij")]
    x = torch.cat([numbers(20000), pairs[0]])
    y = torch.cat([numbers(20000).flip(0), pairs[1]])
    found = ops.run("Pairs", [x, y], WHOLE, {"alpha": 0.25})
    wide = x.double(), y.double()
    assert units(found[0], torch.atan2(*wide)).max() <= 3
    assert units(found[1], torch.hypot(*wide)).max() <= 3
    assert (
        (found[3].double() - torch.logaddexp(*wide)).abs() / torch.maximum(*wide).abs().clamp(min=1)
    ).nan_to_num().max() <= 3e-7
    known = ~y.isnan()  # whose sign no kernel sees
    torch.testing.assert_close(found[2][known], torch.copysign(x, y)[known], rtol=0, atol=0, equal_nan=True)
    for result, meaning in zip(found, (torch.atan2, torch.hypot, torch.copysign, torch.logaddexp), strict=False):
        exact = meaning(x, y)
        torch.testing.assert_close(result[-81:], exact[-81:], rtol=1e-6, atol=0, equal_nan=True)
        zeros = (exact == 0) & known & (meaning is not torch.logaddexp)
        assert torch.equal(result.signbit()[zeros], exact.signbit()[zeros])
    finite = x.isfinite() & y.isfinite()
    wanted = torch.lerp(*wide, 0.25)
    assert ((found[4].double() - wanted).abs() / torch.maximum(*(w.abs() for w in wide)))[
        finite
    ].nan_to_num().max() <= 3e-7


def test_special_points_of_curves(ops: GeneratedOps) -> None:
    """Ends of the domain, beyond them, zeros of either sign, infinities and NaN."""
    points = [0.0, -0.0, 1.0, -1.0, 1.5, -1.5, 0.5, -0.5, 1e-30, -1e-30, 3e38, -3e38, math.inf, -math.inf, math.nan]
    x = torch.tensor(points)
    meanings = {
        "Inverses": (torch.asin, torch.acos, torch.atan, torch.erfinv, torch.logit),
        "Hyperbolic": (torch.sinh, torch.cosh, torch.asinh, torch.acosh, torch.atanh),
        "Tails": (torch.erfc,),
    }
    for name, functions in meanings.items():
        for found, function in zip(ops.run(name, [x], WHOLE), functions, strict=False):
            exact = function(x)
            torch.testing.assert_close(
                found, exact, rtol=1e-6, atol=0, equal_nan=True, msg=f"{function.__name__} {found}"
            )
            assert torch.equal(found.signbit()[exact == 0], exact.signbit()[exact == 0]), function.__name__
    tens = torch.tensor([10.0**power for power in range(-10, 39)])
    _, tan, sinc, log10 = ops.run("Tails", [torch.cat([tens, torch.arange(-50, 51) / 4])], WHOLE)
    assert log10[:49].tolist() == list(range(-10, 39))
    angles = torch.arange(-50, 51).double() / 4
    assert units(tan[49:], torch.tan(angles)).max() <= 8
    assert ((sinc[49:].double() - torch.sinc(angles)).abs()).max() <= 2e-7
    assert not sinc[49:][(angles % 1 == 0) & (angles != 0)].any()


def test_mish_keeps_digits_until_exp_has_none(ops: GeneratedOps) -> None:
    x = numbers()
    near = x > -87
    result = ops.run("Smooth", [x], WHOLE)[1]
    assert units(result[near], torch.nn.functional.mish(x.double())[near]).max() <= 4


def test_angles_of_any_size(ops: GeneratedOps) -> None:
    """Near the zeros of sine and cosine, and of angles whose turns cannot be counted."""
    near = (torch.arange(-6366, 6367).double() * (torch.pi / 2)).float()
    for found, meaning in zip(ops.run("Waves", [near], WHOLE), (torch.sin, torch.cos), strict=True):
        assert units(found, meaning(near.double())).max() <= 3
    large = torch.tensor([1e5, -1e6, 1e8, 3e38, -3e38])
    for found in ops.run("Waves", [large], WHOLE):
        assert found.abs().max() <= 1
    assert all(found.isnan().all() for found in ops.run("Waves", [torch.tensor([math.inf, -math.inf])], WHOLE))


def test_powers_of_two_have_exact_logarithms(ops: GeneratedOps) -> None:
    exponents = torch.arange(-126, 128).float()
    assert torch.equal(ops.run("Logarithms", [2.0**exponents], WHOLE)[1], exponents)


def test_gelu_keeps_digits_of_negative_numbers(ops: GeneratedOps) -> None:
    """Where 1 + erf(x / sqrt(2)) has none left: a rounding of x^2 / 2 in the exponent is what is lost."""
    x = numbers()
    (result,) = ops.run("GeluErf", [x], WHOLE)
    exact = gelu(x.double())
    above, below = x > -2, (x <= -2) & (x > -11)
    assert units(result[above], exact[above]).max() <= 5
    for least, bound in ((-5, 14), (-8, 30), (-11, 60)):
        part = below & (x > least)
        assert units(result[part], exact[part]).max() <= bound
    assert ops.run("GeluErf", [torch.tensor([-15.0, -100.0, 100.0])], WHOLE)[0].tolist() == [0.0, 0.0, 100.0]


@pytest.mark.slow
def test_gradients_keep_digits_where_curves_are_flat(gradient_ops: GeneratedOps) -> None:
    """Where 1 - tanh(x)^2 and 1 + erf(x / sqrt(2)) have none left. Of gelu that is below -2; above, terms cancel."""
    x = numbers()
    wide, one, none = x.double(), torch.ones_like(x), torch.zeros_like(x)
    slope = gradient_ops.run("CurvesGrad", [one, none, x], WHOLE)[0]
    assert units(slope, torch.cosh(wide) ** -2).max() <= 6
    for name, exact in (("GeluErfGrad", slope_of(gelu, wide)), ("GeluGrad", slope_of(gelu_tanh, wide))):
        found = gradient_ops.run(name, [one, x], WHOLE)[0]
        tail = (x < -2) & (x > -5)
        assert units(found[tail], exact[tail]).max() <= 60, name
        assert ((found.double() - exact).abs() / exact.abs().clamp(min=1)).max() <= 1e-6, name


def test_limits_are_kept(ops: GeneratedOps) -> None:
    x = torch.tensor([-1e30, -50.0, -9.02, -8.9, 8.9, 9.02, 50.0, 1e30])
    tanh, erf = ops.run("Curves", [x], WHOLE)
    assert tanh.abs().max() == 1
    assert erf.tolist() == [-1.0] * 4 + [1.0] * 4
    assert tanh[[0, 1, -2, -1]].tolist() == [-1.0, -1.0, 1.0, 1.0]


def test_powers(ops: GeneratedOps) -> None:
    """As exact as the exponent of exp: two units for each 1 of |y * ln|x||. The signs are torch's."""
    generator = torch.Generator().manual_seed(9)
    x, y = numbers(20000).abs(), torch.rand(40000, generator=generator) * 8 - 4
    result = ops.run("PowerOf", [x, y], WHOLE)[0]
    exact = x.double() ** y.double()
    normal = torch.isfinite(exact.float()) & (exact > 2.0**-126)
    exponent = (y.double() * x.double().log()).abs()[normal]
    assert (units(result[normal], exact[normal]) / (1 + exponent)).max() <= 2

    odd = [0.0, -0.0, float("inf"), -float("inf"), float("nan")]
    values = torch.tensor([-3.0, -2.0, -1.0, -0.5, 0.5, 1.0, 2.0, 3.0, *odd])
    exponents = torch.tensor([-3.0, -2.0, -0.5, 0.5, 1.0, 2.0, 3.0, 5.0, 2.0**24 + 2, *odd])
    x, y = (grid.contiguous() for grid in torch.meshgrid(values, exponents, indexing="ij"))
    result = ops.run("PowerOf", [x, y], WHOLE)[0]
    torch.testing.assert_close(result, x**y, rtol=1e-5, atol=0, equal_nan=True)
    assert torch.equal(result.signbit() & ~result.isnan(), (x**y).signbit() & ~(x**y).isnan())
    for count in (2, 3, -2, -3, 0, 7):
        result = ops.run("Powers", [values], WHOLE, {"count": count})[1]
        torch.testing.assert_close(result, values**count, rtol=1e-5, atol=0, equal_nan=True)


# Ops with functions that take fewer instructions for results of 16 bits.
SHORTER = (
    "Curves",
    "GeluErf",
    "Logarithms",
    "Exponentials",
    "Softplus",
    "LogSigmoid",
    "Elu",
    "Units",
    "Hyperbolic",
    "Declines",
)


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_16_bits_are_rounded_from_float32(ops: GeneratedOps, dtype: str) -> None:
    """The kernel of a 16-bit type gives what the one of float32 gives for the same numbers, rounded to nearest even."""
    kind = getattr(torch, dtype)
    for name, op in ops.ops.items():
        if dtype in op.inputs[0].dtypes and name not in SHORTER:
            inputs = [numbers(550)[7 * place :][:1031].to(kind) for place in range(len(op.inputs))]
            wide = ops.run(name, [i.float() for i in inputs], WHOLE)
            for result, exact in zip(ops.run(name, inputs, WHOLE), wide, strict=True):
                torch.testing.assert_close(
                    result,
                    exact.to(kind),
                    rtol=0,
                    atol=0,
                    equal_nan=True,
                    msg=lambda text, name=name: f"{name}\n{text}",
                )


@pytest.mark.parametrize("kind", quick([torch.float16, torch.bfloat16], [torch.float16]))
@pytest.mark.parametrize(
    ("name", "output", "meaning"),
    [
        ("Curves", 0, torch.tanh),
        ("Curves", 1, torch.erf),
        ("GeluErf", 0, gelu),
        ("Logarithms", 0, torch.log1p),
        ("Exponentials", 0, torch.expm1),
        ("Declines", 0, lambda x: torch.expm1(-x.abs())),
        ("Softplus", 0, torch.nn.functional.softplus),
        ("LogSigmoid", 0, torch.nn.functional.logsigmoid),
        ("Elu", 0, lambda x: torch.nn.functional.elu(x, 0.7)),
    ],
)
def test_shorter_functions_have_all_digits_of_16_bits(
    ops: GeneratedOps, name: str, output: int, meaning: Callable[[Tensor], Tensor], kind: torch.dtype
) -> None:
    """Rounding alone is wrong by half a unit in the last place; the function adds less than a tenth of one.

    For all numbers of 16 bits.
    """
    x = torch.arange(-(2**15), 2**15).to(torch.int16).view(kind)
    result = ops.run(name, [x], WHOLE)[output].double()
    exact = meaning(x.double())
    limits = torch.finfo(kind)
    unit = torch.exp2(torch.frexp(exact).exponent.double() - 1) * limits.eps
    unit = unit.clamp(min=limits.smallest_normal * limits.eps)
    finite = exact.to(kind).isfinite() & x.isfinite()
    assert ((result - exact).abs() / unit)[finite].max() <= 0.6
    same = (result == exact.to(kind).double())[finite]
    assert same.double().mean() >= 0.94
    odd = torch.tensor([0.0, -0.0, math.inf, -math.inf, math.nan, 6e4, -6e4], dtype=kind)
    wide = ops.run(name, [odd.float()], WHOLE)[output].to(kind)
    found = ops.run(name, [odd], WHOLE)[output]
    torch.testing.assert_close(found, wide, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(found.signbit()[:2], wide.signbit()[:2])


def test_integers_of_16_bits_need_all_digits(typed_ops: GeneratedOps) -> None:
    """The fraction is cut off: 100 times what is 1 in float16, but not in float32, would be 99."""
    x = torch.linspace(-20, 20, 4001)
    (result,) = typed_ops.run("Levels", [x], WHOLE)
    wrong = result != (torch.tanh(x) * 100.0).to(torch.int16)
    assert not wrong[x.abs() > 5].any()
    assert wrong.double().mean() <= 0.001


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "file", "change"),
    [
        ("Curves", "curves_kernel.h", {"vector_math::FillErf<TypeW>(Coefficients(4));": ""}),
        ("Curves", "curves_kernel.h", {"FillErf<TypeW>(Coefficients(4))": "FillErf<TypeW>(Coefficients(3))"}),
        ("Inverses", "inverses_kernel.h", {"vector_math::Fill<vector_math::kErfinvFar, 2>(Coefficients(18));": ""}),
        ("Curves", "opforge/vector_math.h", {"kErfNear, 2>(blocks[kFloats<kErfFar>])": "kErfNear, 2>(blocks)"}),
    ],
)
def test_a_block_that_nothing_fills_is_seen(
    ops: GeneratedOps, tmp_path: Path, name: str, file: str, change: dict[str, str]
) -> None:
    mistaken = ops.with_mistake(tmp_path, file, change, once=True)
    with pytest.raises(harness.LaunchError, match="has never been written"):
        mistaken.run(name, [numbers(2000)], WHOLE)


@pytest.mark.slow
def test_a_block_that_another_function_fills_again_is_seen(ops: GeneratedOps, tmp_path: Path) -> None:
    wrong = {
        "FillErf<TypeW>(Coefficients(4))": "FillErf<TypeW>(Coefficients(4)), vector_math::FillTanh(Coefficients(4))"
    }
    mistaken = ops.with_mistake(tmp_path, "curves_kernel.h", wrong, once=True)
    x = numbers(2000)
    assert units(mistaken.run("Curves", [x], WHOLE)[1], torch.erf(x.double())).max() > 100
