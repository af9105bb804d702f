"""The reference as torch source means what the graph means: random ops of the language, optional inputs, numbers."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ir"))

from random_ops import ATTRS, random_op  # noqa: E402

from opforge.ir.backward import backward_of  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.graph import Graph  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.kinds import kernel_alone, kernel_of  # noqa: E402
from opforge.naming import snake  # noqa: E402
from opforge.render.forms import render_form, templates_root  # noqa: E402
from opforge.render.torch.reference import reference_context  # noqa: E402
from opforge.render.torch.signature import Signature  # noqa: E402
from opforge.spec.model import OpSpec  # noqa: E402
from opforge.spec.read.parse import parse_spec  # noqa: E402

pytestmark = pytest.mark.torch

SHAPES = [(3, 1, 2), (5, 1), (2,), (1,), (1, 1), ()]


def module(ops: dict[OpSpec, Graph]) -> ModuleType:
    """The project's _reference.py, imported."""
    signatures = [Signature(kernel_of(op, (), graph), "pkg") for op, graph in ops.items()]
    text = render_form("code/torch/python/_reference.py", reference_context("pkg", signatures))
    package, owned, made = ModuleType("pkg"), ModuleType("pkg._opforge"), ModuleType("pkg._reference")
    scalars = ModuleType("pkg._opforge._scalars")
    exec((templates_root() / "code/torch/python/_scalars.py").read_text(), scalars.__dict__)  # noqa: S102  (a form of ours)
    owned._scalars = scalars  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pkg", package)
        patch.setitem(sys.modules, "pkg._opforge", owned)
        exec(text, made.__dict__)  # noqa: S102  (source of ours)
    return made


def called(op: OpSpec, graph: Graph, inputs: dict[str, Any], attrs: dict[str, float]) -> dict[str, torch.Tensor]:
    function = getattr(module({op: graph}), snake(op.type))
    given = [inputs.get(tensor.name) for tensor in op.inputs]
    result = function(*given, *(attrs[attr.name] for attr in op.attrs))
    results = result if isinstance(result, tuple) else (result,)
    return dict(zip((tensor.name for tensor in op.outputs), results, strict=True))


def agree(op: OpSpec, graph: Graph, inputs: dict[str, Any], attrs: dict[str, float]) -> None:
    dtypes = {t.name: None if t.dtypes[0] == "float32" else getattr(torch, t.dtypes[0]) for t in op.outputs}
    wanted = evaluate(graph, inputs, attrs, {name: dtype for name, dtype in dtypes.items() if dtype is not None})
    for name, value in called(op, graph, inputs, attrs).items():
        tolerance = 1e-12 if value.dtype == torch.float64 else 2e-5
        torch.testing.assert_close(value, wanted[name], rtol=tolerance, atol=tolerance, equal_nan=True)


def tensors(op: OpSpec, seed: int, dtype: torch.dtype) -> dict[str, Any]:
    torch.manual_seed(seed)
    made = {}
    for place, tensor in enumerate(op.inputs):
        values = torch.randn(SHAPES[(place + seed) % len(SHAPES)], dtype=torch.float64) * 1.5
        kind = tensor.dtypes[0]
        made[tensor.name] = values.to(dtype) if kind == "float32" else values.to(getattr(torch, kind))
        if kind == "bool":
            made[tensor.name] = values > 0
    return made


@pytest.mark.parametrize("seed", range(100, 140))
def test_random_ops_and_their_gradients_kernels(seed: int) -> None:
    op = random_op(seed)
    graph = build_graph(op)
    inputs = tensors(op, seed, torch.float64)
    agree(op, graph, inputs, ATTRS)
    agree(op, graph, {name: tensor.new_empty((0, 2)) for name, tensor in inputs.items()}, ATTRS)
    parts = backward_of(op, graph)
    if parts is not None and parts.kernel is not None and parts.graph is not None:
        kernel = parts.kernel
        agree(kernel, parts.graph, tensors(kernel, seed, torch.float64), ATTRS)


def one(inputs: str, compute: str, attrs: str = "") -> OpSpec:
    text = f"""\
edition: 1
project: {{name: single}}
ops:
  Example:
    inputs: {{{inputs}}}
    attrs: {{{attrs}}}
    compute: |
      {compute}
"""
    return parse_spec(text, None).ops[0]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32], ids=str)
def test_mixed_dtypes_are_rounded_once_each_to_its_own(dtype: torch.dtype) -> None:
    op = one("x: {dtype: [float16, bfloat16, float32]}, w: {dtype: [float32]}", "y, z = x * w, cast(x + w, int32)")
    x, w = torch.randn(3, 1).to(dtype) * 4, torch.randn(5)
    found = called(op, build_graph(op), {"x": x, "w": w}, {})
    torch.testing.assert_close(found["y"], (x.float() * w).to(dtype), rtol=0, atol=0)
    torch.testing.assert_close(found["z"], (x.float() + w).to(torch.int32), rtol=0, atol=0)


