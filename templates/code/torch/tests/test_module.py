"""The operators as modules: the same results, parameters and their first values; compiled, exported and traced."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from torch import Tensor

{% for text in imports %}
{{ text }}
{% endfor %}


def named(op: Operator, values: list[Tensor]) -> Named:
    """All arguments of its function by name."""
    names = [argument.name for argument in op.overload._schema.arguments]
    return dict(zip(names, op.arguments(*values), strict=True))


CASES: list[tuple[Operator, Callable[[int], Named]]] = []
{% for text in cases %}
{{ text }}
{% endfor %}

EVERY = pytest.mark.parametrize(("op", "arguments"), CASES, ids=identify)
ONCE = pytest.mark.parametrize(("op", "arguments"), {op.name: (op, made) for op, made in CASES}.values(), ids=identify)


@EVERY
def test_results(op: Operator, arguments: Callable[[int], Named]) -> None:
    for rows in (5, 0, 1):
        check_module(op.name, op.function, arguments(rows))


@ONCE
def test_initial_values(op: Operator, arguments: Callable[[int], Named]) -> None:
    check_initial_values(op.name, arguments(1))


@ONCE
def test_tracing(op: Operator, arguments: Callable[[int], Named]) -> None:
    check_tracing(op.name, arguments)
{% if optional %}


@ONCE
def test_without_what_is_optional(op: Operator, arguments: Callable[[int], Named]) -> None:
    optional = [argument.name for argument in op.overload._schema.arguments if "Optional" in str(argument.type)]
    for rows in (5, 1):
        check_module(op.name, op.function, arguments(rows) | dict.fromkeys(optional))
{% endif %}
