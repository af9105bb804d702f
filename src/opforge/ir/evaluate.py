"""Defines the meaning of the kernel IR in torch: the results of a kernel, rounded where the graph rounds.

float16 and bfloat16 inputs compute in float32; results are rounded to nearest even, as Cast with CAST_NONE and
CAST_RINT does (Ascend C API, Cast). float64 inputs, which kernels do not support, compute in float64 for gradcheck.
Integers wrap around at 32 bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import TypeAlias, TypeVar

import torch
from torch import Tensor

from opforge.errors import InternalError
from opforge.frozen import dataclass
from opforge.ir.graph import Graph, Node
from opforge.ir.legality import STORAGE, WHOLE
from opforge.spec.axes import ALL, Axes
from opforge.spec.language import BITWISE, REDUCTIONS, TOTALS

Value = TypeVar("Value")
Attribute: TypeAlias = float | str | Sequence[float]


def _mask(mask: Tensor, like: Tensor) -> Tensor:
    """1.0 and 0.0, in the dtype of the floats that were compared."""
    return mask.to(like.dtype if like.is_floating_point() else torch.float32)


MEANING: dict[str, Callable[..., Tensor]] = {
    "neg": torch.neg,
    "abs": torch.abs,
    "exp": torch.exp,
    "silu": torch.nn.functional.silu,
    "sigmoid": torch.sigmoid,
    "sign": torch.sign,
    "relu": torch.relu,
    "log": torch.log,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "tanh": torch.tanh,
    "erf": torch.erf,
    # Not torch.nn.functional.gelu, which in float32 on the CPU gives NaN for infinities. Below -100 it is 0.
    "gelu": lambda x: torch.clamp(x, min=-100.0) * 0.5 * (1.0 + torch.erf(x * math.sqrt(0.5))),
    "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "detach": torch.Tensor.detach,
    "log1p": torch.log1p,
    "expm1": torch.expm1,
    "log2": torch.log2,
    "exp2": torch.exp2,
    "sin": torch.sin,
    "cos": torch.cos,
    **{name: getattr(torch, name) for name in ("sinh", "cosh", "asinh", "acosh", "atanh")},
    **{name: getattr(torch, name) for name in ("asin", "acos", "atan", "erfc", "erfinv", "logit")},
    "floor": torch.floor,
    "ceil": torch.ceil,
    "trunc": torch.trunc,
    "round": torch.round,
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "min": torch.minimum,
    "max": torch.maximum,
    "pow": torch.pow,
    "atan2": torch.atan2,
    "fmod": torch.fmod,
    "leaky_relu": lambda x, slope: torch.where(x > 0, x, x * slope),
    "ge": lambda x, y: _mask(torch.ge(x, y), x),
    "gt": lambda x, y: _mask(torch.gt(x, y), x),
    "le": lambda x, y: _mask(torch.le(x, y), x),
    "lt": lambda x, y: _mask(torch.lt(x, y), x),
    "eq": lambda x, y: _mask(torch.eq(x, y), x),
    "ne": lambda x, y: _mask(torch.ne(x, y), x),
    "where": lambda condition, x, y: torch.where(condition != 0, x, y),
}


def _divided(divide: Callable[[Tensor, Tensor], Tensor], x: Tensor, y: Tensor, of_zero: Tensor) -> Tensor:
    """Integers divided as by torch, which raises for a divisor of 0: then ``of_zero``."""
    return torch.where(y == 0, of_zero, divide(x, torch.where(y == 0, 1, y)))


# Operators of int32 that have another meaning in float32, or none.
MEANING_OF_INTEGERS: dict[str, Callable[..., Tensor]] = {
    "floor_divide": lambda x, y: _divided(torch.floor_divide, x, y, torch.zeros_like(x)),
    "remainder": lambda x, y: _divided(torch.remainder, x, y, x),
    "fmod": lambda x, y: _divided(torch.fmod, x, y, x),
    **{name: getattr(torch, name) for name in BITWISE},
}

# Over dimensions, which stay with extent 1.
REDUCED: dict[str, Callable[..., Tensor]] = {
    "sum": torch.sum,
    # torch.prod takes one dimension.
    "prod": lambda x, over, keepdim: reduce(lambda y, axis: torch.prod(y, axis, keepdim=keepdim), over, x),
    "amax": torch.amax,
    "amin": torch.amin,
    "max_first": lambda x, over, keepdim: torch.max(x, *over, keepdim=keepdim).values,
    "min_first": lambda x, over, keepdim: torch.min(x, *over, keepdim=keepdim).values,
}

_OF_NOTHING = {"amax": -math.inf, "max_first": -math.inf, "amin": math.inf, "min_first": math.inf}

# If the second operand is a number: the same values, but the gradient of a tie goes to the tensor, as in torch.clamp.
# torch.minimum would give each side half.
MEANING_WITH_NUMBER: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "min": lambda x, number: torch.clamp(x, max=number),
    "max": lambda x, number: torch.clamp(x, min=number),
}


def evaluate(
    graph: Graph,
    inputs: Mapping[str, Tensor | None],
    attrs: Mapping[str, Attribute],
    dtypes: Mapping[str, torch.dtype] | None = None,
) -> dict[str, Tensor]:
    """Compute the outputs by name; they are contiguous.

    Each has the broadcast shape of all inputs, or one element for each row of it, or for each element of a row; in a
    graph with matrix products, the products' shape. A product is computed in float32 from its operands as stored (in
    float64 for float64), leading dimensions as rows.

    Args:
        graph: the expression.
        inputs: a tensor for each of the graph's inputs, of matching shapes; None or absent for an optional input that
            is left out. In an elementwise graph, further inputs take part in the broadcast.
        attrs: a number, a text, or a list of numbers, for each of the graph's attributes; others are ignored.
        dtypes: the outputs' dtypes by name. An absent output is int32 if it is computed in int32; otherwise it has the
            common dtype of the graph's floating inputs.

    Raises:
        InternalError: an input or attribute is missing, or the dtype of an output is unknown.
    """
    may_miss = _optional(graph)
    given = {
        name: tensor.unsqueeze(-1) if name in graph.unsqueezed else tensor
        for name, tensor in inputs.items()
        if tensor is not None
    }
    used = {name: _given(given, name, "input") for name in graph.inputs if name in given or name not in may_miss}
    floating = {tensor.dtype for tensor in used.values() if tensor.is_floating_point()}
    place = _Place(
        torch.float64 if torch.float64 in floating else torch.float32, next(iter(used.values())).device, used, attrs
    )
    values: list[Tensor] = []
    for node in graph.nodes:
        if node.op in MEANING or node.op in MEANING_OF_INTEGERS:
            values.append(_meaning(graph, node)(*(values[operand] for operand in node.operands)))
        elif node.op in REDUCTIONS:
            whole = values[node.operands[0]]
            values.append(_reduced(node, whole, graph.axes.given(attrs, whole.dim())))
        elif node.op in TOTALS:
            values.append(_reduced(replace(node, op=node.op.removesuffix("_all")), values[node.operands[0]], ALL))
        elif node.op == "rows":
            extents = values[node.operands[0]].shape
            kept = [extent for i, extent in enumerate(extents) if not graph.axes.has(i - len(extents))]
            values.append(torch.tensor(math.prod(kept), dtype=place.compute, device=place.device))
        elif node.op == "arange":
            like = values[node.operands[0]]
            values.append(_numbered(like, graph.axes.given(attrs, like.dim())).to(place.compute))
        elif node.op == "given_or" and _source(graph, node) not in used:
            values.append(torch.tensor(node.value, dtype=place.compute, device=place.device))
        elif node.op == "cast" and node.dtype == STORAGE:
            values.append(values[node.operands[0]])
        else:
            values.append(_value(node, values, place))
    products = [values[product.id] for product in graph.products]
    shape = torch.broadcast_shapes(*(tensor.shape for tensor in products or given.values()))
    results = {}
    for output in graph.outputs:
        dtype = (dtypes or {}).get(output.name) or _stored(graph[graph[output.node].operands[0]], floating)
        over = ALL if output.row == "one" else graph.axes.given(attrs, len(shape))
        axes = over.of(len(shape)) if output.row is not None else ()
        own = [1 if place - len(shape) in axes else extent for place, extent in enumerate(shape)]
        value = values[output.node].expand(own)
        value = value.sum_to_size(own[-1:]) if output.summed else value
        value = value.to(dtype).contiguous()
        results[output.name] = value.squeeze(axes) if output.row in ("dropped", "one") else value
    return results


@dataclass(frozen=True)
class _Place:
    """The dtype of float arithmetic, the device, and the values of inputs and attributes."""

    compute: torch.dtype
    device: torch.device
    inputs: Mapping[str, Tensor]
    attrs: Mapping[str, Attribute]


def _stored(node: Node, floating: set[torch.dtype]) -> torch.dtype:
    """The dtype of an output that ``dtypes`` does not have, from its cast's operand."""
    if node.dtype == WHOLE:
        return torch.int32
    if len(floating) != 1:
        raise InternalError(f"evaluate: inputs have the floating dtypes {sorted(map(str, floating))}, not one")
    return next(iter(floating))


