"""The modules of packages: names, parameters, initial values; on the CPU, compiled, exported and traced."""

from __future__ import annotations

import copy
import inspect
import io
import math
import pickle
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch import Tensor
from torch._dynamo.testing import CompileCounterWithBackend
from torch_projects import KINDS, PRODUCT_OPS, render, spec_of, write

from opforge.render.torch.modules import TAKEN
from opforge.spec import catalog
from opforge.spec.model import Spec

pytestmark = pytest.mark.torch

# Names that torch.nn.Module, a constructor or a method have themselves; sizes that are numbers; every kind of start.
ODD = """\
edition: 1
project: {name: odd, package: odd_ops, vendor: odd_ops, version: 0.1.0, soc: [ascend910b]}
ops:
  Shadowing:
    inputs:
      x:       {shape: [..., H], dtype: [float32]}
      hidden:  {shape: [H]}
      type:    {shape: [H], optional: true}
      device:  {shape: [..., H]}
      odd_ops: {shape: [..., H]}
    attrs:
      dtype: {type: float}
      train: {type: int, default: 2}
    compute: y = (x + device + odd_ops) * hidden + where(present(type), type, 0.0) * dtype * train
  Starts:
    inputs:
      x:       {shape: [..., A, 4], dtype: [float32]}
      shift:   {shape: [A, 4]}
      minus:   {shape: [A, 4]}
      scale:   {shape: [A, 4]}
      divisor: {shape: [A, 4]}
      twice:   {shape: [A, 4]}
      bent:    {shape: [A, 4]}
    compute: y = -shift * 2.0 + x * scale / divisor + twice * twice + twice + exp(bent) + x - minus
  Itself:
    inputs:
      self: {shape: [..., N], dtype: [float32]}
      w:    {shape: [N]}
    attrs:
      kind: {type: str}
    outputs:
      y: {shape: [..., N]}
"""


def modules_of(spec: Spec, folder: Path) -> ModuleType:
    """The module file alone: its package has functions that give back what they are called with."""
    package = spec.project.package
    write(render(spec), folder)
    stub = ModuleType(package)
    for op in spec.ops:
        setattr(stub, op.type.lower(), lambda *arguments: arguments)
    made = ModuleType(f"{package}._modules")
    text = (folder / "python" / package / "_modules.py").read_text(encoding="utf-8")
    sys.modules[package] = stub
    try:
        exec(compile(text, "_modules.py", "exec"), vars(made))  # noqa: S102  (what was rendered)
    finally:
        del sys.modules[package]
    return made


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return modules_of(spec_of(ODD), tmp_path_factory.mktemp("odd"))


def test_the_names_that_are_taken_are_those_of_torch() -> None:
    own = {name for name in dir(torch.nn.Module()) if not name.startswith("_")}
    assert own <= TAKEN
    assert TAKEN - own == {"reset_parameters"}


def test_names_meet_nothing(odd: ModuleType) -> None:
    signature = "(hidden_: 'int', dtype: 'float', train: 'int' = 2, *, type: 'bool' = True, "
    signature += "device_: 'torch.device | str | None' = None, dtype_: 'torch.dtype | None' = None) -> 'None'"
    assert str(inspect.signature(odd.Shadowing)) == signature
    module = odd.Shadowing(3, 0.5, dtype_=torch.float64)
    assert repr(module) == "Shadowing(hidden_=3, dtype=0.5, train=2, type=True)"
    assert {name: tuple(value.shape) for name, value in module.state_dict().items()} == {"hidden": (3,), "type_": (3,)}
    x, device, other = (torch.full((3,), float(i)) for i in range(3))
    given = module(x, device, other)
    assert [id(value) for value in given[:5]] == [id(v) for v in (x, module.hidden, module.type_, device, other)]
    assert given[5:] == (0.5, 2)
    assert module.type(torch.float32) is module
    assert odd.Shadowing(3, 0.5, type=False).type_ is None
    itself = odd.Itself(5, "any")
    assert itself(x)[0] is x
    assert list(itself.state_dict()) == ["w"]


