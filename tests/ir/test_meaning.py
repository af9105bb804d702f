"""What graphs compute, against torch written by hand; derivatives against torch's own autograd, in float64."""

from __future__ import annotations

import math
import random

import pytest

torch = pytest.importorskip("torch")

from opforge.errors import InternalError  # noqa: E402
from opforge.ir.builder import FOLDS, GraphBuilder  # noqa: E402
from opforge.ir.derivative_rules import DERIVATIVE  # noqa: E402
from opforge.ir.differentiate import differentiate, gradients  # noqa: E402
from opforge.ir.evaluate import MEANING, MEANING_OF_INTEGERS, REDUCED, evaluate  # noqa: E402
from opforge.ir.graph import BINARY, COMPARE, OPERATORS, TERNARY, UNARY  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.spec.language import FUNCTIONS, INTEGER_ONLY, REDUCTIONS, SAME, TOTALS  # noqa: E402
from opforge.spec.model import OpSpec, TensorSpec  # noqa: E402
from opforge.spec.read.command_line import spec_from_options  # noqa: E402
from tests.parsed import graph_of  # noqa: E402

pytestmark = pytest.mark.torch

ATTRS = {"alpha": 1.25, "n": 3.0}
SHAPES = [((5,), (5,)), ((3, 1), (4,)), ((), (2, 3)), ((1,), (1,)), ((0, 3), (1, 3)), ((2, 1, 7), (5, 1))]
EDGES = [0.0, -0.0, 1.0, -1.0, 88.0, -88.0, 1e30, -1e30, 1e-30, math.inf, -math.inf, math.nan, 65504.0, 3.0e38]


def op(compute: str, inputs: str = "x,y") -> OpSpec:
    attrs = ("alpha:float=1.5", "n:int=2")
    return spec_from_options("Example", inputs.split(","), compute=compute, attrs=attrs).ops[0]


def test_no_table_misses_an_operator() -> None:
    assert set(OPERATORS) == set(MEANING) == set(DERIVATIVE) - {*REDUCTIONS, *TOTALS} == set(FOLDS)
    assert set(MEANING_OF_INTEGERS) - set(OPERATORS) == set(INTEGER_ONLY)
    assert set(REDUCTIONS) == set(REDUCED) < set(DERIVATIVE)
    assert set(TOTALS) < set(DERIVATIVE)
    assert len(set(OPERATORS)) == len(OPERATORS)
    assert set(FUNCTIONS) < {*OPERATORS, *SAME}
    assert {name for name, arity in FUNCTIONS.items() if arity == 1} <= set(UNARY)
    assert {name for name, arity in FUNCTIONS.items() if arity == 2} <= {*BINARY, *COMPARE, *SAME}


def single(name: str) -> tuple[OpSpec, object]:
    """An op of one operator, those included that only derivatives use."""
    builder = GraphBuilder()
    names = ("x",) if name in UNARY else ("x", "y") if name not in TERNARY else ("x", "y", "w")
    operands = [builder.input(n) for n in names]
    if name in TERNARY:
        operands[0] = builder.apply("gt", operands[0], builder.const(0.0))
    graph = builder.finish({"z": builder.apply(name, *operands)})
    columns = ("float32",)
    made = OpSpec("Example", tuple(TensorSpec(n, columns) for n in names), (), (TensorSpec("z", columns),), "z = ...")
    return made, graph


