"""Puts functions of this package where the layers of vLLM and sglang look for an NPU's own code."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping

import torch

Forward = Callable[..., object]  # is given the layer and the arguments of the layer's forward


def register_vllm(layers: Mapping[type[torch.nn.Module], Forward]) -> None:
    """Lets layers of vLLM call these functions on an NPU: ``{SiluAndMul: lambda layer, x: ...}``.

    Layers made from now on have the function as their ``forward_oot``, below the class that vllm-ascend has registered
    for the layer, if it has one. Call this where vLLM imports the model's class: before the model is made, and after
    vllm-ascend's worker has started.

    Raises:
        TypeError: a key is not a subclass of vLLM's CustomOp.
        RuntimeError: vllm-ascend has not registered its own layers yet, and would refuse to do so afterwards.
    """
    from vllm.model_executor import custom_op

    for layer in layers:
        if not issubclass(layer, custom_op.CustomOp):
            raise TypeError(f"{layer.__name__} is not a CustomOp of vLLM, and only these have a function per platform")
    table = getattr(custom_op, "op_registry_oot", None)
    table = custom_op.CustomOp.op_registry_oot if table is None else table  # as older versions have it
    if not table and importlib.util.find_spec("vllm_ascend") is not None:
        raise RuntimeError(
            "vllm-ascend registers its layers when its worker starts, and refuses those that are registered already. "
            "Call register_vllm later: where vLLM imports the model's class"
        )
    for layer, function in layers.items():
        base = table.pop(layer.__name__, layer)
        own = type(base.__name__, (base,), {"forward_oot": _method(function), "__module__": base.__module__})
        custom_op.CustomOp.register_oot(own, name=layer.__name__)


def register_sglang(layers: Mapping[type[torch.nn.Module], Forward]) -> None:
    """Lets layers of sglang call these functions on an NPU: ``{SiluAndMul: lambda layer, x: ...}``.

    The function becomes the layers' ``forward_npu``; where a plugin brings the platform, it is registered for that
    one. Call this before the model is made.

    Raises:
        TypeError: a key is not a layer with a function per platform, as BaseFusedOp's and MultiPlatformOp's are.
    """
    for layer in layers:
        if not hasattr(layer, "forward_native"):
            raise TypeError(f"{layer.__name__} of sglang has no forward_native, so it has no function per platform")
    for layer, function in layers.items():
        method = _method(function)
        layer.forward_npu = method
        if hasattr(layer, "forward_torch_npu"):  # BaseFusedOp prefers it where the layer has declared it
            layer.forward_torch_npu = method
        if hasattr(layer, "register_oot_forward"):
            from sglang.srt.platforms import current_platform

            if current_platform.is_out_of_tree():
                layer.register_oot_forward(layer, method, current_platform.get_dispatch_key_name())


def _method(function: Forward) -> Forward:
    """As a method, whatever callable it is."""

    def forward(self: torch.nn.Module, *arguments: object, **named: object) -> object:
        return function(self, *arguments, **named)

    return forward
