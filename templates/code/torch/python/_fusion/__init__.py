"""Models whose expressions are computed by the operators of {{ package }}."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from torch import Tensor, nn
from torch.fx import Graph, GraphModule

from .fusible import FUSIBLE
from .places import Found, Places
from .rewriting import Rewriting, Variant, at, facts_of, kind_of, variant_of
from .tracing import Untraceable, can_be_rewritten, traced_module

Model = TypeVar("Model", bound=nn.Module)


def fuse(model: Model, *, inplace: bool = False) -> tuple[Model, int]:
    """The model with the operators of {{ package }} wherever it computes what they compute.

{{ looked_for }}
    These expressions are found in the forward of each module, in whichever way they are spelled: functions, methods and
    modules of torch.nn, operands in another order, weights of nn.Linear. A part that is also used elsewhere does not
    match, nor does a module with hooks that would no longer run. What torch.fx cannot trace stays as it is; the
    modules below it are looked at each for itself. Where a call's tensors are none that the operator takes, PyTorch's
    own operators compute it as before.

    Classes, attributes, parameters and the names in the state_dict stay: checkpoints and optimizers go on. Fuse before
    wrapping (DistributedDataParallel, torch.compile). Forwards are run a few times with what stands for tensors, so
    what they do besides computing (printing, say) happens then, and no more where an operator is called. What a forward
    chooses by may change later if it is an argument, an attribute, or something plain in an object or dict that is one;
    of globals, classes, files or the time, it is as it was when the model was fused.

    A weight of nn.Linear, [out, in], reaches an operator that takes [in, out] as a view, which is copied in each call:
    its bytes are read and written once more. An operator whose expression says ``x @ weight.T`` takes it as it is.

    Args:
        model: is not changed.
        inplace: change it, and do not make the copy, which shares parameters and buffers.

    Returns:
        The model, and how many expressions are computed by operators; fused again it has 0 more.

    Raises:
        TypeError: this is not a module, or cannot be copied.
    """
    if not isinstance(model, nn.Module):
        raise TypeError(f"fuse: model must be a torch.nn.Module, but it is a {type(model).__name__}")
    fused = model if inplace else _copied(model)
    count, done = 0, set[nn.Module]()
    todo: list[nn.Module] = [fused]
    while todo:
        module = todo.pop()
        if module not in done:
            done.add(module)
            count += _fuse_one(module)
            done.update(_bypassed(module))
            todo += module.children()
    return fused, count


def _bypassed(module: nn.Module) -> list[nn.Module]:
    """The modules below ``module`` that it no longer calls."""
    rewritings: tuple[Rewriting, ...] = getattr(type(module), "_rewritings", ())
    return [at(module, path) for rewriting in rewritings for path, _ in rewriting.bypassed]


def _copied(model: Model) -> Model:
    """A copy of the modules that shares parameters, buffers and other tensors."""
    held = [value for module in model.modules() for value in vars(module).values() if isinstance(value, Tensor)]
    shared = {id(tensor): tensor for tensor in (*model.parameters(), *model.buffers(), *held)}
    try:
        return copy.deepcopy(model, shared)
    except Exception as error:
        raise TypeError(
            f"fuse: this {type(model).__name__} cannot be copied ({error}); fuse the model before it is wrapped, or "
            "change it itself with fuse(model, inplace=True)"
        ) from error


@dataclass(frozen=True)
class _Result:
    """A graph with operators, their number, and the modules that it traces through."""

    graph: Graph
    count: int
    inlined: tuple[str, ...]


def _fuse_one(module: nn.Module) -> int:
    """Fuse the expressions in a module's own forward. Returns their number."""
    if not can_be_rewritten(module):
        return 0
    parameters = list(inspect.signature(type(module).forward).parameters.values())[1:]
    given = tuple(each.name for each in parameters)
    required = tuple(each.name for each in parameters if each.default is each.empty)
    if isinstance(module, GraphModule):
        return _fuse_graph(module, given)
    results: list[_Result] = []
    variants: list[Variant] = []
    for names in dict.fromkeys((required, given)):
        found = [(False, result)] if (result := _result(module, names, training=False)) is not None else []
        if found and (result := _result(module, names, training=True)) is not None:
            found.append((True, result))
        try:
            made = [variant_of(result.graph, names, mode) for mode, result in found]
        except Untraceable:
            continue
        if len(made) == 2 and (made[0].source, made[0].names) == (made[1].source, made[1].names):
            made = [Variant(names, None, made[0].source, made[0].names)]
        variants += made
        results += [result for _, result in found]
    if not variants:
        return 0
    inlined = tuple(dict.fromkeys(path for result in results for path in result.inlined))
    rewriting = Rewriting(
        package="{{ package }}",
        parameters=given,
        defaults={each.name: each.default for each in parameters if each.default is not each.empty},
        variants=tuple(variants),
        facts=facts_of(module, ("", *inlined)),
        bypassed=tuple((path, kind_of(at(module, path))) for path in inlined),
    )
    try:
        module.__class__ = rewriting.applied(type(module))
    except TypeError:  # a class that does not support plain subclasses
        return 0
    return max(result.count for result in results)


def _fuse_graph(module: GraphModule, names: Sequence[str]) -> int:
    """Fuses the expressions in a module that is a graph. Returns their number."""
    if any(node.op == "call_module" for node in module.graph.nodes):
        result = _result(module, names, training=module.training)
        if result is None:
            return 0
        for old, new in zip(module.graph.find_nodes(op="placeholder"), result.graph.find_nodes(op="placeholder")):
            new.args, new.type = old.args, old.type
        module.graph = result.graph
        return result.count
    count = _replaced(module.graph, module, lambda _: True)
    if count:
        module.recompile()
    return count


def _result(module: nn.Module, names: Sequence[str], *, training: bool) -> _Result | None:
    """The graph of a module's forward with operators in it; None: it has no place for any, or cannot be traced."""
    needed: dict[str, None] = {}

    def own(found: Found) -> bool:
        inside = [node.meta["inside"] for node in found.covered if node.op not in ("get_attr", "placeholder")]
        first = inside[0][:1]
        if first and all(paths[:1] == first for paths in inside) and can_be_rewritten(at(module, first[0])):
            return False  # it is found there
        needed.update((path, None) for paths in inside for path in paths)
        return True

    with _mode(module, training=training):
        try:
            if not _replaced(traced_module(module, names), module, own):
                return None
            inlined = tuple(sorted(needed))
            graph = traced_module(module, names, frozenset(inlined))
        except Untraceable:
            return None
        count = _replaced(graph, module, own)
    return _Result(graph, count, inlined) if count else None


def _replaced(graph: Graph, module: nn.Module, wanted: Callable[[Found], bool]) -> int:
    """Put operators into all places that are wanted; how many."""
    patterns = [pattern for fusible in FUSIBLE for pattern in fusible.patterns]
    count = 0
    while True:
        places = Places(graph, module)
        found = places.find(patterns, wanted)
        if found is None:
            return count
        places.replace(found, FUSIBLE[found.pattern.fusible])
        count += 1


@contextmanager
def _mode(module: nn.Module, *, training: bool) -> Iterator[None]:
    """All modules in training, or none."""
    before = {each: each.training for each in module.modules()}
    try:
        for each in before:
            each.training = training
        yield
    finally:
        for each, mode in before.items():
            each.training = mode
