"""Gives a module another forward that runs as long as the module does not change.

The module keeps its class, children and parameters: a subclass of its class is created for it, as
torch.nn.utils.parametrize does. Such modules can be copied and pickled.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from types import CodeType, FunctionType, ModuleType
from typing import Any

import torch
from torch import nn
from torch.fx import Graph

from .tracing import Untraceable, is_hooked, is_tensor

Facts = tuple[tuple[str, tuple[Any, ...], Any], ...]  # (path of a module, attribute and items in it, value)
_PLAIN = (bool, int, float, str, type(None), Enum, torch.dtype)
_LENGTH = "len()"  # stands for the name of an item, for the length of a list


@dataclass(frozen=True)
class Variant:
    """A forward for one way of calling: which arguments are given, and whether in training (None: both)."""

    given: tuple[str, ...]
    training: bool | None
    source: str
    names: Mapping[str, str]  # the names that the source calls, and the qualified names to import


@dataclass(frozen=True)
class Rewriting:
    """Replacements for a module's forward, and the facts that must hold for them to be valid.

    ``bypassed`` maps modules below it that are no longer called to their classes.
    """

    package: str
    parameters: tuple[str, ...]
    defaults: Mapping[str, Any]
    variants: tuple[Variant, ...]
    facts: Facts
    bypassed: tuple[tuple[str, str], ...]

    def applied(self, base: type[nn.Module]) -> type[nn.Module]:
        """The class of the rewritten module."""
        chain = (*getattr(base, "_rewritings", ()), self)
        for known in type.__subclasses__(base):  # from an equal layer
            if vars(known).get("_rewritings") == chain:
                return known
        functions = [_compiled(variant) for variant in self.variants]
        parameters, variants = self.parameters, self.variants

        @functools.wraps(base.forward)
        def forward(module: nn.Module, *args: Any, **kwargs: Any) -> Any:
            if len(args) <= len(parameters) and self.holds(module):
                given = dict(zip(parameters, args, strict=False))
                given.update(kwargs)
                for variant, function in zip(variants, functions, strict=True):
                    if self.fits(module, variant, given):
                        return function(module, *[given[name] for name in variant.given])
            return base.forward(module, *args, **kwargs)

        original = getattr(base, "_original_class", base)

        def reduced(module: nn.Module, protocol: Any) -> Any:
            made: tuple[Any, ...] = tuple(original.__reduce_ex__(module, max(2, protocol)))
            return (_new, (original, chain), *made[2:])

        own = {
            "forward": forward,
            "__reduce_ex__": reduced,
            "__module__": base.__module__,
            "__qualname__": base.__qualname__,
            "__doc__": base.__doc__,
            "_get_name": lambda _: f"{original.__name__}[{', '.join(each.package for each in chain)}]",
            "_original_class": original,
            "_rewritings": chain,
        }
        return type(base.__name__, (base,), own)

    def holds(self, module: nn.Module) -> bool:
        """Whether the facts from the time of the rewrite still hold."""
        for path, names, value in self.facts:
            if not _alike(_read(at(module, path), names), value):
                return False
        for path, kind in self.bypassed:
            below = at(module, path)
            if kind_of(below) != kind or is_hooked(below) or "forward" in below.__dict__:
                return False
        return True

    def fits(self, module: nn.Module, variant: Variant, given: Mapping[str, Any]) -> bool:
        """Whether a variant was made for a call with these arguments."""
        if variant.training is not None:
            for path in ("", *(path for path, _ in self.bypassed)):
                if at(module, path).training != variant.training:
                    return False
        for name in self.parameters:
            if name in variant.given:
                if name not in given or not is_tensor(given[name]):
                    return False
            elif name in given and not _alike(given[name], self.defaults[name]):
                return False
        return all(name in self.parameters for name in given)


def _alike(one: object, other: object) -> bool:
    return one is other or (type(one) is type(other) and isinstance(one, _PLAIN) and one == other)


def at(module: nn.Module, path: str) -> nn.Module:
    """The module at a path below ``module``."""
    for name in path.split(".") if path else ():
        module = getattr(module, name)
    return module


def kind_of(module: nn.Module) -> str:
    """The qualified name of a module's class."""
    return f"{type(module).__module__}.{type(module).__qualname__}"


