"""The GE converters: the nodes that they make match the ops in the installed operator package.

This needs neither a graph engine nor an NPU.
"""

from __future__ import annotations

import pytest
import torch_npu  # noqa: F401  (torchair is part of it)
from opforge.testing.checks import graph_nodes
{% if every %}
from opforge.testing.checks.tested_operator import ExpressedOperator, identify
{% endif %}

import {{ package }}
{% for table in tables %}
from {{ table.module }} import {{ table.name }}
{% endfor %}

CONVERTERS = graph_nodes.converters({{ package }}, {{ package }}._ge.CONVERTERS)
EVERY = pytest.mark.parametrize("converter", CONVERTERS, ids=str)
GIVEN = pytest.mark.parametrize("given", [True, False], ids=["all given", "what must be given"])


@EVERY
@GIVEN
def test_inputs(converter: graph_nodes.Converter, given: bool) -> None:
    graph_nodes.check_inputs(converter, given=given)


@EVERY
@GIVEN
def test_attributes(converter: graph_nodes.Converter, given: bool) -> None:
    graph_nodes.check_attributes(converter, given=given)


@EVERY
def test_outputs(converter: graph_nodes.Converter) -> None:
    graph_nodes.check_outputs(converter)
{% if attrs %}


@EVERY
def test_an_attribute_that_is_not_constant_is_refused(converter: graph_nodes.Converter) -> None:
    graph_nodes.check_constant_attributes(converter)
{% endif %}
{% if every %}


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("op", {{ every }}, ids=identify)
def test_compiled_graphs_have_the_node(op: ExpressedOperator, dynamic: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    (converter,) = (each for each in CONVERTERS if each.function == op.name)
    graph_nodes.check_compiled_graph(converter, op, dynamic=dynamic, monkeypatch=monkeypatch)
{% endif %}
