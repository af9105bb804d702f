"""The operators that the programs of opforge.testing measure: benchmarks/cases.py of a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.ir.product_shapes import ProductShape
from opforge.render.torch.argument_types import kind_of
from opforge.render.torch.cases import names_field
from opforge.render.torch.handwritten_tests import skeleton
from opforge.render.torch.layout import dims_literal, python_call, python_collection, python_row, python_rows
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
    left: str
    right: str
    products: str
    by_hand: bool
    kernel: str
    differentiable: bool


@dataclass(frozen=True)
class MeasuredOps:
    """Context of ``code/torch/benchmarks/cases.py``. ``modules`` are those of the package that ops refer to."""

    package: str
    modules: str
    ops: tuple[MeasuredOp, ...]


def measured_ops(
    package: str, signatures: Sequence[Signature], shapes: Mapping[str, ProductShape], soc: str
) -> MeasuredOps:
    """The table; ``shapes`` are those of ops with products, by type, and ``soc`` is the one whose dtypes are tried."""
    ops = tuple(_measured(signature, shapes.get(signature.op.type), soc) for signature in signatures)
    used = {"_native": any(op.in_torch for op in ops), "_reference": any(op.reference for op in ops)}
    return MeasuredOps(package, ", ".join(name for name, there in used.items() if there), ops)


def _measured(signature: Signature, shape: ProductShape | None, soc: str) -> MeasuredOp:
    op = signature.op
    columns = dict.fromkeys(row[: len(op.inputs)] for row in combinations(op, soc))
    attrs = [f'"{attr.name}": {python_literal(attr.type, sample_attr(attr))}' for attr in op.attrs]
    floats = any(DTYPES[dtype].floating for column in columns for dtype in column)
    return MeasuredOp(
        type=op.type,
        function=signature.function,
        in_torch=not op.handwritten or op.reference is not None,
        reference=not op.handwritten,
        inputs=python_collection("inputs={", [_input(tensor) for tensor in op.inputs], "}", 8),
        columns=python_rows("columns=(", [python_row([torch_dtype(d) for d in row], 12) for row in columns], ")", 8),
        outputs=names_field("outputs", signature.outputs),
        attrs=python_collection("attrs={", attrs, "}", 8) if attrs else "",
        written=names_field("written", signature.written),
        left=names_field("left", shape.left if shape else ()),
        right=names_field("right", shape.right if shape else ()),
        products=f"products={dims_literal((*shape.rows, shape.n, shape.k))}" if shape else "",
        by_hand=op.handwritten,
        kernel=skeleton(op),
        differentiable=op.backward and floats and (not op.handwritten or op.reference is not None),
    )


def _input(tensor: TensorSpec) -> str:
    schema = kind_of(tensor).schema
    items = [] if schema == "Tensor" else [f'"{schema}"']
    if tensor.dims != ("...",):
        items.append(f"dims={dims_literal(tensor.dims)}")
    if tensor.optional:
        items.append("optional=True")
    return python_call(f'"{tensor.name}": Input(', items, ")", 12)
