"""Renders files of the torch side from the forms below ``templates/code/torch``."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from opforge.fileset import File
from opforge.render.forms import render_form

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def form_file(folder: str, name: str, target: str, context: DataclassInstance, rename: str | None = None) -> File:
    """Renders form ``name`` of ``folder`` to a file in ``target``. ``rename`` replaces its file name."""
    form = f"code/torch/{folder}/{name}"
    return File(PurePosixPath(target, rename or name), render_form(form, context), form)


def form_of_tests(name: str, context: DataclassInstance, rename: str | None = None) -> File:
    """Renders a file of the project's tests."""
    return form_file("tests", name, "tests", context, rename)
