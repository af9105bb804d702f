"""How torch.compile(backend="npu") writes the operators of {{ package }} into a GE graph: torchair's converters.

Importing this module registers them without importing torchair or protobuf. torchair finds a converter as an attribute
of the operator, which is set here; only the call of a converter needs torchair. torchair's
register_fx_node_ge_converter sets the same attribute but requires that all of torchair is imported.
"""

from __future__ import annotations

import importlib
{% if sequences %}
from collections.abc import Sequence
{% endif %}
from typing import Any

import torch

from {{ package }} import _ops  # noqa: F401  (there must be operators first)


def _torchair_ge() -> Any:
    """torchair.ge. The caller of a converter has imported it."""
    return importlib.import_module("torchair.ge")
{% if numbers %}


def _const(ge: Any, value: Any, dtype: int) -> Any:
    """An input with a known value: a number or a list of numbers. Values that depend on a size are already tensors."""
    if value is None:
        return None
    if isinstance(value, ge.Tensor):
        return value if value.dtype == dtype else ge.Cast(value, dst_type=dtype)
    return ge.Const(list(value) if isinstance(value, Sequence) else value, dtype)
{% endif %}
{% if tables %}


def _chosen(ge: Any, table: dict[tuple[str, ...], str], *tensors: Any) -> int:
    """The dtype that the table has for the dtypes of these tensors."""
    for dtypes, name in table.items():
        if all(tensor.dtype == getattr(ge.DataType, dtype) for tensor, dtype in zip(tensors, dtypes, strict=True)):
            return int(getattr(ge.DataType, name))
    raise TypeError(f"no kernel takes tensors of these dtypes: {tensors}; there are {', '.join(map(str, table))}")
{% endif %}
{% if attrs %}


def _check_constant(op_type: str, **attrs: Any) -> None:
    """Refuses attributes that depend on a size, because attributes are constants of a GE graph."""
    for name, value in attrs.items():
        items = value if isinstance(value, Sequence) else [value]
        if not all(isinstance(item, (bool, int, float, str)) for item in items):
            raise TypeError(
                f"{op_type}: {name} depends on the size of a tensor, and in a GE graph attributes are constant. "
                "Compile with dynamic=False, or give a number."
            )
{% endif %}
{% for op in ops %}
{% if op.tables %}


{% for table in op.tables %}
{{ table.name }} = {
{% for row in table.rows %}
    {{ row }},
{% endfor %}
}
{% endfor %}
{% endif %}


def _{{ op.function }}_converter({{ op.parameters | wrap }}) -> {{ op.returns }}:
    ge = _torchair_ge()
{% if op.constants %}
    _check_constant({{ op.constants | wrap }})
{% endif %}
{% if op.returned %}
    return ge.custom_op(
{% elif op.result %}
    outputs = ge.custom_op(
{% else %}
    ge.custom_op(
{% endif %}
        "{{ op.type }}",
        inputs={ {{ op.inputs | wrap }} },
        attrs={ {{ op.attrs | wrap }} },
        outputs=[{{ op.outputs | wrap }}],
    )
{% if op.result %}
    return {{ op.result | wrap }}
{% endif %}
{% endfor %}


CONVERTERS = {
{% for op in ops %}
    "{{ op.function }}": ("{{ op.type }}", _{{ op.function }}_converter),
{% endfor %}
}


def _register() -> None:
    """Sets the same attribute as register_fx_node_ge_converter."""
    for function, (_, converter) in CONVERTERS.items():
        vars(converter)["require_meta"] = False  # it does not need the outputs' shapes
        getattr(torch.ops.{{ package }}, function).default._ge_converter = converter


_register()
