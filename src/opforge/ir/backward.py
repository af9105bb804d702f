"""Splits an op's backward into an op with a kernel and ATen operators.

An elementwise ``z = x * y`` has the kernel MulGrad: grad_z, x, y -> grad_x, grad_y, each of the broadcast shape; ATen
sums over broadcast axes. ``y = silu(x @ w_gate) * (x @ w_up)`` has SwiGLUGrad: grad_y, gate, up -> grad_gate, grad_up.
ATen recomputes gate and up, and computes the gradients of x and the weights (products) and of row vectors (sums).
``y = rms_norm(x, gamma)`` has RmsNormGrad: grad_y, x, gamma -> grad_x, grad_gamma, whose kernel sums grad_gamma itself.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping

from opforge.frozen import dataclass
from opforge.ir.builder import pruned
from opforge.ir.column_sums import sum_over_rows, summed_inputs
from opforge.ir.differentiate import given_rows, gradients
from opforge.ir.graph import Graph
from opforge.ir.graph_printer import print_formulas
from opforge.ir.legality import COMPUTE, STORAGE, verify
from opforge.ir.product_cut import cut_for_gradients
from opforge.ir.rows import whole_dims, whole_shape
from opforge.ir.totals_cut import cut_gradients
from opforge.spec.axes import LAST, Axes
from opforge.spec.combinations import combinations
from opforge.spec.dimensions import print_dim
from opforge.spec.model import OpSpec, Override, TensorSpec


@dataclass(frozen=True)
class Backward:
    """The backward of an op: from the gradients of its outputs to those of its products and elementwise inputs.

    ``kernel`` is an elementwise op with ``graph``; both are None if every gradient equals the gradient of an output.
    It has rows if the op does, and then sums gradients over them (``ir.column_sums``).

    The kernel's inputs are the ``grad_<output>``, products and inputs that it needs, in this order; for an optional
    input, its value or default. ``gradients`` names for each product and input the tensor with its gradient: an output
    of the kernel or a ``grad_<output>``, of the products' shape or the broadcast one. Absent names have no gradient.

    ``saved`` are the outputs that the kernel also reads, so that it need not compute them again: each has one float32
    for each row.

    ``of_rows`` are the inputs with one element for each row whose gradients have one, too.

    ``totals`` has what is made of all rows, each of one element: inputs of the kernel, and gradients. ATen computes it
    from the gradients of the outputs and the op's inputs; None if the op reduces the values of no rows.
    """

    kernel: OpSpec | None
    graph: Graph | None
    gradients: Mapping[str, str]
    totals: Graph | None = None
    saved: tuple[str, ...] = ()
    of_rows: tuple[str, ...] = ()


def backward_of(op: OpSpec, graph: Graph) -> Backward | None:
    """The backward of an op; None if its spec says ``backward: false`` or no input has a gradient."""
    if not op.backward:
        return None
    epilogue = dataclasses.replace(op, type=f"{op.type}Grad", inputs=_inputs(op, graph), tree=None)
    cut = cut_for_gradients(graph)
    derived = gradients(epilogue, cut, _saved(op, graph))
    if derived is None:
        return None
    of_rows = given_rows(epilogue, cut)
    totals = None
    holders: dict[str, str] = {}
    if graph.totals:
        totals, rest = cut_gradients(derived, [f"grad_{output.name}" for output in graph.outputs])
        names = {f"grad_{tensor.name}" for tensor in op.inputs}
        made = [output.name for output in totals.outputs if output.name in names] if totals is not None else []
        holders = {name.removeprefix("grad_"): name for name in made}
        if rest is None:
            return Backward(None, None, holders, totals)
        derived = rest
    computed: dict[str, int] = {}
    known: dict[tuple[int, bool, bool], str] = {}  # equal gradients are computed once
    rows = {output.name: output.row for output in derived.outputs if output.row is not None}
    summed = frozenset() if graph.products else summed_inputs(epilogue, derived)
    for output in derived.outputs:
        name = output.name.removeprefix("grad_")
        given = None if name in summed else _as_it_comes(derived, output.node)
        holder = given or known.setdefault((output.node, name in summed, output.name in rows), output.name)
        holders[name] = holder
        if holder == output.name:
            computed[output.name] = output.node
    if not computed:
        return Backward(None, None, holders, totals, of_rows=of_rows)
    kernel_graph = pruned(derived.nodes, computed, rows, derived.axes)
    kernel_graph = sum_over_rows(kernel_graph, {f"grad_{name}" for name in summed})
    verify(kernel_graph)
    kernel = _kernel(op, epilogue, kernel_graph, totals, graph)
    saved = tuple(output.name for output in op.outputs if output.name in kernel_graph.inputs)
    return Backward(kernel, kernel_graph, holders, totals, saved, of_rows)


def _saved(op: OpSpec, graph: Graph) -> Mapping[int, str]:
    """The values of rows that are results in the dtype in which they are computed, by node."""
    if graph.axes != LAST or graph.totals or graph.products:
        return {}
    exact = {tensor.name for tensor in op.outputs if set(tensor.dtypes) == {COMPUTE}}
    ones = (output for output in graph.outputs if output.row is not None and output.name in exact)
    return {graph[output.node].operands[0]: output.name for output in ones}


def _inputs(op: OpSpec, graph: Graph) -> tuple[TensorSpec, ...]:
    """The variables of the gradients' formulas: products, then elementwise inputs."""
    first, rows = op.inputs[0], bool(graph.reductions)
    dims = whole_dims(op) if rows else ("...",)
    products = [TensorSpec(node.name or "", first.dtypes, dims) for node in graph.products]
    used = {graph[n.operands[0]].name for n in graph.nodes if n.op == "cast" and n.dtype != STORAGE}
    plain = [
        # the caller adds the dimension
        dataclasses.replace(t, optional=False, unsqueezed=False, dims=tuple(map(print_dim, t.met_dimensions)))
        for t in op.inputs
        if t.name in used
    ]
    if rows:
        return (*products, *plain)
    return (*products, *(dataclasses.replace(t, dims=("...",)) for t in plain))


