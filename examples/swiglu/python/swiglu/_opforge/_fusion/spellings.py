# Owned by opforge: `opforge update` replaces this file.
# SPDX-License-Identifier: Apache-2.0
"""Recognises functions that models often write out as longer expressions."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from .canonical import Canonical
from .matching import Value
from .tracing import traced

_ROOT_OF_HALF = math.sqrt(0.5)
_SLOPE = math.sqrt(2 / math.pi)
_CUBE = 0.044715


def _leaky(x: Tensor, slope: Any) -> Tensor:
    return torch.where(x > 0.0, x, x * slope)


def _gelu_tanh(x: Tensor) -> Tensor:
    return 0.5 * x * (1.0 + torch.tanh(_SLOPE * (x + _CUBE * x**3)))


def _gelu_tanh_factored(x: Tensor) -> Tensor:
    return 0.5 * x * (1.0 + torch.tanh(_SLOPE * x * (1.0 + _CUBE * x * x)))


# The order matters: later spellings may contain earlier ones. Arguments called x are tensors, others are numbers.
_SPELLINGS: tuple[tuple[str, Callable[..., Tensor]], ...] = (
    ("sigmoid", lambda x: 1.0 / (1.0 + torch.exp(-x))),
    ("silu", lambda x: x * torch.sigmoid(x)),
    ("silu", lambda x: x / (1.0 + torch.exp(-x))),
    ("gelu", lambda x: 0.5 * x * (1.0 + torch.erf(x * _ROOT_OF_HALF))),
    ("gelu", lambda x: 0.5 * x * (1.0 + torch.erf(x / math.sqrt(2.0)))),
    ("gelu_tanh", _gelu_tanh),
    ("gelu_tanh", _gelu_tanh_factored),
    ("leaky_relu", _leaky),
)


@functools.cache
def spellings() -> tuple[tuple[str, Value], ...]:
    """Each spelling in canonical form, with its short name."""
    found: tuple[tuple[str, Value], ...] = ()
    for name, function in _SPELLINGS:
        names = tuple(inspect.signature(function).parameters)
        leaves = {n: Value("input", data=n) if n == "x" else Value("attr", data=n, number=True) for n in names}
        graph = traced(function, names)
        (result,) = graph.find_nodes(op="output")
        found += ((name, Canonical(graph, leaves=leaves, spellings=found).values[result.args[0]]),)
    return found
