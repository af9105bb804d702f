"""Random expressions of the whole language: what they mean, their derivatives, and their text read again."""

from __future__ import annotations

import dataclasses
import random

import pytest

torch = pytest.importorskip("torch")

from random_ops import ATTRS, Maker, random_op  # noqa: E402

from opforge.errors import SpecError  # noqa: E402
from opforge.ir.backward import backward_of  # noqa: E402
from opforge.ir.differentiate import gradients  # noqa: E402
from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.graph_printer import print_formulas  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.kinds import derive  # noqa: E402
from opforge.spec.model import OpSpec, ProjectSpec, Spec  # noqa: E402
from opforge.spec.read.parse import parse_spec  # noqa: E402
from tests.parsed import graph_of  # noqa: E402

pytestmark = pytest.mark.torch

SEEDS = pytest.mark.parametrize("seed", range(60))
SHAPES = [(3, 1, 2), (5, 1), (2,), (1,), (3, 5, 2), ()]


def tensors(op: OpSpec, seed: int) -> dict[str, torch.Tensor]:
    torch.manual_seed(seed)
    made = {}
    for place, tensor in enumerate(op.inputs):
        values = torch.randn(SHAPES[(place + seed) % len(SHAPES)], dtype=torch.float64) * 1.5
        if tensor.dtypes[0] == "float32":
            made[tensor.name] = values.requires_grad_()
        else:
            made[tensor.name] = (
                (values > 0) if tensor.dtypes[0] == "bool" else values.to(getattr(torch, tensor.dtypes[0]))
            )
    return made


def stored(op: OpSpec) -> dict[str, torch.dtype]:
    """The outputs' dtypes where floats are float64."""
    known = {"bool": torch.bool, "int32": torch.int32}
    return {tensor.name: known.get(tensor.dtypes[0], torch.float64) for tensor in op.outputs}


@SEEDS
def test_derivatives_are_autograds(seed: int) -> None:
    op = random_op(seed)
    graph, given = build_graph(op), tensors(op, seed)
    forward = {n: v for n, v in evaluate(graph, given, ATTRS, stored(op)).items() if v.is_floating_point()}
    ups = {f"grad_{name}": torch.randn_like(value) for name, value in forward.items()}
    leaves = {name: tensor for name, tensor in given.items() if tensor.requires_grad}
    wanted = torch.autograd.grad(
        list(forward.values()), list(leaves.values()), list(ups.values()), allow_unused=True, materialize_grads=True
    )
    smooth = gradients(op, graph)
    assert smooth is not None
    assert set(smooth.inputs) <= {*ups, *given}
    found = evaluate(smooth, {**ups, **given}, ATTRS)
    for (name, tensor), gradient in zip(leaves.items(), wanted, strict=True):
        summed = found[f"grad_{name}"].sum_to_size(tensor.shape)
        torch.testing.assert_close(summed, gradient, rtol=1e-8, atol=1e-10, equal_nan=True)


@SEEDS
def test_the_parts_of_the_backward_give_the_same_gradients(seed: int) -> None:
    op = random_op(seed)
    graph, given = build_graph(op), tensors(op, seed)
    parts, smooth = backward_of(op, graph), gradients(op, graph)
    assert parts is not None
    assert smooth is not None
    outputs = evaluate(graph, given, ATTRS, stored(op))
    ups = {f"grad_{name}": torch.randn(value.shape, dtype=torch.float64) for name, value in outputs.items()}
    whole = evaluate(smooth, {**ups, **given}, ATTRS)
    assert {f"grad_{name}" for name in parts.gradients} == set(whole)
    computed = dict(ups)
    if parts.kernel is not None and parts.graph is not None:
        names = [tensor.name for tensor in parts.kernel.inputs]
        assert sorted(names) == sorted(parts.graph.inputs)
        own = {t.name: t.dtypes for t in (*op.inputs, *op.outputs)}
        for tensor in (*parts.kernel.inputs, *parts.kernel.outputs):
            assert tensor.dtypes == own[tensor.name.removeprefix("grad_")]
        computed |= evaluate(parts.graph, {name: {**ups, **given}[name] for name in names}, ATTRS)
    for name, holder in parts.gradients.items():
        spread = torch.broadcast_to(computed[holder], whole[f"grad_{name}"].shape)
        torch.testing.assert_close(spread, whole[f"grad_{name}"], rtol=0, atol=0, equal_nan=True)


