"""``backward: MyOpGrad``: autograd calls the named op, which gets inputs, outputs, gradients and attributes by name."""

from __future__ import annotations

import importlib
import sys
from types import ModuleType

import pytest
import torch
from torch_projects import adapter, render, site, write

from opforge.kinds import derive
from opforge.render.project import render_project
from opforge.spec.model import Spec
from opforge.spec.read.parse import parse_spec

pytestmark = [pytest.mark.torch, pytest.mark.compiler]

SPEC = """\
edition: 1
project: {name: named_ops, package: named_ops, soc: [ascend910b], features: [modules]}
ops:
  Norm:
    inputs:
      x: {shape: [..., H], dtype: [float32, float16]}
      gamma: {shape: [H]}
    attrs:
      eps: {type: float, default: 0.5}
      unused: {type: int, default: 1}
    outputs:
      y: {shape: [..., H]}
      rstd: {shape: [...], dtype: [float32]}
    reference: golden:norm
    backward: NormBack
  NormBack:
    inputs:
      rstd: {shape: [...], dtype: [float32]}
      grad_y: {shape: [..., H], dtype: [float32, float16]}
      x: {shape: [..., H], dtype: [float32, float16]}
      gamma: {shape: [H], dtype: [float32, float16]}
    attrs:
      eps: {type: float}
    outputs:
      grad_gamma: {shape: [H], dtype: [float32, float16]}
      grad_x: {shape: [..., H], dtype: [float32, float16]}
    reference: golden:norm_back
  Twice:
    inputs: {x: {shape: [...], dtype: [float32]}}
    outputs: {y: {shape: [...]}}
    reference: golden:twice
    backward: TwiceBack
  TwiceBack:
    inputs: {grad_y: {shape: [...], dtype: [float32]}}
    outputs: {grad_x: {shape: [...]}}
    reference: golden:twice
    backward: TwiceBackBack
  TwiceBackBack:
    inputs: {grad_grad_x: {shape: [...], dtype: [float32]}}
    outputs: {grad_grad_y: {shape: [...]}}
    reference: golden:twice_back_back
"""
GOLDEN = """\
import torch

CALLS = []


def norm(x, gamma, eps=0.5, unused=1):
    rstd = (x.float().square().mean(-1) + eps).rsqrt()
    return (x.float() * rstd.unsqueeze(-1) * gamma.float()).to(x.dtype), rstd


def norm_back(rstd, grad_y, x, gamma, eps):
    CALLS.append(("norm_back", eps))
    wide, weighted = x.float() * rstd.unsqueeze(-1), grad_y.float() * gamma.float()
    along = (weighted * wide).mean(-1, keepdim=True)
    grad_gamma = (grad_y.float() * wide).reshape(-1, x.shape[-1]).sum(0)
    return grad_gamma.to(gamma.dtype), ((weighted - wide * along) * rstd.unsqueeze(-1)).to(x.dtype)


def twice(x):
    return 2 * x


def twice_back_back(grad_grad_x):
    CALLS.append(("twice_back_back",))
    return 2 * grad_grad_x
"""


def spec() -> Spec:
    return parse_spec(SPEC, None)


@pytest.fixture(scope="module")
def named_ops(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    project = write(render(spec()), tmp_path_factory.mktemp("named"))
    (project / "python/named_ops/golden.py").write_text(GOLDEN)
    placed = site(project, spec(), tmp_path_factory.mktemp("site"), adapter(project))
    sys.path.insert(0, str(placed))
    return importlib.import_module("named_ops")


def random(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    made = torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))).to(dtype)
    return made.requires_grad_()


def calls() -> list[tuple[object, ...]]:
    return importlib.import_module("named_ops.golden").CALLS


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_gradients_are_those_of_the_reference(named_ops: ModuleType, dtype: torch.dtype) -> None:
    golden = importlib.import_module("named_ops.golden")
    x, gamma, weight = random(2, 3, 5, dtype=dtype), random(5, dtype=dtype), random(2, 3, 5, dtype=dtype).detach()
    calls().clear()
    made = torch.autograd.grad(named_ops.norm(x, gamma, eps=0.25)[0], (x, gamma), weight)
    assert calls() == [("norm_back", 0.25)]
    expected = torch.autograd.grad(golden.norm(x, gamma, 0.25)[0], (x, gamma), weight)
    for mine, theirs in zip(made, expected, strict=True):
        torch.testing.assert_close(mine, theirs, rtol=4e-3, atol=4e-3)


def test_only_what_is_needed_of_one_input(named_ops: ModuleType) -> None:
    x, gamma = random(2, 5), random(5).detach()
    named_ops.norm(x, gamma)[0].sum().backward()
    assert x.grad is not None
    assert gamma.grad is None


def test_an_output_whose_gradient_is_not_taken_is_not_differentiable(named_ops: ModuleType) -> None:
    y, rstd = named_ops.norm(random(2, 5), random(5))
    assert y.requires_grad
    assert not rstd.requires_grad
    x = random(2, 5)
    y, rstd = named_ops.norm(x, random(5).detach())
    (gradient,) = torch.autograd.grad((y.square().mean(-1) * rstd).sum(), x)
    y, rstd = importlib.import_module("named_ops.golden").norm(x, random(5).detach())
    (expected,) = torch.autograd.grad((y.square().mean(-1) * rstd.detach()).sum(), x)
    torch.testing.assert_close(gradient, expected)


def test_second_derivatives_name_an_op_again(named_ops: ModuleType) -> None:
    x = random(4)
    calls().clear()
    (first,) = torch.autograd.grad((named_ops.twice(x) * x).sum(), x, create_graph=True)
    torch.testing.assert_close(first, 4 * x)
    (second,) = torch.autograd.grad(first.sum(), x)
    torch.testing.assert_close(second, torch.full((4,), 4.0))
    assert ("twice_back_back",) in calls()


@pytest.mark.parametrize("name", ["norm", "twice"])
def test_opcheck(named_ops: ModuleType, name: str) -> None:
    arguments = (random(2, 5), random(5)) if name == "norm" else (random(3),)
    assert callable(getattr(named_ops, name))
    torch.library.opcheck(getattr(torch.ops.named_ops, name).default, arguments)


def test_the_text_says_who_computes_it() -> None:
    files = {str(file.path): file.text for file in render_project(derive(spec()))}
    assert "`NormBack` computes its gradient." in files["README.md"]
    written = files["python/named_ops/_ops.py"]
    assert "    y, rstd = output\n" not in written
    setup = "    _, rstd = output\n    x, gamma, eps, _ = inputs\n    ctx.mark_non_differentiable(rstd)\n"
    assert f"{setup}    ctx.save_for_backward(rstd, x, gamma)\n" in written
