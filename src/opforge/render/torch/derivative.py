"""The derivative of an op as torch source: what autograd keeps, and the gradients from the derived graph."""

from __future__ import annotations

from opforge.ir.graph import Graph
from opforge.program import Derivative
from opforge.render.layout import python_call, python_return, python_signature, python_unpacking
from opforge.render.torch.reference import widen
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names, Writer, loads, result_of


def no_derivative(signature: Signature) -> Derivative:
    """A backward that says there is none: without one torch would only warn, and give no gradients."""
    what = f"{signature.package}.{signature.function} has no derivative: "
    if not signature.kernel.computable:
        what += "opforge.yaml gives no reference to differentiate"
    elif signature.gradient_of is None:
        what += "opforge.yaml says backward: false"
    else:
        what += f"{signature.gradient_of} can be differentiated once"
    raised = python_call("raise RuntimeError(", [f'"{what}"'], ")", 4)
    return Derivative((), backward_definition(signature, "None"), (raised,), scalars=False)


def derivative_of(signature: Signature, graph: Graph) -> Derivative:
    """The derivative that ``graph`` (of ``ir.differentiate``) says: gradients at the broadcast shape, summed here."""
    grads = tuple(f"grad_{name}" for name in signature.outputs)
    numbers = [t.name for t in signature.op.inputs if t.scalar and t.name in graph.inputs]
    kept = [name for name in signature.inputs if name in graph.inputs and name not in numbers]
    attrs = [node.name for node in graph.nodes if node.op == "attr" and node.name is not None]
    results = {f"grad_{name}": name for name in signature.inputs}

    local = Names((*signature.names, *grads, *results, "torch", "_scalars", "ctx"))
    wide = local.new("wide")
    names = {name: name for name in (*kept, *grads, *numbers)} | {name: f"ctx.{name}" for name in attrs}
    come = loads(signature.op, [*(name for name in grads if name in graph.inputs), *kept])
    writer = Writer(graph, names, local, wide, masks=come.masks)

    alone = len(results) + len(signature.attrs) == 1  # one argument: its gradient is returned as it is
    lines = []
    if kept:
        lines.append(python_unpacking(kept, "ctx.saved_tensors", 4))
    lines.append(f"{wide} = torch.promote_types({grads[0]}.dtype, torch.float32)")
    lines += widen(come.wide, wide)
    lines += [f"{name} = torch.tensor(ctx.{name}, dtype={wide}, device={grads[0]}.device)" for name in numbers]

    roots = {output.name: result_of(graph, output.node) for output in graph.outputs}
    lines += _shared(writer, graph, tuple(roots.values()))
    lines += [f"{name}: Tensor | None = None" for name in results]
    for position, (grad, name) in enumerate(results.items()):
        if grad in roots:
            block: list[str] = []
            value = writer.value(roots[grad], block).within(4)
            block.append(f"{grad} = {value}.sum_to_size(ctx.shape_{name}).to(ctx.dtype_{name})")
            lines.append(f"if ctx.needs_input_grad[{position}]:")
            lines += [f"    {line}" for line in block]
    lines.append(python_return([*results, *("None" for _ in signature.attrs)], 4))
    return Derivative(
        setup_lines=tuple(_setup(signature, kept, [*attrs, *numbers], {results[grad] for grad in roots})),
        signature=backward_definition(signature, "Tensor | None" if alone else "tuple[Tensor | None, ...]"),
        lines=tuple(lines),
        scalars=writer.uses_scalars,
    )


def backward_definition(signature: Signature, returns: str) -> str:
    """The ``def`` line of an op's backward."""
    grads = [f"grad_{name}: Tensor" for name in signature.outputs]
    return python_signature(f"_{signature.function}_backward", ["ctx: Any", *grads], returns)


def _setup(signature: Signature, kept: list[str], attrs: list[str], reached: set[str]) -> list[str]:
    inputs = (*signature.inputs, *signature.attrs)
    used = {*reached, *kept, *attrs}
    lines = [python_unpacking([name if name in used else "_" for name in inputs], "inputs", 4)]
    if kept:
        lines.append(python_call("ctx.save_for_backward(", kept, ")", 4))
    lines += [f"ctx.{name} = {name}" for name in attrs]
    for name in signature.inputs:
        if name in reached:
            lines += [f"ctx.shape_{name} = {name}.shape", f"ctx.dtype_{name} = {name}.dtype"]
    return lines


def _shared(writer: Writer, graph: Graph, roots: tuple[int, ...]) -> list[str]:
    """Statements for what several gradients need, so that each other stands where only one does."""
    count: dict[int, int] = {}
    for root in dict.fromkeys(roots):
        for reached in writer.reached(root):
            count[reached] = count.get(reached, 0) + 1
    lines: list[str] = []
    for node in graph.nodes:
        if count.get(node.id, 0) > 1 and node.op not in ("input", "attr", "const", "cast"):
            writer.value(node.id, lines)
    return lines
