"""The functions of the prelude, and exact operators, against torch over all of float32, and their gradients."""

from __future__ import annotations

import ast
import math

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional  # noqa: E402

from opforge.ir.differentiate import gradients  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.spec import prelude  # noqa: E402
from opforge.spec.language import BITWISE, DEFINED, LOSSES  # noqa: E402
from opforge.spec.model import OpSpec  # noqa: E402
from opforge.spec.read.command_line import spec_from_options  # noqa: E402

pytestmark = pytest.mark.torch

# A call, torch's function, and the bound of the error in units in the last place of float32. 0: the same bits as torch.
CALLS = {
    "square(x)": (torch.square, 0),
    "frac(x)": (torch.frac, 0),
    "floor(x)": (torch.floor, 0),
    "ceil(x)": (torch.ceil, 0),
    "trunc(x)": (torch.trunc, 0),
    "round(x)": (torch.round, 0),
    "log1p(x)": (torch.log1p, 1),
    "expm1(x)": (torch.expm1, 1),
    "log2(x)": (torch.log2, 1),
    "exp2(x)": (torch.exp2, 1),
    "sin(x)": (torch.sin, 1),
    "cos(x)": (torch.cos, 1),
    "log10(x)": (torch.log10, 2),
    "tan(x)": (torch.tan, 3),
    "sinc(x)": (lambda x: torch.where(x.abs() < 2**23, torch.sinc(x), 0 * x), 2),  # from there on, torch's is noise
    "deg2rad(x)": (torch.deg2rad, 0),
    "rad2deg(x)": (torch.rad2deg, 0),
    "sinh(x)": (torch.sinh, 1),
    "cosh(x)": (torch.cosh, 1),
    "asinh(x)": (torch.asinh, 2),
    "acosh(x)": (torch.acosh, 2),
    "atanh(x)": (torch.atanh, 1),
    "asin(x)": (torch.asin, 1),
    "acos(x)": (torch.acos, 1),
    "atan(x)": (torch.atan, 1),
    "erfc(x)": (torch.erfc, 1),
    "erfinv(x)": (torch.erfinv, 1),
    "logit(x)": (torch.logit, 0),
    "logit(x, 0.25)": (lambda x: torch.logit(x, 0.25), 0),
    "nan_to_num(x, posinf=5, neginf=-7)": (lambda x: torch.nan_to_num(x, posinf=5, neginf=-7), 0),
    "nan_to_num(x, 0.5, 9, alpha)": (lambda x: torch.nan_to_num(x, 0.5, 9, 1.5), 0),
    "fmod(x, 3)": (lambda x: torch.fmod(x, 3), 0),
    "x % -0.75": (lambda x: torch.remainder(x, -0.75), 0),
    "remainder(x, alpha)": (lambda x: torch.remainder(x, 1.5), 0),
    "2.5 % x": (lambda x: torch.remainder(torch.full_like(x, 2.5), x), 0),
    "clamp_min(x, 1)": (lambda x: torch.clamp_min(x, 1), 0),
    "clamp_max(x, 1)": (lambda x: torch.clamp_max(x, 1), 0),
    "add(x, 2)": (lambda x: torch.add(x, 2), 0),
    "add(x, 2, alpha=-3)": (lambda x: torch.add(x, 2, alpha=-3), 0),
    "sub(x, 2, alpha=3)": (lambda x: torch.sub(x, 2, alpha=3), 0),
    "rsub(x, 2)": (lambda x: torch.rsub(x, 2), 0),
    "divide(negative(x), 3)": (lambda x: -x / 3, 0),
    "masked_fill(x, x > 2, alpha)": (lambda x: x.masked_fill(x > 2, 1.5), 0),
    "hardtanh(x)": (functional.hardtanh, 0),
    "hardtanh(x, -2, max_val=0.5)": (lambda x: functional.hardtanh(x, -2, 0.5), 0),
    "relu6(x)": (functional.relu6, 0),
    "hardsigmoid(x)": (functional.hardsigmoid, 1),
    "hardswish(x)": (functional.hardswish, 2),
    "softplus(x)": (functional.softplus, 2),
    "softplus(x, 2, threshold=5)": (lambda x: functional.softplus(x, 2, 5), 2),
    "softplus(x, beta=-0.5)": (lambda x: functional.softplus(x, beta=-0.5), 2),
    "logsigmoid(x)": (functional.logsigmoid, 2),
    "mish(x)": (functional.mish, 4),
    "elu(x)": (functional.elu, 2),
    "elu(x, alpha=0.3)": (lambda x: functional.elu(x, alpha=0.3), 2),
    "selu(x)": (functional.selu, 2),
    "celu(x)": (functional.celu, 2),
    "celu(x, 1.7)": (lambda x: functional.celu(x, 1.7), 3),
    "softsign(x)": (functional.softsign, 1),
    "tanhshrink(x)": (functional.tanhshrink, 0),
    "hardshrink(x)": (functional.hardshrink, 0),
    "hardshrink(x, lambd=2)": (lambda x: functional.hardshrink(x, 2), 0),
    "softshrink(x)": (functional.softshrink, 0),
    "softshrink(x, 1.5)": (lambda x: functional.softshrink(x, 1.5), 0),
    "threshold(x, 1, -3)": (lambda x: functional.threshold(x, 1, -3), 0),
    "clamp(x, min=-1)": (lambda x: torch.clamp(x, min=-1), 0),
    "clamp(x, max=2)": (lambda x: torch.clamp(x, max=2), 0),
    "clamp(x, -1, 2)": (lambda x: torch.clamp(x, -1, 2), 0),
    "leaky_relu(x)": (functional.leaky_relu, 0),
    "gelu(x, approximate='tanh')": (lambda x: functional.gelu(x, approximate="tanh"), 0),
    "maximum(x, 1)": (lambda x: torch.clamp(x, min=1), 0),
    "minimum(x, 1)": (lambda x: torch.clamp(x, max=1), 0),
}
MASKS = {
    "isnan(x)": torch.isnan,
    "isinf(x)": torch.isinf,
    "isfinite(x)": torch.isfinite,
    "isposinf(x)": torch.isposinf,
    "isneginf(x)": torch.isneginf,
    "signbit(x)": lambda x: x.signbit() & ~x.isnan(),
    "logical_xor(x > -1, x < 2)": lambda x: (x > -1) ^ (x < 2),
    "logical_or(logical_not(x > 1), logical_and(x > 2, isfinite(x)))": lambda x: ~(x > 1) | (x > 2) & x.isfinite(),
    "greater(x, 1) and less_equal(x, 3) or ne(x, x)": lambda x: (x > 1) & (x <= 3) | x.isnan(),
    "not isnan(x)": lambda x: ~x.isnan(),
    "~(x > 1)": lambda x: ~(x > 1),
    "x > -1 and x <= 2": lambda x: (x > -1) & (x <= 2),
    "(x > -1) & (x <= 2) & (x != 0)": lambda x: (x > -1) & (x <= 2) & (x != 0),
    "x < -1 or x > 2 or isnan(x)": lambda x: (x < -1) | (x > 2) | x.isnan(),
    "(x < -1) | ~(x <= 2)": lambda x: (x < -1) | ~(x <= 2),
    "-1 < x <= 2": lambda x: (x > -1) & (x <= 2),
    "0 < exp(x) < 1 < n": lambda x: (torch.exp(x) > 0) & (torch.exp(x) < 1),
    "alpha > 1 and x > 1": lambda x: x > 1,
    "x > 1 or alpha > 2": lambda x: x > 1,
}
ATTRS = {"alpha": 1.5, "n": 2.0}
ODD = [
    0.0,
    -0.0,
    0.5,
    -0.5,
    1.0,
    -1.0,
    1.5,
    -2.0,
    2.0,
    3.0,
    -3.0,
    5.0,
    6.0,
    -6.0,
    20.0,
    21.0,
    -90.0,
    90.0,
    1e-30,
    -1e-9,
]


