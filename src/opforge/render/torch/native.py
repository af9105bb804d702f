"""The operators of a project as a model would write them: python/<package>/_native.py.

The expression of the spec in torch's own operators. Nothing is widened: every step rounds in the tensors' own dtype,
and each value is a tensor of its own. A measurement compares with this, and fusion looks for it.
"""

from __future__ import annotations

from collections.abc import Sequence

from opforge.frozen import dataclass
from opforge.render.layout import COLUMNS, python_call, python_return, python_signature, python_statement
from opforge.render.torch.native_writer import NativeWriter
from opforge.render.torch.owned_modules import OWNED
from opforge.render.torch.reference import docstring
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names
from opforge.spec.arguments import input_kind
from opforge.spec.tree import Apply, Assignment, Compute, Expression, GivenOr, Name, Product, walk
from opforge.spec.value_kinds import Kind, kinds_of


@dataclass(frozen=True)
class NativeOp:
    """One function of _native.py."""

    signature: str
    docstring: str
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Native:
    """Context of ``code/torch/python/_native.py``."""

    package: str
    sequences: bool
    torch: bool
    imports: bool
    own: str
    owned: str
    ops: tuple[NativeOp, ...]


def native_context(package: str, signatures: Sequence[Signature]) -> Native | None:
    """The context for the ops of a project that have an expression or a reference; None: there is none."""
    having = [s for s in signatures if s.kernel.computable]
    if not having:
        return None
    made = [by_expression(s) if s.kernel.expressed else _by_reference(s) for s in having]
    lines = [line for op in made for line in op.lines]
    referred = [(s.op.reference or "").partition(":")[0] for s in having if not s.kernel.expressed]
    used = [name for name in ("_reference", "_scalars") if any(f"{name}." in line for line in lines)]
    return Native(
        package=package,
        sequences=any("Sequence[" in parameter for s in having for parameter in s.parameters),
        torch=any("torch." in line for line in lines),
        imports=bool(used or referred),
        own=", ".join(sorted({*referred, *(name for name in used if name not in OWNED)})),
        owned=", ".join(name for name in used if name in OWNED),
        ops=tuple(made),
    )


def _by_reference(signature: Signature) -> NativeOp:
    """An op without an expression: what its reference computes."""
    call = f"{(signature.op.reference or '').replace(':', '.')}("
    arguments = (*signature.inputs, *signature.attrs)
    lines = [python_call(f"return {call}", arguments, ")", 4)]
    if signature.written:
        lines = [python_call(f"{', '.join(signature.outputs)} = {call}", arguments, ")", 4), *_written(signature)]
        lines.append(python_return([tensor.inplace or tensor.name for tensor in signature.op.outputs], 4))
    what = f"{signature.op.reference}, the reference in opforge.yaml."
    return NativeOp(_definition(signature), what, tuple(lines))


def _written(signature: Signature) -> list[str]:
    """Statements that copy results to where outputs in place have their memory."""
    return [f"{tensor.inplace}.copy_({tensor.name})" for tensor in signature.op.outputs if tensor.inplace is not None]


def _definition(signature: Signature) -> str:
    return python_signature(signature.function, signature.parameters, signature.returns)


