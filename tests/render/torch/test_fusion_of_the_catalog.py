"""fuse finds every op of the catalog in a model that writes its expression, for any value of its attributes."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from uncompiled import package_of

from opforge.ir.op_graphs import build_graph
from opforge.naming import snake
from opforge.spec import catalog
from opforge.spec.axes import LAST
from opforge.spec.model import OpSpec

pytestmark = pytest.mark.torch

HEAD = """\
edition: 1
project: {name: known, package: known_ops, vendor: known_ops, version: 0.1.0, soc: [ascend910b]}
ops:
"""
# A result that reads not every tensor has their broadcast shape, which no model writes.
STEPS = ("AdamStep", "AdamWStep", "LionStep")
KNOWN = [op for name in catalog.names() if name not in STEPS and (op := catalog.entry(name)) is not None and op.compute]


def looked_for(op: OpSpec) -> bool:
    """Whether rows are the last dimension, and all results have them."""
    graph = build_graph(op)
    return graph.axes == LAST and all(output.row is None for output in graph.outputs)


OPS = [op for op in KNOWN if looked_for(op)]
SIZES = {"K": 3, "H": 3, "I": 4, "N": 4, "C": 2, "L": 5, "1": 1}
NUMBERS = {"float": (0.3, 1.7, 0.7, 0.6, 0.4, 0.2), "int": (5, 7, 11, 3)}


def text() -> str:
    """A project of all of them."""
    folder = Path(catalog.__file__).parent
    entries = [(folder / f"{snake(op.type)}.yaml").read_text(encoding="utf-8") for op in OPS]
    return HEAD + "".join(f"  {line}\n" for entry in entries for line in entry.splitlines())


@pytest.fixture(scope="module")
def known_ops(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The package without anything compiled: in torch.ops are the references."""
    return package_of(text(), tmp_path_factory.mktemp("known"))


def tensors(op: OpSpec) -> list[torch.Tensor]:
    source = torch.Generator().manual_seed(5)
    made = []
    for tensor in op.inputs:
        shape = [size for dim in tensor.dims for size in ((2, 5) if dim == "..." else (SIZES[dim],))]
        values = torch.randn(shape, generator=source)
        made.append({"bool": values > 0, "int8": (values * 40).to(torch.int8)}.get(tensor.dtypes[0], values))
    return made


def found(
    op: OpSpec, native: Any, known_ops: ModuleType, monkeypatch: pytest.MonkeyPatch, held: tuple[str, ...] = ()
) -> None:
    """The operator stands in for the whole of a model that calls ``native``, and has its numbers as attributes.

    The model keeps the tensors in ``held``, and is given the others.
    """
    fusion, name = known_ops._opforge._fusion, snake(op.type)
    every = dict(zip([tensor.name for tensor in op.inputs], tensors(op), strict=True))
    values = [value for key, value in every.items() if key not in held]
    names = ", ".join(key for key in every if key not in held)
    named = ", ".join(f"self.{key}" if key in held else key for key in every)
    numbers = {attr.name: NUMBERS[attr.type][place] for place, attr in enumerate(op.attrs)}
    scope: dict[str, Any] = {"native": native, "numbers": numbers}
    exec(f"def forward(self, {names}):\n    return native({named}, **numbers)", scope)  # noqa: S102
    model = type("Model", (torch.nn.Module,), {"forward": scope["forward"]})()
    for key in held:
        model.register_buffer(key, every[key])
    some = {key: value for key, value in fusion.FUSIBLE.items() if value.__name__ == name}
    monkeypatch.setattr(fusion, "FUSIBLE", some)
    given: list[tuple[Any, ...]] = []
    (key,) = some
    operator = key.operator
    monkeypatch.setitem(key.__dict__, "operator", lambda *args: given.append(args) or operator(*args))
    fused, count = fusion.fuse(model)
    assert count == 1
    torch.testing.assert_close(fused(*values), model(*values), equal_nan=True)
    assert [args[len(every) :] for args in given] == [pytest.approx(tuple(numbers.values()))]


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.type)
def test_it_is_found(op: OpSpec, known_ops: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    found(op, getattr(known_ops._opforge._native, snake(op.type)), known_ops, monkeypatch)


class Swapped(ast.NodeTransformer):
    """The operands of all sums and products of elements the other way round."""

    count = 0

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, (ast.Add, ast.Mult)):
            self.count += 1
            node.left, node.right = node.right, node.left
        return node


