"""The meaning of the kernel IR, in torch: what a kernel must compute, rounded where the graph rounds.

float16 and bfloat16 inputs are computed in float32 and rounded to nearest even on the way out, as Cast with CAST_NONE
and CAST_RINT does (Ascend C API, Cast). float64 inputs, which no kernel takes, compute in float64 for gradcheck.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

import torch
from torch import Tensor

from opforge.errors import InternalError
from opforge.ir.graph import Graph, Node
from opforge.ir.verify import STORAGE

Value = TypeVar("Value")

MEANING: dict[str, Callable[..., Tensor]] = {
    "neg": torch.neg,
    "abs": torch.abs,
    "exp": torch.exp,
    "silu": torch.nn.functional.silu,
    "sigmoid": torch.sigmoid,
    "sign": torch.sign,
    "relu": torch.relu,
    "gelu_tanh": lambda x: torch.nn.functional.gelu(x, approximate="tanh"),
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "min": torch.minimum,
    "max": torch.maximum,
    "leaky_relu": lambda x, slope: torch.where(x > 0, x, x * slope),
    "ge": lambda x, y: torch.ge(x, y).to(x.dtype),
    "gt": lambda x, y: torch.gt(x, y).to(x.dtype),
    "le": lambda x, y: torch.le(x, y).to(x.dtype),
    "lt": lambda x, y: torch.lt(x, y).to(x.dtype),
    "eq": lambda x, y: torch.eq(x, y).to(x.dtype),
}

# Where the second operand is one number for the whole call: the same values, and the gradient of a tie goes to the
# tensor, as with torch.clamp and not as with torch.minimum, which gives each side half.
MEANING_WITH_NUMBER: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    "min": lambda x, number: torch.clamp(x, max=number),
    "max": lambda x, number: torch.clamp(x, min=number),
}


def evaluate(graph: Graph, inputs: Mapping[str, Tensor | None], attrs: Mapping[str, float]) -> dict[str, Tensor]:
    """The outputs by name, contiguous, in the inputs' dtype.

    Each has the broadcast shape of all inputs; in a graph with matrix products, the products' shape. A product is
    computed in float32 from its operands as stored (in float64 for float64), leading dimensions as rows.

    Args:
        graph: what to compute.
        inputs: a tensor for each of the graph's inputs, all of one floating dtype and fitting together; None, or
            nothing, for an optional one that is not given. In an elementwise graph others take part in the broadcast.
        attrs: a number for each of the graph's attributes; others are ignored.

    Raises:
        InternalError: an input or attribute is missing, or the dtypes differ.
    """
    may_miss = _optional(graph)
    given = {name: tensor for name, tensor in inputs.items() if tensor is not None}
    used = {name: _given(given, name, "input") for name in graph.inputs if name in given or name not in may_miss}
    dtypes = {tensor.dtype for tensor in used.values()}
    if len(dtypes) != 1:
        raise InternalError(f"evaluate: inputs have the dtypes {sorted(map(str, dtypes))}, not one")
    storage = dtypes.pop()
    compute = torch.float64 if storage == torch.float64 else torch.float32
    device = next(iter(used.values())).device
    values: list[Tensor] = []
    for node in graph.nodes:
        if node.op in MEANING:
            values.append(_meaning(graph, node)(*(values[operand] for operand in node.operands)))
        elif node.op == "given_or" and _source(graph, node) not in used:
            values.append(torch.tensor(node.value, dtype=compute, device=device))
        else:
            values.append(_value(node, values, used, attrs, (storage, compute, device)))
    products = [values[product.id] for product in graph.products]
    shape = torch.broadcast_shapes(*(tensor.shape for tensor in products or given.values()))
    return {o.name: values[o.node].expand(shape).contiguous() for o in graph.outputs}


def _source(graph: Graph, given_or: Node) -> str:
    """The name of the input behind its cast."""
    return graph[graph[given_or.operands[0]].operands[0]].name or ""


def _optional(graph: Graph) -> frozenset[str]:
    return frozenset(_source(graph, node) for node in graph.nodes if node.op == "given_or")


def _meaning(graph: Graph, node: Node) -> Callable[..., Tensor]:
    scalars = [graph[operand].scalar for operand in node.operands]
    if node.op not in MEANING_WITH_NUMBER or all(scalars) or not any(scalars):
        return MEANING[node.op]
    meaning = MEANING_WITH_NUMBER[node.op]
    return (lambda number, x: meaning(x, number)) if scalars[0] else meaning


def _value(
    node: Node,
    values: list[Tensor],
    inputs: Mapping[str, Tensor],
    attrs: Mapping[str, float],
    place: tuple[torch.dtype, torch.dtype, torch.device],
) -> Tensor:
    storage, compute, device = place
    if node.op == "input":  # one that is not given is looked at by nothing
        return inputs.get(node.name or "", torch.empty(0, dtype=storage, device=device))
    if node.op == "attr":
        return torch.tensor(_given(attrs, node.name or "", "attribute"), dtype=compute, device=device)
    if node.op == "const":
        return torch.tensor(node.value, dtype=compute, device=device)
    if node.op == "matmul":
        return _product(node, values[node.operands[0]].to(compute), values[node.operands[1]].to(compute))
    if node.op == "given_or":
        return values[node.operands[0]]
    return values[node.operands[0]].to(storage if node.dtype == STORAGE else compute)  # a cast


def _product(node: Node, left: Tensor, right: Tensor) -> Tensor:
    """A matrix on the right makes torch.matmul fold the leading dimensions of the left to rows."""
    left, right = (
        matrix.mT if turned else matrix for matrix, turned in zip((left, right), node.transposed, strict=True)
    )
    if right.dim() != 2 or left.dim() < 1 or left.shape[-1] != right.shape[0]:
        raise InternalError(f"evaluate: {node.name} is no product of {tuple(left.shape)} and {tuple(right.shape)}")
    return torch.matmul(left, right)


def _given(values: Mapping[str, Value], name: str, kind: str) -> Value:
    if name not in values:
        raise InternalError(f"evaluate: the {kind} {name} is not given")
    return values[name]
