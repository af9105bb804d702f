"""Contexts of the tiling of an op with matrix products: the shared struct and the host's tiling function."""

from __future__ import annotations

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.ir.graph import Graph
from opforge.kinds.products.plan import MatmulPlan
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
    pattern,
    scalar_members,
)
from opforge.render.ascendc.scalars import HostScalars, computed_scalars
from opforge.spec.model import OpSpec


@dataclass(frozen=True)
class MatmulTilingForm:
    """Context of ``kinds/products/tiling.h``."""

    op_type: str
    guard: str
    coupled: bool
    cubes_alone: bool
    shares_sums: bool
    widens: bool
    flags: tuple[GivenFlag, ...]
    scalars: tuple[Member, ...]


@dataclass(frozen=True)
class MatmulHostTilingForm:
    """Context of ``kinds/products/host_tiling.h``."""

    op_type: str
    stem: str
    guard: str
    coupled: bool
    cubes_alone: bool
    shares_sums: bool
    biased: bool
    widens: bool
    biases: int
    finished: str
    product_type: str
    bias: str
    input_count: int
    product_count: int
    optional: bool
    attrs: tuple[Member, ...]
    columns: tuple[Column, ...]
    binds: tuple[Bind, ...]
    result_pattern: str
    reserved: int
    rows: str
    inner: str
    columns_symbol: str
    transposes: str
    flags: tuple[GivenFlag, ...]
    scalars: HostScalars
    compute_parameters: tuple[str, ...]


def matmul_tiling_form(op: OpSpec, plan: MatmulPlan) -> MatmulTilingForm:
    """The tiling struct of an op with products."""
    guard = snake(plan.op_type).upper()
    return MatmulTilingForm(
        plan.op_type,
        guard,
        plan.coupled,
        plan.cubes_alone,
        plan.shares_sums,
        plan.widens_bias,
        flags(op),
        scalar_members(plan.scalars),
    )


def _columns(plan: MatmulPlan) -> tuple[Column, ...]:
    left = next(a for a in plan.inputs if a.name == plan.shape.left[0])
    columns = []
    for column, dtype in enumerate(left.dtypes):
        names = ", ".join(a.dtypes[column] for a in plan.inputs)
        values = [_matmul_type(dtype)]
        if plan.cubes_alone:
            values.append(_matmul_type(plan.outputs[0].dtypes[column]))
            values += [_matmul_type(_in_cube(a.dtypes[column])) for a in plan.inputs if a.name in plan.biases[:1]]
        else:
            values += [str(plan.epilogue.bytes_per_element(column)), str(plan.epilogue.row_step(column))]
        columns.append(Column(names, tuple(values)))
    return tuple(columns)


def _bias(op: OpSpec, plan: MatmulPlan) -> str:
    """The type of the bias of a call."""
    if not plan.biases:
        return "matmul_split::kNoBias"
    given = [place for place, tensor in enumerate(op.inputs) if tensor.optional and tensor.name in plan.biases]
    return f"call.given[{given[0]}] ? column.bias : matmul_split::kNoBias" if given else "column.bias"


def _in_cube(dtype: str) -> str:
    """The dtype in which cube cores add a bias of this dtype."""
    return "float32" if dtype == "bfloat16" else dtype


def _matmul_type(dtype: str) -> str:
    return f"matmul_tiling::DataType::{DTYPES[dtype].ge}"


def matmul_host_tiling_form(op: OpSpec, graph: Graph, plan: MatmulPlan) -> MatmulHostTilingForm:
    """The host's tiling of an op with products."""
    stem = snake(op.type)
    given = flags(op)
    return MatmulHostTilingForm(
        op_type=op.type,
        stem=stem,
        guard=stem.upper(),
        coupled=plan.coupled,
        cubes_alone=plan.cubes_alone,
        shares_sums=plan.shares_sums,
        biased=bool(plan.biases),
        widens=plan.widens_bias,
        biases=len(set(plan.biases)),
        finished="false" if plan.cubes_alone else "true",
        product_type="column.results" if plan.cubes_alone else _matmul_type("float32"),
        bias=_bias(op, plan),
        input_count=len(op.inputs),
        product_count=plan.products,
        optional=bool(given),
        attrs=call_attributes(op, graph, plan.scalars),
        columns=_columns(plan),
        binds=binds(op),
        result_pattern=pattern(op.outputs[0]),
        reserved=plan.epilogue.reserved,
        rows=plan.shape.rows[0],
        inner=plan.shape.k,
        columns_symbol=plan.shape.n,
        transposes=", ".join("true" if turned else "false" for turned in plan.shape.transposed),
        flags=given,
        scalars=computed_scalars(op, graph, plan.scalars),
        compute_parameters=compute_parameters(op),
    )