def test_operands_swapped(known_ops: ModuleType) -> None:
    count = 0
    for op in OPS:
        native, swapped = getattr(known_ops._opforge._native, snake(op.type)), Swapped()
        tree = swapped.visit(ast.parse(inspect.getsource(native)))
        if swapped.count:
            scope = dict(vars(known_ops._opforge._native))
            exec(ast.unparse(tree), scope)  # noqa: S102
            # Where neither is a parameter, nothing tells which of x + bias has one dimension.
            held = tuple(tensor.name for tensor in op.inputs if "..." not in tensor.dims)
            with pytest.MonkeyPatch.context() as patch:
                found(op, scope[native.__name__], known_ops, patch, held)
            count += 1
    assert count >= 15


def test_all_in_one_package_are_told_apart(known_ops: ModuleType) -> None:
    """Of those that could stand in a place, the one with the largest expression does."""

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.fc = torch.nn.Linear(3, 4)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.nn.functional.leaky_relu(self.fc(x), 0.2) + torch.nn.functional.silu(x[..., :1]) * x[..., 1:2]

    model = Model()
    fused, count = known_ops.fuse(model)
    x = torch.randn(2, 5, 3)
    source = type(fused)._rewritings[0].variants[0].source  # type: ignore[attr-defined]
    called = {
        name
        for name in dir(known_ops._opforge._fusion.fusible)
        if f"known_ops__opforge__fusion_fusible_{name}(" in source
    }
    assert called == {"matmul_leaky_relu", "silu_mul", "vector_add"}
    assert count == 3
    torch.testing.assert_close(fused(x), model(x))


@pytest.mark.parametrize(("turned", "operator"), [(False, "plain_matmul"), (True, "linear")])
def test_a_weight_is_taken_as_it_is(known_ops: ModuleType, operator: str, *, turned: bool) -> None:
    """Of operators for one product, the one whose weight the model has: a transposed view is copied in each call."""

    class Model(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = torch.nn.Parameter(torch.randn((4, 3) if turned else (3, 4)))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x @ (self.weight.T if turned else self.weight)

    fused, count = known_ops.fuse(Model())
    assert count == 1
    assert f"known_ops__opforge__fusion_fusible_{operator}(" in type(fused)._rewritings[0].variants[0].source  # type: ignore[attr-defined]


class WrittenOut(torch.nn.Module):
    """RMSNorm as models write it where torch has no such function."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.rand(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        variance = x.pow(2).mean(-1, keepdim=True)
        return self.weight * (x * torch.rsqrt(variance + 1e-6))


class Method(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x * 0.125).softmax(dim=-1)


@pytest.mark.parametrize(
    ("module", "operator"),
    [
        (torch.nn.Softmax(-1), "softmax"),
        (torch.nn.LogSoftmax(dim=-1), "log_softmax"),
        (torch.nn.LayerNorm(3), "layer_norm"),
        (torch.nn.RMSNorm(3, eps=1e-6), "rms_norm"),
        (WrittenOut(), "rms_norm"),
        (Method(), "scaled_softmax"),
        (torch.nn.Mish(), "vector_mish"),
        (torch.nn.Softplus(), "vector_softplus"),
        (torch.nn.Softmax(0), None),  # over another dimension
        (torch.nn.Softmax(1), None),  # the last one only if there are two
        (torch.nn.LayerNorm((5, 3)), None),  # over two dimensions
        (torch.nn.LayerNorm(3, elementwise_affine=False), None),
        (torch.nn.RMSNorm(3), None),  # its eps depends on the dtype
    ],
    ids=lambda each: each if each is None or isinstance(each, str) else type(each).__name__,
)
def test_modules_of_torch(
    known_ops: ModuleType, monkeypatch: pytest.MonkeyPatch, module: torch.nn.Module, operator: str | None
) -> None:
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), module)
    given: list[str] = []

    def noted(operator: Any, name: str) -> Any:
        return lambda *args: given.append(name) or operator(*args)

    for key, value in known_ops._opforge._fusion.FUSIBLE.items():
        monkeypatch.setitem(key.__dict__, "operator", noted(key.operator, value.__name__))
    fused, count = known_ops.fuse(model)
    x = torch.randn(2, 5, 3)
    torch.testing.assert_close(fused(x), model(x))
    rows = {"softmax", "log_softmax", "layer_norm", "rms_norm", "scaled_softmax"}
    assert (operator in given) if operator is not None else not rows & set(given)
    assert count >= (operator is not None)
