"""Traces a module or function to a torch.fx graph, and refuses code that torch.fx would trace incorrectly."""

from __future__ import annotations

import copy
import inspect
import operator
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.fx import Graph, GraphModule, Node, Proxy, Tracer
from torch.fx.immutable_collections import immutable_dict

# The torch.nn modules that are traced through. Calls of torch's other modules stay calls.
_SIMPLE = (
    *(nn.Linear, nn.Sequential, nn.Identity, nn.SiLU, nn.GELU, nn.ReLU, nn.ReLU6, nn.LeakyReLU, nn.Sigmoid, nn.Tanh),
    *(nn.Hardtanh, nn.Hardswish, nn.Hardsigmoid, nn.Softplus, nn.Mish, nn.ELU, nn.SELU, nn.Softsign, nn.LogSigmoid),
    *(nn.Softmax, nn.LogSoftmax, nn.LayerNorm, nn.RMSNorm, nn.CrossEntropyLoss, nn.NLLLoss),
)
IN_PLACE = ("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow", "imatmul", "iand", "ior", "ixor")
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


class Untraceable(Exception):
    """The calls of this module cannot be expressed as one graph."""


def traced(call: Callable[..., Any], names: Sequence[str], root: nn.Module | None = None) -> Graph:
    """The graph of a function whose parameters, tensors or numbers, have these names."""
    return _Tracing(names, lambda _, *given: call(*given), lambda *_: False).trace(root or nn.Module())


def traced_module(module: nn.Module, names: Sequence[str], inlined: frozenset[str] | None = None) -> Graph:
    """The graph of a module's forward, with tensors for these parameters and defaults for the others.

    ``inlined`` are the modules below it that are traced through; None: all that can be. A node's ``meta["inside"]``
    names the module that it comes from. The module's attributes stay unchanged.

    Raises: Untraceable: the forward has control flow or side effects.
    """

    def call(root: Any, *given: Any) -> Any:
        return type(root).forward(root, **dict(zip(names, given, strict=True)))

    def looked_into(below: nn.Module, path: str) -> bool:
        return path in inlined if inlined is not None else can_be_inlined(below)

    before = {each: dict(vars(each)) for each in module.modules()}
    values = [value for own in before.values() for value in own.values()]
    held = [(value, copy.copy(value)) for value in values if type(value) in (list, dict)]
    drawn = random.getstate(), torch.get_rng_state()
    tracing = _Tracing(names, call, looked_into)
    try:
        graph = tracing.trace(module)
        if tracing.refused:  # and the forward caught the exception
            raise Untraceable(tracing.refused)
        return graph
    except Exception as error:  # a model may raise anything when it gets a proxy
        raise Untraceable(str(error)) from error
    finally:
        changed = [each for each, known in before.items() if _changed(known, vars(each))]
        for each in changed:
            vars(each).clear()
            vars(each).update(before[each])
        written = [(value, known) for value, known in held if not _same_items(value, known)]
        for value, known in written:
            value.clear()
            value.extend(known) if isinstance(value, list) else value.update(known)
        has_drawn = random.getstate() != drawn[0] or not torch.equal(torch.get_rng_state(), drawn[1])
        random.setstate(drawn[0])
        torch.set_rng_state(drawn[1])
        if changed or written:
            raise Untraceable("a module changes itself in forward, or a list or dict that it holds")
        if has_drawn:
            raise Untraceable("random numbers are drawn in forward, which torch.fx would draw once")


def can_be_inlined(module: nn.Module) -> bool:
    """Whether a call of a module only runs its forward, and torch.fx can trace through it."""
    if is_hooked(module) or "forward" in vars(module) or isinstance(module, torch.jit.ScriptModule) or _asks(module):
        return False
    if type(module).__module__.split(".")[0] == "torch":
        return type(module) in _SIMPLE  # excludes subclasses made by parametrize or fuse
    return True


def can_be_rewritten(module: nn.Module) -> bool:
    """Whether a subclass can replace its forward: the class defines it, with a fixed number of arguments by name."""
    if "forward" in vars(module) or isinstance(module, torch.jit.ScriptModule):
        return False  # its class has no forward
    forward = type(module).forward
    if forward is nn.Module.forward or not inspect.isroutine(forward) or inspect.isbuiltin(forward) or _asks(module):
        return False
    original = getattr(type(module), "_original_class", type(module))
    if original.__module__.split(".")[0] == "torch" and not isinstance(module, (GraphModule, *_SIMPLE)):
        return False
    parameters = list(inspect.signature(forward).parameters.values())[1:]
    return all(each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY) for each in parameters)


def _asks(module: nn.Module) -> bool:
    """Whether its forward checks for tensors. A proxy would fail the check."""
    original = getattr(type(module), "_original_class", type(module))
    code = getattr(inspect.unwrap(original.forward), "__code__", None)
    return code is not None and not {"isinstance", "is_tensor"}.isdisjoint(code.co_names)


def is_hooked(module: nn.Module) -> bool:
    """Whether anything runs before or after its forward."""
    return any(getattr(module, hooks, None) for hooks in _HOOKS)


def _changed(before: dict[str, Any], now: dict[str, Any]) -> bool:
    return before.keys() != now.keys() or any(now[name] is not value for name, value in before.items())


