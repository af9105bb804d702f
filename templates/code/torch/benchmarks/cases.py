"""Operators, sizes and limits for `opforge bench`, `verify` and `test --leaks`. Extend this file as you like."""

from __future__ import annotations

import torch
from opforge.testing.measuring import {{ drawing | wrap }}

import {{ package }}
{% if reference %}
from {{ package }} import _reference
{% endif %}
{% if native %}
from {{ package }}._opforge import _native
{% endif %}

TESTING = ">=1.2,<2"  # the versions of opforge.testing that this file works with

OPS: tuple[Op, ...] = (
{% for op in ops %}
    Op(
        type="{{ op.type }}",
        function={{ package }}.{{ op.function }},
{% if op.in_torch %}
        in_torch=_native.{{ op.function }},
{% endif %}
{% if op.reference %}
        reference=_reference.{{ op.function }},
{% endif %}
        inputs={ {{ op.inputs | wrap }} },
        columns=({{ op.columns | wrap }}),
        outputs=({{ op.outputs | wrap }}),
{% if op.attrs %}
        attrs={ {{ op.attrs | wrap }} },
{% endif %}
{% if op.sizes %}
        sizes={ {{ op.sizes | wrap }} },
{% endif %}
{% if op.written %}
        written=({{ op.written | wrap }}),
{% endif %}
{% for field in op.further %}
        {{ field.name }}=({{ field.values | wrap }}),
{% endfor %}
{% if op.differentiable %}
        differentiable=True,
{% endif %}
{% if op.authored %}
        by_hand=True,
{% endif %}
{% if op.skeleton %}
        kernel="{{ op.skeleton }}",
{% endif %}
    ),
{% endfor %}
)

# Tokens, terms of a product, columns of its result: small sizes for a simulator, and a layer of a 7B model. At those
# in "counted", a simulator only counts, in one call.
PRODUCTS = {
    "small": ((1, 1024, 2816), (33, 127, 257), (256, 512, 1376)),
    "full": ((1, 4096, 11008), (128, 4096, 11008), (2048, 4096, 11008)),
    "counted": ((128, 4096, 11008),),
}
# Tokens, elements of each.
ELEMENTS = {
    "small": ((1, 4096), (33, 127), (512, 1024)),
    "full": ((1, 4096), (128, 4096), (2048, 4096), (8192, 4096)),
    "counted": ((2048, 4096),),
}
# Limits of standards A and B: for dtypes other than float16, bfloat16 and float32, or to replace theirs.
TOLERANCES: dict[torch.dtype, Tolerance] = {}
RELATIVES: dict[torch.dtype, Relative] = {}


def timed(op: Op, size: str) -> tuple[Case, ...]:
    """The cases at which `opforge bench` times an operator. ``size``: small or full."""
    return op.cases(products=PRODUCTS[size], elements=ELEMENTS[size])


def counted(op: Op) -> tuple[Case, ...]:
    """The cases at which `opforge bench` counts bytes and instructions, on a simulator, without times."""
    return timed(op, "counted")