def by_expression(signature: Signature) -> NativeOp:
    """An op's expression in torch's operators."""
    compute = signature.op.expression
    lines: list[str] = []
    local = Names((*signature.names, *(a.name for a in compute.assignments), "torch", "_scalars"))
    numbers = [tensor for tensor in signature.op.inputs if input_kind(tensor) == "number"]
    writer = NativeWriter(signature, local)
    for tensor in numbers:
        (kind,) = kinds_of(tensor.dtypes)
        dtype = {"mask": "torch.bool", "int": "torch.int32"}.get(kind, writer.float_dtype)
        lines.append(f"{tensor.name} = torch.tensor({tensor.name}, dtype={dtype}, device={signature.first}.device)")
    names: dict[str, str] = {}
    for assignment in compute.assignments:
        writer.assign(assignment.name, assignment.value, lines)
    shape = local.new("shape")
    spread = [_spread(signature, compute, name) for name in signature.outputs]
    if any(spread):
        lines.append(_shape(signature, shape))
    for place, (name, wider) in enumerate(zip(signature.outputs, spread, strict=True)):
        text = writer.output(name)
        if wider:
            text = f"torch.broadcast_to({text}, {shape})"
        stored = _stored(signature, compute, place, writer.kind(Name(name)))
        names[name] = f"{text}.to({stored})" if stored is not None else text
    if signature.written:
        results = [f"{tensor.name} = {names[tensor.name]}" for tensor in signature.op.outputs]
        lines += [line for line in results if line.partition(" = ")[0] != line.partition(" = ")[2]]
        lines += _written(signature)
        names = {tensor.name: tensor.inplace or tensor.name for tensor in signature.op.outputs}
    lines = _returned(lines, list(names.values()))
    return NativeOp(_definition(signature), docstring(signature.op.compute), tuple(lines))


def _returned(lines: list[str], values: list[str]) -> list[str]:
    """The lines and the return; what the last line computes for the return alone is returned itself."""
    if lines and len(values) == 1 and not lines[-1].startswith(" "):
        name, _, value = lines[-1].partition(" = ")
        if name == values[0] and len(value) + len("return ") + 4 <= COLUMNS:
            return [*lines[:-1], f"return {value}"]
    return [*lines, python_return(values, 4)]


def _reached(compute: Compute, value: Expression) -> frozenset[Expression]:
    """Every part of a value, through the names of earlier lines."""
    known = {assignment.name: assignment for assignment in compute.assignments}
    found: set[Expression] = set()
    todo: list[Expression] = [value]
    while todo:
        for part in walk(todo.pop()):
            if part not in found:
                found.add(part)
                if isinstance(part, Name) and part.name in known:
                    todo.append(known[part.name].value)
    return frozenset(found)


def _spread(signature: Signature, compute: Compute, output: str) -> bool:
    """Whether an output may have fewer elements than the op says: it does not meet every input."""
    parts = _reached(compute, _value(compute, output))
    met = {part.name for part in parts if isinstance(part, Name | GivenOr)}
    operators = {"matmul" for part in parts if isinstance(part, Product)}
    operators |= {part.op for part in parts if isinstance(part, Apply)}
    return not signature.kernel.torch.makes_shape(met & set(signature.inputs), operators)


def _value(compute: Compute, output: str) -> Expression:
    found: Assignment = next(a for a in compute.assignments if a.name == output)
    return found.value


def _shape(signature: Signature, shape: str) -> str:
    """A statement for the shape that the op gives its outputs."""
    given = [f"{name}.shape" for name in signature.required]
    given += [f"(() if {name} is None else {name}.shape)" for name in signature.optional]
    return python_statement(f"{shape} = {signature.kernel.torch.output_shape(given)}", 4)


def _stored(signature: Signature, compute: Compute, place: int, kind: Kind) -> str | None:
    """The dtype an output must be cast to, as source; None: it has it by what it is computed of."""
    rows = [column[place] for column in signature.output_columns]
    cast = signature.output_dtype(place, "_reference.")
    if kind != "float":
        return None if set(rows) == {{"mask": "bool", "int": "int32"}.get(kind)} else cast
    parts = _reached(compute, _value(compute, signature.outputs[place]))
    met = {part.name for part in parts if isinstance(part, Name | GivenOr)}
    met |= {side.name for part in parts if isinstance(part, Product) for side in (part.left, part.right)}
    floats = [(i, t) for i, t in enumerate(signature.op.inputs) if kinds_of(t.dtypes) == ("float",)]
    columns = [[row[i] for row in signature.input_columns] for i, tensor in floats if tensor.name in met]
    return None if columns and all(column == rows for column in columns) else cast
