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

{{ functions }}
{% for module in modules %}


class {{ module.name }}(torch.nn.Module):
    """{{ module.docstring }}"""
{% if module.annotations %}

{% for annotation in module.annotations %}
    {{ annotation }}
{% endfor %}
{% endif %}
{% if module.init %}

    {{ module.init }}
        super().__init__()
{% for line in module.init_lines %}
        {{ line }}
{% endfor %}
{% endif %}
{% if module.reset_lines %}

    def reset_parameters(self) -> None:
        """Gives the parameters their initial values."""
{% for line in module.reset_lines %}
        {{ line }}
{% endfor %}
{% endif %}

    {{ module.forward }}
        """What the operator makes of these tensors."""
        {{ module.call }}
{% if module.shown %}

    def extra_repr(self) -> str:
        """What stands between the brackets of its repr."""
        {{ module.shown }}
{% endif %}
{% endfor %}
