"""op_host: the definition of one op, its shape and type inference, and the glue around its tiling."""

from __future__ import annotations

from dataclasses import dataclass

from opforge.dtypes import DTYPES
from opforge.errors import PlanError
from opforge.ir.graph import Graph
from opforge.naming import snake
from opforge.plan.matmul_model import AnyPlan
from opforge.plan.model import Argument
from opforge.render.ascendc.scalars import attribute_lines
from opforge.render.ascendc.spelling import float_literal, int_literal, string_literal
from opforge.spec.model import AttrSpec, OpSpec, Spec


@dataclass(frozen=True)
class HostInput:
    """An input of the OpDef; ``param`` says whether it must be given."""

    name: str
    param: str
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
class HostForm:
    """Context of ``op_host/op_host.cpp``. ``optional`` is a list of bools, one an input, empty where all are needed."""

    op_type: str
    stem: str
    output_count: int
    column_count: int
    types: tuple[str, ...]
    optional: str
    inputs: tuple[HostInput, ...]
    outputs: tuple[HostOutput, ...]
    attrs: tuple[HostAttr, ...]
    attr_lines: tuple[str, ...]
    socs: tuple[str, ...]


def _dtypes(argument: Argument) -> str:
    return "{" + ", ".join(f"ge::{DTYPES[d].ge}" for d in argument.dtypes) + "}"


def _types(plan: AnyPlan) -> tuple[str, ...]:
    lines = []
    for column in range(len(plan.arguments[0].dtypes)):
        types = ", ".join(f"ge::{DTYPES[a.dtypes[column]].ge}" for a in plan.inputs)
        lines.append("{" + types + "},")
    return tuple(lines)


def _infer_dtype(op: OpSpec, plan: AnyPlan, output: Argument) -> str:
    for index, (tensor, argument) in enumerate(zip(op.inputs, plan.inputs, strict=True)):
        if argument.dtypes == output.dtypes and not tensor.optional:
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


def _optional(op: OpSpec) -> str:
    if not any(t.optional for t in op.inputs):
        return ""
    return "{" + ", ".join("true" if t.optional else "false" for t in op.inputs) + "}"


def host_form(spec: Spec, op: OpSpec, graph: Graph, plan: AnyPlan) -> HostForm:
    """What op_host says of ``op``. Raises PlanError for an output type that cannot be inferred from the inputs'."""
    inputs = zip(op.inputs, plan.inputs, strict=True)
    return HostForm(
        op_type=op.type,
        stem=snake(op.type),
        output_count=len(plan.outputs),
        column_count=len(op.inputs[0].dtypes),
        types=_types(plan),
        optional=_optional(op),
        inputs=tuple(HostInput(a.name, "OPTIONAL" if t.optional else "REQUIRED", _dtypes(a)) for t, a in inputs),
        outputs=tuple(HostOutput(i, a.name, _dtypes(a), _infer_dtype(op, plan, a)) for i, a in enumerate(plan.outputs)),
        attrs=tuple(_attr(a) for a in op.attrs),
        attr_lines=attribute_lines(op, graph, plan.scalars),
        socs=spec.project.soc,
    )
