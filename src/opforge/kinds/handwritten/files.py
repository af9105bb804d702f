"""The files of a handwritten kernel: three skeletons, and the generated header that each one includes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from opforge.kinds.handwritten.skeleton import (
    args_form,
    bindings_form,
    call_form,
    entry_form,
    kernel_form,
    op_form,
    own_shapes,
    shapes_form,
)
from opforge.naming import snake
from opforge.render.ascendc.ascendc_files import form_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from _typeshed import DataclassInstance

    from opforge.fileset import File
    from opforge.kinds.handwritten.plan import HandwrittenPlan
    from opforge.spec.model import OpSpec

_FORMS = "kinds/handwritten"


def generated_headers(op: OpSpec) -> Mapping[str, str]:
    """Maps each file of the author to the generated header that it includes."""
    stem = snake(op.type)
    shapes = {f"op_host/{stem}_shapes.h": f"{stem}_call.h"} if own_shapes(op) else {}
    return {
        f"op_kernel/{stem}_kernel.h": f"{stem}_bindings.h",
        f"op_kernel/{stem}_tiling.h": f"{stem}_args.h",
        f"op_host/{stem}_host_tiling.h": f"{stem}_call.h",
        **shapes,
    }


def device_files(op: OpSpec, plan: HandwrittenPlan, whole: AbstractSet[str]) -> tuple[File, ...]:
    """Renders entry, kernel, tiling, and the headers that they include.

    ``whole`` are author's files that an older opforge started. They contain the code that is in generated headers
    today. Their tiling keeps its old form and is merged; the kernel is left to its author.
    """
    of_kernel, of_tiling, of_host, *of_shapes = generated_headers(op)
    bound = of_kernel not in whole
    args = "tiling->" if whole else "tiling->args."
    files = [
        _file(f"op_kernel/{snake(op.type)}.cpp", "entry.cpp", entry_form(op, plan, bound=bound)),
        _authored(op, of_kernel, "kernel.h", kernel_form(plan, args)),
    ]
    files += [_authored(op, path, "shapes.h", shapes_form(op)) for path in of_shapes]
    if bound:
        files.append(_generated(op, of_kernel, "bindings.h", bindings_form(op, plan, args)))
    if whole:
        tiling = _authored(op, of_tiling, "whole/tiling.h", args_form(op, plan))
        host = _authored(op, of_host, "whole/host_tiling.h", call_form(op, plan, target="tiling"))
        return (*files, replace(tiling, authored=False), replace(host, authored=False))
    return (
        *files,
        _authored(op, of_tiling, "tiling.h", op_form(op)),
        _generated(op, of_tiling, "args.h", args_form(op, plan)),
        _authored(op, of_host, "host_tiling.h", op_form(op)),
        _generated(op, of_host, "call.h", call_form(op, plan)),
    )


def _file(path: str, form: str, context: DataclassInstance) -> File:
    return form_file(path, f"{_FORMS}/{form}", context)


def _authored(op: OpSpec, path: str, form: str, context: DataclassInstance) -> File:
    part = PurePosixPath(path).with_name(generated_headers(op)[path])
    return replace(_file(path, form, context), authored=True, generated_part=part)


def _generated(op: OpSpec, path: str, form: str, context: DataclassInstance) -> File:
    return _file(str(PurePosixPath(path).with_name(generated_headers(op)[path])), form, context)
