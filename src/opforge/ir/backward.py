"""The parts of the backward of an op with matrix products.

``y = silu(x @ w_gate) * (x @ w_up)`` has an elementwise kernel, SwiGLUGrad: grad_y, gate, up -> grad_gate, grad_up.
What leads from there to x and the weights are products, and to a row vector a sum: ATen's, as is recomputing gate and
up.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from opforge.ir.build import build_graphs
from opforge.ir.builder import GraphBuilder, pruned
from opforge.ir.differentiate import differentiate
from opforge.ir.graph import Graph
from opforge.ir.printer import print_formulas
from opforge.ir.verify import STORAGE, verify
from opforge.spec.model import OpSpec, Spec, TensorSpec


@dataclass(frozen=True)
class Backward:
    """How gradients get from the outputs of an op to its products and to its inputs beside them.

    ``kernel`` is an elementwise op with ``graph``, both None where all gradients are gradients of outputs as they come.
    Its inputs are those of ``grad_<output>``, products and further inputs that it needs, in this order; optional ones
    stand for their values. ``gradients`` says for each product and further input which tensor holds its gradient, of
    the products' shape: an output of the kernel or a ``grad_<output>``. What is not in it has no gradient.
    """

    kernel: OpSpec | None
    graph: Graph | None
    gradients: Mapping[str, str]


def backward_of(op: OpSpec, graph: Graph) -> Backward | None:
    """The parts for an op; None for an elementwise op, and where the spec says ``backward: false``."""
    if not graph.products or not op.backward:
        return None
    dtypes = op.inputs[0].dtypes
    further = [tensor.name for tensor in op.inputs if tensor.name in _elementwise(graph)]
    named = [*(product.name or "" for product in graph.products), *further]
    tensors = tuple(TensorSpec(name, dtypes, dtypes_given=False) for name in named)
    epilogue = dataclasses.replace(op, type=f"{op.type}Grad", inputs=tensors)
    derived = differentiate(epilogue, _epilogue(graph))
    gradients: dict[str, str] = {}
    computed: dict[str, int] = {}
    holders: dict[int, str] = {}  # equal gradients are computed once
    for output in derived.outputs:
        name = output.name.removeprefix("grad_")
        holder = _as_it_comes(derived, output.node) or holders.setdefault(output.node, output.name)
        gradients[name] = holder
        if holder == output.name:
            computed[output.name] = output.node
    if not computed:
        return Backward(None, None, gradients)
    kernel_graph = pruned(derived.nodes, computed)
    verify(kernel_graph)
    kernel = _kernel(epilogue, kernel_graph)
    return Backward(kernel, kernel_graph, gradients)


def kernel_ops(spec: Spec, graphs: Mapping[str, Graph] | None = None) -> tuple[tuple[OpSpec, Graph], ...]:
    """Every op that has a kernel, with its graph: the spec's, each followed by the one of its gradients, if it has one.

    Args:
        spec: the project's.
        graphs: those of ``build_graphs(spec)``; None: they are built here.

    Raises:
        SpecError: compute says something that no kernel can be made of.
    """
    graphs = build_graphs(spec) if graphs is None else graphs
    made: list[tuple[OpSpec, Graph]] = []
    for op in spec.ops:
        made.append((op, graphs[op.type]))
        backward = backward_of(op, graphs[op.type])
        if backward is not None and backward.kernel is not None and backward.graph is not None:
            made.append((backward.kernel, backward.graph))
    return tuple(made)


def _elementwise(graph: Graph) -> frozenset[str]:
    """The inputs that are used element by element."""
    return frozenset(graph[n.operands[0]].name or "" for n in graph.nodes if n.op == "cast" and n.dtype != STORAGE)


def _epilogue(graph: Graph) -> Graph:
    """The graph with products and optional inputs as plain inputs."""
    builder = GraphBuilder()
    value: dict[int, int] = {}
    for node in graph.nodes:
        if node.op == "matmul":
            value[node.id] = builder.input(node.name or "")
        elif node.op == "given_or":
            value[node.id] = value[node.operands[0]]
        elif node.op == "cast" and node.dtype != STORAGE:
            value[node.id] = builder.input(graph[node.operands[0]].name or "")
        elif node.op == "attr":
            value[node.id] = builder.attr(node.name or "")
        elif node.op == "const":
            value[node.id] = builder.const(node.value or 0.0)
        elif node.op not in ("input", "cast"):
            value[node.id] = builder.apply(node.op, *(value[operand] for operand in node.operands))
    return builder.finish({output.name: value[graph[output.node].operands[0]] for output in graph.outputs})


def _as_it_comes(graph: Graph, node: int) -> str | None:
    """The input that an output is a copy of."""
    wide = graph[graph[node].operands[0]]
    stored = graph[wide.operands[0]] if wide.op == "cast" else None
    return stored.name if stored is not None and stored.op == "input" else None


def _kernel(epilogue: OpSpec, graph: Graph) -> OpSpec:
    dtypes = epilogue.inputs[0].dtypes
    attrs = {node.name for node in graph.nodes if node.op == "attr"}
    order = [*(f"grad_{tensor.name}" for tensor in epilogue.outputs), *(tensor.name for tensor in epilogue.inputs)]
    inputs = [name for name in order if name in graph.inputs]
    return OpSpec(
        type=epilogue.type,
        inputs=tuple(TensorSpec(name, dtypes, dtypes_given=place == 0) for place, name in enumerate(inputs)),
        attrs=tuple(attr for attr in epilogue.attrs if attr.name in attrs),
        outputs=tuple(TensorSpec(output.name, dtypes, dtypes_given=False) for output in graph.outputs),
        compute=print_formulas(graph),
        doc=f"The gradients of {epilogue.type.removesuffix('Grad')}'s epilogue.",
        backward=False,
    )
