"""The GE converters of a project: each makes a node of the op's IR from the arguments of its torch operator.

Source: torchair's interface (torchair.ge.custom_op with named inputs, attrs and outputs). The IR is that of the OpDef:
an in-place output has the name of its input, and values that the host reads are inputs of the node.
"""

from __future__ import annotations

from collections.abc import Sequence

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.render.torch.reference import DtypeTable
from opforge.render.torch.signature import Signature, python_literal
from opforge.spec.arguments import input_kind
from opforge.spec.model import AttrType, TensorSpec

_GE_ATTRS: dict[AttrType, str] = {
    "int": "Int",
    "float": "Float",
    "bool": "Bool",
    "str": "Str",
    "list_int": "ListInt",
    "list_float": "ListFloat",
    "list_bool": "ListBool",
}


@dataclass(frozen=True)
class ConverterOp:
    """One converter. ``returned``: it returns all outputs of the node; else it returns only those in ``result``."""

    type: str
    function: str
    tables: tuple[DtypeTable, ...]
    parameters: tuple[str, ...]
    returns: str
    constants: tuple[str, ...]
    returned: bool
    inputs: tuple[str, ...]
    attrs: tuple[str, ...]
    outputs: tuple[str, ...]
    result: tuple[str, ...]


@dataclass(frozen=True)
class ConverterForm:
    """Context of ``code/torch/python/_ge.py``: the converters, and which kinds of arguments they have."""

    package: str
    sequences: bool
    numbers: bool
    tables: bool
    attrs: bool
    ops: tuple[ConverterOp, ...]


def converter_context(package: str, signatures: Sequence[Signature]) -> ConverterForm:
    """The context for all operators of a project, including the kernels of derivatives.

    An op whose result is a list has no converter: torchair refuses it in a graph, by name.
    """
    signatures = [signature for signature in signatures if not signature.lists and not signature.placed]
    ops = tuple(_converter(signature) for signature in signatures)
    numbers = any(_is_number(tensor) for s in signatures for tensor in s.op.inputs)
    attrs = any(signature.attrs for signature in signatures)
    return ConverterForm(
        package=package,
        sequences=numbers or attrs,
        numbers=numbers,
        tables=any(op.tables for op in ops),
        attrs=attrs,
        ops=ops,
    )


def _converter(signature: Signature) -> ConverterOp:
    op, function = signature.op, signature.function
    values = [(tensor.name, _input(signature, place)) for place, tensor in enumerate(op.inputs)]
    attrs = [f'"{attr.name}": ge.attr.{_GE_ATTRS[attr.type]}({attr.name})' for attr in op.attrs]
    names = [f"{name}={name}" for name in signature.attrs]
    outputs = [f'"{tensor.inplace or tensor.name}"' for tensor in op.outputs]
    return ConverterOp(
        type=op.type,
        function=function,
        tables=tuple(
            _table(signature, place)
            for place, tensor in enumerate(op.inputs)
            if _is_number(tensor) and _source(signature, place) is None
        ),
        parameters=tuple(_parameters(signature)),
        returns="Any" if signature.made else "None",
        constants=(f'"{op.type}"', *names) if names else (),
        returned=bool(signature.made) and not signature.written,
        inputs=tuple(f'"{name}": {value}' for name, value in values),
        attrs=tuple(attrs),
        outputs=tuple(outputs),
        result=_result(signature),
    )


def _parameters(signature: Signature) -> list[str]:
    """The parameters. They have the names of the dispatcher's schema, because torchair may pass them by name."""
    defaults = {tensor.name: "None" for tensor in signature.op.inputs}
    defaults |= {attr.name: python_literal(attr.type, attr.default) for attr in signature.op.attrs}
    return [f"{name}: Any{f' = {value}' if name in signature.defaults else ''}" for name, value in defaults.items()]


def _is_number(tensor: TensorSpec) -> bool:
    """Whether an input is a number in torch. In a GE graph every input is a tensor."""
    return input_kind(tensor) not in ("tensor", "tensors")


def _input(signature: Signature, place: int) -> str:
    tensor = signature.op.inputs[place]
    name = tensor.name
    if not _is_number(tensor):
        return f"list({name} or ())" if tensor.dynamic else name
    source = _source(signature, place)
    if source is None:
        given = ", ".join(text for _, text in signature.typed)
        source = f"_chosen(ge, {_table_name(signature, name)}, {given})"
    return f"_const(ge, {name}, {source})"


def _source(signature: Signature, place: int) -> str | None:
    """The expression for a number's dtype in every combination; None if it needs the table."""
    column = [row[place] for row in signature.input_columns]
    for other, text in signature.typed:
        if [row[other] for row in signature.input_columns] == column:
            return f"{text}.dtype"
    return f"ge.DataType.{DTYPES[column[0]].ge}" if len(set(column)) == 1 else None


def _table_name(signature: Signature, name: str) -> str:
    return f"_{signature.function.upper()}_{name.upper()}_DTYPES"


def _table(signature: Signature, place: int) -> DtypeTable:
    rows: dict[tuple[str, ...], str] = {}
    for row in signature.input_columns:
        rows.setdefault(tuple(DTYPES[row[other]].ge for other, _ in signature.typed), DTYPES[row[place]].ge)
    spelled = [f"({_quoted(key)}{',' if len(key) == 1 else ''}): {_quoted([dtype])}" for key, dtype in rows.items()]
    return DtypeTable(_table_name(signature, signature.inputs[place]), tuple(spelled))


def _quoted(names: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _result(signature: Signature) -> tuple[str, ...]:
    """The returned outputs: all except in-place ones, which torch finds in its arguments."""
    if not signature.written or not signature.made:
        return ()
    places = [place for place, tensor in enumerate(signature.op.outputs) if tensor.inplace is None]
    return tuple(f"outputs[{place}]" for place in places)
