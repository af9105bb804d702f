"""aclnn/: C++ programs that use the ops without PyTorch: through aclnn, and by launching the kernels themselves.

The aclnn call has the argument order of CANN's op_build: all inputs, all attributes (float as double, int as int64_t,
str as char*), all outputs. A direct launch computes the same tiling as op_host, and passes it with its key by address.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.fileset import File
from opforge.ir.graph import Graph
from opforge.naming import lower_camel, snake
from opforge.plan.handwritten import HandwrittenPlan
from opforge.plan.matmul_model import AnyPlan, MatmulPlan
from opforge.plan.model import Plan
from opforge.render.ascendc.golden import attr_value, golden_form
from opforge.render.ascendc.kernel import entry_form, instance
from opforge.render.ascendc.layout import fill
from opforge.render.ascendc.matmul_kernel import matmul_entry_form
from opforge.render.ascendc.scalars import attr_member, tiling_attributes
from opforge.render.ascendc.spelling import float_literal, int_literal, string_literal
from opforge.render.forms import render_form
from opforge.soc import SOCS
from opforge.spec.model import AttrSpec, OpSpec, Spec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_FORMS = "code/ascendc/aclnn/"


@dataclass(frozen=True)
class CallerForm:
    """Context of ``aclnn/call_op.cpp``."""

    op_type: str
    stem: str
    string_lines: tuple[str, ...]
    first_call: str
    second_call: str
    run_call: str


@dataclass(frozen=True)
class LaunchDataForm:
    """Context of ``aclnn/direct_op.h``."""

    op_type: str
    stem: str
    guard: str


@dataclass(frozen=True)
class DirectKernelForm:
    """Context of ``aclnn/direct_op.cpp``."""

    op_type: str
    stem: str
    dtypes: str
    signature: str
    kernel_type: str
    instance: str
    products: bool
    init_call: str
    deep_init_call: str


@dataclass(frozen=True)
class LauncherForm:
    """Context of ``aclnn/launch_op.cpp``."""

    op_type: str
    stem: str
    column: int
    dtypes: str
    optional: bool
    attr_lines: tuple[str, ...]
    launch_call: str
    run_call: str


@dataclass(frozen=True)
class CallersForm:
    """Context of ``aclnn/CMakeLists.txt``."""

    first_stem: str
    stems: str
    soc_version: str


@dataclass(frozen=True)
class NoSlots:
    """Context of a header that is the same in every project."""


def op_programs(op: OpSpec, graph: Graph | None, plan: AnyPlan) -> Iterator[File]:
    """What calls ``op`` through aclnn, what launches its kernel, and what both compare with."""
    if graph is None or isinstance(plan, HandwrittenPlan):
        return
    stem = snake(op.type)
    yield _file(f"golden_{stem}.h", "golden_op.h", golden_form(op, graph))
    yield _file(f"call_{stem}.cpp", "call_op.cpp", caller_form(op))
    yield _file(f"{stem}_direct.h", "direct_op.h", LaunchDataForm(op.type, stem, stem.upper()))
    yield _file(f"{stem}_direct.cpp", "direct_op.cpp", _direct_kernel_form(op, plan))
    yield _file(f"launch_{stem}.cpp", "launch_op.cpp", _launcher_form(op, graph, plan))


def shared_programs(spec: Spec) -> Iterator[File]:
    """How the programs of all ops are built, and the headers that they share."""
    stems = [snake(op.type) for op in spec.ops if not op.handwritten]
    if not stems:
        return
    for name in ("acl_call.h", "acl_tensor.h", "host_tensor.h", "trial.h"):
        yield _file(name, name, NoSlots())
    chip = SOCS[spec.project.soc[0]].default_version.name
    yield _file("CMakeLists.txt", "CMakeLists.txt", CallersForm(stems[0], " ".join(stems), chip))


def _attr_argument(attr: AttrSpec) -> str:
    value = attr_value(attr)
    if attr.type == "str":
        return f"{lower_camel(attr.name)}Text"
    if attr.type == "bool":
        return "true" if value else "false"
    return int_literal(int(value)) if attr.type == "int" else repr(float(value))


def _string_line(attr: AttrSpec) -> str:
    return f"char {lower_camel(attr.name)}Text[] = {string_literal(str(attr_value(attr)))};"


def _run_call(title: str, stem: str, types: str, function: str) -> str:
    arguments = [f'"{title}"', f"{stem}_golden::kTrials", types, f"{stem}_golden::Compute", function]
    return fill("return RunTrials(", arguments, ");", indent=4)


def caller_form(op: OpSpec) -> CallerForm:
    """The program that calls ``op`` in every combination of types."""
    stem, count = snake(op.type), len(op.inputs)
    arguments = [
        *(f"arguments[{i}].Get()" for i in range(count)),
        *(_attr_argument(a) for a in op.attrs),
        *(f"arguments[{i}].Get()" for i in range(count, count + len(op.outputs))),
        "&workspaceSize",
        "&executor",
    ]
    second = "workspace.Address(), workspaceSize, executor, stream"
    return CallerForm(
        op_type=op.type,
        stem=stem,
        string_lines=tuple(_string_line(a) for a in op.attrs if a.type == "str"),
        first_call=fill(f"Check(aclnn{op.type}GetWorkspaceSize(", arguments, "),", indent=4, nested=len("Check(")),
        second_call=fill("Check(", [f"aclnn{op.type}({second})", f'"aclnn{op.type}"'], ");", indent=4),
        run_call=_run_call(f"aclnn{op.type}", stem, f"{stem}_golden::kTypes", "CallOp"),
    )


def _column(op: OpSpec) -> int:
    """What a launched kernel is compiled for: float16 where the op has it."""
    return next((i for i, dtype in enumerate(op.inputs[0].dtypes) if dtype == "float16"), 0)


def _dtypes(op: OpSpec) -> str:
    """The types of that column, in words."""
    names = [tensor.dtypes[_column(op)] for tensor in (*op.inputs, *op.outputs)]
    return names[0] if len(set(names)) == 1 else ", ".join(names)


def _direct_kernel_form(op: OpSpec, plan: Plan | MatmulPlan) -> DirectKernelForm:
    products = isinstance(plan, MatmulPlan)
    entry = matmul_entry_form(plan) if isinstance(plan, MatmulPlan) else entry_form(plan)
    stem, column = snake(op.type), _column(op)
    workspace = "userWorkspace" if products else "workspace"
    parameters = [*(f"GM_ADDR {a.name}" for a in plan.arguments), f"GM_ADDR {workspace}", "GM_ADDR tiling"]
    types = [DTYPES[a.dtypes[column]].kernel for a in plan.arguments]
    return DirectKernelForm(
        op_type=op.type,
        stem=stem,
        dtypes=_dtypes(op),
        signature=fill(f'extern "C" __global__ __aicore__ void {stem}_direct(', parameters, ")", room=2),
        kernel_type="KERNEL_TYPE_MIX_AIC_1_2" if products else "KERNEL_TYPE_AIV_ONLY",
        instance=instance(op.type, types),
        products=products,
        init_call=entry.init_call,
        deep_init_call=getattr(entry, "deep_init_call", ""),
    )


def _launcher_form(op: OpSpec, graph: Graph, plan: Plan | MatmulPlan) -> LauncherForm:
    stem = snake(op.type)
    tensors = [f"tensors[{i}].Address()" for i in range(len(plan.arguments))]
    arguments = ["how.blockDim", "stream", *tensors, "workspace.Address()", "tiling.Address()"]
    return LauncherForm(
        op_type=op.type,
        stem=stem,
        column=_column(op),
        dtypes=_dtypes(op),
        optional=any(tensor.optional for tensor in op.inputs),
        attr_lines=tuple(_attr_line(attr) for attr in tiling_attributes(op, graph, plan.scalars)),
        launch_call=fill("Check(launchKernel(", arguments, "),", indent=4, nested=len("Check(")),
        run_call=_run_call(f"{stem}_direct", stem, f"{{{stem}_golden::kTypes[kColumn]}}", "LaunchKernel"),
    )


def _attr_line(attr: AttrSpec) -> str:
    value = attr_value(attr)
    literal = int_literal(int(value)) if attr.type == "int" else float_literal(float(value))
    return f"call.{attr_member(attr)} = {literal};"


def _file(name: str, form: str, context: DataclassInstance) -> File:
    return File(PurePosixPath("aclnn") / name, render_form(_FORMS + form, context), _FORMS + form)
