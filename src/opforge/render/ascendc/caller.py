"""aclnn/: C++ programs that call the ops through aclnn, without PyTorch.

The call has the argument order of CANN's op_build: all inputs, all attributes (float as double, int as int64_t, str as
char*), all outputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.naming import lower_camel, snake
from opforge.render.ascendc.ascendc_files import form_file
from opforge.render.ascendc.cpp_golden import golden_form
from opforge.render.ascendc.instruction_spelling import float_literal, int_literal, string_literal
from opforge.render.ascendc.trials import LISTED, slot_of
from opforge.render.forms import NoSlots
from opforge.render.layout import fill
from opforge.soc import SOCS
from opforge.spec.arguments import ACL_OBJECTS, input_kind
from opforge.spec.model import AttrSpec, AttrType, OpSpec, Spec, TensorSpec
from opforge.spec.samples import sample_attr

if TYPE_CHECKING:
    from opforge.fileset import File
    from opforge.program import Kernel, Program

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
class CallersForm:
    """Context of ``aclnn/CMakeLists.txt``."""

    first_stem: str
    stems: str
    launched: str
    soc_version: str


def op_programs(spec: Spec, kernel: Kernel) -> Iterator[File]:
    """What calls an op through aclnn, what launches its kernel, and what both compare with."""
    op = kernel.op
    stem = snake(op.type)
    yield form_file(f"aclnn/golden_{stem}.h", "aclnn/golden_op.h", golden_form(kernel, spec.project.soc[0]))
    yield form_file(f"aclnn/call_{stem}.cpp", "aclnn/call_op.cpp", caller_form(op))
    yield from kernel.launch_files()


def shared_programs(program: Program) -> Iterator[File]:
    """How the programs of all ops are built, and the headers that they share."""
    for name in ("acl_call.h", "acl_tensor.h", "host_tensor.h", "trial.h"):
        yield form_file(f"aclnn/{name}", f"aclnn/{name}", NoSlots())
    stems = [snake(kernel.op.type) for kernel in program.public]
    launched = [snake(kernel.op.type) for kernel in program.public if kernel.launched]
    chip = SOCS[program.spec.project.soc[0]].default_version.name
    form = CallersForm(stems[0], " ".join(stems), " ".join(launched), chip)
    yield form_file("aclnn/CMakeLists.txt", "aclnn/CMakeLists.txt", form)


def run_call(title: str, stem: str, types: str, function: str) -> str:
    """The last statement of a program: it tries ``function`` on all trials."""
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
        run_call=run_call(f"aclnn{op.type}", stem, f"{stem}_golden::kTypes", "CallOp"),
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
