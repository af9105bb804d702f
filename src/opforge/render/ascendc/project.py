"""All Ascend C files of one op."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from opforge.fileset import File
from opforge.ir.graph import Graph
from opforge.naming import snake
from opforge.plan.model import Plan
from opforge.render.ascendc.caller import caller_form, callers_form
from opforge.render.ascendc.host import host_form
from opforge.render.ascendc.kernel import entry_form, kernel_form, tiling_form
from opforge.render.forms import render_form
from opforge.spec.model import OpSpec, Spec

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_FORMS = "code/ascendc/"


@dataclass(frozen=True)
class NoSlots:
    """Context of a header that is the same in every project."""


def render_op(spec: Spec, op: OpSpec, graph: Graph, plan: Plan) -> tuple[File, ...]:
    """op_host, op_kernel and the aclnn caller of ``op``. What all ops of a project share comes with its first."""
    stem = snake(op.type)
    files = [
        _file(f"op_host/{stem}.cpp", "op_host/op_host.cpp", host_form(spec, op, graph, plan)),
        _file(f"op_kernel/{stem}.cpp", "op_kernel/op_kernel.cpp", entry_form(plan)),
        _file(f"op_kernel/{stem}_kernel.h", "op_kernel/op_kernel.h", kernel_form(op, plan)),
        _file(f"op_kernel/{stem}_tiling.h", "op_kernel/op_tiling.h", tiling_form(plan)),
        _file(f"aclnn/call_{stem}.cpp", "aclnn/call_op.cpp", caller_form(op, plan)),
    ]
    if op == spec.ops[0]:
        files.append(_file("op_host/elementwise.h", "op_host/elementwise.h", NoSlots()))
        files.append(_file("aclnn/CMakeLists.txt", "aclnn/CMakeLists.txt", callers_form(spec)))
        files.append(_file("aclnn/device_tensor.h", "aclnn/device_tensor.h", NoSlots()))
        files.append(_file("op_kernel/tile_io.h", "op_kernel/tile_io.h", NoSlots()))
    return tuple(files)


def _file(path: str, form: str, context: DataclassInstance) -> File:
    return File(PurePosixPath(path), render_form(_FORMS + form, context), _FORMS + form)
