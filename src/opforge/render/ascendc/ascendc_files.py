"""Renders files of the Ascend C side from the forms below ``templates/code/ascendc``."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from opforge.fileset import File
from opforge.render.forms import render_form

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_FORMS = "code/ascendc/"


def form_file(path: str, form: str, context: DataclassInstance) -> File:
    """Renders the form ``form`` to the project file ``path``."""
    return File(PurePosixPath(path), render_form(_FORMS + form, context), _FORMS + form)


def kernel_files(
    forms: str,
    stem: str,
    *,
    host_tiling: DataclassInstance,
    entry: DataclassInstance,
    kernel: DataclassInstance,
    tiling: DataclassInstance,
) -> tuple[File, ...]:
    """The four device-side files of a kernel. ``forms`` is the folder of its kind; each form has its own context."""
    return (
        form_file(f"op_host/{stem}_host_tiling.h", f"{forms}/host_tiling.h", host_tiling),
        form_file(f"op_kernel/{stem}.cpp", f"{forms}/entry.cpp", entry),
        form_file(f"op_kernel/{stem}_kernel.h", f"{forms}/kernel.h", kernel),
        form_file(f"op_kernel/{stem}_tiling.h", f"{forms}/tiling.h", tiling),
    )
