"""Renders all Ascend C files of a project: the files of each kernel and the shared ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.render.ascendc.ascendc_files import form_file
from opforge.render.ascendc.caller import op_programs, shared_programs
from opforge.render.ascendc.host import host_form
from opforge.render.forms import NoSlots

if TYPE_CHECKING:
    from opforge.fileset import File
    from opforge.program import Kernel, Program
    from opforge.spec.model import Spec

_HOST_HEADERS = ("host_tiling.h", "op_context.h")


@dataclass(frozen=True)
class SharedForm:
    """Context of the headers that kernels share. ``coupled``: at least one SoC has no DataCopyPad."""

    coupled: bool


def render_kernel(spec: Spec, kernel: Kernel) -> tuple[File, ...]:
    """Renders op_host and op_kernel. Ops of the spec also get the programs that call them.

    Ops with their own ``sources`` get neither op_host nor op_kernel.
    """
    op = kernel.op
    called = kernel.gradient_of is None and spec.project.has("aclnn")
    programs = tuple(op_programs(spec, kernel)) if called else ()
    if op.sources:
        return programs
    host = form_file(f"op_host/{snake(op.type)}.cpp", "op_host/op_host.cpp", host_form(spec, kernel))
    return (host, *kernel.device_files(), *programs)


def render_shared(program: Program) -> tuple[File, ...]:
    """Renders the files that all ops of a project share."""
    form = SharedForm(any(kernel.coupled for kernel in program.kernels))
    hosts = _HOST_HEADERS if _hosts(program.spec) else ()
    own = [form_file(f"op_host/opforge/{name}", f"op_host/{name}", NoSlots()) for name in hosts]
    headers = dict.fromkeys(header for kernel in program.kernels for header in kernel.headers())
    shared = [form_file(header.name, header.form, form if header.slots else NoSlots()) for header in headers]
    programs = shared_programs(program) if program.spec.project.has("aclnn") else ()
    return (*own, *shared, *programs)


def _hosts(spec: Spec) -> bool:
    """Whether opforge generates op_host for at least one op."""
    return any(not op.sources for op in spec.ops)
