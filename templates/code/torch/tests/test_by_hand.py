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
from opforge.testing.checks.captured import check_capture_by_hand
{% if is_module %}
from opforge.testing.checks.module_case import ModuleCase
{% endif %}
from opforge.testing.measuring import {{ drawing | wrap }}

import {{ package }}
{% if reference %}
from {{ package }}.{{ module }} import {{ imported }}
{% endif %}

OP = ByHand(
    type="{{ op_type }}",
    function={{ package }}.{{ function }},
{% if reference %}
    reference={{ reference }},
{% endif %}
    inputs={ {{ inputs | wrap }} },
    columns=({{ columns | wrap }}),
    outputs=({{ outputs | wrap }}),
{% if attrs %}
    attrs={ {{ attrs | wrap }} },
{% endif %}
{% if sizes %}
    sizes={ {{ sizes | wrap }} },
{% endif %}
{% if written %}
    written=({{ written | wrap }}),
{% endif %}
{% if kernel %}
    kernel="{{ kernel }}",
    root=Path(__file__).parents[1],
{% endif %}
{% if shaped %}
    shapes_by_kernel=True,
{% endif %}
{% if is_module %}
    module=ModuleCase({{ as_module | wrap }}),
{% endif %}
)
COLUMNS = pytest.mark.parametrize("column", range(len(OP.columns)))


@COLUMNS
def test_sizes(column: int) -> None:
    check_sizes(OP, column)
{% if lists %}


@pytest.mark.parametrize("count", [1, 2, 3])
@COLUMNS
def test_lists(column: int, count: int) -> None:
    check_lists(OP, column, count)
{% endif %}
{% if optional %}


@COLUMNS
def test_without_what_is_optional(column: int) -> None:
    check_without_optional(OP, column)
{% endif %}


@COLUMNS
def test_registration(column: int) -> None:
    check_registration(OP, column)


@COLUMNS
def test_captured_in_a_graph(column: int) -> None:
    check_capture_by_hand(OP, column)
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