def test_integers_are_divided_as_pythons_own() -> None:
    """A quotient by 0 is 0, and a remainder the dividend: torch refuses both."""
    wide = (TensorSpec("x", ("int32",)), TensorSpec("y", ("int32",)))
    results = tuple(TensorSpec(name, ("int32",)) for name in "zwvu")
    made = OpSpec("Example", wide, (), results, "z, w, v, u = x // y, x % y, fmod(x, y), -7 // y - 7 % y")
    ends = (-(2**31), 1 - 2**31, -(2**24) - 1, -8, -7, -1, 0, 1, 3, 7, 8, 2**24 + 1, 2**31 - 1)
    pairs = [(x, y) for x in ends for y in ends if (x, y) != (-(2**31), -1)]  # beyond int32
    x, y = (torch.tensor(each, dtype=torch.int32) for each in zip(*pairs, strict=True))
    found = evaluate(graph_of(made), {"x": x, "y": y}, {})
    assert found["z"].tolist() == [x // y if y else 0 for x, y in pairs]
    assert found["w"].tolist() == [x % y if y else x for x, y in pairs]
    assert found["v"].tolist() == [int(math.fmod(x, y)) if y else x for x, y in pairs]
    assert found["u"].tolist() == [-7 // y - 7 % y if y else -7 for _, y in pairs]


def test_bits_are_torchs() -> None:
    names = "bitwise_and bitwise_or bitwise_xor"
    text = ", ".join(f"{name}(x, y)" for name in names.split())
    text += ", bitwise_not(x), bitwise_left_shift(x, 9), bitwise_right_shift(x, other=31)"
    columns = ("int8", "uint8", "int16", "int32")
    results = tuple(TensorSpec(name, columns) for name in "abcdef")
    made = OpSpec(
        "Example", (TensorSpec("x", columns), TensorSpec("y", columns)), (), results, f"a, b, c, d, e, f = {text}"
    )
    for dtype in map(torch.__dict__.get, columns):
        ends = torch.tensor([-(2**31), -128, -1, 0, 1, 7, 100, 127, 128, 255, 2**24 + 1, 2**31 - 1]).to(dtype)
        x, y = torch.meshgrid(ends, ends, indexing="ij")
        found = evaluate(graph_of(made), {"x": x, "y": y}, {}, dict.fromkeys("abcdef", dtype))
        wanted = [getattr(torch, name)(x, y) for name in names.split()] + [~x, x << 9, x >> 31]
        for name, expected in zip("abcdef", wanted, strict=True):
            assert torch.equal(found[name], expected), (name, dtype)


def python(function: object) -> object:
    """Of each element in float64, by Python's own mathematics; not a number where that refuses."""

    def of(*values: float) -> float:
        try:
            return function(*values)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf

    def applied(*tensors: torch.Tensor) -> torch.Tensor:
        spread = torch.broadcast_tensors(*tensors)
        rows = zip(*(t.double().flatten().tolist() for t in spread), strict=True)
        return torch.tensor([of(*row) for row in rows], dtype=torch.float64).reshape(spread[0].shape).float()

    return applied


def power(x: float, y: float) -> float:
    """IEEE 754's pow: where Python refuses, 0 to a negative power is infinite and an overflow has its sign."""
    odd = y % 2 == 1 if math.isfinite(y) else False
    if x == 0 and y < 0:
        return math.copysign(math.inf, x) if odd else math.inf
    try:
        return math.pow(x, y)
    except OverflowError:
        return -math.inf if x < 0 and odd else math.inf


BY_HAND = {
    "log": python(lambda x: math.log(x) if x else -math.inf),
    "sqrt": python(math.sqrt),
    "rsqrt": lambda x: 1 / python(math.sqrt)(x),
    "reciprocal": lambda x: 1 / x,
    "tanh": python(math.tanh),
    "erf": python(math.erf),
    "gelu": python(lambda v: 0.0 if v == -math.inf else 0.5 * math.erfc(-v * math.sqrt(0.5)) * v),
    "pow": python(power),
    "ne": lambda x, y: torch.where(x == y, 0.0, 1.0),
    "where": lambda x, y, w: torch.where(x > 0, y, w),
    "log1p": python(lambda v: math.log1p(v) if v != -1 else -math.inf),
    "expm1": python(math.expm1),
    "log2": python(lambda v: math.log2(v) if v else -math.inf),
    "exp2": python(lambda v: 2.0**v),
    "sin": python(math.sin),
    "cos": python(math.cos),
    "sinh": python(lambda v: math.copysign(math.inf, v) if abs(v) > 700 else math.sinh(v)),
    "cosh": python(math.cosh),
    "asinh": python(math.asinh),
    "acosh": python(math.acosh),
    "atanh": python(lambda v: math.copysign(math.inf, v) if abs(v) == 1 else math.atanh(v)),
    "asin": python(math.asin),
    "acos": python(math.acos),
    "atan": python(math.atan),
    "atan2": python(math.atan2),
    "fmod": python(math.fmod),
    "erfc": python(math.erfc),
    "erfinv": python(lambda v: math.copysign(math.inf, v) if abs(v) == 1 else FOLDS["erfinv"](v)),
    "logit": python(lambda v: (v and (math.inf if v == 1 else math.log(v / (1 - v)))) or -math.inf),
    "floor": lambda x: torch.where(x.isfinite(), x - torch.remainder(x, 1), x),
    "ceil": lambda x: torch.where(x.isfinite(), x + torch.remainder(-x, 1), x),
    "trunc": lambda x: torch.where(x.isfinite(), x - torch.fmod(x, 1), x),
    "round": python(lambda v: float(round(v)) if math.isfinite(v) else v),
    "neg": lambda x: -x,
    "abs": lambda x: torch.where(x < 0, -x, x) + 0.0,
    "exp": torch.exp,
    "silu": lambda x: x / (1 + torch.exp(-x)),
    "sigmoid": lambda x: 1 / (1 + torch.exp(-x)),
    "detach": lambda x: x,
    "sign": lambda x: torch.where(x > 0, 1.0, torch.where(x < 0, -1.0, 0.0)),
    "relu": lambda x: torch.where(x <= 0, 0.0, x),
    "gelu_tanh": lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))),
    "leaky_relu": lambda x, y: torch.where(x > 0, x, x * y),
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "min": lambda x, y: torch.where(x.isnan() | y.isnan(), math.nan, torch.where(x < y, x, y)),
    "max": lambda x, y: torch.where(x.isnan() | y.isnan(), math.nan, torch.where(x > y, x, y)),
    "ge": lambda x, y: torch.where(x >= y, 1.0, 0.0),
    "gt": lambda x, y: torch.where(x > y, 1.0, 0.0),
    "le": lambda x, y: torch.where(x <= y, 1.0, 0.0),
    "lt": lambda x, y: torch.where(x < y, 1.0, 0.0),
    "eq": lambda x, y: torch.where(x == y, 1.0, 0.0),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_each_operator_means_what_it_says(name: str) -> None:
    _, graph = single(name)
    edges = torch.tensor(EDGES)
    inputs = {"x": edges} if name in UNARY else {"x": edges[:, None], "y": edges}
    if name in TERNARY:
        inputs["w"] = edges.flip(0)
    found = evaluate(graph, inputs, {})["z"]
    assert found.dtype == torch.float32
    torch.testing.assert_close(found, BY_HAND[name](*inputs.values()), equal_nan=True, rtol=1e-6, atol=0.0)


