# Owned by opforge: `opforge update` replaces this file.
# SPDX-License-Identifier: Apache-2.0
"""Finds the places in a module's forward where operators can compute, and inserts calls of the operators."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import forward_ad
from torch.fx import Graph, GraphModule, Node
from torch.overrides import handle_torch_function, has_torch_function

from .._checks import MAX_RANK, Columns
from .calls import writes
from .canonical import Canonical
from .matching import Bound, Value, match, same, settled, size
from .spellings import spellings
from .tracing import traced

_FREE = ("T", "leaf", "number")  # values that need no computation or exist anyway, so that other nodes may use them


@dataclass(frozen=True)
class Fusible:
    """An operator and the functions that replace it in models.

    ``columns`` are the supported combinations of dtypes, ``dims`` the dimensions of its inputs. ``attrs`` has the types
    of its numeric attributes, ``fixed`` the values of the others. ``products``: it computes matrix products. An
    operator that is not ``differentiable`` is called only when no gradient is needed. ``loss``: torch's function of the
    same meaning has the classes in the second dimension, which is the last one of [rows, classes] alone.
    ``as_written`` are PyTorch's own operators as models call them, also on tensors that the operator does not take.
    """

    operator: Callable[..., Any]
    native: Callable[..., Any]
    columns: Columns
    dims: Mapping[str, tuple[str, ...]]
    optional: tuple[str, ...] = ()
    attrs: Mapping[str, type] = field(default_factory=dict)
    fixed: Mapping[str, Any] = field(default_factory=dict)
    products: bool = False
    differentiable: bool = True
    loss: bool = False
    as_written: Callable[..., Any] = field(init=False)

    @property
    def whole(self) -> bool:
        """Whether the operator computes with integers."""
        return any(not dtype.is_floating_point and dtype != torch.bool for column in self.columns for dtype in column)

    def __call__(self, itself: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Calls the operator if it takes these arguments unchanged, else PyTorch's own operators.

        ``itself`` is the function that graphs call. In a repeated trace it becomes a single node.
        """
        tensors = arguments[: len(self.dims)]
        if has_torch_function(tensors):
            return handle_torch_function(itself, tensors, *arguments)
        return (self.operator if self.takes(tensors) else self.as_written)(*arguments)

    def __post_init__(self) -> None:
        # Not a cached property: before Python 3.12 it has a lock, which torch.compile cannot trace.
        object.__setattr__(self, "as_written", self._without_shapes() if self.loss else self.native)

    def _without_shapes(self) -> Callable[..., Any]:
        graph = traced(self.native, list(inspect.signature(self.native).parameters))
        without_shapes(graph)
        return GraphModule(nn.Module(), graph)

    def takes(self, arguments: Sequence[Any]) -> bool:
        """Whether the operator accepts these tensors and computes the same as PyTorch's own operators."""
        places = [place for place, argument in enumerate(arguments) if argument is not None]
        tensors = [arguments[place] for place in places]
        if not all(isinstance(tensor, Tensor) for tensor in tensors):
            return False
        if not self.differentiable and torch.is_grad_enabled() and any(tensor.requires_grad for tensor in tensors):
            return False
        if any(tensor.device != tensors[0].device or tensor.dim() > MAX_RANK for tensor in tensors):
            return False
        if any(tensor.layout != torch.strided or tensor.is_nested for tensor in tensors) or _is_transformed():
            return False
        dtypes = self._dtypes(tensors)
        double = [torch.float64 if tensors[0].device.type == "cpu" and d.is_floating_point else d for d in dtypes]
        for column in self.columns:
            row = [column[place] for place in places]
            exact = [torch.float64 if dtype.is_floating_point else dtype for dtype in row]
            if row == dtypes or (dtypes == double and dtypes == exact):
                return self._shapes_fit([tuple(self.dims.values())[place] for place in places], tensors)
        return False

    def _dtypes(self, tensors: Sequence[Tensor]) -> list[torch.dtype]:
        """The dtypes of the tensors, after the casts of an active autocast region."""
        dtypes, device = [tensor.dtype for tensor in tensors], tensors[0].device.type
        if device not in ("cpu", "npu") or not torch.is_autocast_enabled(device):
            return dtypes
        floats = [dtype for dtype in dtypes if dtype.is_floating_point]
        if not floats or torch.float64 in floats:
            return dtypes
        wide = torch.get_autocast_dtype(device) if self.products else functools.reduce(torch.promote_types, floats)
        return [wide if dtype.is_floating_point else dtype for dtype in dtypes]

    def _shapes_fit(self, dims: Sequence[tuple[str, ...]], tensors: Sequence[Tensor]) -> bool:
        sizes: dict[str, int] = {}
        leading: list[int] | None = None
        for each, tensor in zip(dims, tensors, strict=True):
            named = each[1:] if each[:1] == ("...",) else each
            rest = tensor.dim() - len(named)
            if rest < 0 or (rest > 0 and named is each):
                return False
            for symbol, length in zip(named, tensor.shape[rest:], strict=True):
                if sizes.setdefault(symbol, int(symbol) if symbol.isdigit() else length) != length:
                    return False
            if (self.products or self.loss) and named is not each:
                rows = list(tensor.shape[:rest])
                if (leading is not None and rows != leading) or (self.loss and len(rows) > 1):
                    return False
                leading = rows
        return True

    @functools.cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """The expression in canonical form, for each choice of optional inputs. Bare inputs are left out."""
        found = []
        for count in range(len(self.optional) + 1):
            for missing in itertools.combinations(self.optional, count):
                found.append(self._pattern(missing))
        return tuple(pattern for pattern in found if all(output.operands for output in pattern.outputs))

    def _pattern(self, missing: tuple[str, ...]) -> Pattern:
        inputs = [name for name in self.dims if name not in missing]
        names = (*inputs, *self.attrs)

        def call(*given: Any) -> Any:
            known = {**dict.fromkeys(missing), **self.fixed, **dict(zip(names, given, strict=True))}
            return self.native(*(known[name] for name in inspect.signature(self.native).parameters))

        leaves = {name: Value("input", data=name) for name in inputs}
        leaves |= {name: Value("attr", data=name, number=True) for name in self.attrs}
        graph = traced(call, names)
        if self.loss:
            without_shapes(graph)
        values = Canonical(graph, leaves=leaves, spellings=spellings()).values
        (output,) = graph.find_nodes(op="output")
        results = output.args[0] if isinstance(output.args[0], tuple) else (output.args[0],)
        return Pattern(self, tuple(values[node] for node in results), tuple(inputs))

    def __hash__(self) -> int:
        return id(self)


