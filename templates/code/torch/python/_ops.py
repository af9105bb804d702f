"""Registers the operators of {{ package }} in torch, except the NPU implementation in csrc/adapter.cpp.

These are Meta functions (shapes and dtypes without data), the CPU implementation, and the derivatives.
"""

from __future__ import annotations

{% if sequences %}
from collections.abc import Sequence
{% endif %}
{% if registered %}
from typing import Any
{% endif %}
{% if standard %}

{% endif %}
import torch
from torch import Tensor

{% if own %}
from {{ package }} import {{ own }}
{% endif %}
from {{ package }}._opforge import {{ owned }}

_runtime.load()  # registers the schemas, which the code below needs
{% for op in ops %}

# {{ op.type }}: a row is one supported combination of dtypes.
{{ op.constant }}_COLUMNS: _checks.Columns = ({{ op.columns | wrap }})
{% if op.shapes %}
{{ op.constant }}_SHAPES = _shapes.Shapes({{ op.shapes | wrap }})
{% endif %}
{% for table in op.tables %}
{{ table.name }} = {
{% for row in table.rows %}
    {{ row }},
{% endfor %}
}
{% endfor %}


@torch.library.register_fake("{{ package }}::{{ op.function }}")
def _{{ op.function }}_fake({{ op.parameters | wrap }}) -> {{ op.returns }}:
{% for step in op.fake.steps %}
{% if step.target %}
    {{ step.target }} = {{ step.function }}({{ step.arguments | wrap }})
{% else %}
    {{ step.function }}({{ step.arguments | wrap }})
{% endif %}
{% endfor %}
{% if op.fake.empty %}
    return {{ op.first }}.new_empty({{ op.fake.empty | wrap }})
{% elif op.fake.listed %}
    return {{ op.fake.maker }}({{ op.fake.listed | wrap }})
{% elif op.fake.several %}
    return ({{ op.fake.several | wrap }})
{% endif %}


@_fallback.computes("{{ op.function }}", "{{ op.public }}")
def _{{ op.function }}_cpu({{ op.parameters | wrap }}) -> {{ op.returns }}:
{% if op.cpu.computable %}
{% for step in op.cpu.steps %}
{% if step.target %}
    {{ step.target }} = {{ step.function }}({{ step.arguments | wrap }})
{% else %}
    {{ step.function }}({{ step.arguments | wrap }})
{% endif %}
{% endfor %}
{% if op.cpu.returned %}
    return {{ op.cpu.returned | wrap }}
{% endif %}
{% else %}
    raise _fallback.no_reference("{{ op.function }}", {{ op.first }})
{% endif %}
{% if op.registered %}
{% if op.setup %}


def _{{ op.function }}_setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
{% for line in op.derivative.setup_lines %}
    {{ line }}
{% endfor %}
{% endif %}


{% if op.outside %}
@_autocast.outside_autocast
{% endif %}
{{ op.derivative.signature }}
{% for line in op.derivative.lines %}
    {{ line }}
{% endfor %}


torch.library.register_autograd({{ op.registered | wrap }})
{% endif %}
{% if op.in_place %}


_in_place.refuse_gradients("{{ op.function }}")
{% endif %}
{% if op.autocast %}
_autocast.{{ op.autocast }}("{{ op.function }}", {{ op.constant }}_COLUMNS)
{% endif %}
{% endfor %}
