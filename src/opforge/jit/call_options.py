"""The arguments of ``opforge.compile`` and ``opforge.load`` as the options of ``opforge new``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.errors import UsageError
from opforge.soc import SIMULATED_BY_DEFAULT, soc_of_version


def name_list(argument: str, names: object) -> list[str]:
    """Names from ``"x,y"``, a sequence of names, or the keys of a mapping. Raises UsageError for other values."""
    given = names.split(",") if isinstance(names, str) else names
    if not isinstance(given, (Sequence, Mapping)) or not all(isinstance(name, str) for name in given):
        hint = f'for example {argument}="x,y", {argument}=["x", "y"] or {argument}={{"x": "[..., H]", "y": "[H]"}}'
        raise UsageError(f"`{argument}` must be names of tensors", hint=hint)
    return [name.strip() for name in given]


def shape_options(tensors: object) -> list[str]:
    """The shapes in a mapping from names to shapes, as ``x=[..., H]``; none for names alone."""
    if not isinstance(tensors, Mapping):
        return []
    wrong = [name for name, shape in tensors.items() if not isinstance(shape, str)]
    if wrong:
        raise UsageError(f"the shape of `{wrong[0]}` must be text", hint=f'for example {{"{wrong[0]}": "[..., H]"}}')
    return [f"{name}={shape}" for name, shape in tensors.items()]


def attr_options(attrs: Mapping[str, object]) -> list[str]:
    """Attributes as ``alpha:float=1.0``. A value is the default; text is the type, perhaps with a default."""
    return [f"{name}:{_typed(name, value)}" for name, value in attrs.items()]


def _typed(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return f"bool={str(value).lower()}"
    if isinstance(value, (int, float)):
        return f"{type(value).__name__}={value!r}"
    hint = f'give its default, {{"{name}": 1.0}}, or its type, {{"{name}": "float"}}'
    raise UsageError(f"`{name}` is not an attribute that opforge knows", hint=hint)


def unit(soc: str | None, environ: Mapping[str, str]) -> str:
    """The compute unit to build for: ``soc``, a unit or a chip, else that of the simulated chip."""
    name = soc or environ.get("OPFORGE_SOC") or SIMULATED_BY_DEFAULT
    chip = soc_of_version(name)
    return name if chip is None else chip.name
