"""Contexts of the table of cases that a project's tests of products run over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.render.layout import dims_literal, python_collection, python_rows
from opforge.render.torch.cases import (
    CaseForm,
    attrs_field,
    author_of,
    column_row,
    function_of,
    module_field,
    names_field,
    tuple_field,
)

if TYPE_CHECKING:
    from opforge.kinds.products.plan import MatmulPlan
    from opforge.render.torch.signature import Signature


@dataclass(frozen=True)
class ProductCaseForm:
    """One operator with products in tests/product_cases.py. All fields but ``differentiable`` are Python source."""

    function: str
    reference: str
    inputs: str
    left: str
    right: str
    columns: str
    symbols: str
    tile: str
    optional: str
    attrs: str
    differentiable: bool
    module: str
    by_author: str


@dataclass(frozen=True)
class ProductCasesForm:
    """Context of ``code/torch/tests/product_cases.py``; ``imports`` are lines, ``kernels`` those of derivatives."""

    imports: tuple[str, ...]
    ops: tuple[ProductCaseForm, ...]
    kernels: tuple[CaseForm, ...]


def product_case(signature: Signature, plan: MatmulPlan) -> ProductCaseForm:
    """The row of an op with products."""
    shape = plan.shape
    inputs = [f'"{tensor.name}": {dims_literal(tensor.dims)}' for tensor in signature.op.inputs]
    return ProductCaseForm(
        function=function_of(signature),
        reference=f"_reference.{signature.function}",
        inputs=python_collection("inputs={", inputs, "}", 8),
        left=tuple_field("left", [f'"{name}"' for name in shape.left]),
        right=tuple_field("right", [f'"{name}"' for name in shape.right]),
        columns=python_rows("columns=(", [column_row(column) for column in signature.input_columns], ")", 8),
        symbols=f"symbols={dims_literal((*shape.rows, shape.n, shape.k))}",
        tile=f"tile=({plan.base_m}, {plan.base_n})",
        optional=names_field("optional", signature.optional),
        attrs=attrs_field(signature),
        differentiable=signature.op.backward,
        module=module_field(signature),
        by_author=author_of(signature),
    )
