"""Kernels that choose by a str attribute, which op_host compares."""

from __future__ import annotations

import pytest
import torch
from generated_ops import Chip, GeneratedOps
from language_ops import TEXTS

from opforge.render.ascendc.cpp_golden import golden_of
from opforge.spec.combinations import combinations
from tests.parsed import graph_of

pytestmark = [pytest.mark.compiler, pytest.mark.torch]


def row_of(ops: GeneratedOps, name: str) -> tuple[str, ...]:
    return next(row for row in combinations(ops.ops[name]) if row[0] == "float32")


@pytest.mark.parametrize("mode", ["mean", "sum", "none", "", 'a"b', "mean "])
def test_the_text_of_the_call_decides(text_ops: GeneratedOps, mode: str) -> None:
    x = torch.randn(1009, generator=torch.Generator().manual_seed(1)).requires_grad_()
    ups = [torch.full((1009,), 0.5), torch.full((1009,), -2.0)]
    z = x * 2 if mode == "mean" else x.exp()
    w = torch.where((x > 0) & (mode != "sum"), x, torch.tensor(3.0) if mode == "none" else -x)
    (gradient,) = torch.autograd.grad([z, w], x, ups)
    found = text_ops.run("Modes", [x.detach()], Chip(48), {"mode": mode}, row_of(text_ops, "Modes"))
    for value, wanted in zip(found, (z, w), strict=True):
        torch.testing.assert_close(value, wanted.detach(), rtol=1e-5, atol=1e-5)
    given = {"x": x.detach(), "grad_z": ups[0], "grad_w": ups[1]}
    inputs = [given[tensor.name] for tensor in text_ops.ops["ModesGrad"].inputs]
    (found,) = text_ops.run("ModesGrad", inputs, Chip(48), {"mode": mode}, row_of(text_ops, "ModesGrad"))
    torch.testing.assert_close(found, gradient, rtol=1e-5, atol=1e-5)


def test_each_text_is_a_value_of_its_own_in_programs() -> None:
    """The default is "mean": of the three texts that it is compared with, one is right."""
    (op,) = TEXTS
    variables = golden_of(op, graph_of(op)).elements
    assert len({variable.name for variable in variables}) == len(variables)
    numbers = [variable.value for variable in variables if variable.value in ("0.0", "1.0")]
    assert numbers.count("1.0") == 1
    assert numbers.count("0.0") >= 2
