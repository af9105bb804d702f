"""Kernels that choose by a str attribute, and compute with elements of lists: op_host reads both."""

from __future__ import annotations

import pytest
import torch
from generated_ops import Chip, GeneratedOps, TilingRefusedError
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


@pytest.mark.parametrize(("w", "n"), [([1.5, 2.0, 3.0], [3, 2]), ([-2.0, 0.5, 7.0, 11.0], [1, -3, 5])])
def test_the_lists_of_the_call_are_read(text_ops: GeneratedOps, w: list[float], n: list[int]) -> None:
    x = torch.randn(1009, generator=torch.Generator().manual_seed(2)).requires_grad_()
    z = (x * w[0] + w[2] ** n[1] if n[0] > 1 else x - n[1] / w[1]) * 0.25
    (gradient,) = torch.autograd.grad(z, x, torch.full((1009,), 0.5))
    row, attrs = row_of(text_ops, "Listed"), {"w": w, "n": n, "w0": 0.25}
    (found,) = text_ops.run("Listed", [x.detach()], Chip(48), attrs, row)
    torch.testing.assert_close(found, z.detach(), rtol=1e-6, atol=1e-6)
    given = {"x": x.detach(), "grad_z": torch.full((1009,), 0.5)}
    inputs = [given[tensor.name] for tensor in text_ops.ops["ListedGrad"].inputs]
    (found,) = text_ops.run("ListedGrad", inputs, Chip(48), attrs, row_of(text_ops, "ListedGrad"))
    torch.testing.assert_close(found, gradient, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("n", [[3, 2], [2**31 - 1, 5], [-7, -(2**31), 9]])
def test_integers_of_lists_are_exact(text_ops: GeneratedOps, n: list[int]) -> None:
    x = torch.tensor([16777217, -5, 0, 2**31 - 1], dtype=torch.int32)
    (found,) = text_ops.run("ListedIntegers", [x], Chip(48), {"n": n})
    wanted = x.long() * n[1] + (n[0] if n[1] > 2 else 7)
    assert found.tolist() == ((wanted + 2**31) % 2**32 - 2**31).tolist()


@pytest.mark.parametrize("n", [[3], [], [2**31, 3], [3, -(2**31) - 1]])
def test_what_a_list_lacks_or_does_not_fit_is_refused(text_ops: GeneratedOps, n: list[int]) -> None:
    with pytest.raises(TilingRefusedError):
        text_ops.tiling("ListedIntegers", [[5]] * 2, ["int32"] * 2, Chip(48), {"n": n})
