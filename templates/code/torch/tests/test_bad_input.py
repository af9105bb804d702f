"""Wrong arguments raise an error that names the argument and says what was expected."""

from __future__ import annotations

import pytest
from opforge.testing.checks.refusals import Call, wrong_calls
from opforge.testing.checks.tested_operator import ExpressedOperator, identify

{% for table in tables %}
from {{ table.module }} import {{ table.name }}
{% endfor %}


@pytest.mark.parametrize(("op", "call", "device"), wrong_calls({{ every }}), ids=identify)
def test_refused(op: ExpressedOperator, call: Call, device: str) -> None:
    call(op, device)
