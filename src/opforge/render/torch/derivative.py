"""The derivative of an op as torch source: the values that autograd keeps, and the gradients of the derived graph."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.ir.graph import Graph
from opforge.program import Derivative
from opforge.render.layout import python_signature
from opforge.render.torch.loaded_inputs import kept_dtypes, load, loads
from opforge.render.torch.signature import Signature, annotation
from opforge.render.torch.spelling import Names, Writer, result_of
from opforge.render.torch.statements import Statements


def no_derivative(signature: Signature) -> Derivative:
    """A backward that raises. Without it, torch would only warn and return no gradients."""
    what = f"{signature.package}.{signature.function} has no derivative: "
    if not signature.kernel.computable:
        what += "opforge.yaml gives no reference to differentiate"
    elif signature.gradient_of is None:
        what += "opforge.yaml says backward: false"
    else:
        what += f"{signature.gradient_of} can be differentiated once"
    body = Statements()
    body.raise_error("RuntimeError", what)
    return Derivative((), backward_definition(signature, "None"), tuple(body.lines), scalars=False)


def derivative_of(signature: Signature, graph: Graph) -> Derivative:
    """The derivative from ``graph`` (by ``ir.differentiate``). The code sums each gradient to its input's shape."""
    grads = tuple(f"grad_{name}" for name in signature.outputs)
    numbers = [t.name for t in signature.op.inputs if t.scalar and t.name in graph.inputs]
    kept = [name for name in signature.inputs if name in graph.inputs and name not in numbers]
    attrs = [name for name in signature.attrs if name in graph.attrs]
    results = {f"grad_{name}": name for name in signature.inputs}

    local = Names((*signature.names, *grads, *results, "torch", "_scalars", "ctx"))
    wide = local.new("wide")
    names = {name: name for name in (*kept, *grads, *numbers)} | {name: f"ctx.{name}" for name in attrs}
    come = loads(signature.op, graph, [*(name for name in grads if name in graph.inputs), *kept])

    body = Statements()
    if kept:
        body.unpack(kept, "ctx.saved_tensors")
    before, like = kept_dtypes(graph, local)
    body.extend(before.lines)
    writer = Writer(graph, names, local, wide, masks=come.masks, like=like)
    body.assign(wide, f"torch.promote_types({grads[0]}.dtype, torch.float32)")
    load(body, come, wide)
    for name in numbers:
        body.assign(name, f"torch.tensor(ctx.{name}, dtype={wide}, device={grads[0]}.device)")

    roots = {output.name: result_of(graph, output.node) for output in graph.outputs}
    _write_shared(writer, graph, tuple(roots.values()), body)
    start_gradients(body, tuple(results))
    for position, (grad, name) in enumerate(results.items()):
        if grad in roots:
            with body.when(f"ctx.needs_input_grad[{position}]"):
                value = writer.value(roots[grad], body).within(4)
                body.assign(grad, f"{value}.sum_to_size(ctx.shape_{name}).to(ctx.dtype_{name})")
    return_gradients(body, signature, tuple(results))
    reached = [name for grad, name in results.items() if grad in roots]
    setup = keep(signature, kept, [*attrs, *numbers], reached)
    for name in reached:
        setup.assign(f"ctx.shape_{name}", f"{name}.shape")
        setup.assign(f"ctx.dtype_{name}", f"{name}.dtype")
    return Derivative(
        setup_lines=tuple(setup.lines),
        signature=gradients_definition(signature),
        lines=tuple(body.lines),
        scalars=writer.uses_scalars,
    )


def start_gradients(body: Statements, results: Sequence[str]) -> None:
    """Gradients that are not needed stay None."""
    for name in results:
        body.assign(f"{name}: Tensor | None", "None")


def return_gradients(body: Statements, signature: Signature, results: Sequence[str]) -> None:
    """The gradients of all inputs, and None for each attribute."""
    body.return_values([*results, *("None" for _ in signature.attrs)])


def keep(
    signature: Signature,
    kept: Sequence[str],
    attrs: Sequence[str],
    reached: Sequence[str],
    saved: Sequence[str] = (),
) -> Statements:
    """The first statements of a setup_context: it keeps tensors and other arguments, and later reads ``reached``.

    ``saved`` are those of the tensors that are outputs.
    """
    setup = Statements()
    used = {*kept, *attrs, *reached}
    setup.unpack([name if name in used else "_" for name in (*signature.inputs, *signature.attrs)], "inputs")
    if saved and len(signature.outputs) == 1:
        setup.assign(signature.outputs[0], "output")
    elif saved:
        setup.unpack([name if name in saved else "_" for name in signature.outputs], "output")
    if kept:
        setup.run(f"ctx.save_for_backward({', '.join(kept)})")
    for name in attrs:
        setup.assign(f"ctx.{name}", name)
    return setup


def gradients_definition(signature: Signature) -> str:
    """The ``def`` line of a backward that returns tensors: one argument's gradient is returned as it is."""
    alone = len(signature.inputs) + len(signature.attrs) == 1
    return backward_definition(signature, "Tensor | None" if alone else "tuple[Tensor | None, ...]")


def backward_definition(signature: Signature, returns: str) -> str:
    """The ``def`` line of an op's backward function."""
    grads = [f"grad_{tensor.name}: {annotation(tensor)}" for tensor in signature.op.outputs]
    return python_signature(f"_{signature.function}_backward", ["ctx: Any", *grads], returns)


def _write_shared(writer: Writer, graph: Graph, roots: tuple[int, ...], body: Statements) -> None:
    """Statements for what several gradients need, so that each other stands where only one does."""
    count: dict[int, int] = {}
    for root in dict.fromkeys(roots):
        for reached in writer.reached(root):
            count[reached] = count.get(reached, 0) + 1
    for node in graph.nodes:
        if count.get(node.id, 0) > 1 and node.op not in ("input", "attr", "const", "cast"):
            writer.value(node.id, body)