def test_initial_values(odd: ModuleType) -> None:
    module = odd.Starts(a=300)
    starts = {name: value.unique().numel() for name, value in module.named_parameters()}
    assert starts["twice"] > 1000
    assert starts["bent"] > 1000
    assert not any(bool(value.any()) for value in (module.shift, module.minus))
    assert bool((torch.cat([module.scale, module.divisor]) == 1).all())
    for value in (module.twice, module.bent):
        assert value.abs().max() <= 1 / math.sqrt(4)
        assert value.abs().max() > 0.99 / math.sqrt(4)
    assert module.minus.shape == (300, 4)


def test_weights_begin_as_those_of_a_linear_layer_do(product_ops: ModuleType) -> None:
    torch.manual_seed(7)
    ours = product_ops.Linear(64, 300)
    torch.manual_seed(7)
    theirs = torch.nn.Linear(64, 300)
    # nn.Linear asks for uniform values by kaiming_uniform_ with a = sqrt(5), which is the same bound.
    torch.testing.assert_close(ours.weight, theirs.weight)
    assert not ours.bias.any()
    ours.load_state_dict(theirs.state_dict())
    x = torch.randn(2, 5, 64)
    torch.testing.assert_close(ours(x), theirs(x))
    alone = product_ops.Linear(64, 300, bias=False)
    assert list(alone.state_dict()) == ["weight"]
    assert alone(x).shape == (2, 5, 300)
    with pytest.raises(RuntimeError, match="Missing key"):
        ours.load_state_dict(alone.state_dict())
    product_ops.SwiGLU(0, 4).reset_parameters()
    assert product_ops.SwiGLU(0, 4)(torch.ones(3, 0)).shape == (3, 4)


def test_which_ops_are_modules(product_ops: ModuleType, kinds_ops: ModuleType) -> None:
    made = {op.type for op in spec_of(PRODUCT_OPS).ops if hasattr(product_ops, op.type)}
    assert made == {
        "SwiGLU",
        "Linear",
        "MatmulLeakyRelu",
        "TwoGates",
        "Square",
        "Plain",
        "NormedGates",
        "ProductNorm",
        "VectorAdd",
    }
    kinds = {op.type for op in spec_of(KINDS).ops}
    assert kinds - {name for name in kinds if hasattr(kinds_ops, name)} == {"AddInto", "Both"}  # what is in place
    assert {"SwiGLU", "swi_glu"} <= set(product_ops.__all__)


def test_copies(product_ops: ModuleType) -> None:
    module = product_ops.TwoGates(5, 7, 1.5, shift=False)
    x, rest = torch.randn(3, 5), torch.randn(3, 7)
    expected = module(x, rest)
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):  # noqa: S301  (our own)
        torch.testing.assert_close(other(x, rest), expected, rtol=0, atol=0)
    meta = product_ops.TwoGates(5, 7, 1.5, shift=False, device="meta", dtype=torch.float16)
    assert {value.device.type for value in meta.parameters()} == {"meta"}
    there = meta.to_empty(device="cpu")
    there.reset_parameters()
    assert there.w_first.dtype == torch.float16
    assert bool(there.w_first.isfinite().all())


class Model(torch.nn.Module):
    """A layer before, a module of ours, arithmetic behind."""

    def __init__(self, product_ops: ModuleType) -> None:
        super().__init__()
        self.before = torch.nn.Linear(5, 5)
        self.ours = product_ops.SwiGLU(5, 7)

    def forward(self, x: Tensor) -> Tensor:
        made: Tensor = self.ours(self.before(x) * 2)
        return made.sum(-1)


@pytest.mark.parametrize("backend", ["eager", "aot_eager", pytest.param("inductor", marks=pytest.mark.slow)])
def test_one_compilation_serves_all_sizes(backend: str, product_ops: ModuleType) -> None:
    torch.compiler.reset()
    model = Model(product_ops)
    counter = CompileCounterWithBackend(backend)
    compiled = torch.compile(model, backend=counter, fullgraph=True, dynamic=True)
    for rows in (4, 9, 33):
        x = torch.randn(rows, 3, 5)
        grads = []
        for function in (compiled, model):
            model.zero_grad()
            result = function(x)
            result.sum().backward()
            grads.append([result, *(parameter.grad.clone() for parameter in model.parameters())])
        torch.testing.assert_close(*grads)
    assert counter.frame_count == 1


