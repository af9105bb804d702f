"""Reads prelude.txt: the functions of the language that are written in it, and the arguments of some that are not."""

from __future__ import annotations

import ast
import functools
from collections.abc import Mapping
from pathlib import Path

from opforge.frozen import dataclass

_FILE = Path(__file__).with_name("prelude.txt")


@dataclass(frozen=True)
class Definition:
    """A function: its parameters, the defaults of the last ones, and its statements; none for one of the reader's.

    ``kinds`` has "any" or "mask" for parameters that are annotated. ``torch`` is the name of torch's
    function, or a form of its call with {0}, {1} for the arguments.
    """

    name: str
    parameters: tuple[str, ...]
    defaults: tuple[ast.expr, ...]
    kinds: Mapping[str, str]
    torch: str
    body: tuple[ast.stmt, ...]

    @property
    def required(self) -> int:
        """The number of arguments that a call must have."""
        return len(self.parameters) - len(self.defaults)

    @property
    def signature(self) -> str:
        """The name with all parameters and defaults, for a hint."""
        shown = [
            name if default is None else f"{name}={ast.unparse(default)}"
            for name, default in zip(self.parameters, (*[None] * self.required, *self.defaults), strict=True)
        ]
        return f"{self.name}({', '.join(shown)})"


def text() -> str:
    """The text of the prelude."""
    return _FILE.read_text(encoding="utf-8")


@functools.cache
def definitions() -> Mapping[str, Definition]:
    """Its functions by name."""
    return {
        function.name: _definition(function)
        for function in ast.parse(text()).body
        if isinstance(function, ast.FunctionDef)
    }


def _definition(function: ast.FunctionDef) -> Definition:
    torch = ast.get_docstring(function) or ""
    return Definition(
        name=function.name,
        parameters=tuple(argument.arg for argument in function.args.args),
        defaults=tuple(function.args.defaults),
        kinds={a.arg: ast.unparse(a.annotation) for a in function.args.args if a.annotation is not None},
        torch=torch,
        body=tuple(function.body[1:]) if torch else (),
    )
