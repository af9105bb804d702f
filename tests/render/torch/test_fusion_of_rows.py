"""fuse finds norms, tests, products, remainders and class losses in models, and nothing that is only like them."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812  (as models have it)
from torch import Tensor, nn
from uncompiled import package_of

pytestmark = pytest.mark.torch

ROWS = {
    "by_norm": "y = x / norm(x, 2, -1, keepdim=True)",
    "by_sum": "y = x / norm(x, 1, -1, keepdim=True)",
    "by_largest": 'y = x / norm(x, float("inf"), -1, keepdim=True)',
    "normal": "y = normalize(x, dim=-1, eps=1e-6)",
    "if_any": "y = where(any(x > 0, -1, keepdim=True), x, 2.0)",
    "if_all": "y = where(all(x, -1, keepdim=True), x, 3.0)",
    "by_product": "y = x / prod(x, -1, keepdim=True)",
    "rest": "y = remainder(x, 3.0) * x",
    "rest_of_c": "y = fmod(x, 3.0) * x",
    "whole_times": "y = floor_divide(x, 3.0) * x",
}
LOSSES = {
    "mean_loss": "y = cross_entropy(x, t)",
    "sum_loss": 'y = cross_entropy(x, t, reduction="sum")',
    "smooth_loss": "y = cross_entropy(x, t, label_smoothing=0.1)",
    "ignoring": "y = nll_loss(x, t, ignore_index=ignored)",
}


def _text() -> str:
    lines = [
        "edition: 2",
        "project: {name: of_rows, package: of_rows, vendor: of_rows, version: 0.1.0, soc: [ascend910b]}",
        "ops:",
    ]
    for name, compute in (ROWS | LOSSES).items():
        lines += [
            f"  {name.title().replace('_', '')}:",
            "    inputs:",
            "      x: {shape: [..., C], dtype: [float16, float32]}",
            *(["      t: {shape: [...], dtype: [int64], values: {min: 0, below: C}}"] if name in LOSSES else []),
            *(["    attrs: {ignored: {type: int, default: -100}}"] if name == "ignoring" else []),
            f"    compute: {compute}" if ": " not in compute else f"    compute: '{compute}'",
        ]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def of_rows(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return package_of(_text(), tmp_path_factory.mktemp("of_rows"))


def _calls(of_rows: ModuleType, model: nn.Module, *given: Tensor) -> list[str]:
    """The operators that stand in for parts of a model, by the calls of one run; the results are the same."""
    fused, _ = of_rows.fuse(model)
    seen: list[str] = []

    class Seen(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func.namespace == "of_rows":
                seen.append(func._schema.name.split("::")[1])
            return func(*args, **(kwargs or {}))

    with Seen(), torch.no_grad():
        result = fused(*given)
    torch.testing.assert_close(result, model(*given), equal_nan=True)
    return seen


class Model(nn.Module):
    """Calls a function or a module."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Any:
        return self.function(x)


class WithClasses(Model):
    def forward(self, x: Tensor, t: Tensor) -> Any:  # type: ignore[override]
        return self.function(x, t)