def made(call: str) -> OpSpec:
    attrs = ("alpha:float=1.5", "n:int=2")
    return spec_from_options("Example", ("x",), compute=f"z = {call}", attrs=attrs).ops[0]


def everything() -> torch.Tensor:
    """Numbers over all of float32, more of them where functions bend, zeros, infinities and NaN."""
    bits = torch.arange(-(2**31), 2**31, 65_521, dtype=torch.int64).to(torch.int32)
    near = torch.linspace(-30, 30, 60_001)
    edges = torch.tensor([*ODD, math.inf, -math.inf, math.nan, 3.4028235e38, -3.4028235e38, 1.1754944e-38])
    return torch.cat([bits.view(torch.float32), near, near / 1000, torch.linspace(-130, 130, 20_001), edges])


def errors(found: torch.Tensor, exact: torch.Tensor) -> torch.Tensor:
    """In units in the last place; 0 for the same infinity or NaN. Denormal numbers count as the smallest normal one."""
    rounded = exact.float()
    unit = torch.nextafter(rounded.abs().clamp(min=2.0**-126), torch.tensor(math.inf)) - rounded.abs().clamp(
        min=2.0**-126
    )
    same = (found == rounded) | (found.isnan() & rounded.isnan())
    return torch.where(same, 0.0, (found.double() - exact).abs() / unit.double()).nan_to_num(nan=math.inf)