@pytest.mark.parametrize("strict", [False, True])
def test_export(strict: bool, product_ops: ModuleType) -> None:
    model = Model(product_ops)
    sizes = {0: torch.export.Dim("batch"), 1: torch.export.Dim("length")}
    program = torch.export.export(model, (torch.randn(2, 3, 5),), dynamic_shapes=(sizes,), strict=strict)
    assert [str(node.target) for node in program.graph.nodes].count("product_ops.swi_glu.default") == 1
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    loaded = torch.export.load(file).module()
    for shape in ((2, 3, 5), (7, 11, 5)):
        x = torch.randn(shape)
        torch.testing.assert_close(loaded(x), model(x))


def test_torch_fx_sees_one_operator(product_ops: ModuleType, kinds_ops: ModuleType) -> None:
    model = Model(product_ops)
    traced = torch.fx.symbolic_trace(model, concrete_args=None)
    assert [node.target for node in traced.graph.nodes].count(torch.ops.product_ops.swi_glu) == 1
    x = torch.randn(3, 5)
    torch.testing.assert_close(traced(x), model(x))
    lists = torch.fx.symbolic_trace(kinds_ops.Concat())
    ones = torch.ones(2, 3)
    torch.testing.assert_close(lists([ones, ones], ones), kinds_ops.concat([ones, ones], ones))
    numbers = torch.fx.symbolic_trace(kinds_ops.Scaled())
    torch.testing.assert_close(numbers(ones, 2.0, [0.5], None), kinds_ops.scaled(ones, 2.0, [0.5], None))
    with pytest.raises(TypeError, match="x must be a Tensor, but it is a float"):
        torch.fx.symbolic_trace(lambda rest: product_ops.vector_add(1.0, rest))


def test_torch_func_loops_or_refuses(product_ops: ModuleType) -> None:
    module = product_ops.Plain(5, 7)
    many = torch.randn(4, 3, 5)
    looped = torch.stack([module(each) for each in many])
    torch.testing.assert_close(torch.func.vmap(module)(many), looped)
    state = {name: value * 2 for name, value in module.state_dict().items()}
    torch.testing.assert_close(torch.func.functional_call(module, state, (many,)), looped * 2)
    with pytest.raises(RuntimeError, match="functorch transforms"):
        torch.func.grad(lambda x: product_ops.swi_glu(x, torch.ones(5, 7), torch.ones(5, 7)).sum())(many[0])
    with pytest.raises(RuntimeError, match="swi_glu has no derivative in forward mode"):
        torch.func.jvp(lambda x: product_ops.swi_glu(x, torch.ones(5, 7), torch.ones(5, 7)), (many[0],), (many[0],))


def test_modules_of_the_catalog(tmp_path: Path) -> None:
    ops = tuple(op for op in map(catalog.entry, catalog.names()) if op is not None)
    made = modules_of(Spec(spec_of(ODD).project, ops), tmp_path)
    led = {op.type for op in ops if "..." in op.inputs[0].dims}
    assert led <= set(vars(made))  # each makes sense as a module
    held = {name: vars(made)[name].__init__ for name in led}
    with_sizes = {name for name, init in held.items() if "device" in inspect.signature(init).parameters}
    assert with_sizes == {
        "AddLayerNorm",
        "AddRMSNorm",
        "AddRmsNormDynamicQuant",
        "AddRmsNormQuant",
        "BiasGelu",
        "DeepNorm",
        "GeGLU",
        "GemmaRMSNorm",
        "LayerNorm",
        "Linear",
        "MatmulGelu",
        "MatmulLeakyRelu",
        "MatmulRMSNorm",
        "PlainMatmul",
        "RMSNorm",
        "ReGLU",
        "SwiGLU",
    }
    assert repr(made.VectorClamp(high=2.0)) == "VectorClamp(low=0.0, high=2.0)"
    assert repr(made.VectorAdd()) == "VectorAdd()"
    assert not made.BiasGelu(5).bias.any()
