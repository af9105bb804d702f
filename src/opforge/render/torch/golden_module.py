"""A module that computes one op, for a handwritten kernel whose author has an expression."""

from __future__ import annotations

from opforge.errors import Problem, SpecError
from opforge.program import Kernel
from opforge.render.forms import render_form
from opforge.render.torch.reference import reference_context
from opforge.render.torch.signature import Signature


def golden_module(package: str, kernel: Kernel) -> str:
    """Python source with the function of an op with ``compute``. Raises SpecError if one module is not enough."""
    if not kernel.broadcasts:
        what = f"`{kernel.op.type}` does not compute element by element, and only such an expression can be a golden"
        raise SpecError([Problem(what, hint="write it in torch, and name it with --reference")])
    context = reference_context(package, [Signature(kernel, package)])
    if context.owned:
        op_type = kernel.op.type
        what = f"an attribute of `{op_type}` is computed with as the kernel rounds it, which takes more than one module"
        raise SpecError([Problem(what, hint="write it in torch, and name it with --reference")])
    return render_form("code/torch/python/_reference.py", context)
