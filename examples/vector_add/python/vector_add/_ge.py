"""How torch.compile(backend="npu") writes the operators of vector_add into a GE graph: torchair's converters.

Importing this registers them and imports neither torchair nor protobuf: torchair looks a converter up as an attribute
of the operator, which is set here, and only a converter that is called needs more. torchair's own
register_fx_node_ge_converter sets the same attribute, but is there only once all of torchair is imported.
"""

from __future__ import annotations

import importlib
from typing import Any

import torch

from vector_add import _ops  # noqa: F401  (there must be operators first)


def _torchair_ge() -> Any:
    """torchair.ge, which is imported by whoever calls a converter."""
    return importlib.import_module("torchair.ge")


def _vector_add_converter(x: Any, y: Any) -> Any:
    ge = _torchair_ge()
    return ge.custom_op(
        "VectorAdd",
        inputs={"x": x, "y": y},
        attrs={},
        outputs=["z"],
    )


CONVERTERS = {
    "vector_add": ("VectorAdd", _vector_add_converter),
}


def _register() -> None:
    """Leaves behind what register_fx_node_ge_converter does."""
    for function, (_, converter) in CONVERTERS.items():
        vars(converter)["require_meta"] = False  # it does not ask for the outputs' shapes
        getattr(torch.ops.vector_add, function).default._ge_converter = converter


_register()