@pytest.mark.parametrize("name", OPERATORS)
def test_folding_means_the_same(name: str) -> None:
    _, graph = single(name)
    for values in ((2.5, -1.5, 0.5), (-0.75, 3.0, 1.0), (1.5, 1.5, 1.5)):
        given = values[:1] if name in UNARY else values[: 3 if name in TERNARY else 2]
        tensors = {n: torch.tensor(v, dtype=torch.float64) for n, v in zip("xyw", given, strict=False)}
        meant = evaluate(graph, tensors, {})["z"].item()
        if math.isnan(meant):
            with pytest.raises(ValueError, match=r"domain|range|nonnegative"):
                FOLDS[name](*given)
            continue
        folded = FOLDS[name](given[0] > 0, *given[1:]) if name in TERNARY else FOLDS[name](*given)
        assert folded == pytest.approx(meant, rel=1e-15)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
def test_short_dtypes_compute_in_float32_and_round_once(dtype: torch.dtype) -> None:
    graph = build_graph(op("z = silu(x) * y / n + alpha * exp(-abs(x))"))
    x, y = torch.randn(3, 1, 101).to(dtype), torch.randn(7, 1).to(dtype)
    a, b = x.float(), y.float()
    by_hand = (torch.nn.functional.silu(a) * b / 3.0 + 1.25 * torch.exp(-torch.abs(a))).to(dtype)
    found = evaluate(graph, {"x": x, "y": y}, ATTRS)["z"]
    assert found.dtype == dtype
    assert found.shape == (3, 7, 101)
    assert found.is_contiguous()
    torch.testing.assert_close(found, by_hand, rtol=0, atol=0)


def test_float16_overflows_to_infinity_only_at_the_end() -> None:
    x = torch.tensor([300.0], dtype=torch.float16)
    graph = build_graph(op("p, q = x * x / 300, x * x", "x"))
    found = evaluate(graph, {"x": x}, {})
    assert found["p"].item() == 300.0
    assert found["q"].item() == math.inf


