"""`fuse` finds the operators' expressions in models and keeps the models' results and parameters."""

from __future__ import annotations

import pytest
from opforge.testing.checks import fused_models
from opforge.testing.checks.tested_operator import ExpressedOperator, identify

import {{ package }}
{% for table in tables %}
from {{ table.module }} import {{ table.name }}
{% endfor %}

FUSIBLE = fused_models.by_name({{ package }}._opforge._fusion.FUSIBLE)
FOUND = [op for op in {{ every }} if op.name in FUSIBLE]


@pytest.mark.parametrize("transposed", [False, True], ids=["as it is", "transposed"])
@pytest.mark.parametrize("op", FOUND, ids=identify)
def test_expressions(op: ExpressedOperator, transposed: bool) -> None:
    fused_models.check_fused({{ package }}, FUSIBLE[op.name], op, transposed=transposed)
