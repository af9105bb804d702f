"""The derivative of a handwritten op by another op of the project, which the spec names."""

from __future__ import annotations

from opforge.program import Derivative
from opforge.render.torch.derivative import backward_definition
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names
from opforge.render.torch.statements import Statements


def named_derivative(signature: Signature, gradient: Signature) -> Derivative:
    """A backward that calls the operator ``gradient``. The forward saves the inputs and outputs that it takes.

    An output without ``grad_<output>`` is marked as not differentiable, since the backward would ignore its gradient.
    """
    taken = [name for name in gradient.inputs if name in (*signature.inputs, *signature.outputs)]
    attrs = [name for name in gradient.attrs if name in signature.attrs]
    constant = [name for name in signature.outputs if f"grad_{name}" not in gradient.inputs]
    setup = Statements()
    if any(name in (*taken, *constant) for name in signature.outputs):
        outputs = [name if name in (*taken, *constant) else "_" for name in signature.outputs]
        if len(outputs) == 1:
            setup.assign(outputs[0], "output")
        else:
            setup.unpack(outputs, "output")
    used = {*taken, *attrs}
    if used - {*signature.outputs}:
        arguments = (*signature.inputs, *signature.attrs)
        setup.unpack([name if name in used else "_" for name in arguments], "inputs")
    if constant:
        setup.run(f"ctx.mark_non_differentiable({', '.join(constant)})")
    if taken:
        setup.run(f"ctx.save_for_backward({', '.join(taken)})")
    for name in attrs:
        setup.assign(f"ctx.{name}", name)

    body = Statements()
    if taken:
        body.unpack(taken, "ctx.saved_tensors")
    passed = [*gradient.inputs, *(f"{name}=ctx.{name}" for name in attrs)]
    local = Names((*signature.names, *gradient.names, "torch", "ctx"))
    results = [local.new(f"{name}_result") for name in gradient.outputs]
    body.assign_results(results, f"torch.ops.{gradient.package}.{gradient.function}", passed)
    made = dict(zip(gradient.outputs, results, strict=True))
    arguments = (*signature.inputs, *signature.attrs)
    body.return_values([made.get(f"grad_{name}", "None") if name in signature.inputs else "None" for name in arguments])
    returns = "Tensor | None" if len(arguments) == 1 else "tuple[Tensor | None, ...]"
    return Derivative(tuple(setup.lines), backward_definition(signature, returns), tuple(body.lines), scalars=False)