@dataclass(frozen=True)
class Pattern:
    """The outputs of an operator for one selection of its inputs."""

    fusible: Fusible
    outputs: tuple[Value, ...]
    inputs: tuple[str, ...]

    @property
    def size(self) -> int:
        """The number of operators in the pattern."""
        return sum(map(size, self.outputs))


@dataclass(frozen=True)
class Found:
    """A place for an operator: the nodes of its outputs, and all nodes that only these outputs need."""

    pattern: Pattern
    outputs: tuple[Node, ...]
    covered: frozenset[Node]
    bound: Bound

    @property
    def straight(self) -> bool:
        """Whether the operator takes its inputs as they are in the model, without transposing any."""
        return all(self.bound[name].op != "T" for name in self.pattern.inputs)


class Places:
    """The places for operators in one graph; ``root`` has its parameters and modules."""

    def __init__(self, graph: Graph, root: nn.Module) -> None:
        self._graph = graph
        tensors = {**dict(root.named_parameters(remove_duplicate=False)), **dict(root.named_buffers())}
        self._canonical = Canonical(graph, lambda path: tensors.get(path, _attribute(root, path)), None, spellings())
        self._order = {node: place for place, node in enumerate(graph.nodes)}
        self._modules = dict(root.named_modules(remove_duplicate=False))

    def find(self, patterns: Sequence[Pattern], wanted: Callable[[Found], bool]) -> Found | None:
        """The first wanted place, for the largest pattern that has one.

        Places whose tensors are known to have the right rank come first. They block places whose tensors only may have
        it. Among patterns of one size, those that take their inputs without transposing come first.
        """
        nodes = [node for node in reversed(self._graph.nodes) if node.op in ("call_function", "call_method")]
        of_a_size: dict[int, list[Pattern]] = {}
        for pattern in sorted(patterns, key=lambda each: -each.size):
            of_a_size.setdefault(pattern.size, []).append(pattern)
        ordered = [(straight, each) for group in of_a_size.values() for straight in (True, False) for each in group]
        taken: set[Node] = set()
        for certain in (True, False):
            for straight, pattern in ordered:
                for outputs, bound in self._matches(pattern.outputs, nodes, {}):
                    found = self._found(pattern, outputs, bound, certain=certain)
                    if found is None or found.straight != straight or not taken.isdisjoint(found.covered):
                        continue
                    if wanted(found):
                        return found
                    taken |= found.covered
        return None

    def _matches(
        self, outputs: tuple[Value, ...], nodes: Sequence[Node], bound: Bound
    ) -> Iterator[tuple[tuple[Node, ...], Bound]]:
        if not outputs:
            yield (), bound
            return
        for node in nodes:
            for known in match(outputs[0], self._canonical.values[node], bound):
                for rest, everything in self._matches(outputs[1:], nodes, known):
                    yield (node, *rest), everything

    def _found(self, pattern: Pattern, outputs: tuple[Node, ...], bound: Bound, *, certain: bool) -> Found | None:
        if len(set(outputs)) != len(set(pattern.outputs)) or not self._numbers_fit(pattern, bound):
            return None
        if any(self._canonical.nodes.get(_stored(bound[name])) is None for name in pattern.inputs):
            return None
        if not self._tensors_fit(pattern, bound, certain=certain):
            return None
        inputs = [bound[name] for name in pattern.inputs]
        covered = self._covered(outputs, inputs)
        ends = {self._canonical.nodes[_stored(value)] for value in inputs}
        found = Found(pattern, outputs, covered, bound)
        if covered & ends or not self._alone(found) or not self._undisturbed(found, ends):
            return None
        return found

    def _numbers_fit(self, pattern: Pattern, bound: Bound) -> bool:
        fusible = pattern.fusible
        if any(name not in bound for name in (*pattern.inputs, *fusible.attrs)):
            return False  # no expression in the graph determines it
        if not settled(bound):
            return False
        whole = [bound[name] for name, kind in fusible.attrs.items() if kind is int]
        if fusible.whole and any(isinstance(number, float) for number in whole):
            return False  # with it, integers become floats
        return all(float(number).is_integer() and abs(number) < 2**31 for number in whole)

    def _tensors_fit(self, pattern: Pattern, bound: Bound, *, certain: bool) -> bool:
        """Whether the known ranks and dtypes of the inputs match what the operator takes."""
        fusible = pattern.fusible
        for place, (name, dims) in enumerate(fusible.dims.items()):
            value = bound.get(name)
            if value is None:
                continue
            tensor = self._canonical.tensors.get(_stored(value))
            dtypes = {column[place] for column in fusible.columns}
            double = tensor is not None and tensor.dtype == torch.float64 and any(d.is_floating_point for d in dtypes)
            if tensor is not None and tensor.dtype not in dtypes and not double:
                return False
            if dims[:1] == ("...",) or value.rank == len(dims):
                continue
            argument = self._canonical.nodes[_stored(value)].op == "placeholder" if value.rank is None else False
            if certain or not argument:
                return False
        return True

    def _covered(self, outputs: Sequence[Node], inputs: Sequence[Value]) -> frozenset[Node]:
        seen: set[Node] = set()
        todo = list(outputs)
        while todo:
            node = todo.pop()
            value = self._canonical.values[node]
            given = any(same(value, each) or same(value, _stored(each)) for each in inputs)
            if node not in seen and (node in outputs or not given):
                seen.add(node)
                todo += node.all_input_nodes
        return frozenset(seen)

    def _alone(self, found: Found) -> bool:
        """Whether nothing else uses the intermediate values."""
        inner = (node for node in found.covered if node not in found.outputs and not self._free(node))
        return all(user in found.covered for node in inner for user in node.users)

    def _free(self, node: Node) -> bool:
        return self._canonical.values[node].op in _FREE

    def _undisturbed(self, found: Found, inputs: set[Node]) -> bool:
        """Whether the operator can run before its first output, and no tensor is written to in between."""
        anchor = min(self._order[node] for node in found.outputs)
        if any(self._order[node] >= anchor for node in inputs):
            return False
        computed = [self._order[node] for node in found.covered if not self._free(node)]
        touched = found.covered | inputs
        for node in self._graph.nodes:
            if min(computed) < self._order[node] < max(computed) and node not in found.covered:
                module = self._modules.get(str(node.target)) if node.op == "call_module" else None
                foreign = module is not None and not type(module).__module__.startswith("torch.nn.")
                if writes(node, module) or (foreign and not touched.isdisjoint(node.all_input_nodes)):
                    return False
        return True

    def replace(self, found: Found, function: Callable[..., Any]) -> None:
        """Inserts a call of ``function`` at a place. The graph must be searched again afterwards."""
        graph, fusible = self._graph, found.pattern.fusible
        first = min(found.outputs, key=self._order.__getitem__)
        with graph.inserting_before(first):
            arguments = [self._argument(found.bound.get(name), first) for name in fusible.dims]
            for name in list(inspect.signature(fusible.native).parameters)[len(arguments) :]:
                kind = fusible.attrs.get(name)
                arguments.append(fusible.fixed[name] if kind is None else kind(found.bound[name]))
            made = graph.call_function(function, tuple(arguments))
            results = [made]
            if len(found.outputs) > 1:
                results = [graph.call_method("__getitem__", (made, i)) for i in range(len(found.outputs))]
        for node, result in zip(found.outputs, results, strict=True):
            node.replace_all_uses_with(result)
        for node in sorted(found.covered, key=self._order.__getitem__, reverse=True):
            if not node.users and node.op != "placeholder":
                graph.erase_node(node)

    def _argument(self, value: Value | None, before: Node) -> Node | None:
        if value is None:
            return None
        node = self._canonical.nodes.get(value)
        if node is not None and (value.op != "T" or self._order[node] < self._order[before]):
            return node
        return self._graph.call_method("t", (self._canonical.nodes[value.operands[0]],))


def _stored(value: Value) -> Value:
    """The value itself, or the operand if it is transposed."""
    return value.operands[0] if value.op == "T" else value


def without_shapes(graph: Graph) -> None:
    """Lets a loss have its arguments as they are: a model brings them to rows and classes before, if at all."""
    for node in list(graph.nodes):
        if node.op == "call_method" and node.target in ("reshape", "unsqueeze", "long"):
            node.replace_all_uses_with(node.args[0])
    graph.eliminate_dead_code()


def _is_transformed() -> bool:
    """Whether torch.func or forward-mode derivatives decompose the operators that are called."""
    return forward_ad._current_level >= 0 or torch._C._functorch.peek_interpreter_stack() is not None


def _attribute(root: nn.Module, path: str) -> object:
    """The object at a path, found as torch.fx does it."""
    found: object = root
    for name in path.split("."):
        found = getattr(found, name, None)
    return found
