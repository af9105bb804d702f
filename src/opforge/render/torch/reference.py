"""The golden reference of a project as readable torch source: python/<package>/_reference.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from opforge.ir.graph import Graph
from opforge.render.torch.layout import python_call, python_return, python_signature
from opforge.render.torch.signature import Signature, torch_dtype
from opforge.render.torch.spelling import LONGEST_LINE, Names, Writer, result_of


@dataclass(frozen=True)
class DtypeTable:
    """An output's dtype for each combination of input dtypes, where it is not simply an input's."""

    name: str
    rows: tuple[str, ...]


@dataclass(frozen=True)
class ReferenceOp:
    """One function of _reference.py."""

    signature: str
    docstring: str
    lines: tuple[str, ...]
    tables: tuple[DtypeTable, ...]


@dataclass(frozen=True)
class Reference:
    """Context of ``code/torch/python/_reference.py``."""

    package: str
    scalars: bool
    ops: tuple[ReferenceOp, ...]


def reference_context(package: str, signatures: Sequence[Signature], graphs: Mapping[str, Graph]) -> Reference:
    """The context for all ops of a project; ``graphs`` by op type."""
    made = [_reference_op(signature, graphs[signature.op.type]) for signature in signatures]
    return Reference(package, any(scalars for _, scalars in made), tuple(op for op, _ in made))


def widen(names: Sequence[str], wide: str) -> list[str]:
    """Statements that turn tensors into the dtype that values are computed in."""
    each = [f"{name}.to({wide})" for name in names]
    together = f"{', '.join(names)} = {', '.join(each)}"
    if len(together) > LONGEST_LINE:
        return [f"{name} = {value}" for name, value in zip(names, each, strict=True)]
    return [together] if names else []


def _reference_op(signature: Signature, graph: Graph) -> tuple[ReferenceOp, bool]:
    local = Names((*signature.names, "torch", "_scalars"))
    wide, shape = local.new("wide"), local.new("shape")
    follows = [signature.follows(i) for i in range(len(signature.outputs))]
    dtypes = {name: local.new("dtype") for name in dict.fromkeys(name for name in follows if name is not None)}
    rows = {i: local.new("dtype") for i, name in enumerate(follows) if name is None}
    nodes = {output.name: output.node for output in graph.outputs}

    writer = Writer(graph, {name: name for name in (*signature.inputs, *signature.attrs)}, local, wide, "")
    body: list[str] = []
    results: list[str] = []
    needs_shape = False
    given: set[int] = set()
    for i, name in enumerate(signature.outputs):
        node = result_of(graph, nodes[name])
        used = {graph[n].name for n in writer.reached(node) if graph[n].op == "input"}
        spread = len(used) < len(signature.inputs)  # it may be smaller than the output, which all inputs shape
        writer.assign(node, name, body, f"torch.broadcast_to({{0}}, {shape})" if spread else "{0}")
        needs_shape = needs_shape or spread
        follower = follows[i]
        dtype = dtypes[follower] if follower is not None else rows[i]
        results.append(f"{name}.to({dtype}{', copy=True' if node in given else ''})")  # no output aliases another
        given.add(node)

    head = [f"{dtype} = {name}.dtype" for name, dtype in dtypes.items()]
    head += [f"{dtype} = {signature.output_dtype(i)}" for i, dtype in rows.items()]
    first = signature.inputs[0]
    head.append(f"{wide} = torch.promote_types({first}.dtype, torch.float32)")
    if needs_shape:
        shapes = [f"{name}.shape" for name in signature.inputs]
        head.append(python_call(f"{shape} = torch.broadcast_shapes(", shapes, ")", 4))
    read = [name for name in signature.inputs if name in graph.inputs]
    lines = [*head, *widen(read, wide), *body, python_return(results, 4)]
    tables = tuple(_table(signature, i) for i in rows)
    definition = python_signature(signature.function, signature.parameters, signature.returns)
    return ReferenceOp(definition, docstring(signature.op.compute), tuple(lines), tables), writer.uses_scalars


def _table(signature: Signature, index: int) -> DtypeTable:
    rows = []
    for inputs, outputs in zip(signature.input_columns, signature.output_columns, strict=True):
        key = ", ".join(map(torch_dtype, inputs)) + ("," if len(inputs) == 1 else "")
        rows.append(f"({key}): {torch_dtype(outputs[index])}")
    return DtypeTable(signature.output_table(index), tuple(rows))


def docstring(text: str, *, keep_indentation: bool = False) -> str:
    """What stands between triple double quotes in a function; after several lines the closing quotes get their own."""
    safe = text.strip().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = [line.rstrip() if keep_indentation else line.strip() for line in safe.splitlines()]
    if len(lines) == 1:
        return f'{safe[:-1]}\\"' if safe.endswith('"') else safe
    return "\n".join(f"    {line}" if line and i else line for i, line in enumerate(lines)) + "\n    "
