"""The only Jinja environment: turns a form below ``templates/`` and its context dataclass into text.

A form has the native name of what it becomes (``code/ascendc/op_host.cpp``) and holds slots, ``for`` and ``if flag``.
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
    """The folder of all forms: inside an installed opforge, else at the root of the checkout."""
    installed = Path(__file__).resolve().parents[1] / "templates"
    return installed if installed.is_dir() else installed.parents[2] / "templates"


_SEARCH_PATH = [templates_root()]


def add_forms(folder: Path) -> None:
    """Finds forms in ``folder``, too: those of a kind of kernel whose code is not opforge's own."""
    _SEARCH_PATH.append(folder)
    environment.cache_clear()


@cache
def environment() -> Environment:
    """Strict about missing names; blocks leave no blank lines behind. Texts are source code, so nothing is escaped."""
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
    """Compiles every form ahead of time, for an installation in which later processes may not write."""
    for name in environment().list_templates(filter_func=lambda name: "__pycache__" not in name):
        environment().get_template(name)


def render_form(name: str, context: DataclassInstance) -> str:
    """The form ``templates/<name>`` filled with the fields of ``context``.

    Raises InternalError for a form that does not exist, or that uses a name which the context lacks.
    """
    values = {field.name: getattr(context, field.name) for field in fields(context)}
    try:
        return lay_out(environment().get_template(name).render(values), python=name.endswith(".py"))
    except TemplateNotFound as error:
        raise InternalError(f"no form templates/{error.name}") from error
    except UndefinedError as error:
        raise InternalError(f"form templates/{name}: {error.message}, with {type(context).__name__}") from error