def test_ties_round_to_even() -> None:
    x = torch.tensor([1.0, 1.0], dtype=torch.bfloat16)
    y = torch.tensor([2.0**-8, 3 * 2.0**-8], dtype=torch.bfloat16)
    found = evaluate(build_graph(op("z = x + y")), {"x": x, "y": y}, {})["z"]
    assert found.tolist() == [1.0, 1.015625]


def test_every_output_has_the_broadcast_shape_of_all_inputs() -> None:
    graph = build_graph(op("p, q = x * 2, x + y"))
    found = evaluate(graph, {"x": torch.ones(3, 1), "y": torch.ones(5)}, {})
    assert found["p"].shape == found["q"].shape == (3, 5)
    assert found["p"].is_contiguous()


@pytest.mark.parametrize(
    ("inputs", "attrs", "message"),
    [
        ({"x": torch.ones(1)}, ATTRS, "the input y is not given"),
        ({"x": torch.ones(1), "y": torch.ones(1).half()}, ATTRS, "not one"),
        ({"x": torch.ones(1), "y": torch.ones(1)}, {}, "the attribute alpha is not given"),
    ],
)
def test_what_is_missing_is_named(inputs: dict[str, torch.Tensor], attrs: dict[str, float], message: str) -> None:
    with pytest.raises(InternalError, match=message):
        evaluate(build_graph(op("z = alpha * x + y")), inputs, attrs)


STEPS = ("sign", "floor", "ceil", "trunc", "round", "detach")


def against_autograd(made: OpSpec, graph: object, tensors: dict[str, torch.Tensor]) -> None:
    forward = evaluate(graph, tensors, ATTRS)
    ups = {f"grad_{name}": torch.randn_like(value) for name, value in forward.items()}
    leaves = {n: t for n, t in tensors.items() if t.requires_grad}
    results = list(forward.values())
    wanted = torch.autograd.grad(results, list(leaves.values()), list(ups.values()), allow_unused=True)
    backward = differentiate(made, graph)
    assert set(backward.inputs) <= {*ups, *tensors}
    found = evaluate(backward, {**ups, **tensors}, ATTRS)
    for (name, tensor), gradient in zip(leaves.items(), wanted, strict=True):
        if gradient is None:
            assert f"grad_{name}" not in found
            continue
        summed = found[f"grad_{name}"].sum_to_size(tensor.shape)
        torch.testing.assert_close(summed, gradient, rtol=1e-9, atol=1e-11, equal_nan=True)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("name", [name for name in OPERATORS if name not in (*COMPARE, *STEPS)])
