"""The tables that a project's tests go through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from opforge.dtypes import DTYPES
from opforge.errors import InternalError
from opforge.ir.product_shapes import ProductShape
from opforge.plan.matmul_model import AnyPlan, MatmulPlan
from opforge.plan.model import Plan
from opforge.render.torch.layout import dims_literal, python_collection, python_row, python_rows
from opforge.render.torch.signature import Signature, python_literal, torch_dtype
from opforge.spec.combinations import combinations
from opforge.spec.model import AttrSpec, Spec
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
class ProductCaseForm:
    """One operator with products in tests/product_cases.py. All but ``differentiable`` is Python source."""

    name: str
    inputs: str
    left: str
    right: str
    columns: str
    symbols: str
    tile: str
    optional: str
    attrs: str
    differentiable: bool


@dataclass(frozen=True)
class ProductCasesForm:
    """Context of ``code/torch/tests/product_cases.py``; ``kernels`` are those of derivatives."""

    ops: tuple[ProductCaseForm, ...]
    kernels: tuple[CaseForm, ...]


@dataclass(frozen=True)
class PrecisionForm:
    """Context of ``code/torch/tests/precision.py``: which kinds of operators have tables, and whether any has."""

    elementwise: bool
    products: bool
    tables: bool


def cases_context(spec: Spec, signatures: Sequence[Signature], plans: Mapping[str, AnyPlan]) -> CasesForm:
    """The context of the table of elementwise ops; tiles are those of the project's first SoC, the simulated one."""
    ops = tuple(_case(spec, signature, plans) for signature in signatures)
    return CasesForm(ops)


def product_cases_context(
    spec: Spec,
    signatures: Sequence[Signature],
    shapes: Mapping[str, ProductShape],
    kernels: Sequence[Signature],
    plans: Mapping[str, AnyPlan],
) -> ProductCasesForm:
    """The context of the table of ops with products, and of the kernels of their derivatives."""
    ops = tuple(_product_case(signature, shapes[signature.op.type], plans) for signature in signatures)
    return ProductCasesForm(ops, tuple(_case(spec, kernel, plans) for kernel in kernels))


def _case(spec: Spec, signature: Signature, plans: Mapping[str, AnyPlan]) -> CaseForm:
    plan = plans[signature.op.type]
    if not isinstance(plan, Plan):
        raise InternalError(f"{signature.op.type} is elementwise, and its plan is not")
    op, soc = signature.op, spec.project.soc[0]
    tensors = [(place, tensor) for place, tensor in enumerate(op.inputs) if not tensor.scalar]
    rows = combinations(op, soc)
    columns = list(dict.fromkeys(tuple(row[place] for place, _ in tensors) for row in rows))
    tiles = {tuple(tile.dtypes[place] for place, _ in tensors): tile.elements for tile in plan.tiles if tile.soc == soc}
    named = [f'"{tensor.name}": {dims_literal(tensor.dims)}' for _, tensor in tensors if tensor.dims != ("...",)]
    return CaseForm(
        name=signature.function,
        inputs=_field("inputs", [f'"{tensor.name}"' for _, tensor in tensors]),
        columns=python_rows("columns=(", [_row(column) for column in columns], ")", 8),
        tiles=_field("tiles", [str(tiles[column]) for column in columns]),
        dims=python_collection("dims={", named, "}", 8) if named else "",
        optional=names_field("optional", [tensor.name for _, tensor in tensors if tensor.optional]),
        written=names_field("written", signature.written),
        attrs=_attrs(signature),
        differentiable=op.backward
        and any(DTYPES[column[i]].floating for column in columns for i in range(len(column))),
    )


def names_field(field: str, names: Sequence[str]) -> str:
    """``field=("a", "b")`` for the fields of a table's rows, or nothing."""
    return _field(field, [f'"{name}"' for name in names]) if names else ""


def _product_case(signature: Signature, shape: ProductShape, plans: Mapping[str, AnyPlan]) -> ProductCaseForm:
    plan = plans[signature.op.type]
    if not isinstance(plan, MatmulPlan):
        raise InternalError(f"{signature.op.type} has products, and its plan has none")
    inputs = [f'"{tensor.name}": {dims_literal(tensor.dims)}' for tensor in signature.op.inputs]
    return ProductCaseForm(
        name=signature.function,
        inputs=python_collection("inputs={", inputs, "}", 8),
        left=_field("left", [f'"{name}"' for name in shape.left]),
        right=_field("right", [f'"{name}"' for name in shape.right]),
        columns=_column_rows(signature),
        symbols=f"symbols={dims_literal((*shape.rows, shape.n, shape.k))}",
        tile=f"tile=({plan.base_m}, {plan.base_n})",
        optional=names_field("optional", signature.optional),
        attrs=_attrs(signature),
        differentiable=signature.op.backward,
    )


def _column_rows(signature: Signature) -> str:
    return python_rows("columns=(", [_row(column) for column in signature.input_columns], ")", 8)


def _attrs(signature: Signature) -> str:
    numbers = [tensor for tensor in signature.op.inputs if tensor.scalar]
    attrs = [f'"{t.name}": {sample_number(t)}' for t in numbers]
    attrs += [f'"{attr.name}": {other_value(attr)}' for attr in signature.op.attrs]
    return python_collection("attrs={", attrs, "}", 8) if attrs else ""


def _field(name: str, items: Sequence[str]) -> str:
    if len(items) == 1:
        return f"{name}=({items[0]},)"
    return python_collection(f"{name}=(", items, ")", 8)


def _row(column: Sequence[str]) -> str:
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
