"""Lists the kinds of kernels and derives the program of a spec.

A kind is a folder with its rule for the ops that it takes, its plan, the contexts of its forms, its headers, golden and
trials. Its forms are in a folder of the same name below ``templates/code/ascendc/kinds``. ``KINDS`` is the only list of
kinds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.errors import InternalError
from opforge.ir.backward import backward_of
from opforge.ir.op_graphs import build_graph, build_graphs
from opforge.kinds.elementwise import Elementwise
from opforge.kinds.handwritten import Handwritten
from opforge.kinds.product_rows import ProductRows
from opforge.kinds.products import Products
from opforge.kinds.row_totals import RowTotals
from opforge.kinds.rows import Rows
from opforge.program import Kernel, Program
from opforge.soc import SOCS

if TYPE_CHECKING:
    from opforge.ir.backward import Backward
    from opforge.ir.graph import Graph
    from opforge.soc import Soc
    from opforge.spec.model import OpSpec, Spec

KINDS: tuple[type[Kernel], ...] = (
    Products,
    ProductRows,
    RowTotals,
    Rows,
    Elementwise,
    Handwritten,
)  # in order of preference


def kernel_of(
    op: OpSpec,
    socs: tuple[Soc, ...],
    graph: Graph | None,
    backward: Backward | None = None,
    gradient_of: str | None = None,
) -> Kernel:
    """The kernel of ``op`` with the expression ``graph``, of the first kind that takes it."""
    for kind in KINDS:
        if kind.takes(op, graph):
            return kind(op, socs, graph, backward, gradient_of)
    raise InternalError(f"no kind of kernel takes {op.type}")


def kernel_alone(op: OpSpec) -> Kernel:
    """The kernel of an op outside a project: without SoCs and without a backward."""
    return kernel_of(op, (), None if op.handwritten else build_graph(op))


def derive(spec: Spec) -> Program:
    """The program of a spec. Raises SpecError with all problems of expressions that kernels cannot compute."""
    graphs = build_graphs(spec)
    socs = tuple(SOCS[name] for name in spec.project.soc)
    kernels: list[Kernel] = []
    for op in spec.ops:
        graph = graphs.get(op.type)
        backward = None if graph is None else backward_of(op, graph)
        kernels.append(kernel_of(op, socs, graph, backward))
        if backward is not None and backward.kernel is not None:
            kernels.append(kernel_of(backward.kernel, socs, backward.graph, gradient_of=op.type))
    return Program(spec, tuple(kernels))
