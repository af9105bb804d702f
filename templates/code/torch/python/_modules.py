"""The operators of {{ package }} as modules: their parameters, the initial values, the call."""

from __future__ import annotations

{% if math %}
import math
{% endif %}
{% if sequences %}
from collections.abc import Sequence
{% endif %}
{% if standard %}

{% endif %}
import torch
from torch import Tensor

{% if renamed %}
import {{ package }} as {{ functions }}
{% else %}
import {{ package }}
{% endif %}
{% for module in modules %}


class {{ module.name }}(torch.nn.Module):
    """{{ module.docstring }}"""
{% if module.switches %}

{% for name in module.switches %}
    {{ name }}: torch.nn.Parameter | None
{% endfor %}
{% endif %}
{% if module.init %}

    def __init__({{ module.init | wrap }}) -> None:
        super().__init__()
{% for name in module.sizes %}
        self.{{ name }} = {{ name }}
{% endfor %}
{% for attr in module.attrs %}
        self.{{ attr.name }} = {{ attr.value }}
{% endfor %}
{% for parameter in module.parameters %}
{% if parameter.optional %}
        self.register_parameter({{ parameter.arguments | wrap }})
{% else %}
        self.{{ parameter.name }} = torch.nn.Parameter({{ parameter.arguments | wrap }})
{% endif %}
{% endfor %}
{% if module.parameters %}
        self.reset_parameters()
{% endif %}
{% endif %}
{% if module.initial %}

    def reset_parameters(self) -> None:
        """Gives the parameters their initial values."""
{% for value in module.initial %}
{% if value.fan %}
        bound = 1 / math.sqrt(max({{ value.fan }}, 1))
{% endif %}
{% if value.optional %}
        if self.{{ value.name }} is not None:
            torch.nn.init.{{ value.function }}({{ value.arguments | wrap }})
{% else %}
        torch.nn.init.{{ value.function }}({{ value.arguments | wrap }})
{% endif %}
{% endfor %}
{% endif %}

    def forward({{ module.forward | wrap }}) -> {{ module.returns }}:
        """Applies the operator to these tensors."""
        return {{ functions }}.{{ module.function }}({{ module.arguments | wrap }})
{% if module.shown %}

    def extra_repr(self) -> str:
        """The text between the brackets of the repr."""
{% if module.pieces %}
        return (
{% for piece in module.shown %}
            f"{{ piece }}"
{% endfor %}
        )
{% else %}
{% for text in module.shown %}
        return f"{{ text }}"
{% endfor %}
{% endif %}
{% endif %}
{% endfor %}
