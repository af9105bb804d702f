"""op_host: the definition of one op, its shape and type inference, and its tiling function."""

from __future__ import annotations

from dataclasses import dataclass

from opforge.dtypes import DTYPES
from opforge.errors import PlanError
from opforge.ir.graph import Graph
from opforge.naming import snake
from opforge.plan.model import Argument, Plan
from opforge.render.ascendc.names import tensor_names
from opforge.render.ascendc.scalars import scalar_lines
from opforge.render.ascendc.spelling import float_literal, int_literal, string_literal
from opforge.spec.model import AttrSpec, OpSpec, Spec


@dataclass(frozen=True)
class HostInput:
    """An input of the OpDef."""

    name: str
    dtypes: str


@dataclass(frozen=True)
class HostOutput:
    """An output of the OpDef; ``infer`` is its type as an expression over ``context``."""

    index: int
    name: str
    dtypes: str
    infer: str


@dataclass(frozen=True)
class HostAttr:
    """An attribute of the OpDef."""

    name: str
    option: str
    setter: str


@dataclass(frozen=True)
class HostStrides:
    """A strides member of the tiling data and the index of its input."""

    index: int
    name: str


@dataclass(frozen=True)
class HostForm:
    """Context of ``op_host/op_host.cpp``."""

    op_type: str
    stem: str
    input_count: int
    output_count: int
    column_count: int
    columns: tuple[str, ...]
    reserved: int
    inputs: tuple[HostInput, ...]
    outputs: tuple[HostOutput, ...]
    attrs: tuple[HostAttr, ...]
    strides: tuple[HostStrides, ...]
    scalar_lines: tuple[str, ...]
    socs: tuple[str, ...]


def _dtypes(argument: Argument) -> str:
    return "{" + ", ".join(f"ge::{DTYPES[d].ge}" for d in argument.dtypes) + "}"


def _columns(plan: Plan) -> tuple[str, ...]:
    lines = []
    for column in range(len(plan.arguments[0].dtypes)):
        types = ", ".join(f"ge::{DTYPES[a.dtypes[column]].ge}" for a in plan.inputs)
        narrowest = min(DTYPES[a.dtypes[column]].size for a in plan.arguments)
        lines.append("{{" + types + "}, " + f"{plan.bytes_per_element(column)}, {narrowest}" + "},")
    return tuple(lines)


def _infer_dtype(plan: Plan, output: Argument) -> str:
    for index, argument in enumerate(plan.inputs):
        if argument.dtypes == output.dtypes:
            return f"context->GetInputDataType({index})"
    if len(set(output.dtypes)) == 1:
        return f"ge::{DTYPES[output.dtypes[0]].ge}"
    raise PlanError(
        f"{plan.op_type}: the dtypes of output {output.name} ({', '.join(output.dtypes)}) are those of no input",
        hint="give it the dtype list of one of the inputs, or one dtype",
    )


def _attr(attr: AttrSpec) -> HostAttr:
    setter = {"int": "Int", "float": "Float", "bool": "Bool", "str": "String"}[attr.type]
    if attr.default is None:
        return HostAttr(attr.name, "REQUIRED", f"{setter}()")
    if attr.type == "float":
        value = float_literal(float(attr.default))
    elif attr.type == "bool":
        value = "true" if attr.default else "false"
    elif attr.type == "int":
        value = int_literal(int(attr.default))
    else:
        value = string_literal(str(attr.default))
    return HostAttr(attr.name, "OPTIONAL", f"{setter}({value})")


def host_form(spec: Spec, op: OpSpec, graph: Graph, plan: Plan) -> HostForm:
    """What op_host says of ``op``. Raises PlanError for an output type that cannot be inferred from the inputs'."""
    return HostForm(
        op_type=op.type,
        stem=snake(op.type),
        input_count=len(plan.inputs),
        output_count=len(plan.outputs),
        column_count=len(op.inputs[0].dtypes),
        columns=_columns(plan),
        reserved=plan.reserved,
        inputs=tuple(HostInput(a.name, _dtypes(a)) for a in plan.inputs),
        outputs=tuple(HostOutput(i, a.name, _dtypes(a), _infer_dtype(plan, a)) for i, a in enumerate(plan.outputs)),
        attrs=tuple(_attr(a) for a in op.attrs),
        strides=tuple(HostStrides(i, tensor_names(a).strides) for i, a in enumerate(plan.inputs) if a.moved),
        scalar_lines=scalar_lines(op, graph, plan),
        socs=spec.project.soc,
    )
