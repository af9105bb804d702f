"""Context of the host's tiling of an op with rows of matrix products."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.kinds.vector_kernel import HostStrides, host_axes, host_strides, row_shapes
from opforge.naming import snake
from opforge.render.ascendc.members import (
    Bind,
    Column,
    GivenFlag,
    Member,
    binds,
    call_attributes,
    compute_parameters,
    flags,
)
from opforge.render.ascendc.scalars import HostScalars, computed_scalars

if TYPE_CHECKING:
    from opforge.kinds.product_rows.plan import ProductRowsPlan
    from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class ProductRowsHostTilingForm:
    """Context of ``kinds/product_rows/host_tiling.h``.

    ``read_shapes``: the shapes of the tensors that the rows are computed from, as C++ expressions. ``results``: the
    shapes of the results as expressions over the products' shape; none if each has that shape.
    """

    op_type: str
    stem: str
    guard: str
    input_count: int
    output_count: int
    product_count: int
    read_count: int
    read_shapes: tuple[str, ...]
    results: tuple[str, ...]
    axes: str
    optional: bool
    attrs: tuple[Member, ...]
    columns: tuple[Column, ...]
    binds: tuple[Bind, ...]
    product_pattern: str
    reserved: int
    kept: int
    rows: str
    inner: str
    columns_symbol: str
    transposes: str
    flags: tuple[GivenFlag, ...]
    strides: tuple[HostStrides, ...]
    scalars: HostScalars
    compute_parameters: tuple[str, ...]


def host_tiling_form(op: OpSpec, plan: ProductRowsPlan) -> ProductRowsHostTilingForm:
    """The host's tiling function."""
    stem, shape, whole = snake(op.type), plan.shape, plan.rows.whole
    given = flags(op)
    read = _read_shapes(op, plan)
    dims = ", ".join(f'"{dim}"' for dim in (*shape.rows, shape.n))
    return ProductRowsHostTilingForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        input_count=len(op.inputs),
        output_count=len(op.outputs),
        product_count=len(plan.multiplications),
        read_count=len(read),
        read_shapes=read,
        results=row_shapes(plan.graph),
        axes=f"{{{host_axes(plan.graph.axes)}}}",
        optional=bool(given),
        attrs=call_attributes(op, plan.graph, whole.scalars),
        columns=_columns(plan),
        binds=binds(op),
        product_pattern=f'{{"{plan.multiplications[0].name}", {{{dims}}}}}',
        reserved=whole.reserved,
        kept=whole.kept,
        rows=shape.rows[0],
        inner=shape.k,
        columns_symbol=shape.n,
        transposes=", ".join("true" if turned else "false" for turned in shape.transposed),
        flags=given,
        strides=host_strides(whole, plan.graph.axes),
        scalars=computed_scalars(op, plan.graph, whole.scalars),
        compute_parameters=compute_parameters(op),
    )


def _read_shapes(op: OpSpec, plan: ProductRowsPlan) -> tuple[str, ...]:
    inputs = {tensor.name: (place, tensor.optional) for place, tensor in enumerate(op.inputs)}
    read = []
    for argument in plan.rows.inputs:
        place, optional = inputs.get(argument.name, (None, False))
        if place is None:
            read.append("shape")
        elif optional:
            read.append(f"call.given[{place}] ? call.inputs[{place}] : shape")
        else:
            read.append(f"call.inputs[{place}]")
    return tuple(read)


def _columns(plan: ProductRowsPlan) -> tuple[Column, ...]:
    left = next(a for a in plan.inputs if a.name == plan.shape.left[0])
    columns = []
    for column, dtype in enumerate(left.dtypes):
        names = ", ".join(a.dtypes[column] for a in plan.inputs)
        spent, step = plan.rows.whole.bytes_per_element(column), plan.rows.whole.row_step(column)
        columns.append(Column(names, (f"matmul_tiling::DataType::{DTYPES[dtype].ge}", str(spent), str(step))))
    return tuple(columns)
