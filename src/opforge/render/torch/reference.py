"""The golden reference of a project as readable torch source: python/<package>/_reference.py."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from opforge.frozen import dataclass
from opforge.ir.graph import Graph, Node, Output
from opforge.render.layout import python_signature, uses_module
from opforge.render.torch.loaded_inputs import kept_dtypes, load, loads
from opforge.render.torch.owned_modules import OWNED
from opforge.render.torch.row_spelling import result as result_text
from opforge.render.torch.signature import Signature, torch_dtype
from opforge.render.torch.spelling import Names, Writer, result_of
from opforge.render.torch.spelling import number as number_text
from opforge.render.torch.statements import Statements
from opforge.spec.model import TensorSpec
from opforge.spec.value_kinds import kinds_of


@dataclass(frozen=True)
class DtypeTable:
    """An output's dtype for each combination of input dtypes, if it is not simply the dtype of an input."""

    name: str
    rows: tuple[str, ...]


@dataclass(frozen=True)
class ReferenceOp:
    """One function of _reference.py."""

    signature: str
    docstring: str
    lines: tuple[str, ...]
    tables: tuple[DtypeTable, ...]
    behind_function: bool = False


@dataclass(frozen=True)
class Reference:
    """Context of ``code/torch/python/_reference.py``."""

    package: str
    sequences: bool
    torch: bool
    owned: str  # modules below _opforge that it imports
    ops: tuple[ReferenceOp, ...]


def reference_context(package: str, signatures: Sequence[Signature]) -> Reference:
    """The context for the ops of a project that have an expression."""
    made = [_reference_op(signature) for signature in signatures]
    sequences = any("Sequence[" in parameter for signature in signatures for parameter in signature.parameters)
    ops = tuple(replace(op, behind_function=place > 0) for place, op in enumerate(made))
    text = [row for op in ops for table in op.tables for row in table.rows] + [line for op in ops for line in op.lines]
    torch = any("torch." in line for line in text)
    owned = [name for name in OWNED if uses_module(text, name)]
    return Reference(package, sequences, torch, ", ".join(owned), ops)


def _reference_op(signature: Signature) -> ReferenceOp:
    graph, side = signature.kernel.expression, signature.kernel.torch
    local = Names((*signature.names, "torch", "_rows", "_scalars"))
    wide, shape = local.new("wide"), local.new("shape")
    given = {node.id: local.new(f"{operand_name(graph, node)}_or") for node in graph.nodes if node.op == "given_or"}
    follows = [signature.follows(i) for i in range(len(signature.outputs))]
    dtypes = {name: local.new("dtype") for name in dict.fromkeys(name for name in follows if name is not None)}
    rows = {i: local.new("dtype") for i, name in enumerate(follows) if name is None}
    graph_outputs = {output.name: output for output in graph.outputs}

    tensors = tuple(name for name in signature.required if name in graph.inputs)
    numbers = tuple(tensor for tensor in signature.op.inputs if tensor.scalar and tensor.name in graph.inputs)
    come = loads(signature.op, graph, tensors)
    body, like = kept_dtypes(graph, local)
    masks = come.masks | {tensor.name for tensor in numbers if kinds_of(tensor.dtypes) == ("mask",)}
    names = {name: signature.spelled(name) for name in (*signature.inputs, *signature.attrs)}
    writer = Writer(graph, names, local, wide, given, masks=masks, like=like)
    outputs = Statements()
    results: list[str] = []
    needs_shape = False
    returned: set[int] = set()
    for i, name in enumerate(signature.outputs):
        node = result_of(graph, graph_outputs[name].node)
        row = graph_outputs[name].row
        spread = not _makes_shape(signature, writer.reached(node, rows=row is not None))
        spread = spread and row != "one" and not (graph.axes.alike and row is not None)
        form = result_text("{0}", shape, row, graph.axes, spread=spread)
        writer.assign(node, name, outputs, form)
        needs_shape = needs_shape or spread
        follower = follows[i]
        dtype = dtypes[follower] if follower is not None else rows[i]
        results.append(_result(graph_outputs[name], dtype, copies=node in returned))
        returned.add(node)

    rest = Statements()
    if needs_shape and not signature.kernel.broadcasts:
        rest.assign(shape, side.output_shape([f"{signature.spelled(name)}.shape" for name in signature.required]))
    load(rest, come, wide)
    for each in numbers:
        rest.assign(each.name, number_tensor(each, wide, signature.first))
    for number, name in given.items():
        tensor, value = operand_name(graph, graph[number]), number_text(graph[number].value)
        rest.assign(name, f"torch.tensor({value}, dtype={wide}, device={signature.first}.device)")
        with rest.when(f"{tensor} is not None"):
            rest.assign(name, f"{tensor}.to({wide})")
    if needs_shape and signature.kernel.broadcasts:  # numbers that stand for optional inputs, too
        rest.assign(
            shape,
            side.output_shape([f"{signature.spelled(name)}.shape" for name in (*signature.required, *given.values())]),
        )
    rest.extend(outputs.lines)
    rest.return_values(results)

    for name, dtype in dtypes.items():
        body.assign(dtype, f"{name}.dtype")
    for i, dtype in rows.items():
        body.assign(dtype, signature.output_dtype(i))
    if any(wide in line for line in rest.lines):  # else integers alone
        body.assign(wide, wide_dtype(signature))
    body.extend(rest.lines)
    tables = tuple(_table(signature, i) for i in rows if signature.constant(i) is None)
    definition = python_signature(signature.function, signature.parameters, signature.returns)
    return ReferenceOp(definition, docstring(signature.op.compute), tuple(body.lines), tables)


