"""fuse: operators in models, wherever the models' forward has their expressions, and nowhere else."""

from __future__ import annotations

import copy
import io
import math
import pickle
import warnings
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pytest
import torch
import torch.nn.functional as F  # noqa: N812  (as models have it)
from torch import Tensor, nn
from torch_projects import GATE_OPS, PRODUCT_OPS, spec_of

from opforge.naming import snake
from opforge.spec.model import OpSpec

pytestmark = [pytest.mark.torch, pytest.mark.compiler, pytest.mark.filterwarnings("ignore:.*PyTorch's own operators")]

# A shape, or a number, that no model has; one element for each row.
NOT_FOUND = {"GatedPair", "Extremes", "Scalars", "Counted", "NormedGates", "TurnedSum"}
GATES = [op for op in spec_of(GATE_OPS).ops if op.type not in NOT_FOUND]
PRODUCTS = [op for op in spec_of(PRODUCT_OPS).ops if op.type not in NOT_FOUND]
ATTRS = {"negative_slope": 0.25, "scale": 1.5, "some_long_attribute_name": 0.75}
SIZES = {"H": 3, "I": 4, "K": 3, "N": 4, "M": 5}

Fuse = Callable[..., tuple[nn.Module, int]]


@pytest.fixture
def only(product_ops: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Fuse]:
    """fuse with some of the operators of product_ops."""

    def restricted(*names: str) -> Fuse:
        fusion = product_ops._opforge._fusion
        some = {key: value for key, value in fusion.FUSIBLE.items() if value.__name__ in names}
        assert len(some) == len(names)
        monkeypatch.setattr(fusion, "FUSIBLE", some)
        made: Fuse = fusion.fuse
        return made

    return restricted


@pytest.fixture
def fuse(only: Callable[..., Fuse]) -> Fuse:
    """fuse of a package that has SwiGLU alone."""
    return only("swi_glu")


def calling(function: Callable[..., Any], op: OpSpec, missing: tuple[str, ...] = ()) -> nn.Module:
    """A model whose forward takes the op's tensors; ``missing`` ones of them it does not."""
    names = [tensor.name for tensor in op.inputs if tensor.name not in missing]
    attrs = [f"{attr.name}={ATTRS[attr.name]}" for attr in op.attrs if attr.name in ATTRS]
    arguments = [*(f"{name}=None" for name in missing), *(f"{name}={name}" for name in names), *attrs]
    scope: dict[str, Any] = {"function": function}
    exec(f"def forward(self, {', '.join(names)}):\n    return function({', '.join(arguments)})", scope)  # noqa: S102
    made = type("Calling", (nn.Module,), {"forward": scope["forward"]})
    return made()


def tensors(op: OpSpec, missing: tuple[str, ...] = (), dtype: torch.dtype = torch.float32) -> list[Tensor]:
    source = torch.Generator().manual_seed(7)
    sizes = SIZES | ({"I": 3} if op.type == "Square" else {})
    rows = (SIZES["M"],) if any("M" in tensor.dims for tensor in op.inputs) else (2, 5)
    made = []
    for tensor in op.inputs:
        if tensor.name not in missing:
            shape = [size for dim in tensor.dims for size in (rows if dim == "..." else (sizes[dim],))]
            made.append(torch.randn(shape, generator=source).to(dtype).requires_grad_())
    return made


def outputs(result: Any) -> tuple[Tensor, ...]:
    return result if isinstance(result, tuple) else (result,)


