"""The tables that a project's tests go through."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.plan.vector_model import Plan
from opforge.render.layout import dims_literal, python_collection, python_row, python_rows
from opforge.render.torch.shared_tests import SharedParts
from opforge.render.torch.signature import Signature, python_literal, torch_dtype
from opforge.spec.combinations import combinations
from opforge.spec.model import AttrSpec
from opforge.spec.samples import ATTR_SAMPLES, sample_number


@dataclass(frozen=True)
class CaseForm:
    """One operator in tests/op_cases.py. All but ``differentiable`` is Python source, empty where it says nothing."""

    name: str
    inputs: str
    columns: str
    tiles: str
    dims: str
    optional: str
    written: str
    attrs: str
    differentiable: bool


@dataclass(frozen=True)
class CasesForm:
    """Context of ``code/torch/tests/op_cases.py``."""

    ops: tuple[CaseForm, ...]


@dataclass(frozen=True)
class PrecisionForm:
    """Context of ``code/torch/tests/precision.py``; all is Python source, but for the notes in its docstring."""

    notes: tuple[str, ...]
    imports: tuple[str, ...]
    constants: tuple[str, ...]
    judges: tuple[str, ...]
    inputs: tuple[str, ...]


def precision_context(shared: SharedParts) -> PrecisionForm:
    """The context."""
    notes, constants, judges, inputs = (
        shared.texts("precision.py", place) for place in ("notes", "constants", "judges", "inputs")
    )
    return PrecisionForm(notes, shared.imports("precision.py", {}), constants, judges, inputs)


def vector_case(signature: Signature, plan: Plan, soc: str) -> CaseForm:
    """The row of an op that broadcasts; tiles are those of ``soc``, the simulated one."""
    op = signature.op
    tensors = [(place, tensor) for place, tensor in enumerate(op.inputs) if not tensor.scalar]
    rows = combinations(op, soc)
    columns = list(dict.fromkeys(tuple(row[place] for place, _ in tensors) for row in rows))
    tiles = {tuple(tile.dtypes[place] for place, _ in tensors): tile.elements for tile in plan.tiles if tile.soc == soc}
    named = [f'"{tensor.name}": {dims_literal(tensor.dims)}' for _, tensor in tensors if tensor.dims != ("...",)]
    return CaseForm(
        name=signature.function,
        inputs=tuple_field("inputs", [f'"{tensor.name}"' for _, tensor in tensors]),
        columns=python_rows("columns=(", [column_row(column) for column in columns], ")", 8),
        tiles=tuple_field("tiles", [str(tiles[column]) for column in columns]),
        dims=python_collection("dims={", named, "}", 8) if named else "",
        optional=names_field("optional", [tensor.name for _, tensor in tensors if tensor.optional]),
        written=names_field("written", signature.written),
        attrs=attrs_field(signature),
        differentiable=op.backward
        and any(DTYPES[column[i]].floating for column in columns for i in range(len(column))),
    )


def names_field(field: str, names: Sequence[str]) -> str:
    """``field=("a", "b")`` for the fields of a table's rows, or nothing."""
    return tuple_field(field, [f'"{name}"' for name in names]) if names else ""


def attrs_field(signature: Signature) -> str:
    """``attrs={...}``: numbers and attributes, each with a value; or nothing."""
    numbers = [tensor for tensor in signature.op.inputs if tensor.scalar]
    attrs = [f'"{t.name}": {sample_number(t)}' for t in numbers]
    attrs += [f'"{attr.name}": {other_value(attr)}' for attr in signature.op.attrs]
    return python_collection("attrs={", attrs, "}", 8) if attrs else ""


def tuple_field(name: str, items: Sequence[str]) -> str:
    """``name=(a, b)`` for the fields of a table's rows."""
    if len(items) == 1:
        return f"{name}=({items[0]},)"
    return python_collection(f"{name}=(", items, ")", 8)


def column_row(column: Sequence[str]) -> str:
    """A combination of dtypes."""
    return python_row([torch_dtype(name) for name in column], 12)


def other_value(attr: AttrSpec) -> str:
    """Another value than the default, so that a test sees whether the attribute arrives."""
    value, sample = attr.default, ATTR_SAMPLES[attr.type]
    if isinstance(value, tuple):
        turned = value[::-1] or sample
        value = turned if turned != value else (*value, *value)
    elif isinstance(value, str):
        value += "x"
    elif isinstance(value, bool):
        value = not value
    else:
        value = sample if value is None else value + (0.5 if attr.type == "float" else 1)
    return python_literal(attr.type, value)
