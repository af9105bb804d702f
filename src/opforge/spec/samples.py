"""Sample arguments of ops for examples and trials: values of attributes and numbers, symbols that need a size."""

from __future__ import annotations

from collections.abc import Mapping

from opforge.dtypes import DTYPES
from opforge.spec.dimensions import Symbol
from opforge.spec.model import AttrSpec, AttrType, AttrValue, OpSpec, TensorSpec

# No sample has an effect like leaving the attribute out: no 0, no 1, nothing empty.
ATTR_SAMPLES: Mapping[AttrType, AttrValue] = {
    "int": 2,
    "float": 1.5,
    "bool": True,
    "str": "text",
    "list_int": (1, 2),
    "list_float": (0.5, 2.0),
    "list_bool": (True, False),
}


def sample_attr(attr: AttrSpec) -> AttrValue:
    """A value for an attribute: its default, if there is one. Tensors of every rank have a last dimension."""
    if attr.axis:
        return -1
    return ATTR_SAMPLES[attr.type] if attr.default is None else attr.default


def sample_number(tensor: TensorSpec) -> int | float:
    """A value for an input that is a number."""
    return 1.5 if DTYPES[tensor.dtypes[0]].floating else 2


def input_symbols(op: OpSpec) -> tuple[str, ...]:
    """The symbols of the inputs' shapes, each once, in order. A symbol has one size wherever it stands."""
    dims = (dim for tensor in op.inputs for dim in tensor.dimensions)
    return tuple(dict.fromkeys(dim.name for dim in dims if isinstance(dim, Symbol)))
