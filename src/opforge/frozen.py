"""``dataclass``, which creates a class twenty times faster than the standard library.

The standard library writes and compiles three to six functions for each class, which takes half a millisecond;
`opforge new` needs 170 classes. Here all classes share these functions. The instances are dataclasses: ``fields``,
``replace`` and ``is_dataclass`` work, and type checkers see the standard decorator. The classes have no keyword-only
fields and no ``InitVar``.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, FrozenInstanceError
from functools import partial
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, *, frozen: bool = False) -> Any:
        """The decorator, as ``@dataclass`` or as ``@dataclass(frozen=True)``."""
        return partial(_made, shared=_FROZEN) if frozen else _made(cls, _SHARED)


def _made(cls: Any, shared: dict[str, Any]) -> Any:
    own = set(vars(cls))
    made = dataclasses.dataclass(init=False, repr=False, eq=False)(cls)
    every = dataclasses.fields(made)
    made.__opforge_given__ = tuple((f.name, f.default, f.default_factory) for f in every if f.init)
    made.__opforge_made__ = tuple((f.name, f.default, f.default_factory) for f in every if not f.init)
    made.__opforge_compared__ = tuple(f.name for f in every if f.compare)
    for name, function in shared.items():
        if name not in own:
            setattr(made, name, function)
    return made


def _init(self: Any, *values: Any, **named: Any) -> None:
    state, given = self.__dict__, self.__opforge_given__
    for (name, _, _), value in zip(given, values):  # noqa: B905  (the counts are compared below)
        state[name] = value
    for name, default, factory in given[len(values) :]:
        state[name] = named.pop(name) if name in named else _default(self, name, default, factory)
    if len(values) > len(given) or named:
        most = f"takes at most {len(given)} values, got {len(values)}"
        raise TypeError(
            f"{type(self).__name__}() {most if not named else f'has no field {next(iter(named))!r} to set'}"
        )
    for name, default, factory in self.__opforge_made__:
        if default is not MISSING or factory is not MISSING:
            state[name] = _default(self, name, default, factory)
    after = getattr(self, "__post_init__", None)
    if after is not None:
        after()


def _default(self: Any, name: str, default: Any, factory: Any) -> Any:
    if default is MISSING and factory is MISSING:
        raise TypeError(f"{type(self).__name__}() needs a value for {name!r}")
    return default if factory is MISSING else factory()


def _eq(self: Any, other: Any) -> Any:
    if other.__class__ is not self.__class__:
        return NotImplemented
    one, two = self.__dict__, other.__dict__
    return all(one[name] == two[name] for name in self.__opforge_compared__)


def _hash(self: Any) -> int:
    state = self.__dict__
    return hash(tuple(state[name] for name in self.__opforge_compared__))


def _repr(self: Any) -> str:
    shown = (f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _setattr(self: Any, name: str, value: object) -> None:  # noqa: ARG001  (Python's signature)
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _delattr(self: Any, name: str) -> None:  # noqa: ARG001
    raise FrozenInstanceError(f"cannot delete field {name!r}")


_SHARED = {"__init__": _init, "__eq__": _eq, "__hash__": None, "__repr__": _repr}
_FROZEN = {**_SHARED, "__hash__": _hash, "__setattr__": _setattr, "__delattr__": _delattr}
