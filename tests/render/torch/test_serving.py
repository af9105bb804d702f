"""register_vllm and register_sglang beside stand-ins that choose a layer's function as those projects do.

The stand-ins have the names, the tables and the order of choices of vLLM's ``model_executor/custom_op.py`` (with the
tables in the module, and in the class as before) and of sglang's ``kernels/fused_op.py`` and
``layers/utils/multi_platform.py``.
"""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import ClassVar

import pytest
import torch
from torch import nn
from typing_extensions import Self

from tests.house_rules.repository import TEMPLATES

Module = ModuleType


def scale(layer: nn.Module, x: torch.Tensor, by: int = 10) -> torch.Tensor:
    """Stands for an op: it shows that it has run, and uses the layer."""
    return x * by + layer.offset


@pytest.fixture
def serving() -> ModuleType:
    path = TEMPLATES / "code/torch/python/_serving.py"
    spec = importlib.util.spec_from_file_location("serving_under_test", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def put(monkeypatch: pytest.MonkeyPatch, name: str, **members: object) -> ModuleType:
    module = ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    vars(module).update(members)
    monkeypatch.setitem(sys.modules, name, module)
    parent, _, own = name.rpartition(".")
    if parent:
        above = sys.modules.get(parent) or put(monkeypatch, parent)
        monkeypatch.setattr(above, own, module, raising=False)
    return module


@pytest.fixture(params=["module", "class"])
def vllm(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """vLLM's CustomOp on a platform out of its tree, and two layers."""
    table: dict[str, type[nn.Module]] = {}

    class CustomOp(nn.Module):
        def __new__(cls, *_: object) -> Self:
            return super().__new__(table.get(cls.__name__, cls))

        def __init__(self) -> None:
            super().__init__()
            self._forward_method = self.forward_oot

        def forward(self, *arguments: object, **named: object) -> object:
            return self._forward_method(*arguments, **named)

        def forward_oot(self, *arguments: object) -> object:
            return self.forward_native(*arguments)

        @classmethod
        def register_oot(cls, made: type[nn.Module], name: str) -> None:
            assert name not in table, f"Duplicate op name: {name}"
            made.name = name
            table[name] = made

    class SiluAndMul(CustomOp):
        def __init__(self, offset: int = 0) -> None:
            super().__init__()
            self.offset = offset

        def forward_native(self, x: torch.Tensor) -> torch.Tensor:
            return x

    class RMSNorm(SiluAndMul):
        pass

    if request.param == "class":
        CustomOp.op_registry_oot = table
        put(monkeypatch, "vllm.model_executor.custom_op", CustomOp=CustomOp)
    else:
        put(monkeypatch, "vllm.model_executor.custom_op", CustomOp=CustomOp, op_registry_oot=table)
    monkeypatch.setitem(sys.modules, "vllm_ascend", None)  # not installed
    return SimpleNamespace(CustomOp=CustomOp, SiluAndMul=SiluAndMul, RMSNorm=RMSNorm, table=table)


def test_a_layer_of_vllm_calls_the_function(serving: Module, vllm: SimpleNamespace) -> None:
    x = torch.ones(3)
    before = vllm.SiluAndMul(2)
    serving.register_vllm({vllm.SiluAndMul: scale})
    layer = vllm.SiluAndMul(2)
    assert isinstance(layer, vllm.SiluAndMul)
    assert layer(x).tolist() == [12.0] * 3
    assert layer(x, by=2).tolist() == [4.0] * 3
    assert before(x) is x
    assert vllm.RMSNorm()(x) is x, "a layer that was not named"


@pytest.mark.parametrize("function", [functools.partial(scale, by=5), lambda layer, x: scale(layer, x, 5)])
def test_any_callable_becomes_a_method(serving: Module, vllm: SimpleNamespace, function: Callable[..., object]) -> None:
    serving.register_vllm({vllm.SiluAndMul: function})
    assert vllm.SiluAndMul(1)(torch.ones(1)).tolist() == [6.0]


def test_a_class_of_vllm_ascend_keeps_the_rest(
    serving: Module, vllm: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    class AscendRMSNorm(vllm.RMSNorm):
        def __init__(self, offset: int) -> None:
            super().__init__(offset)
            self.bias = torch.zeros(1)

        def forward_oot(self, x: torch.Tensor) -> torch.Tensor:
            return -x

    put(monkeypatch, "vllm_ascend")
    vllm.CustomOp.register_oot(AscendRMSNorm, name="RMSNorm")
    for by in (10, 20):  # a second call replaces the first one's function
        serving.register_vllm({vllm.RMSNorm: functools.partial(scale, by=by)})
        layer = vllm.RMSNorm(3)
        assert isinstance(layer, AscendRMSNorm)
        assert layer.bias.shape == (1,)
        assert layer(torch.ones(1)).tolist() == [by + 3.0]
        assert type(layer).__qualname__ == "AscendRMSNorm"


def test_vllm_ascend_must_have_registered_its_own(
    serving: Module, vllm: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(monkeypatch, "vllm_ascend")
    with pytest.raises(RuntimeError, match="vllm-ascend registers its layers when its worker starts") as refused:
        serving.register_vllm({vllm.RMSNorm: scale})
    assert "where vLLM imports the model's class" in str(refused.value)
    assert vllm.table == {}


def test_only_layers_with_a_function_per_platform(serving: Module, vllm: SimpleNamespace) -> None:
    with pytest.raises(TypeError, match="Linear is not a CustomOp of vLLM, and only these have a function per pl"):
        serving.register_vllm({vllm.RMSNorm: scale, nn.Linear: scale})
    assert vllm.table == {}, "all or nothing"
    with pytest.raises(TypeError, match="Linear of sglang has no forward_native, so it has no function per platform"):
        serving.register_sglang({nn.Linear: scale})
    assert not hasattr(nn.Linear, "forward_npu")


class Platform:
    """sglang's current_platform."""

    def __init__(self, key: str | None) -> None:
        self.key = key

    def is_out_of_tree(self) -> bool:
        return self.key is not None

    def get_dispatch_key_name(self) -> str:
        assert self.key is not None
        return self.key


class OldOp(nn.Module):
    """sglang's before it knew platforms out of its tree: it chooses when a layer is made."""

    def __init__(self, offset: int) -> None:
        super().__init__()
        self.offset = offset
        self._forward_method = self.dispatch_forward()

    def dispatch_forward(self) -> Callable[..., object]:
        return self.forward_npu

    def forward(self, *arguments: object) -> object:
        return self._forward_method(*arguments)

    def forward_native(self, x: torch.Tensor) -> torch.Tensor:
        return x

    def forward_npu(self, x: torch.Tensor) -> torch.Tensor:
        return self.forward_native(x)


class MultiPlatformOp(OldOp):
    """sglang's with a table for platforms out of its tree."""

    registered: ClassVar[dict[str, dict[type, Callable[..., object]]]] = {}
    platform = Platform(None)

    @classmethod
    def register_oot_forward(cls, layer: type, function: Callable[..., object], key: str) -> None:
        cls.registered.setdefault(key, {})[layer] = function

    def dispatch_forward(self) -> Callable[..., object]:
        if not self.platform.is_out_of_tree():
            return self.forward_npu
        found = self.registered.get(self.platform.get_dispatch_key_name(), {}).get(type(self))
        return found.__get__(self) if found else self.forward_native


class FusedOp(MultiPlatformOp):
    """sglang's BaseFusedOp with the backend torch_npu declared, which comes before the platform's function."""

    def dispatch_forward(self) -> Callable[..., object]:
        return super().dispatch_forward() if self.platform.is_out_of_tree() else self.forward_torch_npu

    def forward_torch_npu(self, x: torch.Tensor) -> torch.Tensor:
        return -x


@pytest.mark.parametrize("key", [None, "npu", "oot"])
@pytest.mark.parametrize("base", [MultiPlatformOp, FusedOp])
def test_a_layer_of_sglang_calls_the_function(
    serving: Module, monkeypatch: pytest.MonkeyPatch, base: type[MultiPlatformOp], key: str | None
) -> None:
    monkeypatch.setattr(MultiPlatformOp, "platform", Platform(key))
    monkeypatch.setattr(MultiPlatformOp, "registered", {})
    put(monkeypatch, "sglang.srt.platforms", current_platform=Platform(key))
    layer, other = type("SiluAndMul", (base,), {}), type("RMSNorm", (base,), {})
    serving.register_sglang({layer: scale})
    x = torch.ones(2)
    assert layer(4)(x).tolist() == [14.0, 14.0]
    assert other(4)(x).abs().tolist() == [1.0, 1.0]


def test_versions_of_sglang_without_plugins(serving: Module) -> None:
    layer = type("SiluAndMul", (OldOp,), {})
    serving.register_sglang({layer: scale})
    assert layer(4)(torch.ones(1)).tolist() == [14.0]
