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
from opforge.spec.language import DEFINED, LOSSES  # noqa: E402
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
    listed = {name for call in (*CALLS, *MASKS) for name in DEFINED if f"{name}(" in call}
    assert listed | {"addcmul", "addcdiv"} | LOSSES == DEFINED


@pytest.mark.parametrize("name", sorted(DEFINED))
def test_arguments_and_defaults_are_torchs(name: str) -> None:
    """By calls of torch's function with the parameters' names."""
    function = prelude.definitions()[name]
    if not function.torch or "{" in function.torch:
        return
    place, _, last = function.torch.rpartition(".")
    own = getattr(functional if place.endswith("functional") else torch, last)
    x = torch.linspace(-40, 40, 101)
    given = dict.fromkeys(function.parameters[1 : function.required], 0.75)
    defaults = {
        p: ast.literal_eval(d) for p, d in zip(function.parameters[function.required :], function.defaults, strict=True)
    }
    assert torch.equal(own(x, **given), own(x, **given, **defaults))


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
    if "hardsigmoid" in call or "hardswish" in call:  # torch's gradient of NaN is 0 or 1 there
        found, wanted = found[:-1], wanted[:-1]
    # Some of torch's functions have a factor of float32 in float64, too.
    torch.testing.assert_close(found, wanted, rtol=1e-7, atol=1e-15, equal_nan=True)


@pytest.mark.parametrize("call", ["addcmul(x, y, w, value=alpha)", "addcmul(x, y, w)", "addcdiv(x, y, w, value=-2)"])
def test_functions_of_three_tensors(call: str) -> None:
    op = spec_from_options("Example", ("x", "y", "w"), compute=f"z = {call}", attrs=("alpha:float=1.5",)).ops[0]
    tensors = {name: torch.randn(50, dtype=torch.float64, requires_grad=True) for name in "xyw"}
    own = torch.addcmul if "cmul" in call else torch.addcdiv
    value = 1.5 if "alpha" in call else -2 if "-2" in call else 1
    native = own(*tensors.values(), value=value)
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
