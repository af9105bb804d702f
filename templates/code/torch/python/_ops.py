"""What torch must know of the operators of {{ package }} beside the NPU implementation in csrc/adapter.cpp.

Meta functions (shapes and dtypes without data), the CPU implementation, and the derivatives.
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

_runtime.load()  # the schemas: what follows is registered for them
{% for op in ops %}

# {{ op.type }}: a row is one supported combination of dtypes.
{{ op.columns }}
{% if op.shapes %}
{{ op.shapes }}
{% endif %}
{% for table in op.tables %}
{{ table }}
{% endfor %}


@torch.library.register_fake("{{ package }}::{{ op.function }}")
{{ op.fake_signature }}
{% for line in op.fake_lines %}
    {{ line }}
{% endfor %}


@_fallback.computes("{{ op.function }}", "{{ op.public }}")
{{ op.cpu_signature }}
{% for line in op.cpu_lines %}
    {{ line }}
{% endfor %}
{% if op.registration %}
{% if op.setup %}


def _{{ op.function }}_setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
{% for line in op.derivative.setup_lines %}
    {{ line }}
{% endfor %}
{% endif %}


{% if op.outside %}
{{ op.outside }}
{% endif %}
{{ op.derivative.signature }}
{% for line in op.derivative.lines %}
    {{ line }}
{% endfor %}


{{ op.registration }}
{% endif %}
{% if op.refusal %}


{{ op.refusal }}
{% endif %}
{% if op.autocast %}
{{ op.autocast }}
{% endif %}
{% endfor %}
