"""What op_host reads for the tiling of an op that is written by hand: attributes, and values of inputs."""

from __future__ import annotations

from opforge.naming import lower_camel
from opforge.render.ascendc.scalars import attr_member
from opforge.spec.model import OpSpec, TensorSpec


def values_member(tensor: TensorSpec) -> str:
    """The member of the host tiling's ``Call`` with the values of an input that the host reads."""
    return f"{lower_camel(tensor.name)}Values"


def call_attribute_lines(op: OpSpec) -> tuple[str, ...]:
    """From CANN's context into ``Call``: every attribute, as its author may want any."""
    lines: list[str] = []
    for index, attr in enumerate(op.attrs):
        lines += [
            f"if (!op_context::ReadAttribute(*attrs, {index}, &call->{attr_member(attr)})) {{",
            f'    return Refuse(kOpType, "attribute {attr.name} is missing");',
            "}",
        ]
    return tuple(lines)


def call_value_lines(op: OpSpec) -> tuple[str, ...]:
    """From CANN's context into ``Call``: the values of inputs that the host reads."""
    lines: list[str] = []
    for index, tensor in enumerate(op.inputs):
        if tensor.value_depend is not None:
            lines += [
                f"if (!op_context::ReadValues(context, {index}, &call.{values_member(tensor)})) {{",
                f'    return Refuse(kOpType, "the host does not know the values of {tensor.name}");',
                "}",
            ]
    return tuple(lines)