def calls(model: nn.Module, *args: Any, **kwargs: Any) -> list[str]:
    """The operators of a package that one call runs."""
    seen: list[str] = []

    class Seen(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            if func.namespace in ("product_ops", "gate_ops"):
                seen.append(func._schema.name.split("::")[1])
            return func(*args, **(kwargs or {}))

    with Seen(), torch.no_grad():
        model(*args, **kwargs)
    return seen


def same_numbers(one: nn.Module, other: nn.Module, *args: Any, **kwargs: Any) -> None:
    """Both give the same, and the same gradients."""
    weights = [[*model.parameters()] for model in (one, other)]
    grads = []
    for model, parameters in zip((one, other), weights, strict=True):
        leaves = [*parameters, *(a for a in args if isinstance(a, Tensor) and a.requires_grad)]
        result = outputs(model(*args, **kwargs))
        loss = sum(((value * torch.linspace(-1, 1, value.numel()).view_as(value)).sum() for value in result), 0)
        found = torch.autograd.grad(loss, leaves, allow_unused=True) if leaves else ()  # type: ignore[arg-type]
        grads.append([*result, *(grad for grad in found if grad is not None)])
    torch.testing.assert_close(grads[0], grads[1], rtol=1e-5, atol=1e-5)


def optional_ways(op: OpSpec) -> Iterator[tuple[str, ...]]:
    names = [tensor.name for tensor in op.inputs if tensor.optional]
    yield ()
    if names:
        yield tuple(names)


@pytest.mark.parametrize("op", PRODUCTS, ids=lambda op: op.type)
def test_every_op_with_products(op: OpSpec, product_ops: ModuleType, only: Callable[..., Fuse]) -> None:
    name = snake(op.type)
    fuse = only(name)
    for missing in optional_ways(op):
        model = calling(getattr(product_ops._opforge._native, name), op, missing)
        fused, count = fuse(model)
        assert count == 1
        given = tensors(op, missing)
        assert calls(fused, *given) == [name]
        if op.backward:
            same_numbers(fused, model, *given)
        half = tensors(op, missing, getattr(torch, op.inputs[0].dtypes[-1]))
        for one, other in zip(outputs(fused(*half)), outputs(model(*half)), strict=True):
            assert one.dtype == other.dtype
            torch.testing.assert_close(one, other, rtol=0.05, atol=0.05)
        assert fuse(fused)[1] == 0


@pytest.mark.parametrize("op", GATES, ids=lambda op: op.type)
def test_every_op_without(op: OpSpec, gate_ops: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    fusion, name = gate_ops._opforge._fusion, snake(op.type)
    some = {key: value for key, value in fusion.FUSIBLE.items() if value.__name__ == name}
    monkeypatch.setattr(fusion, "FUSIBLE", some)
    model = calling(getattr(gate_ops._opforge._native, name), op)
    fused, count = fusion.fuse(model)
    assert count == 1
    given = tensors(op)
    assert calls(fused, *given) == [name]
    if op.backward:
        same_numbers(fused, model, *given)


def test_an_operator_without_derivative_is_not_in_the_way(only: Callable[..., Fuse]) -> None:
    fuse = only("plain")
    model = forward(lambda m, x: x @ m.weight)
    model.weight = nn.Parameter(torch.randn(3, 4))
    fused, count = fuse(model)
    assert count == 1
    x = torch.randn(5, 3)
    assert calls(fused, x) == ["plain"]
    same_numbers(fused, model, x)


def test_integers_stay_integers(kinds_ops: ModuleType) -> None:
    for function, count, result in (
        (lambda _, i: i * 5 + 7, 1, torch.int32),
        (lambda _, i: i * 5.0 + 7, 0, torch.float32),
        (lambda _, i: i * 5 + 7.5, 0, torch.float32),
    ):
        model = forward(function)
        fused, found = kinds_ops.fuse(model)
        assert found == count
        i = torch.arange(4, dtype=torch.int32)
        assert fused(i).dtype == result
        assert torch.equal(fused(i), model(i))


def test_what_no_model_has_is_not_looked_for(gate_ops: ModuleType) -> None:
    known = {function.__name__ for function in gate_ops._opforge._fusion.FUSIBLE.values()}
    assert known == {snake(op.type) for op in GATES}
    said = " ".join((gate_ops.fuse.__doc__ or "").split())
    assert "It looks for the expressions of vector_add, arithmetic, shared, one_way, smooth and long_names." in said


class Llama(nn.Module):
    """The feed-forward part as transformers writes it."""

    def __init__(self, hidden: int = 8, intermediate: int = 24) -> None:
        super().__init__()
        self.gate_proj = nn.Linear(hidden, intermediate, bias=False)
        self.up_proj = nn.Linear(hidden, intermediate, bias=False)
        self.down_proj = nn.Linear(intermediate, hidden, bias=False)
        self.act_fn = nn.SiLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.down_proj(self.act_fn(self.gate_proj(x)) * self.up_proj(x))


class Spelled(Llama):
    """The same, spelled otherwise."""

    def forward(self, x: Tensor) -> Tensor:
        gate = torch.matmul(x, self.gate_proj.weight.t())
        return F.linear(torch.mul(F.linear(x, self.up_proj.weight), gate * torch.sigmoid(gate)), self.down_proj.weight)


class Sequenced(nn.Module):
    """The same, of modules in modules."""

    def __init__(self, hidden: int = 8, intermediate: int = 24) -> None:
        super().__init__()
        self.gate = nn.Sequential(nn.Linear(hidden, intermediate, bias=False), nn.SiLU())
        self.branches = nn.ModuleDict({"up": nn.Linear(hidden, intermediate, bias=False)})
        self.down = nn.Linear(intermediate, hidden, bias=False)
        self.dropout = nn.Dropout(0.5)

    def forward(self, hidden_states: Tensor) -> Tensor:
        return self.dropout(self.down(self.branches["up"](hidden_states).mul(self.gate(hidden_states))))


class Block(nn.Module):
    """A LLaMA-style block with what torch.fx cannot trace beside the part that is looked for."""

    def __init__(self, mlp: nn.Module) -> None:
        super().__init__()
        self.norm = nn.RMSNorm(8)
        self.mlp = mlp

    def forward(self, x: Tensor, scale: Tensor | None = None) -> Tensor:
        if x.abs().max() > 1e6:
            raise ValueError
        y = x + self.mlp(self.norm(x))
        return y if scale is None else y * scale


def stack(*kinds: type[nn.Module]) -> nn.Sequential:
    torch.manual_seed(3)
    return nn.Sequential(*(Block(kind()) for kind in kinds))


@pytest.mark.parametrize("kind", [Llama, Spelled, Sequenced], ids=lambda kind: kind.__name__)
def test_a_stack_of_blocks_learns_the_same(kind: type[nn.Module], fuse: Fuse) -> None:
    model = stack(kind, kind, kind).eval()
    fused, count = fuse(model)
    assert count == 3
    x, wanted = torch.randn(2, 5, 8), torch.randn(2, 5, 8)
    assert calls(fused, x) == ["swi_glu"] * 3
    same_numbers(fused, model, x)
    states = [{k: v.clone() for k, v in model.state_dict().items()}]
    curves = []
    for each in (model, fused):
        each.load_state_dict(states[0])  # the parameters are the same objects
        optimizer = torch.optim.SGD(each.parameters(), lr=0.1)
        losses = []
        for _ in range(8):
            optimizer.zero_grad()
            loss = F.mse_loss(each(x), wanted)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        curves.append(losses)
    torch.testing.assert_close(curves[0], curves[1], rtol=1e-4, atol=0)
    assert curves[0][-1] < curves[0][0]


def test_classes_parameters_and_names_stay(fuse: Fuse) -> None:
    model = stack(Llama, Sequenced)
    model[0].mlp.note = "mine"  # type: ignore[assignment]
    before = [type(module) for module in model.modules()]
    fused, _ = fuse(model)
    assert [type(module) for module in model.modules()] == before  # the model itself is as it was
    assert "Llama[product_ops](" in repr(fused)
    assert isinstance(fused[0].mlp, Llama)  # type: ignore[index]
    assert type(fused[0].mlp).__name__ == "Llama"  # type: ignore[index]
    assert fused[0].mlp.note == "mine"  # type: ignore[index]
    assert list(fused.state_dict()) == list(model.state_dict())
    assert [id(p) for p in fused.parameters()] == [id(p) for p in model.parameters()]
    same, count = fuse(model, inplace=True)
    assert same is model
    assert count == 2


def test_copies_pickles_and_modes(fuse: Fuse) -> None:
    model = stack(Llama, Sequenced)
    fused, _ = fuse(model)
    x = torch.randn(2, 5, 8)
    file = io.BytesIO()
    torch.save(fused, file)
    file.seek(0)
    pickled = pickle.loads(pickle.dumps(fused))  # noqa: S301  (made here)
    for again in (copy.deepcopy(fused), pickled, torch.load(file, weights_only=False)):
        again.eval()
        torch.testing.assert_close(again(x), model.eval()(x))
        assert calls(again, x) == ["swi_glu"] * 2
        assert fuse(again)[1] == 0
        assert again[0].mlp.gate_proj.weight is not model[0].mlp.gate_proj.weight
    fused.train()
    torch.manual_seed(0)
    noisy = fused(x)
    torch.manual_seed(0)
    torch.testing.assert_close(noisy, model.train()(x))


def test_compile_export_and_autocast(fuse: Fuse) -> None:
    model = nn.Sequential(Llama(), Spelled()).eval()
    fused, _ = fuse(model)
    x = torch.randn(3, 8)
    for dynamic in (False, True):
        torch.compiler.reset()
        compiled = torch.compile(fused, backend="aot_eager", fullgraph=True, dynamic=dynamic)
        for rows in (3, 7):
            given = torch.randn(rows, 8, requires_grad=True)
            torch.testing.assert_close(compiled(given), model(given))
            compiled(given).sum().backward()
    exported = torch.export.export(fused, (x,), dynamic_shapes={"input": {0: torch.export.Dim("rows")}})
    targets = [str(node.target) for node in exported.graph.nodes]
    assert targets.count("product_ops.swi_glu.default") == 2
    torch.testing.assert_close(exported.module()(torch.randn(11, 8)).shape, torch.Size([11, 8]))
    for dtype in (torch.float16,):
        with torch.autocast("cpu", dtype=dtype):
            assert calls(fused, x) == ["swi_glu"] * 2
            assert fused(x).dtype == dtype
            torch.testing.assert_close(fused(x), model(x), rtol=0.02, atol=0.02)


def forward(function: Callable[..., Any], **modules: nn.Module) -> nn.Module:
    """A module with children and this forward."""
    made = type("Model", (nn.Module,), {"forward": function})()
    for name, module in modules.items():
        setattr(made, name, module)
    return made


def linears(**kwargs: Any) -> dict[str, nn.Module]:
    torch.manual_seed(1)
    return {"gate": nn.Linear(3, 4, bias=False), "up": nn.Linear(3, 4, bias=False), **kwargs}


# Spellings of silu(x @ gate) * (x @ up), with the parameters of linears().
FOUND: dict[str, Callable[..., Any]] = {
    "operands swapped": lambda m, x: m.up(x) * F.silu(m.gate(x)),
    "method": lambda m, x: F.silu(m.gate(x)).mul(m.up(x)),
    "written out": lambda m, x: m.gate(x) / (1 + torch.exp(-m.gate(x))) * m.up(x),
    "sigmoid of its definition": lambda m, x: m.up(x) * (m.gate(x) * (1 / (1 + (-m.gate(x)).exp()))),
    "transposed by T": lambda m, x: F.silu(x @ m.gate.weight.T) * (x @ m.up.weight.T),
    "transposed by dimensions": lambda m, x: (
        F.silu(x @ m.gate.weight.transpose(0, 1)) * x.matmul(m.up.weight.permute(1, 0))
    ),
    "transposed by mT": lambda m, x: F.silu(x @ m.gate.weight.mT) * (x @ m.up.weight.transpose(-2, -1)),
    "transposed twice": lambda m, x: F.silu(x @ m.gate.weight.t().t().t()) * m.up(x),
    "mm": lambda m, x: torch.mm(x, m.gate.weight.t()).sigmoid() * x.mm(m.gate.weight.t()) * m.up(x),
    "multiplied by one": lambda m, x: 1.0 * F.silu(m.gate(x) + 0) * m.up(x),
    "keywords": lambda m, x: torch.mul(input=F.silu(input=m.gate(x), inplace=False), other=m.up(x)),
    "aten": lambda m, x: torch.ops.aten.mul.Tensor(torch.ops.aten.silu.default(m.gate(x)), m.up(x)),
    "one weight": lambda m, x: F.silu(m.gate(x)) * m.gate(x),
    "followed by more": lambda m, x: (F.silu(m.gate(x)) * m.up(x)).sum(-1) + 1,
    "after something": lambda m, x: F.silu(m.gate(x * 2)) * m.up(x * 2),
    "a shape in between": lambda m, x: (F.silu(m.gate(x)) * m.up(x)).view(x.shape[0], 2, 2),
}


@pytest.mark.parametrize("case", FOUND)
def test_spellings(case: str, fuse: Fuse) -> None:
    model = forward(FOUND[case], **linears())
    fused, count = fuse(model)
    assert count == 1
    x = torch.randn(5, 3, requires_grad=True)
    assert calls(fused, x) == ["swi_glu"]
    same_numbers(fused, model, x)


def _hooked() -> dict[str, nn.Module]:
    made = linears()
    made["gate"].register_forward_hook(lambda _, __, y: y * 2)
    return made


def _lora() -> dict[str, nn.Module]:
    class Lora(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x) + x.sum(-1, keepdim=True)

    return linears(gate=Lora(3, 4, bias=False))


def _weight_norm() -> dict[str, nn.Module]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return linears(gate=nn.utils.weight_norm(nn.Linear(3, 4, bias=False)))


def _two(m: Any, x: Tensor) -> Any:
    gate = m.gate(x)
    return F.silu(gate) * m.up(x), gate


def _written(m: Any, x: Tensor) -> Any:
    gate = m.gate(x)
    x = x.clone()
    x.mul_(2)
    return F.silu(gate) * m.up(x)


def _written_between(m: Any, x: Tensor) -> Any:
    y = x + 0.5
    gate = F.silu(m.gate(y))
    y.mul_(2)
    return gate * m.up(y)


def _in_place_step(m: Any, x: Tensor) -> Any:
    gate = F.silu(m.gate(x))
    gate *= m.up(x)
    return gate


def _no_grad(m: Any, x: Tensor) -> Any:
    with torch.no_grad():
        gate = m.gate(x)
    return F.silu(gate) * m.up(x)


def _cast_off(m: Any, x: Tensor) -> Any:
    with torch.autocast("cpu", enabled=False):
        return F.silu(m.gate(x)) * m.up(x)


def _random(m: Any, x: Tensor) -> Any:
    return F.silu(m.gate(x)) * m.up(x) + torch.randn(4)


def _counting(m: Any, x: Tensor) -> Any:
    m.count = getattr(m, "count", 0) + 1
    return F.silu(m.gate(x)) * m.up(x)


# What is like it, and is something else, or would be done otherwise.
LIKE: dict[str, tuple[Callable[..., Any], Callable[[], dict[str, nn.Module]]]] = {
    "another activation": (lambda m, x: F.relu(m.gate(x)) * m.up(x), linears),
    "a sum": (lambda m, x: F.silu(m.gate(x)) + m.up(x), linears),
    "another input": (lambda m, x: F.silu(m.gate(x)) * m.up(x + 1), linears),
    "a bias": (lambda m, x: F.silu(m.gate(x)) * m.up(x), lambda: linears(gate=nn.Linear(3, 4))),
    "a factor": (lambda m, x: F.silu(m.gate(x) * 2) * m.up(x), linears),
    "used elsewhere": (_two, linears),
    "hooks": (lambda m, x: F.silu(m.gate(x)) * m.up(x), _hooked),
    "a Linear of somebody": (lambda m, x: F.silu(m.gate(x)) * m.up(x), _lora),
    "weight_norm": (lambda m, x: F.silu(m.gate(x)) * m.up(x), _weight_norm),
    "written before": (_written, linears),
    "written between": (_written_between, linears),
    "in place": (lambda m, x: F.silu(m.gate(x), inplace=True) * m.up(x), linears),
    "a module in place": (lambda m, x: m.act(m.gate(x)) * m.up(x), lambda: linears(act=nn.SiLU(inplace=True))),
    "a step in place": (_in_place_step, linears),
    "without gradients": (_no_grad, linears),
    "autocast switched off": (_cast_off, linears),
    "random numbers": (_random, linears),
    "a module that counts": (_counting, linears),
    "numbers of shapes": (lambda _, x: F.silu(x) * (x.shape[0] * x.shape[1]), linears),
    "control flow": (lambda m, x: F.silu(m.gate(x)) * m.up(x) if x.sum() > 0 else x, linears),
}


@pytest.mark.parametrize("case", LIKE)
def test_what_is_like_it_stays(case: str, fuse: Fuse) -> None:
    function, children = LIKE[case]
    model = forward(function, **children())
    fused, count = fuse(model)
    assert count == 0
    x = torch.randn(5, 3)
    torch.manual_seed(0)
    expected = outputs(model(x))
    torch.manual_seed(0)
    torch.testing.assert_close(outputs(fused(x)), expected)
    assert vars(model).keys() >= vars(fused).keys()


def test_a_call_that_was_not_traced_runs_the_own_forward(fuse: Fuse) -> None:
    def masked(m: Any, x: Tensor, mask: Tensor | None = None, *, twice: bool = False) -> Tensor:
        y = F.silu(m.gate(x)) * m.up(x)
        if mask is not None:
            y = y * mask
        return y * 2 if twice else y

    model = forward(masked, **linears())
    fused, count = fuse(model)
    assert count == 1
    x, mask = torch.randn(5, 3), torch.randn(5, 1)
    assert calls(fused, x) == ["swi_glu"]
    assert calls(fused, x, None) == ["swi_glu"]
    for args, kwargs in (((x,), {}), ((x, mask), {}), ((x,), {"mask": mask}), ((x,), {"twice": True})):
        torch.testing.assert_close(fused(*args, **kwargs), model(*args, **kwargs))
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        fused(x, other=1)


def test_training_and_evaluation_are_told_apart(fuse: Fuse) -> None:
    model = forward(lambda m, x: F.dropout(F.silu(m.gate(x)) * m.up(x), 0.5, m.training), **linears())
    fused, count = fuse(model)
    assert count == 1
    x = torch.randn(50, 3)
    for training in (True, False, True):
        results = []
        for each in (model.train(training), fused.train(training)):
            torch.manual_seed(0)
            results.append(each(x))
        torch.testing.assert_close(*results)
        assert bool((results[0] == 0).any()) == training
        assert calls(fused, x) == ["swi_glu"]


def test_what_changes_afterwards_counts(fuse: Fuse) -> None:
    class Adapted(nn.Linear):
        def forward(self, x: Tensor) -> Tensor:
            return super().forward(x) + 1

    class Scaled(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.__dict__.update(factor=2.0)
            for name, module in linears().items():
                setattr(self, name, module)

        def forward(self, x: Tensor) -> Tensor:
            return F.silu(self.gate(x)) * self.up(x) * self.factor

    model = Scaled()
    fused, count = fuse(model)
    assert count == 1
    x = torch.randn(5, 3)
    for each in (fused, model):
        each.factor = 3.0
    torch.testing.assert_close(fused(x), model(x))
    fused, _ = fuse(model)
    fused.gate.register_forward_hook(lambda _, __, y: y * 2)
    torch.testing.assert_close(fused(x), F.silu(model.gate(x) * 2) * model.up(x) * 3)
    fused, _ = fuse(model)
    fused.gate = Adapted(3, 4, bias=False)
    torch.testing.assert_close(fused(x), F.silu(fused.gate(x)) * model.up(x) * 3)
    fused, _ = fuse(model)
    fused.gate.weight = nn.Parameter(torch.ones(4, 3))
    assert calls(fused, x) == ["swi_glu"]
    torch.testing.assert_close(fused(x), F.silu(x @ torch.ones(3, 4)) * model.up(x) * 3)


def test_tensors_that_the_operator_does_not_take(fuse: Fuse) -> None:
    model = forward(lambda _, x, gate, up: F.silu(x @ gate) * (x @ up))
    fused, count = fuse(model)
    assert count == 1
    plain = [torch.randn(5, 3), torch.randn(3, 4), torch.randn(3, 4)]
    others = {
        "batches of weights": [torch.randn(2, 5, 3), torch.randn(2, 3, 4), torch.randn(2, 3, 4)],
        "a vector": [torch.randn(5, 3), torch.randn(3), torch.randn(3)],
        "bfloat16": [tensor.bfloat16() for tensor in plain],
    }
    assert calls(fused, *plain) == ["swi_glu"]
    for given in others.values():
        assert calls(fused, *given) == []
        torch.testing.assert_close(fused(*given), model(*given))


def test_larger_expressions_come_first_and_several_are_found(product_ops: ModuleType) -> None:
    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mlp = Llama()
            self.head = nn.Linear(8, 5)

        def forward(self, x: Tensor) -> Tensor:
            return self.head(x + self.mlp(x))

    model = Model()
    fused, count = product_ops.fuse(model)
    x = torch.randn(2, 3, 8)
    assert calls(fused, x) == ["swi_glu", "linear", "vector_add", "linear"]
    assert count == 4
    same_numbers(fused, model, x)
    assert product_ops.fuse(fused)[1] == 0


def test_optional_inputs_are_there_or_not(only: Callable[..., Fuse]) -> None:
    fuse = only("linear")
    model = nn.Sequential(nn.Linear(3, 4), nn.Linear(4, 5, bias=False), nn.ReLU())
    fused, count = fuse(model)
    assert count == 2
    x = torch.randn(2, 7, 3, requires_grad=True)
    assert calls(fused, x) == ["linear"] * 2
    same_numbers(fused, model, x)
    plain = forward(lambda m, x, w: torch.addmm(m.bias, x, w), bias=nn.ParameterList())
    plain.bias = nn.Parameter(torch.randn(4))
    assert fuse(plain)[1] == 0  # of a tensor with unknown dimensions the transposed one is not the operator's weight


def test_numbers_of_the_graph_are_attributes(only: Callable[..., Fuse]) -> None:
    fuse = only("matmul_leaky_relu")
    spellings: dict[str, Callable[..., Any]] = {
        "function": lambda m, x: F.leaky_relu(m.fc(x), 0.3),
        "default": lambda m, x: F.leaky_relu(m.fc(x)),
        "module": lambda m, x: m.act(m.fc(x)),
        "written out": lambda m, x: torch.where(m.fc(x) > 0, m.fc(x), m.fc(x) * 0.3),
        "sum": lambda m, x: F.leaky_relu(m.fc.bias + x @ m.fc.weight.t(), negative_slope=0.3),
        "addmm": lambda m, x: F.leaky_relu(torch.addmm(m.fc.bias, x, m.fc.weight.t()), 0.3),
    }
    for function in spellings.values():
        model = forward(function, fc=nn.Linear(3, 4), act=nn.LeakyReLU(0.2))
        fused, count = fuse(model)
        x = torch.randn(5, 3, requires_grad=True)
        assert count == 1
        assert calls(fused, x) == ["matmul_leaky_relu"]
        same_numbers(fused, model, x)
    without = forward(lambda m, x: F.leaky_relu(m.fc(x)), fc=nn.Linear(3, 4, bias=False))
    assert fuse(without)[1] == 0


def test_graphs_of_torch_fx_and_of_export(fuse: Fuse) -> None:
    model = nn.Sequential(Llama(), Llama())
    x = torch.randn(5, 8, requires_grad=True)
    traced = torch.fx.symbolic_trace(model)
    fused, count = fuse(traced)
    assert count == 2
    assert calls(fused, x) == ["swi_glu"] * 2
    same_numbers(fused, model, x)
    assert "swi_glu" not in traced.code
    exported, count = fuse(torch.export.export(model, (x,)).module())
    assert count == 2
    torch.testing.assert_close(exported(x), model(x))
    again = torch.fx.symbolic_trace(fuse(model)[0])
    torch.testing.assert_close(again(x), model(x))
    assert calls(again, x) == ["swi_glu"] * 2


def test_shared_modules_and_parameters(fuse: Fuse) -> None:
    mlp = Llama()
    model = nn.ModuleList([mlp, mlp])
    model.first = mlp  # type: ignore[assignment]
    fused, count = fuse(model)
    assert count == 1
    assert fused[0] is fused[1] is fused.first  # type: ignore[index]
    tied = Llama()
    tied.up_proj.weight = tied.gate_proj.weight
    one, count = fuse(tied)
    assert count == 1
    x = torch.randn(5, 8)
    torch.testing.assert_close(one(x), tied(x))


def test_what_cannot_be_fused_says_so(fuse: Fuse) -> None:
    with pytest.raises(TypeError, match=r"fuse: model must be a torch\.nn\.Module, but it is a function"):
        fuse(lambda x: x)
    model = Llama()
    model.stuck = (i for i in range(3))  # type: ignore[assignment]
    with pytest.raises(TypeError, match=r"fuse: this Llama cannot be copied .* fuse\(model, inplace=True\)"):
        fuse(model)
    assert fuse(model, inplace=True)[1] == 1


def test_activations_in_every_spelling(product_ops: ModuleType) -> None:
    fusion = product_ops._opforge._fusion
    slope, cube = math.sqrt(2 / math.pi), 0.044715
    spelled: dict[str, list[Callable[..., Any]]] = {
        "silu": [F.silu, nn.SiLU(), lambda x: x * x.sigmoid(), lambda x: torch.special.expit(x) * x],
        "sigmoid": [torch.sigmoid, nn.Sigmoid(), lambda x: 1 / (torch.exp(-x) + 1)],
        "gelu": [
            F.gelu,
            nn.GELU(),
            lambda x: x * 0.5 * (1.0 + torch.erf(x / math.sqrt(2.0))),
            lambda x: 0.5 * (x * (torch.erf(x * 0.70710678) + 1)),
        ],
        "gelu_tanh": [
            nn.GELU(approximate="tanh"),
            lambda x: 0.5 * x * (1.0 + torch.tanh(slope * (x + cube * torch.pow(x, 3.0)))),
            lambda x: 0.5 * x * (1 + torch.tanh(0.79788456 * x * (1 + 0.044715 * x * x))),
        ],
        "max": [F.relu, nn.ReLU(), lambda x: x.clamp(min=0), lambda x: torch.clamp(x, 0), lambda x: x.relu()],
        "rsqrt": [torch.rsqrt, lambda x: 1 / torch.sqrt(x), lambda x: x**-0.5, lambda x: x.sqrt().reciprocal()],
        "reciprocal": [torch.reciprocal, lambda x: 1.0 / x, lambda x: x**-1],
        "neg": [torch.neg, lambda x: -x, lambda x: -1 * x, lambda x: 0 - x],
        "leaky_relu": [lambda x: F.leaky_relu(x, 0.1), nn.LeakyReLU(0.1), lambda x: torch.where(x > 0, x, 0.1 * x)],
        "softplus": [F.softplus, nn.Softplus(), lambda x: F.softplus(x, beta=1, threshold=20)],
        "logsigmoid": [F.logsigmoid, nn.LogSigmoid()],
        "mish": [F.mish, nn.Mish()],
        "elu": [F.elu, nn.ELU(), lambda x: F.elu(x, alpha=1)],
        "selu": [F.selu, torch.selu, nn.SELU()],
        "celu": [F.celu, torch.celu, nn.CELU()],
        "softsign": [F.softsign, nn.Softsign()],
        "hardshrink": [F.hardshrink, nn.Hardshrink(), lambda x: x.hardshrink(lambd=0.5)],
        "threshold": [lambda x: F.threshold(x, 1, -1), nn.Threshold(1, -1)],
        "log1p": [torch.log1p, lambda x: x.log1p(), torch.special.log1p],
        "round": [torch.round, lambda x: x.round(), lambda x: torch.round(x, decimals=0)],
        "logical_and": [lambda x: torch.logical_and(x > 0, x < 1)],
    }
    canonical, spellings = fusion.places.Canonical, fusion.places.spellings()
    for name, functions in spelled.items():
        for function in functions:
            graph = fusion.places.traced(getattr(function, "forward", function), ["x"])
            (end,) = graph.find_nodes(op="output")
            assert canonical(graph, spellings=spellings).values[end.args[0]].op == name, (name, graph)
