"""aclnn/: C++ programs that call the ops without PyTorch, in the argument order of CANN's op_build.

Order and types: all inputs, all attributes (float as double, int as int64_t, str as char*), all outputs.
"""

from __future__ import annotations

from dataclasses import dataclass

from opforge.naming import lower_camel, snake
from opforge.plan.matmul_model import AnyPlan
from opforge.render.ascendc.layout import fill
from opforge.render.ascendc.spelling import int_literal, string_literal
from opforge.spec.model import AttrSpec, OpSpec, Spec

_ACL = {"float32": "ACL_FLOAT", "float16": "ACL_FLOAT16", "bfloat16": "ACL_BF16"}


@dataclass(frozen=True)
class CallerTensor:
    """A tensor of the call."""

    name: str
    variable: str
    acl: str
    start: str


@dataclass(frozen=True)
class CallerForm:
    """Context of ``aclnn/call_op.cpp``."""

    op_type: str
    stem: str
    tensors: tuple[CallerTensor, ...]
    inputs: tuple[CallerTensor, ...]
    string_lines: tuple[str, ...]
    first_call: str
    second_call: str


@dataclass(frozen=True)
class CallersForm:
    """Context of ``aclnn/CMakeLists.txt``."""

    first_stem: str
    stems: str


def _attr_argument(attr: AttrSpec) -> str:
    if attr.type == "str":
        return f"{lower_camel(attr.name)}Text"
    if attr.type == "bool":
        return "true" if attr.default else "false"
    value = 1 if attr.default is None else attr.default
    return int_literal(int(value)) if attr.type == "int" else repr(float(value))


def _string_line(attr: AttrSpec) -> str:
    return f"char {lower_camel(attr.name)}Text[] = {string_literal(str(attr.default or ''))};"


def caller_form(op: OpSpec, plan: AnyPlan) -> CallerForm:
    """The program that calls ``op``, in float32 where the op has it."""
    columns = range(len(op.inputs[0].dtypes))
    column = next((c for c in columns if all(a.dtypes[c] == "float32" for a in plan.arguments)), 0)
    tensors = tuple(
        CallerTensor(a.name, f"{lower_camel(a.name)}Tensor", _ACL[a.dtypes[column]], f"{number + 1}.0f")
        for number, a in enumerate(plan.arguments)
    )
    inputs = tensors[: len(plan.inputs)]
    arguments = [
        *(f"{t.variable}.Get()" for t in inputs),
        *(_attr_argument(a) for a in op.attrs),
        *(f"{t.variable}.Get()" for t in tensors[len(inputs) :]),
        "&workspaceSize",
        "&executor",
    ]
    second = "workspace, workspaceSize, executor, stream"
    return CallerForm(
        op_type=op.type,
        stem=snake(op.type),
        tensors=tensors,
        inputs=inputs,
        string_lines=tuple(_string_line(a) for a in op.attrs if a.type == "str"),
        first_call=fill(f"Check(aclnn{op.type}GetWorkspaceSize(", arguments, "),", indent=8, nested=len("Check(")),
        second_call=fill("Check(", [f"aclnn{op.type}({second})", f'"aclnn{op.type}"'], ");", indent=8),
    )


def callers_form(spec: Spec) -> CallersForm:
    """How the programs of all ops are built."""
    stems = [snake(op.type) for op in spec.ops]
    return CallersForm(stems[0], " ".join(f"{stem}" for stem in stems))
