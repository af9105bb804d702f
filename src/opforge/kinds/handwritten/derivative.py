"""The derivative of an op with a reference: torch differentiates it."""

from __future__ import annotations

from opforge.program import Derivative
from opforge.render.layout import python_call, python_unpacking
from opforge.render.torch.derivative import backward_definition
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names
from opforge.spec.arguments import input_kind


def reference_derivative(signature: Signature) -> Derivative:
    """The derivative of an op written by hand: torch differentiates its reference."""
    arguments = (*signature.inputs, *signature.attrs)
    tensors = [t.name for t in signature.op.inputs if input_kind(t) == "tensor"]
    lists = [t.name for t in signature.op.inputs if input_kind(t) == "tensors"]
    others = [name for name in arguments if name not in (*tensors, *lists)]
    saved = [*tensors, *(f"*({name} or ())" if name in signature.optional else f"*{name}" for name in lists)]
    setup = [python_unpacking(arguments, "inputs", 4), python_call("ctx.save_for_backward(", saved, ")", 4)]
    setup += [f"ctx.{name} = {name}" for name in others]
    none = {name: f" if {name} is not None else None" if name in signature.optional else "" for name in lists}
    setup += [f"ctx.count_{name} = len({name}){none[name]}" for name in lists]
    given = Names((*signature.names, "ctx")).new("saved")
    lines = [f"{given} = iter(ctx.saved_tensors)"]
    lines += [f"{name} = next({given})" for name in tensors]
    lines += [
        f"{name} = [next({given}) for _ in range(ctx.count_{name})]{none[name].replace(name, f'ctx.count_{name}')}"
        for name in lists
    ]
    passed = ", ".join(f"ctx.{name}" if name in others else name for name in arguments)
    grads = ", ".join(f"grad_{name}" for name in signature.outputs)
    items = [
        (signature.op.reference or "").replace(":", "."),
        f"({passed}{',' if len(arguments) == 1 else ''})",
        "ctx.needs_input_grad",
        f"({grads}{',' if len(signature.outputs) == 1 else ''})",
    ]
    call = python_call("_by_hand.gradients(", items, ")", 4)
    lines.append(f"return {call}{'[0]' if len(arguments) == 1 else ''}")
    alone = "Any" if len(arguments) == 1 else "tuple[Any, ...]"
    return Derivative(tuple(setup), backward_definition(signature, alone), tuple(lines), scalars=False)
