"""The operators that the programs of opforge.testing measure: benchmarks/cases.py of a project."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.render.layout import dims_literal, python_call, python_collection, python_row, python_rows
from opforge.render.torch.argument_types import kind_of
from opforge.render.torch.cases import names_field
from opforge.render.torch.signature import Signature, python_literal, torch_dtype
from opforge.spec.combinations import combinations
from opforge.spec.model import TensorSpec
from opforge.spec.samples import sample_attr


@dataclass(frozen=True)
class MeasuredOp:
    """One operator in benchmarks/cases.py. All but the flags is Python source, empty where it says nothing."""

    type: str
    function: str
    in_torch: bool
    reference: bool
    inputs: str
    columns: str
    outputs: str
    attrs: str
    written: str
    further: tuple[str, ...]
    authored: bool
    skeleton: str
    differentiable: bool


@dataclass(frozen=True)
class MeasuredOps:
    """Context of ``code/torch/benchmarks/cases.py``: which modules of the package the ops refer to, and the ops."""

    package: str
    native: bool
    reference: bool
    ops: tuple[MeasuredOp, ...]


def measured_ops(package: str, signatures: Sequence[Signature], soc: str) -> MeasuredOps:
    """The table; ``soc`` is the one whose dtypes are tried."""
    ops = tuple(_measured(signature, soc) for signature in signatures)
    return MeasuredOps(package, any(op.in_torch for op in ops), any(op.reference for op in ops), ops)


def _measured(signature: Signature, soc: str) -> MeasuredOp:
    op, kernel = signature.op, signature.kernel
    columns = dict.fromkeys(row[: len(op.inputs)] for row in combinations(op, soc))
    attrs = [f'"{attr.name}": {python_literal(attr.type, sample_attr(attr))}' for attr in op.attrs]
    floats = any(DTYPES[dtype].floating for column in columns for dtype in column)
    return MeasuredOp(
        type=op.type,
        function=signature.function,
        in_torch=kernel.computable,
        reference=kernel.expressed,
        inputs=python_collection("inputs={", [_input(tensor) for tensor in op.inputs], "}", 8),
        columns=python_rows("columns=(", [python_row([torch_dtype(d) for d in row], 12) for row in columns], ")", 8),
        outputs=names_field("outputs", signature.outputs),
        attrs=python_collection("attrs={", attrs, "}", 8) if attrs else "",
        written=names_field("written", signature.written),
        further=kernel.torch.measured_fields,
        authored=kernel.authored,
        skeleton=kernel.skeleton,
        differentiable=op.backward and floats and kernel.computable,
    )


def _input(tensor: TensorSpec) -> str:
    schema = kind_of(tensor).schema
    items = [] if schema == "Tensor" else [f'"{schema}"']
    if tensor.dims != ("...",):
        items.append(f"dims={dims_literal(tensor.dims)}")
    if tensor.optional:
        items.append("optional=True")
    return python_call(f'"{tensor.name}": Input(', items, ")", 12)
