"""A module with what one op computes, for an op whose kernel is written by hand and whose author has an expression."""

from __future__ import annotations

from opforge.errors import Problem, SpecError
from opforge.ir.op_graphs import build_graph
from opforge.render.forms import render_form
from opforge.render.torch.reference import reference_context
from opforge.render.torch.signature import Signature
from opforge.spec.model import OpSpec


def golden_module(package: str, op: OpSpec) -> str:
    """Python source with the function of an op with ``compute``. Raises SpecError where no module alone can say it."""
    graph = build_graph(op)
    if graph.products:
        what = f"the matrix product of `{op.type}` is no golden of a kernel written by hand"
        raise SpecError([Problem(what, hint="write it in torch, and name it with --reference")])
    signature = Signature(op, package, whole_attrs=graph.whole_attrs)
    context = reference_context(package, [signature], {op.type: graph})
    if context.scalars:
        what = f"an attribute of `{op.type}` is computed with as the kernel rounds it, which takes more than one module"
        raise SpecError([Problem(what, hint="write it in torch, and name it with --reference")])
    return render_form("code/torch/python/_reference.py", context)
