"""The values and results of a graph that have one element for each row: the elements that are reduced to one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import reduce

from opforge.dtypes import DTYPES
from opforge.ir.builder import GraphBuilder
from opforge.ir.graph import COMPARE, MEASURES, Graph, Node, RowDimension
from opforge.ir.legality import COMPUTE
from opforge.spec.axes import LAST, Axes
from opforge.spec.dimensions import print_dim
from opforge.spec.language import REDUCTIONS, TOTALS
from opforge.spec.model import OpSpec
from opforge.spec.product_dims import product_dims
from opforge.spec.value_dims import ONE, Dims, met
from opforge.spec.value_kinds import kinds_of


def row_values(nodes: Sequence[Node], given: Collection[str] = ()) -> frozenset[int]:
    """The nodes with one value for each row: reductions, inputs ``given``, and what is computed from these only."""
    return _made_of(nodes, REDUCTIONS, given)


def total_values(nodes: Sequence[Node], given: Collection[str] = ()) -> frozenset[int]:
    """The nodes with one value made of all rows: TOTALS, inputs ``given``, and what is computed from these only."""
    return _made_of(nodes, TOTALS, given)


def _made_of(nodes: Sequence[Node], operators: Sequence[str], given: Collection[str] = ()) -> frozenset[int]:
    found: set[int] = set()
    for node in nodes:
        tensors = [operand for operand in node.operands if not nodes[operand].scalar]
        computed = node.op not in ("input", *MEASURES) and tensors and all(operand in found for operand in tensors)
        if node.op in operators or computed or (node.op == "input" and node.name in given):
            found.add(node.id)
    return frozenset(found)


def counts(op: OpSpec, graph: Graph) -> bool:
    """Whether an integer result is the number of elements of a row for which a mask is true."""
    dtypes = {tensor.name: tensor.dtypes for tensor in op.outputs}
    for output in graph.outputs:
        source = graph[output.node]
        while source.op == "cast" and graph[source.operands[0]].op != "input":
            source = graph[source.operands[0]]
        whole = not any(DTYPES[dtype].floating for dtype in dtypes[output.name])
        if whole and source.op == "sum" and _is_mask(op, graph, graph[source.operands[0]]):
            return True
    return False


def _is_mask(op: OpSpec, graph: Graph, node: Node) -> bool:
    loaded = graph[node.operands[0]].name if node.op == "cast" else None
    masks = {tensor.name for tensor in op.inputs if kinds_of(tensor.dtypes) == ("mask",)}
    return node.op in COMPARE or loaded in masks


def columns(op: OpSpec, axes: Axes) -> tuple[str, ...]:
    """The inputs of floats or masks that are the same for all rows: they have the last dimension alone."""
    longest = max(len(tensor.dims) for tensor in op.inputs)
    return tuple(
        tensor.name
        for tensor in op.inputs
        if axes == LAST
        and 1 == len(tensor.dims) < longest
        and tensor.dims[0] not in ("...", "1")
        and kinds_of(tensor.dtypes) in (("float",), ("mask",))
    )


def row_inputs(op: OpSpec, nodes: Sequence[Node], axes: Axes) -> tuple[str, ...]:
    """The inputs with one element for each row, or one for all, that are values of rows.

    They are computed with in float32, a row is the last dimension, and the op has no matrix products.
    """
    if axes != LAST or whole_shape(op)[-1:] == (ONE,) or (op.tree is not None and op.tree.products):
        return ()
    loads = {nodes[node.operands[0]].name for node in nodes if node.op == "cast" and node.dtype == COMPUTE}
    return tuple(
        tensor.name for tensor in op.inputs if tensor.name in loads and tensor.met_dimensions[-1:] in ((ONE,), ())
    )


def whole_shape(op: OpSpec) -> Dims:
    """The shape of the products of an op with rows, or the broadcast shape of its inputs."""
    if op.tree is not None and op.tree.products:
        product = op.tree.products[0]
        dims = product_dims(product.left, product.right, {tensor.name: tensor.dimensions for tensor in op.inputs})
        return dims or ()
    whole: Dims = ()
    for tensor in op.inputs:
        if not tensor.scalar and tensor.value_depend is None:
            whole = met(whole, tensor.met_dimensions) or whole
    return whole


def whole_dims(op: OpSpec) -> tuple[str, ...]:
    """The broadcast shape of the inputs as text."""
    return tuple(map(print_dim, whole_shape(op)))


def covering_inputs(op: OpSpec, name: str) -> tuple[str, ...]:
    """The required tensors that, with the input ``name``, have the broadcast shape; none if its own shape is that.

    The gradient of a reduced result has no elements of the reduced dimensions: they are those of these inputs.
    """
    whole, dims = whole_shape(op), {tensor.name: tensor.met_dimensions for tensor in op.inputs}
    plain = [t.name for t in op.inputs if not (t.scalar or t.optional or t.unsqueezed) and t.value_depend is None]
    if dims[name] == whole:
        return ()
    covers = [other for other in plain if dims[other] == whole]
    return tuple(covers[:1] or (other for other in plain if other != name))


def row_dimensions(op: OpSpec, axes: Axes) -> Mapping[str, RowDimension]:
    """The fate of the reduced dimensions, for each result with one element for each row, by name."""
    whole = whole_shape(op)
    if axes.kept(whole) == whole:
        return {}
    found: dict[str, RowDimension] = {}
    for tensor in op.outputs:
        if op.tree is not None and op.tree.totals and not tensor.dimensions:
            found[tensor.name] = "one"
        elif tensor.dimensions == axes.dropped(whole):
            found[tensor.name] = "dropped"
        elif tensor.dimensions == axes.kept(whole):
            found[tensor.name] = "kept"
    return found


def row_extent(op: OpSpec, axes: Axes, builder: GraphBuilder) -> int:
    """The number of elements of a row, as a number."""
    whole = whole_dims(op)
    inputs = [tensor for tensor in op.inputs if not tensor.scalar]
    if axes.whole and "..." in whole:
        return builder.size(next(t.name for t in inputs if t.dims == whole), None)
    if axes.dim:
        return builder.size(next(t.name for t in inputs if t.dims == whole), axes.dim)
    sizes = []
    for axis in axes.of(sum(dim != "..." for dim in whole)):
        name = next(t.name for t in inputs if t.dims[axis:] and t.dims[axis] == whole[axis])
        sizes.append(builder.size(name, axis))
    return reduce(lambda left, right: builder.apply("mul", left, right), sizes)
