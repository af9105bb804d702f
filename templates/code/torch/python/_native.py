"""The operators of {{ package }} as a model would write them: PyTorch's own operators, no kernel of this package.

Every step rounds in the tensors' own dtype. Benchmarks compare with these, and `fuse`, where a project has it, looks for them in models.
"""

from __future__ import annotations
{% if sequences %}

from collections.abc import Sequence
{% endif %}

{% if torch %}
import torch
{% endif %}
from torch import Tensor
{% if imports %}

{% endif %}
{% if own %}
from {{ package }} import {{ own }}
{% endif %}
{% if owned %}
from {{ package }}._opforge import {{ owned }}
{% endif %}
{% for op in ops %}


{{ op.signature }}
    """{{ op.docstring }}"""
{% for line in op.lines %}
    {{ line }}
{% endfor %}
{% endfor %}
