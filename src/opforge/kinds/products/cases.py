"""Contexts of the table of cases that a project's tests of products use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass
from opforge.kinds.products.plan import BASE_N, most_rows
from opforge.render.layout import dims_literal, python_strings
from opforge.render.torch.cases import (
    CaseForm,
    CaseImports,
    attr_values,
    author_of,
    function_of,
    module_arguments,
)
from opforge.render.torch.drawn_literals import value_items
from opforge.render.torch.signature import dtype_row

if TYPE_CHECKING:
    from opforge.ir.product_shapes import ProductShape
    from opforge.render.torch.signature import Signature


@dataclass(frozen=True)
class ProductCaseForm:
    """One operator with products in tests/product_cases.py. Items of lists are expressions in Python."""

    function: str
    reference: str
    inputs: tuple[str, ...]
    left: tuple[str, ...]
    right: tuple[str, ...]
    columns: tuple[str, ...]
    symbols: tuple[str, ...]
    base_m: int
    base_n: int
    optional: tuple[str, ...]
    attrs: tuple[str, ...]
    drawn: tuple[str, ...]
    differentiable: bool
    reduces: bool
    module: tuple[str, ...]
    by_author: str


@dataclass(frozen=True)
class ProductCasesForm:
    """Context of ``code/torch/tests/product_cases.py``: a table of ops, and the ``kernels`` of derivatives."""

    imports: CaseImports
    table: str
    ops: tuple[ProductCaseForm, ...]
    kernels: tuple[CaseForm, ...]


def product_case(signature: Signature, shape: ProductShape) -> ProductCaseForm:
    """The row of an op with products."""
    return ProductCaseForm(
        function=function_of(signature),
        reference=f"_reference.{signature.function}",
        inputs=tuple(f'"{tensor.name}": {dims_literal(tensor.dims)}' for tensor in signature.op.inputs),
        left=python_strings(shape.left),
        right=python_strings(shape.right),
        columns=tuple(map(dtype_row, signature.input_columns)),
        symbols=python_strings((*shape.rows, shape.n, shape.k)),
        base_m=most_rows(shape.transposed),
        base_n=BASE_N,
        optional=python_strings(signature.optional),
        attrs=attr_values(signature),
        drawn=value_items(signature.op.inputs),
        differentiable=signature.op.backward,
        reduces=bool(signature.kernel.expression.reductions),
        module=module_arguments(signature),
        by_author=author_of(signature),
    )