def _source(graph: Graph, given_or: Node) -> str:
    """The name of the input behind its cast."""
    return graph[graph[given_or.operands[0]].operands[0]].name or ""


def _optional(graph: Graph) -> frozenset[str]:
    return frozenset(_source(graph, node) for node in graph.nodes if node.op == "given_or")


def _meaning(graph: Graph, node: Node) -> Callable[..., Tensor]:
    if node.dtype == WHOLE and node.op in MEANING_OF_INTEGERS:
        return MEANING_OF_INTEGERS[node.op]
    scalars = [graph[operand].scalar for operand in node.operands]
    if node.op not in MEANING_WITH_NUMBER or all(scalars) or not any(scalars):
        return MEANING[node.op]
    meaning = MEANING_WITH_NUMBER[node.op]
    return (lambda number, x: meaning(x, number)) if scalars[0] else meaning


def _reduced(node: Node, value: Tensor, axes: Axes) -> Tensor:
    """The reduction; a tensor without dimensions is one element. Torch has no largest one of no elements."""
    over = axes.of(value.dim())
    if node.op in _OF_NOTHING and not all(value.shape[axis] for axis in over):
        return value.sum(over, keepdim=True) + _OF_NOTHING[node.op]
    return REDUCED[node.op](value, over, keepdim=True) if over else value


