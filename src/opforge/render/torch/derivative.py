"""The derivative of an op as torch source: what autograd keeps, and the gradients from the derived graph."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.ir.graph import Graph
from opforge.render.torch.layout import python_call, python_return, python_signature, python_unpacking
from opforge.render.torch.reference import widen
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names, Writer, loads, result_of
from opforge.spec.arguments import input_kind


@dataclass(frozen=True)
class Derivative:
    """Two functions of _ops.py: what the forward keeps (nothing where an op has no derivative), and the backward."""

    setup_lines: tuple[str, ...]
    signature: str
    lines: tuple[str, ...]
    scalars: bool


def no_derivative(signature: Signature) -> Derivative:
    """A backward that says there is none: without one torch would only warn, and give no gradients."""
    what = f"{signature.package}.{signature.function} has no derivative: "
    if signature.op.handwritten and signature.op.reference is None:
        what += "opforge.yaml gives no reference to differentiate"
    elif signature.gradient_of is None:
        what += "opforge.yaml says backward: false"
    else:
        what += f"{signature.gradient_of} can be differentiated once"
    raised = python_call("raise RuntimeError(", [f'"{what}"'], ")", 4)
    return Derivative((), backward_definition(signature, "None"), (raised,), scalars=False)


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