X = torch.randn(5, 7, generator=torch.Generator().manual_seed(3))
FOUND: list[tuple[str, Callable[..., Any]]] = [
    ("by_norm", lambda x: x / torch.linalg.vector_norm(x, dim=-1, keepdim=True)),
    ("by_norm", lambda x: x / x.norm(dim=-1, keepdim=True)),
    ("by_norm", lambda x: x / x.norm(2, -1, True)),
    ("by_norm", lambda x: x / torch.norm(x, p=2, dim=[-1], keepdim=True)),
    ("by_norm", lambda x: x / torch.linalg.norm(x, 2, -1, True)),
    ("by_sum", lambda x: x / torch.linalg.vector_norm(x, 1, -1, True)),
    ("by_sum", lambda x: x / x.norm(p=1.0, dim=-1, keepdim=True)),
    ("by_largest", lambda x: x / torch.linalg.vector_norm(x, math.inf, -1, True)),
    ("normal", lambda x: F.normalize(x, dim=-1, eps=1e-6)),
    ("normal", lambda x: F.normalize(x, 2.0, -1, 1e-6)),
    ("normal", lambda x: x / x.norm(dim=-1, keepdim=True).clamp_min(1e-6)),
    ("if_any", lambda x: torch.where((x > 0).any(-1, keepdim=True), x, 2.0)),
    ("if_any", lambda x: torch.where(torch.any(torch.gt(x, 0), dim=-1, keepdim=True), x, 2.0)),
    ("if_all", lambda x: torch.where(torch.all(x, -1, keepdim=True), x, 3.0)),
    ("if_all", lambda x: torch.where(torch.all(x != 0, dim=-1, keepdim=True), x, 3.0)),
    ("by_product", lambda x: x / torch.prod(x, -1, keepdim=True)),
    ("by_product", lambda x: x / x.prod(dim=-1, keepdim=True)),
    ("rest", lambda x: x % 3.0 * x),
    ("rest", lambda x: x * torch.remainder(x, 3)),
    ("rest_of_c", lambda x: x.fmod(3.0) * x),
    ("whole_times", lambda x: x // 3.0 * x),
    ("whole_times", lambda x: x * torch.div(x, 3.0, rounding_mode="floor")),
]


@pytest.mark.parametrize(("operator", "function"), FOUND)
def test_it_is_found(operator: str, function: Callable[..., Any], of_rows: ModuleType) -> None:
    assert _calls(of_rows, Model(function), X) == [operator]


LIKE: list[Callable[..., Any]] = [
    lambda x: x / torch.linalg.vector_norm(x, 3, -1, True),  # another order
    lambda x: x / torch.linalg.vector_norm(x, -math.inf, -1, True),
    lambda x: x / torch.linalg.vector_norm(x, dim=0, keepdim=True),  # another dimension
    lambda x: x / torch.linalg.vector_norm(x, dim=(-2, -1), keepdim=True),
    lambda x: x / torch.linalg.norm(x, dim=(-2, -1), keepdim=True),  # of a matrix
    lambda x: x / torch.linalg.vector_norm(x),
    lambda x: x / torch.linalg.vector_norm(x, dim=-1, keepdim=True, dtype=torch.float64),
    lambda x: F.normalize(x, dim=-1),  # another eps
    lambda x: F.normalize(x, dim=0, eps=1e-6),
    lambda x: F.normalize(x, p=1.0, dim=-1, eps=1e-6),
    lambda x: torch.where(torch.all(x > 0, -1, True), x, 2.0),  # all for any
    lambda x: torch.where(torch.any(x > 0, 0, True), x, 2.0),
    lambda x: torch.where(torch.all(x != 1, -1, True), x, 3.0),
    lambda x: x / torch.prod(x, 0, True),
    lambda x: x * torch.remainder(x, 2.0),  # another divisor
    lambda x: x * torch.div(x, 3.0, rounding_mode="trunc"),
    lambda x: x * torch.remainder(torch.full_like(x, 3.0), x),  # the other way round
]


@pytest.mark.parametrize("function", LIKE)
def test_what_is_like_it_stays(function: Callable[..., Any], of_rows: ModuleType) -> None:
    assert _calls(of_rows, Model(function), X) == []


T = torch.tensor([0, 6, -100, 3, 3])
FOUND_LOSSES: list[tuple[str, Callable[..., Any]]] = [
    ("mean_loss", F.cross_entropy),
    ("mean_loss", lambda x, t: F.cross_entropy(x.reshape(-1, 7), t.view(-1))),
    ("mean_loss", lambda x, t: nn.functional.cross_entropy(input=x, target=t, reduction="mean")),
    ("mean_loss", nn.CrossEntropyLoss()),
    ("sum_loss", lambda x, t: F.cross_entropy(x, t, reduction="sum")),
    ("smooth_loss", lambda x, t: F.cross_entropy(x, t, label_smoothing=0.1)),
    ("ignoring", F.nll_loss),
    ("ignoring", lambda x, t: F.nll_loss(x, t.clamp(min=0), ignore_index=3)),
]


@pytest.mark.parametrize(("operator", "function"), FOUND_LOSSES)
def test_losses_are_found(operator: str, function: Callable[..., Any], of_rows: ModuleType) -> None:
    assert _calls(of_rows, WithClasses(function), X, T) == [operator]


LIKE_LOSSES: list[Callable[..., Any]] = [
    lambda x, t: F.cross_entropy(x, t.clamp(min=0), ignore_index=3),  # the operator has -100
    lambda x, t: F.cross_entropy(x, t, label_smoothing=0.2),
    lambda x, t: F.cross_entropy(x, t, reduction="none"),
    lambda x, t: F.cross_entropy(x, t, torch.linspace(0.5, 2.0, 7)),  # weights of the classes
    lambda x, t: F.nll_loss(x, t, reduction="sum"),
    nn.CrossEntropyLoss(torch.linspace(0.5, 2.0, 7)),
]


@pytest.mark.parametrize("function", LIKE_LOSSES)
def test_other_losses_stay(function: Callable[..., Any], of_rows: ModuleType) -> None:
    assert _calls(of_rows, WithClasses(function), X, T) == []


@pytest.mark.parametrize(
    ("x", "t"),
    [
        (torch.randn(4, 7, 7), torch.randint(0, 7, (4, 7))),  # the classes are in the second dimension
        (torch.randn(4, 7), torch.rand(4, 7)),  # probabilities
        (torch.randn(4, 7, dtype=torch.bfloat16), torch.randint(0, 7, (4,))),  # a dtype that the operator lacks
    ],
)
def test_a_loss_of_other_tensors_is_torchs(x: Tensor, t: Tensor, of_rows: ModuleType) -> None:
    assert _calls(of_rows, WithClasses(F.cross_entropy), x, t) == []


def test_one_row_is_a_loss(of_rows: ModuleType) -> None:
    model = WithClasses(F.cross_entropy)
    assert _calls(of_rows, model, X[0], T[0]) == ["mean_loss"]
    fused, _ = of_rows.fuse(model)
    with pytest.raises(ValueError, match="batch_size"):  # as torch does; the operator would broadcast
        fused(X, T[:1])
