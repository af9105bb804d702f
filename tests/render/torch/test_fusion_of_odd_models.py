"""fuse: models that choose by what they hold, draw numbers, return what torch.fx has not, or are taken apart."""

from __future__ import annotations

import pickle
import random
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812  (as models have it)
from torch import Tensor, nn
from torch.autograd import forward_ad

pytestmark = [pytest.mark.torch, pytest.mark.compiler, pytest.mark.filterwarnings("ignore:.*PyTorch's own operators")]

Fuse = Callable[..., tuple[nn.Module, int]]


@pytest.fixture
def fuse(product_ops: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Fuse:
    """fuse of a package that has SwiGLU alone."""
    fusion = product_ops._opforge._fusion
    some = {key: value for key, value in fusion.FUSIBLE.items() if value.__name__ == "swi_glu"}
    monkeypatch.setattr(fusion, "FUSIBLE", some)
    made: Fuse = fusion.fuse
    return made


class Gated(nn.Module):
    """What SwiGLU computes, and a product after it."""

    def __init__(self, linear: Callable[..., nn.Module] = nn.Linear) -> None:
        super().__init__()
        self.gate, self.up = linear(3, 4, bias=False), linear(3, 4, bias=False)
        self.down = nn.Linear(4, 3, bias=False)

    def forward(self, x: Tensor) -> Any:
        return self.down(F.silu(self.gate(x)) * self.up(x))


def test_a_block_that_is_called_in_a_loop(fuse: Fuse) -> None:
    """Its weights are transposed before the first call, not before the last."""

    class Twice(Gated):
        def forward(self, x: Tensor) -> Tensor:
            for _ in range(2):
                x = self.down(F.silu(self.gate(x)) * self.up(x))
            return x

    model = Twice()
    fused, count = fuse(model)
    x = torch.randn(5, 3)
    assert count == 2
    torch.testing.assert_close(fused(x), model(x))


@dataclass
class Config:
    """As models hold one."""

    kind: str = "silu"
    factors: list[float] = field(default_factory=list)


class ByConfig(Gated):
    """Chooses by an object's attribute."""

    def __init__(self) -> None:
        super().__init__()
        self.config = Config()

    def forward(self, x: Tensor) -> Tensor:
        gate = self.gate(x)
        return (F.silu(gate) if self.config.kind == "silu" else F.relu(gate)) * self.up(x)

    def change(self) -> None:
        self.config.kind = "relu"


class ByItem(Gated):
    """Chooses by an item of a dict."""

    def __init__(self) -> None:
        super().__init__()
        self.options = {"kind": "silu"}

    def forward(self, x: Tensor) -> Tensor:
        gate = self.gate(x)
        return (F.silu(gate) if self.options["kind"] == "silu" else F.relu(gate)) * self.up(x)

    def change(self) -> None:
        self.options["kind"] = "relu"


class ByFunction(Gated):
    """Holds its activation."""

    def __init__(self) -> None:
        super().__init__()
        self.act: Callable[[Tensor], Tensor] = F.silu

    def forward(self, x: Tensor) -> Tensor:
        return self.act(self.gate(x)) * self.up(x)

    def change(self) -> None:
        self.act = F.relu


class Adapted(nn.Linear):
    """Switched by a private attribute, as adapters of low rank are."""

    _on = False

    def forward(self, x: Tensor) -> Tensor:
        y = F.linear(x, self.weight)
        return y * 2 if self._on else y


class BelowIt(Gated):
    """A layer below it is switched."""

    def __init__(self) -> None:
        super().__init__(Adapted)

    def change(self) -> None:
        self.gate._on = True  # type: ignore[assignment]


class ByList(Gated):
    """Goes through a list, in an object."""

    def __init__(self) -> None:
        super().__init__()
        self.config = Config()
        self.config.factors = [1.0, 2.0]

    def forward(self, x: Tensor) -> Tensor:
        return F.silu(self.gate(x)) * self.up(x) * sum(self.config.factors)

    def change(self) -> None:
        self.config.factors.append(3.0)


class ByDtype(Gated):
    """Holds the dtype of its result."""

    def __init__(self) -> None:
        super().__init__()
        self.dtype = torch.float32

    def forward(self, x: Tensor) -> Tensor:
        return (F.silu(self.gate(x)) * self.up(x)).to(self.dtype)

    def change(self) -> None:
        self.dtype = torch.float64


@pytest.mark.parametrize("kind", [ByConfig, ByItem, ByFunction, BelowIt, ByList, ByDtype])
def test_what_a_forward_chooses_by_may_change(kind: type[Any], fuse: Fuse) -> None:
    model = kind()
    fused, count = fuse(model)
    assert count == 1
    restored = pickle.loads(pickle.dumps(fused))  # noqa: S301  (made here)
    x = torch.randn(5, 3)
    before = model(x)
    for each in (fused, restored):
        torch.testing.assert_close(each(x), before)
        torch.testing.assert_close(torch.compile(each, backend="eager", fullgraph=True)(x), before)
    for each in (model, fused, restored):
        each.change()
    after = model(x)
    assert after.dtype != before.dtype or not torch.allclose(after, before)
    torch.testing.assert_close(fused(x), model(x))
    torch.testing.assert_close(restored(x), model(x))


def test_numbers_are_drawn_in_each_call(fuse: Fuse) -> None:
    class Dropped(Gated):
        def forward(self, x: Tensor) -> Tensor:
            return F.silu(self.gate(x)) * self.up(x) * random.random()

    class Chosen(Gated):
        def forward(self, x: Tensor) -> Tensor:
            y = F.silu(self.gate(x)) * self.up(x)
            return y if torch.rand([]) < 0.5 else y * 2

    models = Dropped(), Chosen()
    before = random.getstate(), torch.get_rng_state()
    assert [fuse(model)[1] for model in models] == [0, 0]
    assert random.getstate() == before[0]
    assert torch.equal(torch.get_rng_state(), before[1])


def test_a_forward_that_asks_what_it_is_given(fuse: Fuse) -> None:
    class Instance(Gated):
        def forward(self, x: Tensor) -> Tensor:
            y = F.silu(self.gate(x)) * self.up(x)
            return y * 2 if isinstance(x, Tensor) else y

    class Attribute(Gated):
        def forward(self, x: Tensor) -> Tensor:
            y = F.silu(self.gate(x)) * self.up(x)
            return y * 2 if hasattr(x, "mark") else y

    class Caught(Gated):
        def forward(self, x: Tensor) -> Tensor:
            y = F.silu(self.gate(x)) * self.up(x)
            try:
                return y * 2 if x.sum() > -1e9 else y
            except Exception:  # noqa: BLE001
                return y

    x = torch.randn(5, 3)
    for kind, expected in ((Instance, 0), (Attribute, 1), (Caught, 0)):
        model = kind()
        fused, count = fuse(model)
        assert count == expected
        torch.testing.assert_close(fused(x), model(x))


def test_lists_and_dicts_are_written_to_in_each_call(fuse: Fuse) -> None:
    class Keeping(Gated):
        def __init__(self) -> None:
            super().__init__()
            self.losses: list[Tensor] = []
            self.last: dict[str, Tensor] = {}

        def forward(self, x: Tensor) -> Tensor:
            y = F.silu(self.gate(x)) * self.up(x)
            self.losses.append(y.sum())
            self.last["y"] = y
            return y

    fused, _ = fuse(Keeping())
    assert not fused.losses
    assert not fused.last
    y = fused(torch.randn(5, 3))
    assert (len(fused.losses), fused.last["y"] is y) == (1, True)  # type: ignore[arg-type, index]


def test_what_is_returned_keeps_its_class(fuse: Fuse) -> None:
    class Ordered(Gated):
        def forward(self, x: Tensor) -> Any:
            return OrderedDict(y=super().forward(x))

    assert type(fuse(Ordered())[0](torch.randn(5, 3))) is OrderedDict


@pytest.mark.filterwarnings("ignore:.*torch.jit.script")
def test_models_that_are_not_there_yet_or_no_python(fuse: Fuse) -> None:
    class Builtin(nn.Module):
        forward = torch.relu

    class Sealed(Gated):
        def __init_subclass__(cls, *, key: int) -> None: ...

    assert fuse(Gated(lambda _, *rest, **options: nn.LazyLinear(*rest, **options)))[1] == 0
    for model in (torch.jit.script(nn.Linear(3, 3)), Builtin(), Sealed()):
        assert fuse(model)[1] == 0


def test_layers_that_are_the_same_share_their_class(fuse: Fuse) -> None:
    """torch.compile keeps what it made of one for the next, and torch.func can stack them."""
    fused, count = fuse(nn.Sequential(*(Gated() for _ in range(3))))
    assert count == 3
    assert type(fused[0]) is type(fused[1]) is type(fused[2])  # type: ignore[index]
    torch.func.stack_module_state(list(fused))  # type: ignore[call-overload]


def test_what_takes_operators_apart_gets_pytorchs_own(fuse: Fuse) -> None:
    model = Gated()
    fused, count = fuse(model)
    assert count == 1
    x = torch.randn(5, 3)

    def total(module: nn.Module) -> Callable[[Tensor], Tensor]:
        return lambda given: module(given).sum()

    for transform in (torch.func.grad, torch.func.hessian):
        torch.testing.assert_close(transform(total(fused))(x), transform(total(model))(x))
    torch.testing.assert_close(torch.func.jvp(fused, (x,), (x,)), torch.func.jvp(model, (x,), (x,)))
    torch.testing.assert_close(torch.func.vmap(fused)(x), model(x))
    with forward_ad.dual_level():
        found, known = (forward_ad.unpack_dual(each(forward_ad.make_dual(x, x))).tangent for each in (fused, model))
    torch.testing.assert_close(found, known)
    torch.testing.assert_close(fused(x.to_sparse()), model(x))
