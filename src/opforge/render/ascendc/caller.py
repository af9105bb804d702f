"""aclnn/: C++ programs that use the ops without PyTorch: through aclnn, and by launching the kernels themselves.

The aclnn call has the argument order of CANN's op_build: all inputs, all attributes (float as double, int as int64_t,
str as char*), all outputs. A direct launch computes the same tiling as op_host, and passes it with its key by address.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from opforge.render.ascendc.cpp_golden import golden_form
from opforge.render.ascendc.cpp_layout import fill
from opforge.render.ascendc.cpp_names import tensor_names
from opforge.render.ascendc.instruction_spelling import float_literal, int_literal, string_literal
from opforge.render.ascendc.kernel import entry_form, instance
from opforge.render.ascendc.scalars import attr_member, tiling_attributes
from opforge.render.ascendc.trials import LISTED, launched_row, slot_of
from opforge.render.forms import NoSlots, render_form
from opforge.soc import SOCS
from opforge.spec.arguments import ACL_OBJECTS, input_kind
from opforge.spec.combinations import Row, combinations
from opforge.spec.model import AttrSpec, AttrType, OpSpec, Spec, TensorSpec
from opforge.spec.samples import sample_attr

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from opforge.render.ascendc.kernel import EntryForm
    from opforge.render.ascendc.matmul_kernel import MatmulEntryForm

_FORMS = "code/ascendc/aclnn/"
# How a number in an array is written.
_LITERALS: dict[AttrType, Callable[[float], str]] = {
    "list_int": lambda value: int_literal(int(value)),
    "list_float": float_literal,
    "list_bool": lambda value: "true" if value else "false",
}


@dataclass(frozen=True)
class CallerForm:
    """Context of ``aclnn/call_op.cpp``. ``many`` says that clang-format might lay the first call out otherwise."""

    op_type: str
    stem: str
    argument_lines: tuple[str, ...]
    many: bool
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
    launched: str
    soc_version: str


def op_programs(spec: Spec, op: OpSpec, graph: Graph | None, plan: AnyPlan) -> Iterator[File]:
    """What calls ``op`` through aclnn, what launches its kernel, and what both compare with.

    A kernel that is written by hand is called only: what would launch it is its author's to know.
    """
    stem, soc = snake(op.type), spec.project.soc[0]
    yield _file(f"golden_{stem}.h", "golden_op.h", golden_form(op, graph, soc))
    yield _file(f"call_{stem}.cpp", "call_op.cpp", caller_form(op))
    if graph is not None and not isinstance(plan, HandwrittenPlan):
        yield _file(f"{stem}_direct.h", "direct_op.h", LaunchDataForm(op.type, stem, stem.upper()))
        yield _file(f"{stem}_direct.cpp", "direct_op.cpp", _direct_kernel_form(op, plan, soc))
        yield _file(f"launch_{stem}.cpp", "launch_op.cpp", _launcher_form(op, graph, plan, soc))


def shared_programs(spec: Spec) -> Iterator[File]:
    """How the programs of all ops are built, and the headers that they share."""
    for name in ("acl_call.h", "acl_tensor.h", "host_tensor.h", "trial.h"):
        yield _file(name, name, NoSlots())
    stems = [snake(op.type) for op in spec.ops]
    launched = [snake(op.type) for op in spec.ops if not op.handwritten]
    chip = SOCS[spec.project.soc[0]].default_version.name
    yield _file("CMakeLists.txt", "CMakeLists.txt", CallersForm(stems[0], " ".join(stems), " ".join(launched), chip))


def _run_call(title: str, stem: str, types: str, function: str) -> str:
    golden = f"{stem}_golden"
    arguments = [f'"{title}"', f"{golden}::kTrials", types, f"{golden}::kPlaces", f"{golden}::Compute", function]
    return fill("return RunTrials(", arguments, ");", indent=4)


def caller_form(op: OpSpec) -> CallerForm:
    """The program that calls ``op`` in every combination of types."""
    stem = snake(op.type)
    made = [_tensor_argument(op, tensor) for tensor in (*op.inputs, *op.outputs) if tensor.inplace is None]
    inputs, outputs = made[: len(op.inputs)], made[len(op.inputs) :]
    attrs = [_attr_argument(attr) for attr in op.attrs]
    arguments = [name for _, name in (*inputs, *attrs, *outputs)]
    second = "workspace.Address(), workspaceSize, executor, stream"
    first = [*arguments, "&workspaceSize", "&executor"]
    first_call = fill(f"Check(aclnn{op.type}GetWorkspaceSize(", first, "),", indent=4, nested=len("Check("))
    return CallerForm(
        op_type=op.type,
        stem=stem,
        argument_lines=tuple(line for line, _ in (*inputs, *attrs, *outputs) if line),
        many="\n" in first_call,
        first_call=first_call,
        second_call=fill("Check(", [f"aclnn{op.type}({second})", f'"aclnn{op.type}"'], ");", indent=4),
        run_call=_run_call(f"aclnn{op.type}", stem, f"{stem}_golden::kTypes", "CallOp"),
    )


def _tensor_argument(op: OpSpec, tensor: TensorSpec) -> tuple[str, str]:
    """The line that makes a tensor argument, and what is passed then."""
    name, slot = f"{lower_camel(tensor.name)}Argument", slot_of(op, tensor.name)
    given = f"tensors[{slot}]"
    kind = input_kind(tensor)
    made = ACL_OBJECTS[kind]
    if kind == "tensors":
        given = f"tensors, {slot}, {LISTED}"
    return f"const AclPointer<acl{made}> {name} = New{made}({given});", f"{name}.get()"


def _attr_argument(attr: AttrSpec) -> tuple[str, str]:
    """The line that makes an attribute's argument, empty where none is needed, and what is passed then."""
    value, name = sample_attr(attr), f"{lower_camel(attr.name)}Argument"
    if isinstance(value, tuple):
        kind, literal = ACL_OBJECTS[attr.type], _LITERALS[attr.type]
        made = f"New{kind}({{{', '.join(literal(each) for each in value)}}})"
        return f"const AclPointer<acl{kind}> {name} = {made};", f"{name}.get()"
    if isinstance(value, str):
        return f"char {name}[] = {string_literal(value)};", name
    if attr.type == "bool":
        return "", "true" if value else "false"
    return "", int_literal(int(value)) if attr.type == "int" else repr(float(value))


