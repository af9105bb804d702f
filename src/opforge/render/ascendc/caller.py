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
from opforge.render.ascendc.trials import length, slot_of
from opforge.render.forms import NoSlots
from opforge.soc import SOCS
from opforge.spec.arguments import ACL_OBJECTS, input_kind
from opforge.spec.model import AttrSpec, AttrType, OpSpec, Spec, TensorSpec
from opforge.spec.samples import sample_attr

if TYPE_CHECKING:
    from opforge.fileset import File
    from opforge.program import Kernel, Program

# How a number in an array is spelled.
_LITERALS: dict[AttrType, Callable[[float], str]] = {
    "list_int": lambda value: int_literal(int(value)),
    "list_float": float_literal,
    "list_bool": lambda value: "true" if value else "false",
}


@dataclass(frozen=True)
class CallArgument:
    """An argument of a call: its expression, and the aclnn object or text that it refers to.

    Literals have no name.
    """

    passed: str
    name: str = ""
    object: str = ""
    given: tuple[str, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class CallerForm:
    """Context of ``aclnn/call_op.cpp``: the objects to create, and the arguments of the calls."""

    op_type: str
    stem: str
    header: str
    function: str
    made: tuple[CallArgument, ...]
    first_arguments: tuple[str, ...]
    second_arguments: tuple[str, ...]
    run_arguments: tuple[str, ...]


@dataclass(frozen=True)
class CallersForm:
    """Context of ``aclnn/CMakeLists.txt``."""

    first_stem: str
    stems: str
    launched: str
    soc_version: str


def op_programs(spec: Spec, kernel: Kernel) -> Iterator[File]:
    """Renders two programs and their golden header: one calls the op through aclnn, one launches its kernel."""
    op = kernel.op
    stem = snake(op.type)
    yield form_file(f"aclnn/opforge/golden_{stem}.h", "aclnn/golden_op.h", golden_form(kernel, spec.project.soc[0]))
    yield form_file(f"aclnn/call_{stem}.cpp", "aclnn/call_op.cpp", caller_form(op))
    yield from kernel.launch_files()


def shared_programs(program: Program) -> Iterator[File]:
    """Renders the CMake file of all programs and their shared headers."""
    for name in ("acl_call.h", "acl_tensor.h", "host_tensor.h", "trial.h"):
        yield form_file(f"aclnn/opforge/{name}", f"aclnn/{name}", NoSlots())
    stems = [snake(kernel.op.type) for kernel in program.public]
    launched = [snake(kernel.op.type) for kernel in program.public if kernel.launched]
    chip = SOCS[program.spec.project.soc[0]].default_version.name
    form = CallersForm(stems[0], " ".join(stems), " ".join(launched), chip)
    yield form_file("aclnn/CMakeLists.txt", "aclnn/CMakeLists.txt", form)


def run_arguments(title: str, stem: str, types: str, function: str) -> tuple[str, ...]:
    """The arguments of a program's last statement. The statement runs ``function`` on all trials."""
    golden = f"{stem}_golden"
    return (f'"{title}"', f"{golden}::kTrials", types, f"{golden}::kPlaces", f"{golden}::Compute", function)


def caller_form(op: OpSpec) -> CallerForm:
    """The context of the program that calls ``op`` with every combination of types."""
    stem = snake(op.type)
    made = [_tensor_argument(op, tensor) for tensor in (*op.inputs, *op.outputs) if tensor.inplace is None]
    arguments = (*made[: len(op.inputs)], *map(_attr_argument, op.attrs), *made[len(op.inputs) :])
    return CallerForm(
        op_type=op.type,
        stem=stem,
        header=op.aclnn_header,
        function=op.aclnn,
        made=tuple(argument for argument in arguments if argument.name),
        first_arguments=(*(argument.passed for argument in arguments), "&workspaceSize", "&executor"),
        second_arguments=("workspace.Address()", "workspaceSize", "executor", "stream"),
        run_arguments=run_arguments(op.aclnn, stem, f"{stem}_golden::kTypes", "CallOp"),
    )


def _tensor_argument(op: OpSpec, tensor: TensorSpec) -> CallArgument:
    name, slot = f"{lower_camel(tensor.name)}Argument", slot_of(op, tensor.name)
    kind = input_kind(tensor)
    given = ("tensors", str(slot), str(length(op, tensor))) if kind == "tensors" else (f"tensors[{slot}]",)
    return CallArgument(f"{name}.get()", name, ACL_OBJECTS[kind], given)


def _attr_argument(attr: AttrSpec) -> CallArgument:
    value, name = sample_attr(attr), f"{lower_camel(attr.name)}Argument"
    if isinstance(value, tuple):
        literal = _LITERALS[attr.type]
        given = f"{{{', '.join(literal(each) for each in value)}}}"
        return CallArgument(f"{name}.get()", name, ACL_OBJECTS[attr.type], (given,))
    if isinstance(value, str):
        return CallArgument(name, name, text=string_literal(value))
    if attr.type == "bool":
        return CallArgument("true" if value else "false")
    return CallArgument(int_literal(int(value)) if attr.type == "int" else repr(float(value)))