def _as_it_comes(graph: Graph, node: int) -> str | None:
    """The input that the output copies, or None."""
    wide = graph[graph[node].operands[0]]
    stored = graph[wide.operands[0]] if wide.op == "cast" else None
    return stored.name if stored is not None and stored.op == "input" else None


def _kernel(op: OpSpec, epilogue: OpSpec, graph: Graph, totals: Graph | None, forward: Graph) -> OpSpec:
    """The op of the kernel's ``graph``, which may reduce nothing: then ``forward`` says what a row is."""
    rows, axes = bool(forward.reductions), forward.axes
    tensors = {f"grad_{t.name}": t for t in (*epilogue.inputs, *op.outputs)} | {t.name: t for t in epilogue.inputs}
    kept = tuple(map(print_dim, axes.kept(whole_shape(op))))
    given = totals.outputs if totals is not None else ()
    made = {o.name: TensorSpec(o.name, ("float32",), () if o.row == "one" else kept) for o in given}
    tensors |= made | {t.name: TensorSpec(t.name, ("float32",), kept) for t in op.outputs if t.name in graph.inputs}
    grads = [f"grad_{tensor.name}" for tensor in op.outputs]
    order = [*grads, *made, *(tensor.name for tensor in epilogue.inputs), *(tensor.name for tensor in op.outputs)]
    inputs = [name for name in order if name in graph.inputs]
    outputs = [output.name for output in graph.outputs]
    named = {name: tensors[name] for name in (*inputs, *outputs)}
    if rows and axes != LAST:  # ATen sums these gradients, and rounds their sum alone
        of_rows = {output.name for output in graph.outputs if output.row is not None}
        named |= {
            name: dataclasses.replace(named[name], name=name, dtypes=("float32",))
            for name in outputs
            if name not in of_rows and tensors[name].dims != whole_dims(op)
        }
    columns = _columns(op, named.values(), combinations(dataclasses.replace(op, overrides=())))
    dims = {name: _dims(op, name, tensor, axes) if rows else ("...",) for name, tensor in named.items()}
    dims |= {output.name: tensors[output.name].dims for output in graph.sums}
    dims |= {output.name: kept for output in graph.outputs if output.row is not None}
    specs = {
        name: TensorSpec(name, column, dims[name], scalar=tensor.scalar and name == tensor.name)
        for (name, tensor), column in zip(named.items(), columns, strict=True)
    }
    overrides = [
        Override(soc, tuple(TensorSpec(name, column) for name, column in zip(named, columns, strict=True)))
        for soc in (override.soc for override in op.overrides)
        if all(columns := _columns(op, named.values(), combinations(op, soc)))
    ]
    whose = "'s epilogue" if {t.name for t in epilogue.inputs} - {t.name for t in op.inputs} else ""
    return OpSpec(
        type=epilogue.type,
        inputs=tuple(specs[name] for name in inputs),
        attrs=tuple(attr for attr in epilogue.attrs if attr.name in graph.attrs),
        outputs=tuple(specs[name] for name in outputs),
        compute=print_formulas(graph, {tensor.name: tensor.dtypes for tensor in specs.values()}),
        doc=f"The gradients of {op.type}{whose}.",
        backward=False,
        overrides=tuple(overrides),
    )


def _dims(op: OpSpec, name: str, tensor: TensorSpec, axes: Axes) -> tuple[str, ...]:
    """The dimensions of a tensor of a kernel with rows. Gradients of inputs have the broadcast shape."""
    whole = whole_dims(op)
    if tensor in op.outputs and op.tree is not None and op.tree.totals:
        return ()
    if tensor in op.outputs and tensor.dimensions == axes.dropped(whole_shape(op)):
        return tuple(map(print_dim, axes.kept(whole_shape(op))))  # the caller adds the dimensions again
    return tensor.dims if name == tensor.name or tensor in op.outputs else whole


def _columns(op: OpSpec, tensors: Iterable[TensorSpec], rows: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """The dtypes of tensors or products in each of the op's rows, without duplicate rows."""
    places = {tensor.name: place for place, tensor in enumerate((*op.inputs, *op.outputs))}
    # A product's is the first input's; what is made of all rows is float32.
    wanted = [places.get(tensor.name, None if tensor.dtypes == ("float32",) else 0) for tensor in tensors]
    distinct = dict.fromkeys(tuple("float32" if place is None else row[place] for place in wanted) for row in rows)
    return list(zip(*distinct, strict=True)) if distinct else [() for _ in wanted]