def facts_of(module: nn.Module, paths: Sequence[str]) -> Facts:
    """The facts that the forwards of some modules may depend on.

    These are attributes of the modules and of their classes, and attributes of objects and dicts that they hold, if
    their code names them.
    """
    return tuple((path, *fact) for path in paths for fact in _facts_of(at(module, path)))


def _facts_of(module: nn.Module) -> Iterator[tuple[tuple[Any, ...], Any]]:
    classes = type(module).__mro__
    own = [vars(each) for each in classes[: classes.index(nn.Module)]]
    named = set[str]().union(*(_names_in(member) for each in own for member in each.values()))
    of_class = {name: value for each in reversed(own) for name, value in each.items() if isinstance(value, _PLAIN)}
    for name, value in {**of_class, **vars(module)}.items():
        if name == "training" or name.startswith("__") or (name.startswith("_") and name not in named):
            continue
        if isinstance(value, _PLAIN) or (callable(value) and not isinstance(value, nn.Module)):
            yield (name,), value
        elif name in named:
            yield from (((name, *inner), held) for inner, held in _inside(value, named, 3))


def _inside(value: Any, named: set[str], levels: int) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The plain values in an object, a dict or a list. In a list, all items count, by index."""
    if isinstance(value, (nn.Module, torch.Tensor)) or levels == 0:
        return
    if isinstance(value, (list, tuple)):
        yield (_LENGTH,), len(value)
        inside: Mapping[Any, Any] = dict(enumerate(value))
    else:
        inside = value if isinstance(value, dict) else getattr(value, "__dict__", {})
    for key, held in inside.items():
        if isinstance(value, (list, tuple)) or key in named:
            if isinstance(held, _PLAIN):
                yield (key,), held
            else:
                yield from (((key, *inner), found) for inner, found in _inside(held, named, levels - 1))


def _names_in(member: Any) -> set[str]:
    """The names and strings in a function, or in the functions of a property or method."""
    functions = (getattr(member, name, None) for name in ("fget", "__func__", "__wrapped__"))
    codes = [found.__code__ for found in (member, *functions) if isinstance(found, FunctionType)]
    return set[str]().union(*(_names(code) | _texts(code) for code in codes))


def _texts(code: CodeType) -> set[str]:
    return {text for text in code.co_consts if isinstance(text, str)}


def _read(module: nn.Module, names: tuple[Any, ...]) -> Any:
    found: Any = module
    for name in names:
        if isinstance(found, (list, tuple)):
            found = len(found) if name == _LENGTH else found[name] if name < len(found) else None
        else:
            found = found.get(name) if isinstance(found, dict) else getattr(found, name, None)
    return found


def variant_of(graph: Graph, given: tuple[str, ...], training: bool | None) -> Variant:
    """The source of a graph. Raises Untraceable if Python cannot find one of its functions by name."""
    code = graph.python_code("self")
    known = torch.fx.graph._custom_builtins
    names = {}
    used = _names(compile(code.src, "<fused forward>", "exec"))
    for name, found in code.globals.items():
        if name in used and name not in known:
            names[name] = found.__name__ if isinstance(found, ModuleType) else torch.fx.node._get_qualified_name(found)
            if _found(names[name]) is not found:
                raise Untraceable(f"{names[name]} cannot be imported")
    return Variant(given, training, code.src, names)


def _names(code: CodeType) -> set[str]:
    """The global names that code and its nested functions may use."""
    return set(code.co_names).union(*(_names(part) for part in code.co_consts if isinstance(part, CodeType)))


def _compiled(variant: Variant) -> Callable[..., Any]:
    scope: dict[str, Any] = {name: known.obj for name, known in torch.fx.graph._custom_builtins.items()}
    scope.update({name: _found(qualified) for name, qualified in variant.names.items()})
    exec(compile(variant.source, f"{__file__} (fused forward)", "exec"), scope)  # noqa: S102  (as torch.fx does it)
    made: Callable[..., Any] = scope["forward"]
    return made


def _found(qualified: str) -> Any:
    """The object with a qualified name."""
    parts = qualified.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            found = getattr(found, part, None)
        return found
    return None


def _new(original: type[nn.Module], rewritings: Sequence[Rewriting]) -> nn.Module:
    """A module of the rewritten class without attributes, which copying and unpickling fill in."""
    made = original
    for rewriting in rewritings:
        made = rewriting.applied(made)
    return made.__new__(made)