def _result(output: Output, dtype: str, *, copies: bool) -> str:
    """A value in the dtype of its result, summed over the rows if it is such a sum. Outputs must not alias."""
    name = f"{output.name}.sum_to_size({output.name}.shape[-1:])" if output.summed else output.name
    return f"{name}.to({dtype}{', copy=True' if copies or output.summed else ''})"


def wide_dtype(signature: Signature) -> str:
    """Source of the dtype in which floats are computed: float64 if the first float input is float64."""
    floats = [t.name for t in signature.op.inputs if kinds_of(t.dtypes) == ("float",) and t.name in signature.required]
    return f"torch.promote_types({floats[0]}.dtype, torch.float32)" if floats else "torch.float32"


def _makes_shape(signature: Signature, reached: Iterable[int]) -> bool:
    """Whether a value already has the output shape because of its inputs, so that it need not be broadcast."""
    nodes = [signature.kernel.expression[n] for n in reached]
    inputs = {node.name for node in nodes if node.op == "input" and node.name is not None}
    return signature.kernel.torch.makes_shape(inputs, {node.op for node in nodes})


def number_tensor(tensor: TensorSpec, wide: str, like: str) -> str:
    """The tensor of an input that is a number; ``wide`` is the dtype of floats."""
    (kind,) = kinds_of(tensor.dtypes)
    dtype = {"mask": "torch.bool", "int": "torch.int32"}.get(kind, wide)
    return f"torch.tensor({tensor.name}, dtype={dtype}, device={like}.device)"


def operand_name(graph: Graph, given_or: Node) -> str:
    """The optional input that a given_or node reads, directly or through casts."""
    node = graph[given_or.operands[0]]
    while node.op == "cast":
        node = graph[node.operands[0]]
    return node.name or ""


def _table(signature: Signature, index: int) -> DtypeTable:
    rows = []
    required = [i for i, tensor in enumerate(signature.op.inputs) if tensor.name in signature.required]
    for column, outputs in zip(signature.input_columns, signature.output_columns, strict=True):
        inputs = [column[i] for i in required]
        key = ", ".join(map(torch_dtype, inputs)) + ("," if len(inputs) == 1 else "")
        rows.append(f"({key}): {torch_dtype(outputs[index])}")
    return DtypeTable(signature.output_table(index), tuple(rows))


def docstring(text: str, *, keep_indentation: bool = False) -> str:
    """The text between the triple quotes of a docstring. After several lines, the closing quotes get their own line."""
    safe = text.strip().replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    lines = [line.rstrip() if keep_indentation else line.strip() for line in safe.splitlines()]
    if len(lines) == 1:
        return f'{safe[:-1]}\\"' if safe.endswith('"') else safe
    return "\n".join(f"    {line}" if line and i else line for i, line in enumerate(lines)) + "\n    "
