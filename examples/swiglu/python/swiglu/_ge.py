"""How torch.compile(backend="npu") writes the operators of swiglu into a GE graph: torchair's converters.

Importing this module registers them without importing torchair or protobuf. torchair finds a converter as an attribute
of the operator, which is set here; only the call of a converter needs torchair. torchair's
register_fx_node_ge_converter sets the same attribute but requires that all of torchair is imported.
"""

from __future__ import annotations

import importlib
from typing import Any

import torch

from swiglu import _ops  # noqa: F401  (there must be operators first)


def _torchair_ge() -> Any:
    """torchair.ge. The caller of a converter has imported it."""
    return importlib.import_module("torchair.ge")


def _swiglu_converter(x: Any, w_gate: Any, w_up: Any) -> Any:
    ge = _torchair_ge()
    return ge.custom_op(
        "SwiGLU",
        inputs={"x": x, "w_gate": w_gate, "w_up": w_up},
        attrs={},
        outputs=["y"],
    )


def _swiglu_grad_converter(grad_y: Any, gate: Any, up: Any) -> Any:
    ge = _torchair_ge()
    return ge.custom_op(
        "SwiGLUGrad",
        inputs={"grad_y": grad_y, "gate": gate, "up": up},
        attrs={},
        outputs=["grad_gate", "grad_up"],
    )


CONVERTERS = {
    "swiglu": ("SwiGLU", _swiglu_converter),
    "swiglu_grad": ("SwiGLUGrad", _swiglu_grad_converter),
}


def _register() -> None:
    """Sets the same attribute as register_fx_node_ge_converter."""
    for function, (_, converter) in CONVERTERS.items():
        vars(converter)["require_meta"] = False  # it does not need the outputs' shapes
        getattr(torch.ops.swiglu, function).default._ge_converter = converter


_register()