def test_derivatives_of_single_operators(name: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    torch.manual_seed(1)
    made, graph = single(name)
    # Halves: ties in max and min, and zeros, do occur.
    every = [*shapes, shapes[0]]
    tensors = {t.name: (torch.randn(s).double() * 2).round() / 2 for t, s in zip(made.inputs, every, strict=False)}
    if name == "logit":  # torch takes the sign of some zeros only
        tensors["x"] = tensors["x"] + 0.0
    if name == "div":
        tensors["y"] = tensors["y"] + torch.where(tensors["y"] == 0, 0.5, 0.0)
    against_autograd(made, graph, {n: t.requires_grad_() for n, t in tensors.items()})


def test_steps_have_no_derivative() -> None:
    columns = ("float32",)
    for name in (*COMPARE, *STEPS):
        builder = GraphBuilder()
        x, y = builder.input("x"), builder.input("y")
        step = builder.apply(name, x, y) if name in COMPARE else builder.apply(name, x)
        graph = builder.finish({"z": builder.apply("mul", step, builder.apply("exp", y))})
        made = OpSpec(
            "Example", (TensorSpec("x", columns), TensorSpec("y", columns)), (), (TensorSpec("z", columns),), ""
        )
        assert [output.name for output in differentiate(made, graph).outputs] == ["grad_y"]
        inputs = {n: torch.tensor([0.5, 1.0, 1.5], dtype=torch.float64) for n in "xy"}
        inputs["y"] = torch.tensor([1.0, 1.0, 1.0], dtype=torch.float64, requires_grad=True)
        against_autograd(made, graph, inputs)


POINTS = [0.0, -0.0, 1.0, -1.0, 2.0, -2.5, 0.5, math.inf, -math.inf, math.nan]
NATIVE = {
    "neg": torch.neg,
    "abs": torch.abs,
    "sign": torch.sign,
    "exp": torch.exp,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "tanh": torch.tanh,
    "erf": torch.erf,
    "relu": torch.relu,
    "sigmoid": torch.sigmoid,
    "log1p": torch.log1p,
    "expm1": torch.expm1,
    "log2": torch.log2,
    "exp2": torch.exp2,
    "sin": torch.sin,
    "cos": torch.cos,
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "asinh": torch.asinh,
    "acosh": torch.acosh,
    "atanh": torch.atanh,
    "asin": torch.asin,
    "acos": torch.acos,
    "atan": torch.atan,
    "atan2": torch.atan2,
    "fmod": torch.fmod,
    "erfc": torch.erfc,
    "erfinv": torch.erfinv,
    "logit": torch.logit,
    "floor": torch.floor,
    "ceil": torch.ceil,
    "trunc": torch.trunc,
    "round": torch.round,
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "max": torch.maximum,
    "min": torch.minimum,
    "pow": torch.pow,
    "where": lambda x, y, w: torch.where(x > 0, y, w),
}


@pytest.mark.parametrize("name", NATIVE)
def test_gradients_at_odd_points_are_torchs_own(name: str) -> None:
    """Zeros of either sign, infinities, what is no number, and every pair of them."""
    made, graph = single(name)
    points = torch.tensor(POINTS, dtype=torch.float64)
    names = [t.name for t in made.inputs]
    grid = torch.meshgrid(*(points for _ in names), indexing="ij")
    tensors = {n: g.clone().requires_grad_() for n, g in zip(names, grid, strict=True)}
    up = torch.full_like(grid[0], 0.75)
    native = NATIVE[name](*tensors.values())
    torch.testing.assert_close(evaluate(graph, tensors, {})["z"], native, equal_nan=True, rtol=0, atol=0)
    wanted = torch.autograd.grad(native, list(tensors.values()), up, allow_unused=True)
    smooth = gradients(made, graph)
    found = evaluate(smooth, {"grad_z": up, **tensors}, {}) if smooth is not None else {}
    for n, gradient in zip(names, wanted, strict=True):
        if gradient is None or (name in STEPS and not gradient.any()):
            assert f"grad_{n}" not in found
        else:
            both = [found[f"grad_{n}"], gradient]
            if name == "logit":  # the sign of its infinity at -0.0 depends on the processor
                both = [torch.where(tensors[n] == 0, each.abs(), each) for each in both]
            torch.testing.assert_close(*both, equal_nan=True, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("exponent", [-3, -2, -1, -0.5, 0.5, 1, 1.5, 2, 3, 4, 7, 8, 9, 2.5, -2.5])
def test_powers_and_their_gradients_are_torchs(exponent: float) -> None:
    made = op(f"z = x ** {exponent} * 2", "x")
    points = [0.0, 1.0, -1.0, 2.0, -2.5, 0.3, math.inf, math.nan]
    if abs(exponent) != 0.5:  # sqrt(-0.0) is -0.0, and torch writes this one gradient as of 0.0
        points.append(-0.0)
    x = torch.tensor(points, dtype=torch.float64, requires_grad=True)
    native = torch.pow(x, exponent) * 2
    torch.testing.assert_close(
        evaluate(build_graph(made), {"x": x}, {})["z"], native, equal_nan=True, rtol=1e-14, atol=0
    )
    up = torch.full_like(x, 0.75)
    (wanted,) = torch.autograd.grad(native, x, up)
    found = evaluate(differentiate(made, build_graph(made)), {"grad_z": up, "x": x}, {})["grad_x"]
    torch.testing.assert_close(found, wanted, equal_nan=True, rtol=1e-12, atol=0)


@pytest.mark.parametrize("name", ["max", "min"])
def test_ties_and_nans_share_as_torch_does(name: str) -> None:
    made, graph = single(name)
    x = torch.tensor([1.0, 1.0, 2.0, math.nan, 1.0, math.nan], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([1.0, 2.0, 1.0, 1.0, math.nan, math.nan], dtype=torch.float64, requires_grad=True)
    against_autograd(made, graph, {"x": x, "y": y})


@pytest.mark.parametrize(
    "text", ["maximum(x, 1)", "maximum(1, x)", "minimum(x, n)", "minimum(n, x)", "maximum(minimum(x, 1), -n)"]
)
def test_a_tie_with_a_number_goes_to_the_tensor_as_in_clamp(text: str) -> None:
    made = op(f"z = {text} * 2", "x")
    x = torch.tensor([-3.0, 1.0, 2.0, 3.0, 0.5, -math.inf], dtype=torch.float64, requires_grad=True)
    against_autograd(made, build_graph(made), {"x": x})


@pytest.mark.parametrize("text", ["relu(x)", "leaky_relu(x, 0.25)", "leaky_relu(x, -alpha)"])
def test_a_rectifiers_gradient_at_zero_and_where_there_is_no_number_is_torchs(text: str) -> None:
    made = op(f"z = {text} * 2", "x")
    x = torch.tensor([-2.0, -0.0, 0.0, 2.0, math.inf, -math.inf, math.nan], dtype=torch.float64, requires_grad=True)
    against_autograd(made, build_graph(made), {"x": x})
    (rendered,) = evaluate(build_graph(made), {"x": x}, ATTRS).values()
    slope = {"relu(x)": 0.0, "leaky_relu(x, 0.25)": 0.25}.get(text, -ATTRS["alpha"])
    native = torch.relu(x) if slope == 0.0 else torch.nn.functional.leaky_relu(x, slope)
    torch.testing.assert_close(rendered, native * 2, equal_nan=True, rtol=0, atol=0)


def random_expression(rng: random.Random, names: list[str], depth: int) -> str:
    if depth == 0 or rng.random() < 0.1:
        return rng.choice([*names, *names, "alpha", "n", "2", "0.5", "1"])
    kind = rng.choice(["unary", "binary", "binary", "call"])
    first = random_expression(rng, names, depth - 1)
    if kind == "unary":
        return rng.choice(["-({})", "abs({})", "silu({})", "sigmoid({})", "exp(-abs({}))"]).format(first)
    second = random_expression(rng, names, depth - 1)
    if kind == "call":
        return f"{rng.choice(['maximum', 'minimum'])}({first}, {second})"
    operator = rng.choice("+-*/")
    return f"({first}) {operator} ({second})" if operator != "/" else f"({first}) / (abs({second}) + 1)"


@pytest.mark.parametrize("seed", range(60))
def test_derivatives_of_random_expressions(seed: int) -> None:
    rng = random.Random(seed)
    torch.manual_seed(seed)
    names = ["x", "y", "w"][: rng.randrange(1, 4)]
    terms = " + ".join(names)
    lines = [f"s = {random_expression(rng, names, 3)} + {terms}"]
    lines.append(f"p, q = {random_expression(rng, [*names, 's'], 3)} + s, s * 2 - {random_expression(rng, names, 2)}")
    made = op("\n".join(lines), ",".join(names))
    shapes = [(3, 1, 2), (5, 1), (2,)]
    rng.shuffle(shapes)
    tensors = {n: torch.randn(s, dtype=torch.float64, requires_grad=True) for n, s in zip(names, shapes, strict=False)}
    against_autograd(made, build_graph(made), tensors)


def test_derivatives_can_be_derived_again() -> None:
    made = op("z = silu(x) * exp(y) / (abs(x) + 1)")
    first = differentiate(made, build_graph(made))
    names = ("grad_z", "x", "y")
    columns = ("float32",)
    outputs = tuple(TensorSpec(o.name, columns) for o in first.outputs)
    second = OpSpec("Grad", tuple(TensorSpec(n, columns) for n in names), (), outputs, "")
    torch.manual_seed(3)
    tensors = {n: torch.randn(4, dtype=torch.float64, requires_grad=True) for n in names}
    forward = evaluate(first, tensors, {})
    ups = {f"grad_{name}": torch.randn_like(value) for name, value in forward.items()}
    renamed = differentiate(second, first)
    wanted = torch.autograd.grad(list(forward.values()), list(tensors.values()), list(ups.values()))
    found = evaluate(renamed, {**ups, **tensors}, {})
    for name, gradient in zip(names, wanted, strict=True):
        torch.testing.assert_close(found[f"grad_{name}"], gradient, rtol=1e-9, atol=1e-11)