@pytest.mark.parametrize("given", [True, False])
def test_an_optional_input_takes_part_in_the_shape_only_where_it_is_given(given: bool) -> None:
    op = one("x: {dtype: [float32]}, b: {optional: true}", "y, z = where(present(b), b, -1.5) * x, x * 2")
    x, b = torch.randn(3, 1), torch.randn(5) if given else None
    found = called(op, build_graph(op), {"x": x, "b": b}, {})
    shape = (3, 5) if given else (3, 1)
    torch.testing.assert_close(found["y"], x * (b if b is not None else -1.5))
    torch.testing.assert_close(found["z"], (x * 2).expand(shape))
    wanted = evaluate(build_graph(op), {"x": x, "b": b}, {})
    assert {name: value.shape for name, value in found.items()} == dict.fromkeys(wanted, shape)


def test_a_number_is_a_tensor_of_one_element() -> None:
    op = one("x: {dtype: [float32]}, s: {scalar: true}", "y = exp(s) * maximum(x, s)")
    x = torch.randn(7)
    found = called(op, build_graph(op), {"x": x, "s": 0.25}, {})["y"]
    torch.testing.assert_close(found, torch.exp(torch.tensor(0.25)) * x.clamp(min=0.25))


def test_masks_and_integers_are_what_they_are() -> None:
    op = one(
        "m: {dtype: [bool]}, i: {dtype: [int32]}", "k, p = maximum(i * n + 3, -i), cast(m, int32) - i", "n: {type: int}"
    )
    m, i = torch.tensor([True, False, True]), torch.tensor([2**30, -5, 7], dtype=torch.int32)
    found = called(op, build_graph(op), {"m": m, "i": i}, {"n": 6})
    torch.testing.assert_close(found["k"], torch.maximum(i * 6 + 3, -i), rtol=0, atol=0)
    torch.testing.assert_close(found["p"], m.int() - i, rtol=0, atol=0)
    wanted = evaluate(build_graph(op), {"m": m, "i": i}, {"n": 6})
    assert all(torch.equal(value, wanted[name]) for name, value in found.items())


def test_an_op_of_integers_computes_in_no_float() -> None:
    op = one("i: {dtype: [int32]}", "k = i * 2")
    (written,) = reference_context("pkg", [Signature(kernel_alone(op), "pkg")]).ops
    assert not any("float" in line for line in written.lines)


def several(names: list[str], values: list[str], inputs: str, attrs: str) -> OpSpec:
    return one(inputs, f"{', '.join(names)} = {', '.join(f'({value}) + x' for value in values)}", attrs)


@pytest.mark.parametrize("alpha", [0.0, -0.0, 1.5, -2.0, 100.0, -1e30, math.inf, -math.inf, math.nan])
def test_functions_of_numbers_alone_are_the_same_as_of_tensors(alpha: float) -> None:
    unary = ("abs", "exp", "log", "sqrt", "rsqrt", "reciprocal", "silu", "sigmoid", "sign", "relu", "tanh", "erf")
    exact = ("log1p", "expm1", "log2", "exp2", "sin", "cos", "floor", "ceil", "trunc", "round")
    exact += ("sinh", "cosh", "asinh", "acosh", "atanh", "asin", "acos", "atan", "erfc", "erfinv", "logit")
    values = [f"{name}(alpha)" for name in (*unary, *exact, "gelu", "gelu_tanh", "frac", "hardtanh")]
    values += [
        "alpha + 2",
        "alpha - 2",
        "-alpha * 2",
        "alpha / 2",
        "2 / alpha",
        "maximum(alpha, 1)",
        "minimum(alpha, 1)",
    ]
    values += [
        "alpha ** 3.5",
        "2 ** alpha",
        "alpha ** -3",
        "atan2(alpha, 2)",
        "atan2(-1, alpha)",
        "leaky_relu(alpha, 0.1)",
    ]
    values += [f"cast(alpha {sign} 1.5, float32)" for sign in ("<", "<=", ">", ">=", "==", "!=")]
    names = [f"y{place}" for place in range(len(values))]
    of_number = several(names, values, "x: {dtype: [float32]}", "alpha: {type: float, default: 1.0}")
    of_tensor = several(names, values, "x: {dtype: [float32]}, alpha: {dtype: [float32]}", "")
    x = torch.zeros(3, dtype=torch.float64)
    found = called(of_number, build_graph(of_number), {"x": x}, {"alpha": alpha})
    wanted = evaluate(build_graph(of_tensor), {"x": x, "alpha": torch.tensor(alpha, dtype=torch.float64)}, {})
    for name, value in zip(names, values, strict=True):
        torch.testing.assert_close(found[name], wanted[name], rtol=1e-12, atol=0, equal_nan=True, msg=value)
