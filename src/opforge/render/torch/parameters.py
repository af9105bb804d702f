"""Chooses the inputs of an op that are parameters of its module, and their initial values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.ir.graph import Graph, Node
from opforge.render.torch.signature import Signature
from opforge.spec.arguments import input_kind
from opforge.spec.dimensions import is_dots
from opforge.spec.model import TensorSpec

Start = Literal["zeros", "ones", "uniform"]


@dataclass(frozen=True)
class Parameter:
    """One input that a module holds. Uniform values are bounded by 1 / sqrt(size) of the dimension ``fan``."""

    tensor: TensorSpec
    start: Start
    fan: str


def is_module(signature: Signature) -> bool:
    """Whether the package has a module for an op: the project has modules, and a module makes sense for the op.

    An input has leading dimensions, and no input is written to. Without leading dimensions, weights cannot be told from
    data. In-place ops have no derivative.
    """
    return signature.modules and not signature.written and any(_leads(tensor) for tensor in signature.op.inputs)


def parameters(signature: Signature) -> tuple[Parameter, ...]:
    """The inputs that a module holds: tensors with only named sizes and the floating-point dtypes of the data.

    Without an expression their use is unknown, so all start with uniform values.
    """
    data = next((tensor for tensor in signature.op.inputs if _leads(tensor)), None)
    if data is None or not is_module(signature):
        return ()
    places = {tensor.name: place for place, tensor in enumerate(signature.op.inputs)}
    columns = [tuple(column) for column in zip(*signature.input_columns, strict=True)]
    return tuple(
        _parameter(signature, tensor)
        for tensor in signature.op.inputs
        if _is_parameter(tensor) and columns[places[tensor.name]] == columns[places[data.name]]
    )


def symbols(signature: Signature, held: Sequence[Parameter]) -> tuple[str, ...]:
    """The sizes that the parameters need, in the order of the op's inputs, so that the data's sizes come first."""
    needed = {dim for parameter in held for dim in parameter.tensor.dims}
    named = (dim for tensor in signature.op.inputs for dim in tensor.dims)
    return tuple(dict.fromkeys(dim for dim in named if dim in needed and not dim.isdigit()))


def _leads(tensor: TensorSpec) -> bool:
    return any(map(is_dots, tensor.dims)) and input_kind(tensor) in ("tensor", "tensors")


def _is_parameter(tensor: TensorSpec) -> bool:
    named = not any(map(is_dots, tensor.dims)) and any(not dim.isdigit() for dim in tensor.dims)
    return named and input_kind(tensor) == "tensor" and all(DTYPES[name].floating for name in tensor.dtypes)


def _parameter(signature: Signature, tensor: TensorSpec) -> Parameter:
    kernel, fan = signature.kernel, tensor.dims[-1]
    terms = kernel.torch.summed_over(tensor.name)
    if terms is not None or not kernel.expressed:
        return Parameter(tensor, "uniform", terms or fan)
    uses = set(_uses(kernel.expression, tensor.name))
    start: Start = "zeros" if uses == {"add"} else "ones" if uses == {"mul"} else "uniform"
    return Parameter(tensor, start, fan)


def _uses(graph: Graph, name: str) -> Iterator[str]:
    """The uses of an input: ``add`` or ``mul`` if it is combined with a tensor, otherwise the operator's name.

    Casts, signs and constant factors do not count as uses.
    """
    reached = {node.id for node in graph.nodes if node.op == "input" and node.name == name}
    for node in graph.nodes:
        if not reached.intersection(node.operands):
            continue
        if node.op in ("cast", "given_or", "neg") or (node.op in ("mul", "div") and _scaled(graph, node, reached)):
            reached.add(node.id)
        elif node.op in ("add", "sub"):
            yield "add"
        else:
            yield "mul" if node.op == "mul" or (node.op == "div" and node.operands[0] not in reached) else node.op


def _scaled(graph: Graph, node: Node, reached: set[int]) -> bool:
    """Whether the other factor, or the divisor, is a number."""
    left, right = node.operands
    return (left in reached and graph[right].scalar) or (node.op == "mul" and right in reached and graph[left].scalar)