def _numbered(like: Tensor, axes: Axes) -> Tensor:
    """The number of each element in its row of one dimension; the others have extent 1."""
    own = [extent if axes.has(i - like.dim()) else 1 for i, extent in enumerate(like.shape)]
    return torch.arange(math.prod(own), device=like.device).reshape(own)


def _value(node: Node, values: list[Tensor], place: _Place) -> Tensor:
    dtype = torch.int32 if node.dtype == WHOLE else place.compute
    if node.op == "input":  # an input that is left out is never read
        return place.inputs.get(node.name or "", torch.empty(0, device=place.device))
    if node.op == "attr":
        return torch.tensor(_number_of(node, place.attrs), dtype=dtype, device=place.device)
    if node.op == "says":
        same = _given(place.attrs, node.name or "", "attribute") == node.text
        return torch.tensor(float(same), dtype=dtype, device=place.device)
    if node.op == "const":
        return torch.tensor(node.value, dtype=torch.float64, device=place.device).to(dtype)
    if node.op == "size":
        source = values[node.operands[0]]
        axis = int(str(place.attrs.get(node.axis, node.axis))) if isinstance(node.axis, str) else node.axis
        extent = source.numel() if axis is None else torch.atleast_1d(source).shape[axis]
        return torch.tensor(extent, dtype=dtype, device=place.device)
    if node.op == "matmul":
        return _product(node, *(values[operand].to(place.compute) for operand in node.operands))
    if node.op == "given_or":
        return values[node.operands[0]]
    value = values[node.operands[0]]
    if node.text is not None:
        tensor, _, like = node.text.partition(".")
        value = value.to(place.inputs[tensor].dtype if like else getattr(torch, tensor))
    return value.to(dtype)


def _product(node: Node, left: Tensor, right: Tensor) -> Tensor:
    """The product. A matrix on the right makes torch.matmul fold the leading dimensions of the left into rows."""
    left, right = (
        matrix.mT if turned else matrix for matrix, turned in zip((left, right), node.transposed, strict=True)
    )
    if right.dim() != 2 or left.dim() < 1 or left.shape[-1] != right.shape[0]:
        raise InternalError(f"evaluate: {node.name} is not a product of {tuple(left.shape)} and {tuple(right.shape)}")
    return torch.matmul(left, right)


def _number_of(node: Node, attrs: Mapping[str, Attribute]) -> float:
    """The value of an attribute, or of an element of a list."""
    value = _given(attrs, node.name or "", "attribute")
    return float(value if isinstance(value, int | float) else value[node.element or 0])


def _given(values: Mapping[str, Value], name: str, kind: str) -> Value:
    if name not in values:
        raise InternalError(f"evaluate: the {kind} {name} is not given")
    return values[name]
