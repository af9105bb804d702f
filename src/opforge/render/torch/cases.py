"""The tables that a project's tests go through."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.plan.vector_model import Plan
from opforge.render.layout import COLUMNS, dims_literal, python_call, python_collection, python_row, python_rows
from opforge.render.torch.modules import size_names
from opforge.render.torch.parameters import is_module, parameters
from opforge.render.torch.signature import Signature, python_literal, torch_dtype
from opforge.spec.arguments import input_kind
from opforge.spec.combinations import combinations
from opforge.spec.model import AttrSpec
from opforge.spec.samples import ATTR_SAMPLES, sample_number


@dataclass(frozen=True)
class CaseForm:
    """One operator in tests/op_cases.py. All but ``differentiable`` is Python source, empty where it says nothing."""

    function: str
    reference: str
    inputs: str
    columns: str
    tiles: str
    dims: str
    optional: str
    written: str
    attrs: str
    differentiable: bool
    module: str
    by_author: str


@dataclass(frozen=True)
class CasesForm:
    """Context of ``code/torch/tests/op_cases.py``; ``imports`` are lines."""

    imports: tuple[str, ...]
    ops: tuple[CaseForm, ...]


def vector_case(signature: Signature, plan: Plan, soc: str) -> CaseForm:
    """The row of an op that broadcasts; tiles are those of ``soc``, the simulated one."""
    op = signature.op
    tensors = [(place, tensor) for place, tensor in enumerate(op.inputs) if not tensor.scalar]
    rows = combinations(op, soc)
    columns = list(dict.fromkeys(tuple(row[place] for place, _ in tensors) for row in rows))
    tiles = {tuple(tile.dtypes[place] for place, _ in tensors): tile.elements for tile in plan.tiles if tile.soc == soc}
    named = [f'"{tensor.name}": {dims_literal(tensor.dims)}' for _, tensor in tensors if tensor.dims != ("...",)]
    return CaseForm(
        function=function_of(signature),
        reference=f"_reference.{signature.function}",
        inputs=tuple_field("inputs", [f'"{tensor.name}"' for _, tensor in tensors]),
        columns=python_rows("columns=(", [column_row(column) for column in columns], ")", 8),
        tiles=tuple_field("tiles", [str(tiles[column]) for column in columns]),
        dims=python_collection("dims={", named, "}", 8) if named else "",
        optional=names_field("optional", [tensor.name for _, tensor in tensors if tensor.optional]),
        written=names_field("written", signature.written),
        attrs=attrs_field(signature),
        differentiable=op.backward
        and any(DTYPES[column[i]].floating for column in columns for i in range(len(column))),
        module=module_field(signature),
        by_author=author_of(signature),
    )


def case_imports(signatures: Sequence[Signature], cases: str, names: Sequence[str]) -> tuple[str, ...]:
    """The imports of a table: ``names`` of the module ``cases`` of opforge.testing, and what its rows name."""
    package = signatures[0].package
    lines = [f"from opforge.testing.checks.{cases} import {', '.join(names)}"]
    if any(map(is_module, signatures)):
        lines.append("from opforge.testing.checks.module_case import ModuleCase")
    own = [f"from {package} import _reference"]
    for signature in signatures:
        if author_of(signature):
            module, _, name = (signature.op.reference or "").partition(":")
            alias = author_of(signature)
            own.append(import_line(f"{package}.{module}", [name if name == alias else f"{name} as {alias}"]))
    return (*sorted(lines), "", f"import {package}", *sorted(own, key=lambda line: line.split()[1]))


def import_line(module: str, names: Sequence[str]) -> str:
    """``from module import names``, on several lines where it is long."""
    head = f"from {module} import "
    flat = head + ", ".join(names)
    return flat if len(flat) <= COLUMNS else python_collection(f"{head}(", names, ")")


def function_of(signature: Signature) -> str:
    """How a table names an op's function; kernels of derivatives are torch.ops' alone."""
    inner = signature.gradient_of is not None
    return f"{'torch.ops.' if inner else ''}{signature.package}.{signature.function}"


def author_of(signature: Signature) -> str:
    """How a table names the reference that an author wrote beside an expression; empty where there is none."""
    return f"{signature.function}_reference" if signature.kernel.expressed and signature.op.reference else ""


def module_field(signature: Signature, indent: int = 8) -> str:
    """``module=ModuleCase(swiglu.SwiGLU, {"hidden": ("x", -1)}, ("w_gate", "w_up"), ())``, or nothing."""
    if not is_module(signature):
        return ""
    sizes = [f'"{name}": {_place(signature, symbol)}' for symbol, name in size_names(signature).items()]
    held = [parameter.tensor.name for parameter in parameters(signature)]
    items = [f"{signature.package}.{signature.op.type}"]
    items += [f"sizes={{{', '.join(sizes)}}}"] if sizes else []
    items += [f"held={dims_literal(held)}"] if held else []
    items += [f"attrs={dims_literal(signature.attrs)}"] if signature.attrs else []
    return python_call("module=ModuleCase(", items, ")", indent)


def _place(signature: Signature, symbol: str) -> str:
    """The source of a size: a tensor, if possible a required one, and its dimension."""
    having = [t for t in signature.op.inputs if input_kind(t) == "tensor" and symbol in t.dims]
    tensor = min(having, key=lambda each: each.optional)
    return f'("{tensor.name}", {tensor.dims.index(symbol) - len(tensor.dims)})'


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