@SEEDS
def test_formulas_read_again_mean_the_same(seed: int) -> None:
    op = random_op(seed)
    graph, given = build_graph(op), tensors(op, seed)
    dtypes = {tensor.name: tensor.dtypes for tensor in (*op.inputs, *op.outputs)}
    text = print_formulas(graph, dtypes)
    again = graph_of(dataclasses.replace(op, compute=text, source=None))
    assert [output.name for output in again.outputs] == [output.name for output in graph.outputs]
    wanted = evaluate(graph, given, ATTRS, stored(op))
    for name, value in evaluate(again, given, ATTRS, stored(op)).items():
        torch.testing.assert_close(value, wanted[name], rtol=1e-12, atol=1e-12, equal_nan=True)


@SEEDS
def test_the_gradients_kernel_is_an_op_that_its_own_formulas_say(seed: int) -> None:
    op = random_op(seed)
    project = ProjectSpec("random", "random", "random", "0.1.0", ("ascend910b",))
    kernels = derive(Spec(project, (op,))).kernels
    assert [kernel.op.type for kernel in kernels] == ["Example", "ExampleGrad"][: len(kernels)]
    for kernel in (each.op for each in kernels[1:]):
        again = graph_of(dataclasses.replace(kernel, source=None))
        assert [output.name for output in again.outputs] == [tensor.name for tensor in kernel.outputs]


PIECES = (
    *(
        "x",
        "y",
        "m",
        "i",
        "a",
        "b",
        "alpha",
        "n",
        "flag",
        "0",
        "-1",
        "0.5",
        "1e38",
        "1e400",
        "float32",
        "int32",
        "bool",
    ),
    *(
        "float16",
        "int8",
        "+",
        "-",
        "*",
        "/",
        "**",
        "@",
        "x.T",
        "(",
        ")",
        ",",
        ">",
        "==",
        "not ",
        "~",
        "[",
        ":",
        "\n",
        "=",
    ),
    *("where(", "cast(", "present(", "clamp(", "exp(", "log(", "sqrt(", "pow(", "max(", "reciprocal(", "rsqrt(", "'q'"),
)


@pytest.mark.parametrize("seed", range(30))
def test_damaged_expressions_are_refused_with_a_place_or_have_kernels(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        maker = Maker(rng.randrange(10**9))
        maker.floats, maker.masks, maker.ints, maker.small = ["x", "y"], ["m"], ["i"], ["a"]
        text = f"z = {maker.float(3)}"
        for _ in range(rng.randrange(4)):
            place = rng.randrange(len(text) + 1)
            text = text[:place] + rng.choice(PIECES) + text[place + rng.randrange(4) :]
        rest = "p, q = z + x, y + cast(m, float32) + cast(a, float32) + cast(i, float32) + where(present(b), b, 0)"
        try:
            kernels = derive(
                parse_spec(DAMAGED + "      " + f"{text}\n{rest}".replace("\n", "\n      ") + "\n", None)
            ).kernels
        except SpecError as error:
            kernels, problems = (), error.problems
        else:
            problems = ()
        assert all(problem.where is not None for problem in problems)
        assert [kernel.op.type for kernel in kernels] == ["Example", "ExampleGrad"][: len(kernels)]
        assert len(kernels) > 0 or len(problems) > 0


DAMAGED = """\
edition: 1
project: {name: at_random}
ops:
  Example:
    inputs: {x: {dtype: [float32]}, y: {dtype: [float16]}, m: {dtype: [bool]}, i: {dtype: [int32]}, a: {dtype: [int8]},
             b: {dtype: [float32], optional: true}}
    attrs: {alpha: {type: float, default: 1.0}, n: {type: int, default: 1}, flag: {type: bool, default: true}}
    compute: |
"""
