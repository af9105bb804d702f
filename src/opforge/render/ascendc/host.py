"""op_host of one op: its definition, its shape and type inference, and the glue around its tiling."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.plan.vector_model import Argument, Arguments
from opforge.render.ascendc.host_call import ReadAttribute, ReadValues, values_member
from opforge.render.ascendc.op_definition import HostAttr, HostConfig, HostTensor, OpDefCall, definition
from opforge.render.ascendc.scalars import attr_member
from opforge.spec.model import AttrSpec, OpSpec, Spec

if TYPE_CHECKING:
    from collections.abc import Sequence

    from opforge.program import Kernel


@dataclass(frozen=True)
class InferredType:
    """The type of an output, as an expression over ``context`` or over the column of types."""

    index: int
    infer: str


@dataclass(frozen=True)
class HostForm:
    """Context of ``op_host/op_host.cpp``.

    ``own_shapes``: each output has its own shape. ``lists``: inputs may be lists. ``optional``: one bool per input, or
    nothing if all inputs are required. ``initialized``: outputs are filled before the kernel runs. ``waits_for_all``:
    all cores start at once; ``spread_keys``: the tiling keys with which they do.
    ``by_column``: the type of some output depends on the types of all inputs. ``listed``: some output is a list of
    tensors. ``reads_for_shapes``: shape inference reads
    values, since the author's function may use them. ``plain_formats``: tensors with a single format share one list.
    """

    op_type: str
    stem: str
    own_shapes: bool
    spread_keys: tuple[str, ...]
    lists: bool
    output_count: int
    column_count: int
    tunable: bool
    types: tuple[tuple[str, ...], ...]
    optional: tuple[str, ...]
    read: tuple[ReadAttribute, ...]
    values: tuple[ReadValues, ...]
    initialized: bool
    waits_for_all: bool
    by_column: bool
    listed: bool
    reads_for_shapes: bool
    inferred: tuple[InferredType, ...]
    plain_formats: bool
    inputs: tuple[HostTensor, ...]
    attrs: tuple[HostAttr, ...]
    outputs: tuple[HostTensor, ...]
    calls: tuple[OpDefCall, ...]
    configs: tuple[HostConfig, ...]


def host_form(spec: Spec, kernel: Kernel) -> HostForm:
    """The context of an op's op_host. Raises PlanError for formats that columns cannot express."""
    op, plan = kernel.op, kernel.plan
    defined = definition(op, spec.project.soc)
    tensors = (*defined.inputs, *defined.outputs)
    inferred = tuple(InferredType(i, _infer_type(op, plan, i, a)) for i, a in enumerate(plan.outputs))
    return HostForm(
        op_type=op.type,
        stem=snake(op.type),
        own_shapes=kernel.own_shapes,
        spread_keys=() if kernel.waits_for_all else kernel.spread_keys,
        lists=kernel.takes_lists,
        output_count=len(plan.outputs),
        column_count=len(defined.columns),
        tunable=bool(kernel.plan_members),
        types=_types(plan),
        optional=_optional(op),
        read=_read_attributes(kernel),
        values=tuple(
            ReadValues(i, t.name, values_member(t)) for i, t in enumerate(op.inputs) if t.value_depend is not None
        ),
        initialized=any(method == "InitValue" for tensor in op.outputs for method, _ in tensor.opdef),
        waits_for_all=kernel.waits_for_all,
        reads_for_shapes=any(tensor.own_shape for tensor in op.outputs),
        listed=any(tensor.dynamic for tensor in op.outputs),
        by_column=any(output.infer.startswith("kTypes") for output in inferred),
        inferred=inferred,
        plain_formats=any(".Format(formats)" in tensor.calls for tensor in tensors),
        inputs=defined.inputs,
        attrs=defined.attrs,
        outputs=defined.outputs,
        calls=defined.calls,
        configs=defined.configs,
    )


def _types(plan: Arguments) -> tuple[tuple[str, ...], ...]:
    return tuple(
        tuple(f"ge::{DTYPES[argument.dtypes[column]].ge}" for argument in plan.arguments)
        for column in range(len(plan.arguments[0].dtypes))
    )


def _read_attributes(kernel: Kernel) -> tuple[ReadAttribute, ...]:
    """The attributes that the host reads, with what the kernel needs of them."""
    op, read = kernel.op, kernel.host_attributes()
    lengths = kernel.expression.list_lengths if kernel.expressed else {}
    whole = kernel.expression.whole_attrs if kernel.expressed else ()
    return tuple(
        ReadAttribute(i, attr.name, attr_member(attr), lengths.get(attr.name, 0), _members(attr, whole))
        for i, attr in enumerate(op.attrs)
        if attr in read
    )


def _members(attr: AttrSpec, used: Sequence[str]) -> tuple[str, ...]:
    """The members of ``Call``, or their elements, that hold those values that are an attribute's: ``n`` or ``n[0]``."""
    parts = (name.partition("[") for name in used)
    return tuple(f"{attr_member(attr)}{bracket}{rest}" for name, bracket, rest in parts if name == attr.name)


def _infer_type(op: OpSpec, plan: Arguments, index: int, output: Argument) -> str:
    """The expression for an output's type: the type of a required input, else a constant, else the column's entry."""
    for place, (tensor, argument) in enumerate(zip(op.inputs, plan.inputs, strict=True)):
        if argument.dtypes == output.dtypes and not tensor.optional:
            return _type_of_input(op, place)
    if len(set(output.dtypes)) == 1:
        return f"ge::{DTYPES[output.dtypes[0]].ge}"
    return f"kTypes[column][kInputs + {index}]"


def _type_of_input(op: OpSpec, place: int) -> str:
    """Reads an input's type by its index in the call if that index is fixed, else by its index in the definition."""
    if op.inputs[place].dynamic and not op.inputs[place].scalar:
        return f"context->GetDynamicInputDataType({place}, 0)"
    alone = all(not tensor.optional and (tensor.scalar or not tensor.dynamic) for tensor in op.inputs[:place])
    return f"context->Get{'' if alone else 'Required'}InputDataType({place})"


def _optional(op: OpSpec) -> tuple[str, ...]:
    if not any(tensor.optional for tensor in op.inputs):
        return ()
    return tuple("true" if tensor.optional else "false" for tensor in op.inputs)
