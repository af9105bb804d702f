"""Gradients of inputs that are the same for all rows: the kernel of the gradients sums them over the rows.

``y = rms_norm(x, gamma)`` with x [..., H] and gamma [H] has ``grad_gamma = sum_to(grad_y * x * rstd, [H])``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection

from opforge.ir.graph import Graph
from opforge.ir.rows import columns
from opforge.spec.model import OpSpec


def summed_inputs(op: OpSpec, graph: Graph) -> frozenset[str]:
    """The inputs of an op whose gradients its gradients' kernel sums over the rows; ``graph`` is that of all gradients.

    An elementwise kernel has no rows, and those of ops with matrix products leave the sums to ATen.
    """
    names = columns(op, graph.axes) if graph.reductions else ()
    return frozenset(name for name in names if any(output.name == f"grad_{name}" for output in graph.outputs))


def sum_over_rows(graph: Graph, names: Collection[str]) -> Graph:
    """The graph with sums over the rows of the results ``names``."""
    outputs = (dataclasses.replace(output, summed=output.name in names) for output in graph.outputs)
    return dataclasses.replace(graph, outputs=tuple(outputs))
