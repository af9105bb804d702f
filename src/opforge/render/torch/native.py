"""The operators of a project as a model would write them: python/<package>/_native.py.

This is the expression of the spec in torch's own operators. Nothing is widened: every step rounds to the dtype of the
tensors, and each value is a separate tensor. Measurements compare with this code, and fusion searches for it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from opforge.frozen import dataclass
from opforge.ir.graph import RowDimension
from opforge.render.layout import python_signature, uses_module
from opforge.render.torch.native_writer import NativeWriter
from opforge.render.torch.owned_modules import OWNED
from opforge.render.torch.reference import docstring, number_tensor
from opforge.render.torch.row_spelling import result
from opforge.render.torch.signature import Signature
from opforge.render.torch.spelling import Names
from opforge.render.torch.statements import Statements
from opforge.spec.arguments import input_kind
from opforge.spec.language import REDUCTIONS
from opforge.spec.tree import Apply, Compute, Expression, GivenOr, Name, Product, Unsqueezed, reached
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
    """The context for the ops with an expression or a reference; None if there are none."""
    having = [s for s in signatures if s.kernel.computable]
    if not having:
        return None
    made = [by_expression(s) if s.kernel.expressed else _by_reference(s) for s in having]
    lines = [line for op in made for line in op.lines]
    referred = [(s.op.reference or "").partition(":")[0] for s in having if not s.kernel.expressed]
    used = [name for name in ("_reference", "_scalars") if uses_module(lines, name)]
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
    reference = (signature.op.reference or "").replace(":", ".")
    arguments = (*signature.inputs, *signature.attrs)
    body = Statements()
    if signature.written:
        body.assign_results(signature.outputs, reference, arguments)
        _write_back(signature, body)
        body.return_values([tensor.inplace or tensor.name for tensor in signature.op.outputs])
    else:
        body.return_call(reference, arguments, first=False)
    what = f"{signature.op.reference}, the reference in opforge.yaml."
    return NativeOp(_definition(signature), what, tuple(body.lines))


def _write_back(signature: Signature, body: Statements) -> None:
    """Copies results to where outputs in place have their memory."""
    for tensor in signature.op.outputs:
        if tensor.inplace is not None:
            body.run(f"{tensor.inplace}.copy_({tensor.name})")


def _definition(signature: Signature) -> str:
    return python_signature(signature.function, signature.parameters, signature.returns)


def by_expression(signature: Signature) -> NativeOp:
    """The expression of an op in torch's operators."""
    compute = signature.op.expression
    body = Statements()
    local = Names((*signature.names, *(a.name for a in compute.assignments), "torch", "_scalars"))
    numbers = [tensor for tensor in signature.op.inputs if input_kind(tensor) == "number"]
    writer = NativeWriter(signature, local)
    for tensor in numbers:
        body.assign(tensor.name, number_tensor(tensor, writer.float_dtype, signature.first))
    names: dict[str, str] = {}
    for assignment in compute.assignments:
        writer.line(assignment, body)
    shape = local.new("shape")
    rows = {output.name: output.row for output in signature.kernel.expression.outputs}
    spread = [_spread(signature, compute, name, rows.get(name)) for name in signature.outputs]
    if any(spread):
        body.assign(shape, _shape(signature))
    for place, (name, wider) in enumerate(zip(signature.outputs, spread, strict=True)):
        text = result(writer.output(name), shape, rows.get(name), compute.axes, spread=wider)
        stored = _stored(signature, compute, place, writer.kind(Name(name)))
        names[name] = f"{text}.to({stored})" if stored is not None else text
    if signature.written:
        for name, text in names.items():
            if name != text:
                body.assign(name, text)
        _write_back(signature, body)
        names = {tensor.name: tensor.inplace or tensor.name for tensor in signature.op.outputs}
    if len(names) == 1:
        body.return_value(*names.values())
    else:
        body.return_values(list(names.values()))
    return NativeOp(_definition(signature), docstring(signature.op.compute), tuple(body.lines))


def _spread(signature: Signature, compute: Compute, output: str, row: RowDimension | None) -> bool:
    """Whether an output may be smaller than the op's output shape, because it does not use every input.

    Or, for one of each ``row``, what it is reduced from.
    """
    if row == "one" or (row is not None and compute.axes.alike):
        return False  # it has no dimensions, or the inputs have equal shapes
    parts = _reached(compute, output, past=() if row is not None else REDUCTIONS)
    met = {part.name for part in parts if isinstance(part, Name | GivenOr | Unsqueezed)}
    operators = {"matmul" for part in parts if isinstance(part, Product)}
    operators |= {part.op for part in parts if isinstance(part, Apply)}
    return not signature.kernel.torch.makes_shape(met & set(signature.inputs), operators)


def _reached(compute: Compute, output: str, past: Collection[str] = ()) -> frozenset[Expression]:
    """Every part of an output's value; not those of the operators ``past``."""
    known = {assignment.name: assignment for assignment in compute.assignments}
    return reached(known[output].value, known, past)


def _shape(signature: Signature) -> str:
    """The shape that the op gives its outputs."""
    given = [f"{signature.spelled(name)}.shape" for name in signature.required]
    given += [f"(() if {name} is None else {name}.shape)" for name in signature.optional]
    return signature.kernel.torch.output_shape(given)


def _stored(signature: Signature, compute: Compute, place: int, kind: Kind) -> str | None:
    """The dtype that an output must be cast to, as source; None if it already has its dtype."""
    rows = [column[place] for column in signature.output_columns]
    cast = signature.output_dtype(place, "_reference.")
    if kind != "float":
        return None if kind == "int" or (kind == "mask" and set(rows) == {"bool"}) else cast
    parts = _reached(compute, signature.outputs[place])
    met = {part.name for part in parts if isinstance(part, Name | GivenOr | Unsqueezed)}
    met |= {side.name for part in parts if isinstance(part, Product) for side in (part.left, part.right)}
    floats = [(i, t) for i, t in enumerate(signature.op.inputs) if kinds_of(t.dtypes) == ("float",)]
    columns = [[row[i] for row in signature.input_columns] for i, tensor in floats if tensor.name in met]
    return None if columns and all(column == rows for column in columns) else cast