def _dtypes(row: Row) -> str:
    """The types of a combination, in words."""
    return row[0] if len(set(row)) == 1 else ", ".join(row)


def _entry(plan: Plan | MatmulPlan) -> EntryForm | MatmulEntryForm:
    if isinstance(plan, MatmulPlan):
        from opforge.render.ascendc.matmul_kernel import matmul_entry_form  # noqa: PLC0415  (not every project has one)

        return matmul_entry_form(plan)
    return entry_form(plan)


def _direct_kernel_form(op: OpSpec, plan: Plan | MatmulPlan, soc: str) -> DirectKernelForm:
    products = isinstance(plan, MatmulPlan)
    entry = _entry(plan)
    stem, (_, row) = snake(op.type), launched_row(op, soc)
    workspace = "userWorkspace" if products else "workspace"
    addresses = [*(tensor_names(argument).address for argument in plan.arguments), workspace, "tiling"]
    parameters = [f"GM_ADDR {address}" for address in addresses]
    types = [DTYPES[dtype].kernel for dtype in row]
    return DirectKernelForm(
        op_type=op.type,
        stem=stem,
        dtypes=_dtypes(row),
        signature=fill(f'extern "C" __global__ __aicore__ void {stem}_direct(', parameters, ")", room=2),
        kernel_type="KERNEL_TYPE_MIX_AIC_1_2" if products else "KERNEL_TYPE_AIV_ONLY",
        instance=instance(op.type, types),
        products=products,
        init_call=entry.init_call,
        deep_init_call=getattr(entry, "deep_init_call", ""),
    )


def _launcher_form(op: OpSpec, graph: Graph, plan: Plan | MatmulPlan, soc: str) -> LauncherForm:
    stem = snake(op.type)
    place, row = launched_row(op, soc)
    tensors = [f"tensors[{slot_of(op, t.inplace or t.name)}].Address()" for t in (*op.inputs, *op.outputs)]
    arguments = ["how.blockDim", "stream", *tensors, "workspace.Address()", "tiling.Address()"]
    return LauncherForm(
        op_type=op.type,
        stem=stem,
        column=combinations(op).index(row),
        dtypes=_dtypes(row),
        optional=any(tensor.optional for tensor in op.inputs),
        attr_lines=tuple(_attr_line(attr) for attr in tiling_attributes(op, graph, plan.scalars)),
        launch_call=fill("Check(launchKernel(", arguments, "),", indent=4, nested=len("Check(")),
        run_call=_run_call(f"{stem}_direct", stem, f"{{{stem}_golden::kTypes[{place}]}}", "LaunchKernel"),
    )


def _attr_line(attr: AttrSpec) -> str:
    value = sample_attr(attr)
    number = value if isinstance(value, int | float) else 0
    literal = int_literal(int(number)) if attr.type == "int" else float_literal(float(number))
    return f"call.{attr_member(attr)} = {literal};"


def _file(name: str, form: str, context: DataclassInstance) -> File:
    return File(PurePosixPath("aclnn") / name, render_form(_FORMS + form, context), _FORMS + form)
