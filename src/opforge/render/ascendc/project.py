"""All Ascend C files of one op."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from opforge.errors import InternalError
from opforge.fileset import File
from opforge.ir.graph import Graph
from opforge.naming import snake
from opforge.plan.handwritten import HandwrittenPlan
from opforge.plan.matmul_model import AnyPlan, MatmulPlan
from opforge.plan.model import Plan
from opforge.render.ascendc.caller import op_programs, shared_programs
from opforge.render.ascendc.host import host_form
from opforge.render.ascendc.kernel import entry_form, kernel_form
from opforge.render.ascendc.tiling import host_tiling_form, tiling_form
from opforge.render.ascendc.vector_code import calls_functions
from opforge.render.forms import NoSlots, render_form
from opforge.spec.model import OpSpec, Spec

if TYPE_CHECKING:
    from collections.abc import Iterable

    from _typeshed import DataclassInstance

_FORMS = "code/ascendc/"


@dataclass(frozen=True)
class SharedForm:
    """Context of the headers that all kernels include. ``coupled``: some SoC has no DataCopyPad."""

    coupled: bool


def render_op(spec: Spec, op: OpSpec, graph: Graph | None, plan: AnyPlan) -> tuple[File, ...]:
    """op_host, op_kernel and, for an op of the spec itself, the programs that call it.

    An op with ``sources`` of its own has neither op_host nor op_kernel from here.
    """
    programs = op_programs(spec, op, graph, plan) if op in spec.ops else ()
    if op.sources:
        return tuple(programs)
    stem = snake(op.type)
    host = _file(f"op_host/{stem}.cpp", "op_host/op_host.cpp", host_form(spec, op, graph, plan))
    return (host, *_kernel_files(stem, op, graph, plan), *programs)


def render_shared(spec: Spec, plans: Iterable[AnyPlan]) -> tuple[File, ...]:
    """What the ops of a project share: ``plans`` are those of all its kernels."""
    plans = tuple(plans)
    kinds = {type(plan) for plan in plans}
    form = SharedForm(any(isinstance(plan, Plan | MatmulPlan) and plan.coupled for plan in plans))
    headers = []
    if any(not op.sources for op in spec.ops):
        headers += ["op_host/host_tiling.h", "op_host/op_context.h", "op_host/symbols.h"]
    if kinds & {Plan, MatmulPlan}:
        headers.append("op_kernel/tile_io.h")
    if Plan in kinds:
        headers.append("op_host/elementwise.h")
    if MatmulPlan in kinds:
        headers += ["op_host/matmul_split.h", "op_kernel/tile_matmul.h"]
    generated = (plan.epilogue if isinstance(plan, MatmulPlan) else plan for plan in plans)
    if any(isinstance(plan, Plan) and calls_functions(plan) for plan in generated):
        headers.append("op_kernel/vector_math.h")
    if form.coupled:
        headers.append("op_kernel/whole_blocks.h")
    slots = {
        "op_host/elementwise.h",
        "op_host/matmul_split.h",
        "op_kernel/tile_io.h",
        "op_kernel/tile_matmul.h",
        "op_kernel/vector_math.h",
    }
    shared = [_file(name, name, form if name in slots else NoSlots()) for name in headers]
    return (*shared, *shared_programs(spec))


def _kernel_files(stem: str, op: OpSpec, graph: Graph | None, plan: AnyPlan) -> list[File]:
    if isinstance(plan, HandwrittenPlan) or graph is None:
        return _handwritten_files(stem, op, plan)
    return _matmul_files(stem, op, graph, plan) if isinstance(plan, MatmulPlan) else _files(stem, op, graph, plan)


def _handwritten_files(stem: str, op: OpSpec, plan: AnyPlan) -> list[File]:
    from opforge.render.ascendc.handwritten_skeleton import (  # noqa: PLC0415  (few projects have such ops)
        handwritten_entry_form,
        handwritten_host_tiling_form,
        handwritten_kernel_form,
        handwritten_tiling_form,
    )

    if not isinstance(plan, HandwrittenPlan):
        raise InternalError(f"{op.type} has a {type(plan).__name__} and no graph")
    tiling = handwritten_host_tiling_form(op, plan)
    return [
        _file(f"op_host/{stem}_host_tiling.h", "op_host/handwritten_host_tiling.h", tiling),
        _file(f"op_kernel/{stem}.cpp", "op_kernel/handwritten_kernel.cpp", handwritten_entry_form(op, plan)),
        _file(f"op_kernel/{stem}_kernel.h", "op_kernel/handwritten_kernel.h", handwritten_kernel_form(plan)),
        _file(f"op_kernel/{stem}_tiling.h", "op_kernel/handwritten_tiling.h", handwritten_tiling_form(op, plan)),
    ]


def _files(stem: str, op: OpSpec, graph: Graph, plan: Plan) -> list[File]:
    return [
        _file(f"op_host/{stem}_host_tiling.h", "op_host/elementwise_host_tiling.h", host_tiling_form(op, graph, plan)),
        _file(f"op_kernel/{stem}.cpp", "op_kernel/op_kernel.cpp", entry_form(plan)),
        _file(f"op_kernel/{stem}_kernel.h", "op_kernel/op_kernel.h", kernel_form(op, plan)),
        _file(f"op_kernel/{stem}_tiling.h", "op_kernel/op_tiling.h", tiling_form(op, plan)),
    ]


def _matmul_files(stem: str, op: OpSpec, graph: Graph, plan: MatmulPlan) -> list[File]:
    from opforge.render.ascendc.matmul_kernel import matmul_entry_form, matmul_kernel_form  # noqa: PLC0415
    from opforge.render.ascendc.matmul_tiling import matmul_host_tiling_form, matmul_tiling_form  # noqa: PLC0415

    return [
        _file(
            f"op_host/{stem}_host_tiling.h",
            "op_host/matmul_host_tiling.h",
            matmul_host_tiling_form(op, graph, plan),
        ),
        _file(f"op_kernel/{stem}.cpp", "op_kernel/matmul_kernel.cpp", matmul_entry_form(plan)),
        _file(f"op_kernel/{stem}_kernel.h", "op_kernel/matmul_kernel.h", matmul_kernel_form(op, plan)),
        _file(f"op_kernel/{stem}_tiling.h", "op_kernel/matmul_tiling.h", matmul_tiling_form(op, plan)),
    ]


def _file(path: str, form: str, context: DataclassInstance) -> File:
    return File(PurePosixPath(path), render_form(_FORMS + form, context), _FORMS + form)
