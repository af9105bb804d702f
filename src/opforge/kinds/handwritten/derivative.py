"""The derivative of a handwritten op: torch differentiates its reference."""

from __future__ import annotations

from opforge.program import Derivative
from opforge.render.layout import python_tuple
from opforge.render.torch.derivative import backward_definition, keep
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names
from opforge.render.torch.statements import Statements
from opforge.spec.arguments import input_kind


def reference_derivative(signature: Signature) -> Derivative:
    """A backward that lets torch differentiate the reference."""
    arguments = (*signature.inputs, *signature.attrs)
    tensors = [t.name for t in signature.op.inputs if input_kind(t) == "tensor"]
    lists = [t.name for t in signature.op.inputs if input_kind(t) == "tensors"]
    others = [name for name in arguments if name not in (*tensors, *lists)]
    saved = [*tensors, *(f"*({name} or ())" if name in signature.optional else f"*{name}" for name in lists)]
    setup, body = keep(signature, saved, others, arguments), Statements()
    given = Names((*signature.names, "ctx")).new("saved")
    body.assign(given, "iter(ctx.saved_tensors)")
    for name in tensors:
        body.assign(name, f"next({given})")
    for name in lists:
        missing = name in signature.optional
        setup.assign(f"ctx.count_{name}", f"len({name}){f' if {name} is not None else None' if missing else ''}")
        taken = f"[next({given}) for _ in range(ctx.count_{name})]"
        body.assign(name, f"{taken}{f' if ctx.count_{name} is not None else None' if missing else ''}")
    passed = [f"ctx.{name}" if name in others else name for name in arguments]
    items = [
        (signature.op.reference or "").replace(":", "."),
        python_tuple(passed),
        "ctx.needs_input_grad",
        python_tuple([f"grad_{name}" for name in signature.outputs]),
    ]
    body.return_call("_by_hand.gradients", items, first=len(arguments) == 1)
    alone = "Any" if len(arguments) == 1 else "tuple[Any, ...]"
    return Derivative(tuple(setup.lines), backward_definition(signature, alone), tuple(body.lines), scalars=False)
