"""Finds the results that cube cores write without vector cores: products, and products with a bias.

Sources: the Ascend C documentation, "Matmul usage", table 2, for the data types, and "SetBias".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.plan.coupled import coupled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from opforge.ir.graph import Graph, Node
    from opforge.ir.product_shapes import ProductShape
    from opforge.plan.vector_model import Argument
    from opforge.soc import Soc
    from opforge.spec.model import OpSpec

# The dtypes that the copy out of L0C writes.
_FLOATS = frozenset({"float16", "bfloat16", "float32"})
# The dtypes of a bias, and the results that rows of it are cast to in one instruction. A bias in bfloat16 is widened.
_RESULTS_OF_BIAS = {
    "float16": frozenset({"float16", "float32"}),
    "bfloat16": frozenset({"bfloat16", "float32"}),
    "float32": _FLOATS,
}


def written_by_cubes(
    op: OpSpec, graph: Graph, shape: ProductShape, arguments: Sequence[Argument], socs: tuple[Soc, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The results that are products, in the products' order, and the row vector that is added to each.

    Without such biases, the second tuple is empty. Both are empty if the op computes anything else, if the results or
    the biases have dtypes that cube cores do not write or add, or if a SoC has no cube cores of their own. With
    ``batch_invariant: false``, vector cores add the bias: it follows sums that cores share.
    """
    made: dict[int | None, tuple[str, str]] = {}
    for output in graph.outputs:
        product, bias = _product_and_bias(graph, graph[output.node])
        made[product] = (output.name, bias)
    written = [made[product.id] for product in graph.products if product.id in made]
    if coupled(socs) or len(written) < len(graph.products) or len(written) < len(graph.outputs):
        return (), ()
    results, biases = zip(*written, strict=True)
    dtypes = {argument.name: argument.dtypes for argument in arguments}
    kinds = {dtypes[result] for result in results}
    if len(kinds) > 1 or not _FLOATS.issuperset(*kinds):
        return (), ()
    if not any(biases):
        return results, ()
    suits = op.batch_invariant and all(biases) and _suits(op, shape, biases, dtypes, *kinds)
    return (results, biases) if suits else ((), ())


def _suits(
    op: OpSpec,
    shape: ProductShape,
    biases: Sequence[str],
    dtypes: Mapping[str, Sequence[str]],
    results: Sequence[str],
) -> bool:
    """Whether the Matmul object adds all biases. It has one flag that says whether there is one."""
    kinds = {tuple(dtypes[bias]) for bias in biases}
    optional = any(tensor.optional for tensor in op.inputs if tensor.name in biases)
    return (
        set(biases) <= set(shape.row_vectors)
        and len(kinds) == 1
        and (len(biases) == 1 or not optional)
        and all(result in _RESULTS_OF_BIAS.get(bias, ()) for bias, result in zip(*kinds, results, strict=True))
    )


def _product_and_bias(graph: Graph, node: Node) -> tuple[int | None, str]:
    """The product that a value is, and the input that is added to it, or nothing; None for any other value."""
    node = _stored(graph, node)
    if node.op == "matmul":
        return node.id, ""
    if node.op == "add":
        terms = [_stored(graph, graph[operand]) for operand in node.operands]
        for product, bias in (terms, terms[::-1]):
            optional = bias.op == "given_or" and bias.value == 0.0
            loaded = _stored(graph, graph[bias.operands[0]]) if optional else bias
            if product.op == "matmul" and loaded.op == "input" and loaded.name:
                return product.id, loaded.name
    return None, ""


def _stored(graph: Graph, node: Node) -> Node:
    """The value before its casts to the dtype of a tensor or of the computation."""
    while node.op == "cast" and node.text is None:
        node = graph[node.operands[0]]
    return node