def _same_items(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and list(one) != list(other):
        return False
    pairs = (one, other) if isinstance(one, list) else (one.values(), other.values())
    return len(one) == len(other) and all(mine is theirs for mine, theirs in zip(*pairs, strict=True))


class _Tracing(Tracer):
    proxy_buffer_attributes = True
    refused = ""  # the reason why tracing failed, even if the forward caught the exception

    def __init__(
        self, names: Sequence[str], call: Callable[..., Any], looked_into: Callable[[nn.Module, str], bool]
    ) -> None:
        super().__init__()
        self._names = names
        self._call = call
        self._looked_into = looked_into
        self._inside: list[str] = []
        self._state: object = None

    def trace(self, root: Any, concrete_args: dict[str, Any] | None = None) -> Graph:
        if not isinstance(root, nn.Module) or type(root).forward is nn.Module.forward:
            root = _Nothing()
        with _known_state():
            self._state = _state()
            return super().trace(root, concrete_args)

    def create_args_for_root(self, root_fn: Any, is_module: bool, concrete_args: Any = None) -> tuple[Any, list[Any]]:
        proxies = [self.create_proxy("placeholder", name, (), {}) for name in self._names]
        return self._call, [self.root, *proxies]

    def proxy(self, node: Node) -> Proxy:
        return _Traced(node, self)

    def is_leaf_module(self, m: nn.Module, module_qualified_name: str) -> bool:
        return not self._looked_into(m, module_qualified_name)

    def call_module(self, m: nn.Module, forward: Callable[..., Any], args: Any, kwargs: dict[str, Any]) -> Any:
        path = self.path_of_module(m)
        if self.is_leaf_module(m, path):
            return super().call_module(m, forward, args, kwargs)
        mark, depth, refused = len(self.graph.nodes), len(self.module_stack), self.refused
        self.refused = ""
        self._inside.append(path)
        try:
            result = super().call_module(m, forward, args, kwargs)
            if self.refused:
                raise Untraceable(self.refused)
            return result
        except Exception:  # noqa: BLE001  (whatever it does: it stays a call of the module)
            while len(self.module_stack) > depth:
                self.module_stack.popitem()
            for node in reversed(list(self.graph.nodes)[mark:]):
                if node.op != "get_attr":  # torch.fx keeps get_attr nodes for later uses
                    self.graph.erase_node(node)
            return self.create_proxy("call_module", path, args, kwargs)
        finally:
            self.refused = refused
            self._inside.pop()

    def to_bool(self, obj: Proxy) -> bool:
        self.refused = "it chooses by the values of a tensor"
        return super().to_bool(obj)

    def iter(self, obj: Proxy) -> Any:
        self.refused = "it goes through a tensor"
        return super().iter(obj)

    def create_node(self, *args: Any, **kwargs: Any) -> Node:
        if _state() != self._state:
            raise Untraceable("gradients or autocast are switched in forward, which torch.fx does not see")
        node = super().create_node(*args, **kwargs)
        node.meta["inside"] = tuple(self._inside)
        return node

    def create_arg(self, a: Any) -> Any:
        if isinstance(a, Proxy):
            return a.node
        if isinstance(a, dict) and type(a) not in (dict, immutable_dict):
            raise Untraceable(f"torch.fx would make a dict of a {type(a).__name__}")
        if isinstance(a, Tensor) and not self._belongs(a):
            raise Untraceable("a tensor is made in forward of nothing that is given, which torch.fx would make once")
        return super().create_arg(a)

    def _belongs(self, tensor: Tensor) -> bool:
        own = (*self.root.parameters(), *self.root.buffers())
        return any(tensor is each for each in own) or tensor in self.tensor_attrs


class _Traced(Proxy):
    """A proxy for a tensor. ``x += 1`` writes to the tensor; torch.fx alone would treat it as ``x = x + 1``."""

    def __getattr__(self, k: str) -> Any:
        if self.node.op == "placeholder" and not hasattr(Tensor, k):
            raise AttributeError(f"a Tensor has no attribute {k}")
        return super().__getattr__(k)


def _writing(function: Callable[..., Any]) -> Callable[..., Any]:
    def write(proxy: Proxy, other: object) -> Any:
        return proxy.tracer.create_proxy("call_function", function, (proxy, other), {})

    return write


for _name in IN_PLACE:
    setattr(_Traced, f"__{_name}__", _writing(getattr(operator, _name)))


class _Nothing(nn.Module):
    def forward(self) -> None:
        """Replaced by a function before it is called."""


def _devices() -> Iterator[str]:
    yield "cpu"
    if hasattr(torch, "npu"):
        yield "npu"


def _narrow(device: str) -> torch.dtype:
    """The dtype of an autocast region: torch_npu has none of bfloat16 on a SoC without it."""
    has_bfloat16 = device == "cpu" or torch.bfloat16 in torch.npu.get_amp_supported_dtype()
    return torch.bfloat16 if has_bfloat16 else torch.float16


@contextmanager
def _known_state() -> Iterator[None]:
    """Enables gradients and autocast, so that code that disables either is noticed."""
    with ExitStack() as stack:
        stack.enter_context(torch.inference_mode(mode=False))
        stack.enter_context(torch.enable_grad())
        for device in _devices():
            stack.enter_context(torch.autocast(device, dtype=_narrow(device)))
        yield


def _state() -> object:
    casts = tuple((torch.is_autocast_enabled(device), torch.get_autocast_dtype(device)) for device in _devices())
    return torch.is_grad_enabled(), torch.is_inference_mode_enabled(), casts


def is_tensor(value: object) -> bool:
    """Whether a value is a tensor or a proxy for one."""
    return isinstance(value, (Tensor, Proxy))