def test_the_names_are_those_of_the_file() -> None:
    assert set(prelude.definitions()) == DEFINED
    calls = " ".join((*CALLS, *MASKS, *PAIRS, *THREES, "heaviside(", "floor_divide("))
    assert {name for name in DEFINED if f"{name}(" in calls} | LOSSES | {*BITWISE} == DEFINED


@pytest.mark.parametrize("name", sorted(DEFINED))
def test_arguments_and_defaults_are_torchs(name: str) -> None:
    """By calls of torch's function with the parameters' names."""
    function = prelude.definitions()[name]
    if not function.torch or "{" in function.torch:
        return
    place, _, last = function.torch.rpartition(".")
    own = getattr(functional if place.endswith("functional") else torch, last)
    x = torch.linspace(-40, 40, 101)
    required = function.parameters[1 : function.required]
    numbers = function.torch.startswith("torch.nn")
    given = {p: torch.tensor(function.kinds.get(p) == "mask" or 0.75) if not numbers else 0.75 for p in required}
    if function.kinds.get(function.parameters[0]) == "mask":
        x = x > 0
    defaults = {
        p: ast.literal_eval(d) for p, d in zip(function.parameters[function.required :], function.defaults, strict=True)
    }
    torch.testing.assert_close(own(x, **given), own(x, **given, **defaults), rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("call", CALLS)
def test_as_exact_as_torch_over_all_of_float32(call: str) -> None:
    """The error is within the bound; where it is larger, torch's function in float32 has lost as many digits."""
    x = everything()
    torchs, bound = CALLS[call]
    found = evaluate(build_graph(made(call)), {"x": x}, ATTRS)["z"]
    native = torchs(x)
    if bound == 0:
        torch.testing.assert_close(found, native, rtol=0, atol=0, equal_nan=True)
        return
    exact = torchs(x.double())
    wrong, torchs_own = errors(found, exact), errors(native, exact)
    worst = torch.where(wrong <= 1.5 * torchs_own, 0.0, wrong)
    assert worst.max() <= bound, f"{call} at {x[worst.argmax()].item()}"


@pytest.mark.parametrize("call", MASKS)
def test_masks_over_all_of_float32(call: str) -> None:
    x = everything()
    found = evaluate(build_graph(made(call)), {"x": x}, ATTRS, {"z": torch.bool})["z"]
    assert torch.equal(found, MASKS[call](x))


@pytest.mark.parametrize("call", CALLS)
def test_gradients_are_torchs(call: str) -> None:
    """In float64, at zeros, at the ends of ranges, where a branch that is not taken overflows, and for NaN."""
    op = made(call)
    x = torch.tensor([*ODD, 800.0, -800.0, math.nan], dtype=torch.float64, requires_grad=True)
    up = torch.full_like(x, 0.75)
    (wanted,) = torch.autograd.grad(CALLS[call][0](x), x, up)
    smooth = gradients(op, build_graph(op))
    found = evaluate(smooth, {"grad_z": up, "x": x}, ATTRS)["grad_x"] if smooth is not None else torch.zeros_like(x)
    if call == "sinc(x)":  # torch's has no digits near 0
        torch.testing.assert_close(found, wanted, rtol=0, atol=1e-8, equal_nan=True)
        found, wanted = found[x.abs() != 1e-9], wanted[x.abs() != 1e-9]
    if any(name in call for name in ("hardsigmoid", "hardswish", "logit(x, ")):  # torch's of NaN is 0 or 1 there
        found, wanted = found[:-1], wanted[:-1]
    # Some of torch's functions have a factor of float32 in float64, too.
    torch.testing.assert_close(found, wanted, rtol=1e-7, atol=1e-15, equal_nan=True)


# Functions of several tensors: a call, torch's function, and the bound as above.
PAIRS = {
    "atan2(x, y)": (torch.atan2, 1),
    "copysign(x, y)": (lambda x, y: torch.copysign(x, torch.where(y.isnan(), 1, y)), 0),
    "hypot(x, y)": (torch.hypot, 2),
    "fmax(x, y)": (torch.fmax, 0),
    "fmin(x, y)": (torch.fmin, 0),
    "logaddexp(x, y)": (torch.logaddexp, 4),
    "logaddexp2(x, y)": (torch.logaddexp2, 4),
    "xlogy(x, y)": (torch.xlogy, 2),
    "rsub(x, y)": (torch.rsub, 0),
    "fmod(x, y)": (torch.fmod, 0),
    "x % y": (torch.remainder, 0),
}


def grid() -> tuple[torch.Tensor, torch.Tensor]:
    """Every pair of odd numbers, and numbers of all sizes beside each other, near and far."""
    odd = torch.tensor([*ODD, math.inf, -math.inf, math.nan, 3.4028235e38, -3.4028235e38, 1.1754944e-38, 1e-40])
    x, y = (part.flatten() for part in torch.meshgrid(odd, odd, indexing="ij"))
    bits = torch.randint(-(2**31), 2**31, (2, 100_000), generator=torch.Generator().manual_seed(5)).to(torch.int32)
    sizes = bits.view(torch.float32)
    sizes[sizes.isnan()] = math.nan  # no signalling ones
    near = torch.randn(2, 100_000, generator=torch.Generator().manual_seed(6)) * 4
    return torch.cat([x, sizes[0], near[0], near[0]]), torch.cat([y, sizes[1], near[1], near[0] * (1 + near[1] / 1e6)])


def pair(call: str) -> OpSpec:
    return spec_from_options("Example", ("x", "y"), compute=f"z = {call}").ops[0]


@pytest.mark.parametrize("call", PAIRS)
def test_functions_of_two_tensors_over_all_of_float32(call: str) -> None:
    x, y = grid()
    torchs, bound = PAIRS[call]
    found, native = evaluate(build_graph(pair(call)), {"x": x, "y": y}, {})["z"], torchs(x, y)
    if "copysign" in call or "atan2" in call:
        assert torch.equal(found.signbit()[found == 0], native.signbit()[found == 0])
    if bound == 0:
        torch.testing.assert_close(found, native, rtol=0, atol=0, equal_nan=True)
        return
    exact = torchs(x.double(), y.double())
    wrong = torch.where(errors(found, exact) <= 1.5 * errors(native, exact), 0.0, errors(found, exact))
    if "logaddexp" in call:  # of the larger operand, which what is added may cancel
        wrong = wrong * (exact / torch.maximum(x, y).double()).abs().nan_to_num(nan=1).clamp(max=1)
    at = wrong.argmax()
    assert wrong.max() <= bound, f"{call} at {x[at].item()}, {y[at].item()}: {found[at].item()}, not {exact[at].item()}"


@pytest.mark.parametrize("call", PAIRS)
def test_gradients_of_functions_of_two_tensors(call: str) -> None:
    """Also of ties, zeros of either sign and NaN."""
    points = torch.tensor(
        [0.0, -0.0, 1.0, -1.0, 2.0, 2.0 + 1e-9, -2.5, 0.5, 700.0, 1e-30, math.nan], dtype=torch.float64
    )
    tensors = [part.flatten().requires_grad_() for part in torch.meshgrid(points, points, indexing="ij")]
    op, up = pair(call), torch.full_like(tensors[0], 0.75)
    wanted = torch.autograd.grad(PAIRS[call][0](*tensors), tensors, up, allow_unused=True)
    smooth = gradients(op, build_graph(op))
    assert smooth is not None
    found = evaluate(smooth, {"grad_z": up, "x": tensors[0], "y": tensors[1]}, {})
    for name, gradient in zip("xy", wanted, strict=True):
        if "copysign" in call:  # sign(NaN) is 0 in torch, and its copysign divides
            keep = ~tensors[0].isnan()
            torch.testing.assert_close(found.get(f"grad_{name}", torch.zeros_like(up))[keep], gradient[keep])
        else:
            origin = (tensors[0] == 0) & (tensors[1] == 0) & ("xlogy" in call)  # by y it is 0 there, not NaN
            exact = torch.where(origin, 0.0, gradient)
            torch.testing.assert_close(found[f"grad_{name}"], exact, rtol=1e-7, atol=1e-15, equal_nan=True)


@pytest.mark.parametrize("call", ["x // y", "floor_divide(x, 0.3)", "-7 // x", "x // 0"])
def test_floor_divide_has_torchs_values_and_no_derivative(call: str) -> None:
    x, y = grid()
    meanings = {
        "x // y": lambda: x // y,
        "floor_divide(x, 0.3)": lambda: torch.floor_divide(x, 0.3),
        "-7 // x": lambda: -7 // x,
        "x // 0": lambda: x // 0,
    }
    given = {"x": x, "y": y} if "y" in call else {"x": x}
    op = spec_from_options("Example", tuple(given), compute=f"z = {call}").ops[0]
    found, wanted = evaluate(build_graph(op), given, {})["z"], meanings[call]()
    torch.testing.assert_close(found, wanted, rtol=0, atol=0, equal_nan=True)
    assert torch.equal(found.signbit()[found == 0], wanted.signbit()[found == 0])
    assert gradients(op, build_graph(op)) is None


@pytest.mark.parametrize("values", ["y", "2.5"])
def test_heaviside_has_torchs_values_and_no_derivative(values: str) -> None:
    x, y = grid()
    wanted = torch.heaviside(x, y if values == "y" else torch.tensor(2.5))
    given = {"x": x, "y": y} if values == "y" else {"x": x}
    op = spec_from_options("Example", tuple(given), compute=f"z = heaviside(x, {values})").ops[0]
    torch.testing.assert_close(evaluate(build_graph(op), given, {})["z"], wanted, rtol=0, atol=0, equal_nan=True)
    assert gradients(op, build_graph(op)) is None


THREES = {
    "addcmul(x, y, w, value=alpha)": lambda x, y, w: torch.addcmul(x, y, w, value=1.5),
    "addcmul(x, y, w)": torch.addcmul,
    "addcdiv(x, y, w, value=-2)": lambda x, y, w: torch.addcdiv(x, y, w, value=-2),
    "lerp(x, y, w)": torch.lerp,
    "lerp(x, y, alpha) * w": lambda x, y, w: torch.lerp(x, y, 1.5) * w,
    "lerp(x, y, 0.25) * w": lambda x, y, w: torch.lerp(x, y, 0.25) * w,
    "add(x, y, alpha=alpha) * sub(y, w, alpha=2)": lambda x, y, w: (x + 1.5 * y) * (y - 2 * w),
}


@pytest.mark.parametrize("call", THREES)
def test_functions_of_three_tensors(call: str) -> None:
    op = spec_from_options("Example", ("x", "y", "w"), compute=f"z = {call}", attrs=("alpha:float=1.5",)).ops[0]
    tensors = {name: torch.randn(50, dtype=torch.float64, requires_grad=True) for name in "xyw"}
    native = THREES[call](*tensors.values())
    torch.testing.assert_close(evaluate(build_graph(op), tensors, ATTRS)["z"], native)
    up = torch.randn_like(native)
    wanted = torch.autograd.grad(native, list(tensors.values()), up)
    smooth = gradients(op, build_graph(op))
    assert smooth is not None
    found = evaluate(smooth, {"grad_z": up, **tensors}, ATTRS)
    for name, gradient in zip(tensors, wanted, strict=True):
        torch.testing.assert_close(found[f"grad_{name}"], gradient)


@pytest.mark.parametrize("alpha", [1.5, -1.5])
def test_a_condition_may_be_a_number(alpha: float) -> None:
    x = torch.tensor([1.0, math.inf, -math.inf, math.nan, 0.0], requires_grad=True)
    y = torch.tensor([math.nan, 1.0, math.inf, 2.0, -math.inf], requires_grad=True)
    op = spec_from_options("Example", ("x", "y"), compute="z = where(alpha > 0, x, y)", attrs=("alpha:float=1",)).ops[0]
    graph = build_graph(op)
    found = evaluate(graph, {"x": x, "y": y}, {"alpha": alpha})["z"]
    torch.testing.assert_close(found, x if alpha > 0 else y, rtol=0, atol=0, equal_nan=True)
    smooth = gradients(op, graph)
    assert smooth is not None
    slopes = evaluate(smooth, {"grad_z": torch.ones(5), "x": x, "y": y}, {"alpha": alpha})
    assert slopes["grad_x"].tolist() == [float(alpha > 0)] * 5
    assert slopes["grad_y"].tolist() == [float(alpha < 0)] * 5


def test_functions_of_numbers_are_computed_by_op_host() -> None:
    op = made("x * softplus(alpha) + where(alpha > 1, alpha, n) + log1p(2)")
    found = evaluate(build_graph(op), {"x": torch.tensor([2.0])}, ATTRS)["z"].item()
    assert found == pytest.approx(2 * math.log1p(math.exp(1.5)) + 1.5 + math.log(3))


def test_a_value_is_computed_once_however_often_functions_use_it() -> None:
    call = "x"
    for _ in range(30):
        call = f"softplus(mish({call}))"
    assert len(build_graph(made(call)).nodes) < 1000
