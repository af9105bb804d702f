"""The meaning of the kernel IR, in torch: what a kernel must compute, rounded where the graph rounds.

float16 and bfloat16 inputs are computed in float32 and rounded to nearest even on the way out, as Cast with CAST_NONE
and CAST_RINT does (Ascend C API, Cast). float64 inputs, which no kernel takes, compute in float64 for gradcheck.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from opforge.errors import InternalError
from opforge.ir.graph import Graph, Node
from opforge.ir.verify import STORAGE

MEANING: dict[str, Callable[..., Tensor]] = {
    "neg": torch.neg,
    "abs": torch.abs,
    "exp": torch.exp,
    "silu": torch.nn.functional.silu,
    "sigmoid": torch.sigmoid,
    "sign": torch.sign,
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "min": torch.minimum,
    "max": torch.maximum,
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


def evaluate(graph: Graph, inputs: Mapping[str, Tensor], attrs: Mapping[str, float]) -> dict[str, Tensor]:
    """The outputs by name, each of the broadcast shape of all inputs, contiguous, in the inputs' dtype.

    Args:
        graph: what to compute.
        inputs: a tensor for each of the graph's inputs, all of one floating dtype and broadcastable; others
            take part in the broadcast alone.
        attrs: a number for each of the graph's attributes; others are ignored.

    Raises:
        InternalError: an input or attribute is missing, or the dtypes differ.
    """
    used = {name: _given(inputs, name, "input") for name in graph.inputs}
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
        else:
            values.append(_value(node, values, used, attrs, (storage, compute, device)))
    shape = torch.broadcast_shapes(*(tensor.shape for tensor in inputs.values()))
    return {o.name: values[o.node].expand(shape).contiguous() for o in graph.outputs}


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
    if node.op == "input":
        return inputs[node.name or ""]
    if node.op == "attr":
        return torch.tensor(_given(attrs, node.name or "", "attribute"), dtype=compute, device=device)
    if node.op == "const":
        return torch.tensor(node.value, dtype=compute, device=device)
    return values[node.operands[0]].to(storage if node.dtype == STORAGE else compute)  # a cast


def _given(values: Mapping[str, Tensor], name: str, kind: str) -> Tensor:
    if name not in values:
        raise InternalError(f"evaluate: the {kind} {name} is not given")
    return values[name]
