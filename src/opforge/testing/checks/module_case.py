"""Creates an operator's module from the arguments of its function, and checks the module."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch._dynamo.testing import CompileCounterWithBackend

from opforge.testing.checks.closeness import assert_same
from opforge.testing.checks.tensors import on

__tracebackhide__ = True  # for pytest, which then shows the test itself

# Sizes of no other dimension: torch.compile takes equal sizes for one, and compiles again when they differ.
ROWS = (17, 19)
Named = dict[str, Any]  # all arguments of an operator's function by name, in its order


@dataclass(frozen=True)
class ModuleCase:
    """The data for creating an operator's module."""

    kind: type[torch.nn.Module]
    sizes: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Constructor arguments: an argument of the function and its dimension."""
    held: tuple[str, ...] = ()  # arguments of the function that are parameters of the module
    attrs: tuple[str, ...] = ()  # arguments of the function that the constructor takes

    def new(self, named: Named, **options: Any) -> torch.nn.Module:
        """The module with its initial values."""
        given = {name: named[tensor].shape[dim] for name, (tensor, dim) in self.sizes.items()}
        given |= {name: named[name] for name in self.attrs}
        given |= {name: False for name in self.held if named[name] is None}
        return self.kind(**given, **(options if self.held else {}))

    def load(self, named: Named) -> torch.nn.Module:
        """The module with the parameters from ``named``."""
        held = [named[name] for name in self.held if named[name] is not None]
        module = self.new(named, **({"device": held[0].device, "dtype": held[0].dtype} if held else {}))
        with torch.no_grad():
            for parameter, value in zip(module.parameters(), held, strict=True):
                parameter.copy_(value)
        return module

    def rest(self, named: Named) -> list[Any]:
        """The arguments of forward."""
        return [value for name, value in named.items() if name not in (*self.held, *self.attrs)]


def on_npu(named: Named) -> Named:
    """The arguments with all tensors on the NPU."""
    return dict(zip(named, on("npu", named.values()), strict=True))


def check_module(made: ModuleCase, function: Callable[..., Any], named: Named) -> None:
    """The module computes the same as the function, and can be copied, saved and loaded. ``named`` is on the CPU."""
    named = on_npu(named)
    module, rest = made.load(named), made.rest(named)
    expected = function(*named.values())
    assert_same(module(*rest), expected)
    assert_same(copy.deepcopy(module)(*rest), expected)
    assert_same(pickle.loads(pickle.dumps(module))(*rest), expected)  # noqa: S301  (it was dumped here)
    assert [*module.state_dict()] == [held for held in made.held if named[held] is not None]

    other = made.new(named, device="meta").to_empty(device="npu")
    other.load_state_dict(module.state_dict())
    assert_same([*other.parameters()], [value.float() for value in module.parameters()])
    assert repr(module).startswith(f"{made.kind.__name__}(")
    assert all(f"{size}={named[tensor].shape[dim]}" in repr(module) for size, (tensor, dim) in made.sizes.items())


def check_initial_values(made: ModuleCase, named: Named) -> None:
    """Initial values have the requested device and dtype, are finite, and change when they are reset."""
    module = made.new(named, device="npu", dtype=torch.float16)
    for parameter in module.parameters():
        assert parameter.requires_grad
        assert (parameter.device.type, parameter.dtype) == ("npu", torch.float16)
        before = parameter.detach().clone()
        assert bool(before.isfinite().all())
        with torch.no_grad():
            parameter.fill_(float("nan"))
        module.reset_parameters()
        assert bool(parameter.isfinite().all())
        constant = before.numel() == 0 or bool((before == before.flatten()[0]).all())
        assert not constant or torch.equal(parameter, before)


def check_tracing(made: ModuleCase, of_rows: Callable[[int], Named]) -> None:
    """torch.compile, torch.export and torch.fx see one operator, for any number of rows. Values are on the CPU."""
    module = made.load(on_npu(of_rows(ROWS[0])))
    few, more = (made.rest(on_npu(of_rows(rows))) for rows in ROWS)
    assert_same(torch.fx.symbolic_trace(module)(*few), module(*few))

    torch.compiler.reset()
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(module, backend=counter, fullgraph=True, dynamic=True)
    with torch.no_grad():
        assert_same(compiled(*few), module(*few))
        count = counter.frame_count
        for given in (more, made.rest(on_npu(of_rows(33)))):
            assert_same(compiled(*given), module(*given))
    assert counter.frame_count == count, "it was compiled again for another number of rows"

    rows = torch.export.Dim("rows")
    shapes = tuple(_dynamic(one, other, rows) for one, other in zip(few, more, strict=True))
    for strict in (False, True):
        program = torch.export.export(module, tuple(few), dynamic_shapes=shapes, strict=strict)
        file = io.BytesIO()
        torch.export.save(program, file)
        file.seek(0)
        loaded = torch.export.load(file).module()
        for given in (few, more):
            assert_same(loaded(*given), module(*given))


def _dynamic(one: Any, other: Any, rows: Any) -> Any:
    """The dynamic dimensions of an argument for torch.export: the rows. Tensors of a list may have a few more."""
    if isinstance(one, list):
        return [_dynamic(*pair, rows) for pair in zip(one, other, strict=True)]
    if not isinstance(one, Tensor):
        return None
    more = {dim: size - ROWS[0] for dim, size in enumerate(one.shape) if size != other.shape[dim]}
    return {dim: rows + extra if extra else rows for dim, extra in more.items()}
