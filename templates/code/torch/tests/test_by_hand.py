"""{{ op_type }}, whose kernel is written by hand{% if kernel %}: all fails until it is{% endif %}.

{{ compared }}
"""

from __future__ import annotations

{% if kernel %}
from pathlib import Path

{% endif %}
import pytest
import torch
import torch_npu  # noqa: F401  (device "npu")
from opforge.testing.checks.by_hand import (
{% for check in checks %}
    {{ check }},
{% endfor %}
)
{% if is_module %}
from opforge.testing.checks.module_case import ModuleCase
{% endif %}

import {{ package }}
{% if reference %}
from {{ package }}.{{ module }} import {{ reference }}
{% endif %}

OP = ByHand(
    function={{ package }}.{{ function }},
    op_type="{{ op_type }}",
{% if kernel %}
    kernel=Path(__file__).parents[1] / "{{ kernel }}",
{% endif %}
    inputs={
{% for input in inputs %}
        "{{ input.name }}": Input({{ input.arguments | wrap }}),
{% endfor %}
    },
{% if attrs %}
    attrs={ {{ attrs | wrap }} },
{% endif %}
{% if written %}
    written=({{ written | wrap }}),
{% endif %}
{% if reference %}
    reference={{ reference }},
{% endif %}
{% if shaped %}
    shapes_by_kernel=True,
{% endif %}
{% if is_module %}
    module=ModuleCase({{ as_module | wrap }}),
{% endif %}
)
COLUMNS = pytest.mark.parametrize("column", range(OP.columns))


@pytest.mark.parametrize("size", [0, 1, 2, 31, 33, 257, 1009, 100_003])
@COLUMNS
def test_sizes(column: int, size: int) -> None:
    check_results(OP, OP.arguments(column, (size,)))
{% if lists %}


@pytest.mark.parametrize("count", [1, 2, 3])
@COLUMNS
def test_lists(column: int, count: int) -> None:
    check_results(OP, OP.arguments(column, (33,), count))
{% endif %}
{% if optional %}


@COLUMNS
def test_without_what_is_optional(column: int) -> None:
    check_results(OP, OP.arguments(column, (33,), all_given=False))
{% endif %}


@COLUMNS
def test_registration(column: int) -> None:
    check_registration(OP, OP.arguments(column, (33,)))
{% if is_module %}


@COLUMNS
def test_module(column: int) -> None:
    check_as_module(OP, column)
{% endif %}
{% if differentiable %}


@COLUMNS
def test_gradients(column: int) -> None:
    check_gradients(OP, column)
{% endif %}
