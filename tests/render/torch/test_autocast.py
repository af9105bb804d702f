"""Regions of torch.autocast on the CPU: dtypes of every kind of operator, and derivatives, which heed none."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor
from torch_projects import GATE_OPS, KINDS, PRODUCT_OPS, render, spec_of

pytestmark = [pytest.mark.torch, pytest.mark.compiler]

HALF, BRAIN, FLOAT = torch.float16, torch.bfloat16, torch.float32


def ones(*shape: int, dtype: torch.dtype = FLOAT) -> Tensor:
    return torch.ones(shape, dtype=dtype)


def inside(dtype: torch.dtype, function: Callable[..., Any], *arguments: Any) -> Any:
    with torch.autocast("cpu", dtype=dtype):
        return function(*arguments)


def test_products_follow_the_region(product_ops: ModuleType) -> None:
    x, weight = ones(2, 3), ones(4, 3)
    assert inside(BRAIN, product_ops.linear, x, weight).dtype == BRAIN
    assert inside(BRAIN, product_ops.linear, x.to(BRAIN), weight, ones(4)).dtype == BRAIN
    assert inside(BRAIN, product_ops.Linear(3, 4), x).dtype == BRAIN
    assert inside(HALF, product_ops.linear, x, weight).dtype == FLOAT  # it has no float16
    assert inside(BRAIN, product_ops.linear, x.double(), weight.double()).dtype == torch.float64
    with torch.autocast("cpu", dtype=BRAIN), torch.autocast("cpu", enabled=False):
        assert product_ops.linear(x, weight).dtype == FLOAT


def test_what_has_not_the_region_s_dtype_promotes(product_ops: ModuleType) -> None:
    # A layer before it has made 16 bits of x, and its own weights are float32.
    module = product_ops.MatmulLeakyRelu(3, 4)
    assert inside(BRAIN, module, ones(2, 3, dtype=BRAIN)).dtype == FLOAT
    with pytest.raises(TypeError, match="a has dtype bfloat16; supported: float32"):
        inside(BRAIN, product_ops.matmul_leaky_relu, *(ones(3, 3, dtype=BRAIN) for _ in range(2)), ones(3, dtype=BRAIN))
    with pytest.raises(TypeError, match="a has dtype bfloat16; supported: float32"):
        module(ones(2, 3, dtype=BRAIN))


def test_other_operators_go_to_the_widest(gate_ops: ModuleType) -> None:
    wide, half, brain = (torch.full((5,), 1.3).to(dtype) for dtype in (FLOAT, HALF, BRAIN))
    add = gate_ops.vector_add
    for region in (HALF, BRAIN):
        for x, y in ((wide, half), (brain, wide), (half, brain)):
            torch.testing.assert_close(inside(region, add, x, y), add(x.float(), y.float()), rtol=0, atol=0)
        for same in (wide, half, brain):
            torch.testing.assert_close(inside(region, add, same, same), add(same, same), rtol=0, atol=0)
    with pytest.raises(TypeError, match="supported together"):
        add(wide, half)


def test_kernels_written_by_hand_promote(kinds_ops: ModuleType) -> None:
    half, wide = ones(2, 3, dtype=HALF), ones(2, 3)
    assert inside(HALF, kinds_ops.concat, [half, wide], wide).dtype == FLOAT
    assert inside(HALF, kinds_ops.concat, [half, half], half).dtype == HALF
    assert inside(HALF, kinds_ops.lists, half, [wide], [1], None)[0].dtype == FLOAT
    # What is written to stays what it is: a cast would write to a copy.
    with pytest.raises(TypeError, match="supported together"):
        inside(HALF, kinds_ops.add_into, wide, half)
    written = ones(2, 3)
    assert inside(HALF, kinds_ops.add_into, written, wide)[0] is written


@pytest.mark.parametrize("forward", [False, True])
@pytest.mark.parametrize("op", ["linear", "two_gates", "vector_add", "concat"])
def test_derivatives_heed_no_region(op: str, forward: bool, product_ops: ModuleType, kinds_ops: ModuleType) -> None:
    source = torch.Generator().manual_seed(3)
    shapes = {"linear": [(2, 3), (4, 3), (4,)], "two_gates": [(2, 3), (3, 4), (2, 4), (4,)]}.get(op, [(2, 3), (2, 3)])
    leaves = [torch.randn(shape, generator=source).requires_grad_() for shape in shapes]
    function: Callable[..., Any] = getattr(kinds_ops if op == "concat" else product_ops, op)
    arguments = {"concat": [[leaves[0]], leaves[1]], "two_gates": [*leaves, 1.5]}.get(op, leaves)
    grads = []
    for backward in (False, True):
        with torch.autocast("cpu", dtype=BRAIN, enabled=forward):
            outputs = function(*arguments)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        with torch.autocast("cpu", dtype=BRAIN, enabled=backward):
            grads.append(torch.autograd.grad(outputs, leaves, [torch.ones_like(output) for output in outputs]))
        assert {grad.dtype for grad in grads[-1]} == {FLOAT}
    torch.testing.assert_close(*grads, rtol=0, atol=0)


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compiled(backend: str, product_ops: ModuleType, gate_ops: ModuleType) -> None:
    torch.compiler.reset()
    module = product_ops.SwiGLU(5, 7)

    def step(x: Tensor) -> Tensor:
        with torch.autocast("cpu", dtype=HALF):
            made: Tensor = gate_ops.vector_add(module(x), x[..., :1])
        return made

    compiled = torch.compile(step, backend=backend, fullgraph=True, dynamic=True)
    for rows in (4, 9):
        x = torch.randn(rows, 5)
        results = []
        for function in (compiled, step):
            module.zero_grad()
            made = function(x)
            made.sum().backward()
            results.append([made, *(weight.grad.clone() for weight in module.parameters())])
        torch.testing.assert_close(*results, rtol=0, atol=0)
        assert results[0][0].dtype == FLOAT


def test_which_files_have_which_rules() -> None:
    texts = {}
    for name, text in (("gates", GATE_OPS), ("products", PRODUCT_OPS), ("kinds", KINDS)):
        files = {file.path.name: file.text for file in render(spec_of(text))}
        texts[name] = files["_autocast.py"]
        rules = {
            rule for rule in ("follow_autocast", "promote_in_autocast") if f"_autocast.{rule}(" in files["_ops.py"]
        }
        assert rules == {rule for rule in ("follow_autocast", "promote_in_autocast") if f"def {rule}(" in texts[name]}
        assert "promote_in_autocast" in rules
        assert ("follow_autocast" in rules) == (name == "products")
    alone = (
        "  One:\n    inputs:\n      x: {shape: [...], dtype: [float32]}\n    compute: y = x * x\n    backward: false\n"
    )
    files = render(spec_of(f"{GATE_OPS.split('  VectorAdd')[0]}{alone}"))
    assert not [file for file in files if "autocast" in file.path.name]
