"""The only Jinja environment: turns a form below ``templates/`` and its context dataclass into text.

A form has the native name of the file it becomes (``code/ascendc/op_host.cpp``). It contains only slots, ``for`` and
``if flag``.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined, TemplateNotFound, UndefinedError

from opforge.errors import InternalError
from opforge.frozen import dataclass
from opforge.render.compiled_forms import CompiledForms
from opforge.render.layout import comment, lay_out, wrap

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True)
class NoSlots:
    """Context of a form that is the same in every project."""


@cache
def templates_root() -> Path:
    """The folder of all forms: inside an installed opforge, or at the root of a checkout."""
    installed = Path(__file__).resolve().parents[1] / "templates"
    return installed if installed.is_dir() else installed.parents[2] / "templates"


_SEARCH_PATH = [templates_root()]


def add_forms(folder: Path) -> None:
    """Adds ``folder`` to the places where forms are searched, for kinds of kernels defined outside opforge."""
    _SEARCH_PATH.append(folder)
    environment.cache_clear()


@cache
def environment() -> Environment:
    """The environment: missing names are errors, blocks leave no blank lines, and source code is not escaped."""
    forms = Environment(
        loader=FileSystemLoader(_SEARCH_PATH),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701
        auto_reload=False,
        cache_size=-1,
        bytecode_cache=CompiledForms(),
    )
    forms.filters |= {"wrap": wrap, "comment": comment}
    return forms


def form_names(folder: str) -> frozenset[str]:
    """The names of the forms in a folder below ``templates``."""
    return frozenset(path.name for path in (templates_root() / folder).iterdir())


def compile_forms() -> None:
    """Compiles every form ahead of time, for installations that later processes cannot write to."""
    for name in environment().list_templates(filter_func=lambda name: "__pycache__" not in name):
        environment().get_template(name)


def render_form(name: str, context: DataclassInstance) -> str:
    """Renders the form ``templates/<name>`` with the fields of ``context``.

    Raises InternalError if the form does not exist or uses a name that the context lacks.
    """
    values = {field.name: getattr(context, field.name) for field in fields(context)}
    try:
        return lay_out(environment().get_template(name).render(values), python=name.endswith(".py"))
    except TemplateNotFound as error:
        raise InternalError(f"no form templates/{error.name}") from error
    except UndefinedError as error:
        raise InternalError(f"form templates/{name}: {error.message}, with {type(context).__name__}") from error
