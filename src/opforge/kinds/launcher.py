"""Renders the C++ programs of ``aclnn/`` that launch kernels by ``<<<>>>`` or the runtime, without aclnn.

A launch computes the same tiling as op_host and passes its address and its key.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.render.ascendc.ascendc_files import form_file
from opforge.render.ascendc.caller import run_arguments
from opforge.render.ascendc.cpp_names import tensor_names
from opforge.render.ascendc.entry import addresses
from opforge.render.ascendc.instruction_spelling import float_literal, int_literal, string_literal
from opforge.render.ascendc.scalars import Assigned, attr_member
from opforge.render.ascendc.trials import acl_types, launched_row, result_places, slot_of
from opforge.render.forms import NoSlots
from opforge.spec.combinations import Row, combinations
from opforge.spec.samples import sample_attr

if TYPE_CHECKING:
    from opforge.fileset import File
    from opforge.kinds.expression_kernel import ExpressionKernel
    from opforge.spec.model import AttrSpec


_SHARED_BY_TRIALS = ("acl_call.h", "host_tensor.h", "trial.h")


@dataclass(frozen=True)
class LaunchDataForm:
    """Context of ``aclnn/direct_op.h``."""

    op_type: str
    stem: str
    guard: str


@dataclass(frozen=True)
class DirectForm:
    """Context of ``kinds/<kind>/direct.cpp``: the entry function of a kernel for one dtype combination."""

    op_type: str
    stem: str
    dtypes: str
    parameters: tuple[str, ...]
    kernel_type: str
    types: tuple[str, ...]
    init_arguments: tuple[str, ...]


@dataclass(frozen=True)
class LauncherForm:
    """Context of ``aclnn/launch_op.cpp``."""

    op_type: str
    stem: str
    column: int
    dtypes: str
    optional: bool
    attrs: tuple[Assigned, ...]
    arguments: tuple[str, ...]
    run_arguments: tuple[str, ...]


@dataclass(frozen=True)
class TrialForm:
    """Context of ``tune/try_op.cpp``."""

    op_type: str
    stem: str
    column: int
    dtypes: str
    optional: bool
    own_shapes: bool
    output_count: int
    attrs: tuple[Assigned, ...]
    arguments: tuple[str, ...]
    types: tuple[str, ...]
    places: tuple[str, ...]


@dataclass(frozen=True)
class TrialBuildForm:
    """Context of ``tune/CMakeLists.txt``."""

    stem: str


def direct_form(
    kernel: ExpressionKernel,
    kernel_type: str,
    workspace: str,
    init_arguments: tuple[str, ...],
    row: Row | None = None,
) -> DirectForm:
    """The entry function for direct launches, for one combination of dtypes: ``row``, or that of ``aclnn/``.

    ``workspace`` is the name of the kernel's workspace, and ``init_arguments`` are those of the kernel's ``Init``.
    """
    row = row or launched_row(kernel.op, kernel.socs[0].name)[1]
    return DirectForm(
        op_type=kernel.op.type,
        stem=snake(kernel.op.type),
        dtypes=_dtypes(row),
        parameters=addresses(map(tensor_names, kernel.plan.arguments), workspace, "tiling"),
        kernel_type=kernel_type,
        types=tuple(DTYPES[dtype].kernel for dtype in row),
        init_arguments=init_arguments,
    )


def launcher_files(kernel: ExpressionKernel, forms: str, direct: DirectForm) -> tuple[File, ...]:
    """The entry function ``direct`` for direct launches, its launch data, and its caller.

    ``forms`` is the folder of the kernel's kind.
    """
    stem = snake(kernel.op.type)
    caller = form_file(f"aclnn/launch_{stem}.cpp", "aclnn/launch_op.cpp", _launcher_form(kernel))
    return (*_entry_files(kernel, forms, direct), caller)


def trial_files(kernel: ExpressionKernel, forms: str, direct: DirectForm, row: Row) -> tuple[File, ...]:
    """The program that tries plans for one combination of dtypes, for which ``direct`` is the entry function."""
    form = _trial_form(kernel, row)
    shared = [form_file(f"aclnn/opforge/{name}", f"aclnn/{name}", NoSlots()) for name in _SHARED_BY_TRIALS]
    return (
        *_entry_files(kernel, forms, direct),
        *shared,
        form_file("aclnn/opforge/plan_trial.h", "tune/plan_trial.h", NoSlots()),
        form_file(f"aclnn/try_{form.stem}.cpp", "tune/try_op.cpp", form),
        form_file("aclnn/CMakeLists.txt", "tune/CMakeLists.txt", TrialBuildForm(form.stem)),
    )


def _entry_files(kernel: ExpressionKernel, forms: str, direct: DirectForm) -> tuple[File, ...]:
    op_type, stem = kernel.op.type, snake(kernel.op.type)
    data = LaunchDataForm(op_type, stem, stem.upper())
    return (
        form_file(f"aclnn/opforge/{stem}_direct.h", "aclnn/direct_op.h", data),
        form_file(f"aclnn/{stem}_direct.cpp", f"{forms}/direct.cpp", direct),
    )


def _dtypes(row: Row) -> str:
    """The dtypes of a combination, for a comment."""
    return row[0] if len(set(row)) == 1 else ", ".join(row)


def _trial_form(kernel: ExpressionKernel, row: Row) -> TrialForm:
    op = kernel.op
    return TrialForm(
        op_type=op.type,
        stem=snake(op.type),
        column=combinations(op).index(row),
        dtypes=_dtypes(row),
        optional=any(tensor.optional for tensor in op.inputs),
        own_shapes=kernel.own_shapes,
        output_count=len(op.outputs),
        attrs=_attributes(kernel),
        arguments=_launch_arguments(kernel, "->"),
        types=acl_types(op, row),
        places=tuple(map(str, result_places(op))),
    )


def _launcher_form(kernel: ExpressionKernel) -> LauncherForm:
    op, stem = kernel.op, snake(kernel.op.type)
    place, row = launched_row(op, kernel.socs[0].name)
    return LauncherForm(
        op_type=op.type,
        stem=stem,
        column=combinations(op).index(row),
        dtypes=_dtypes(row),
        optional=any(tensor.optional for tensor in op.inputs),
        attrs=_attributes(kernel),
        arguments=_launch_arguments(kernel, "."),
        run_arguments=run_arguments(f"{stem}_direct", stem, f"{{{stem}_golden::kTypes[{place}]}}", "LaunchKernel"),
    )


def _attributes(kernel: ExpressionKernel) -> tuple[Assigned, ...]:
    return tuple(Assigned(attr_member(attr), _literal(attr)) for attr in kernel.host_attributes())


def _launch_arguments(kernel: ExpressionKernel, access: str) -> tuple[str, ...]:
    """The arguments of a launch; ``access`` is how C++ reaches members of workspace and tiling: ``.`` or ``->``."""
    op = kernel.op
    tensors = [f"tensors[{slot_of(op, t.inplace or t.name)}].Address()" for t in (*op.inputs, *op.outputs)]
    return ("how.blockDim", "stream", *tensors, f"workspace{access}Address()", f"tiling{access}Address()")


def _literal(attr: AttrSpec) -> str:
    value = sample_attr(attr)
    if isinstance(value, str):
        return string_literal(value)
    if isinstance(value, tuple):
        return f"{{{', '.join(_number(attr, each) for each in value)}}}"
    return _number(attr, value)


def _number(attr: AttrSpec, value: float) -> str:
    return int_literal(int(value)) if attr.type.endswith("int") else float_literal(float(value))
