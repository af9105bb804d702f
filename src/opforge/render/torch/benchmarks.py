"""benchmarks/cases.py of a project: the operators that the programs of opforge.testing measure."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.render.layout import dims_literal, python_strings
from opforge.render.torch.argument_types import kind_of
from opforge.render.torch.signature import Signature, dtype_row, python_literal
from opforge.spec.combinations import combinations
from opforge.spec.model import TensorSpec
from opforge.spec.samples import sample_attr


@dataclass(frozen=True)
class NamesField:
    """A field of an operator that is a tuple of strings."""

    name: str
    values: tuple[str, ...]


@dataclass(frozen=True)
class MeasuredOp:
    """One operator in benchmarks/cases.py: names, and expressions in Python for lists, which may be empty."""

    type: str
    function: str
    in_torch: bool
    reference: bool
    inputs: tuple[str, ...]
    columns: tuple[str, ...]
    outputs: tuple[str, ...]
    attrs: tuple[str, ...]
    written: tuple[str, ...]
    further: tuple[NamesField, ...]
    authored: bool
    skeleton: str
    differentiable: bool


@dataclass(frozen=True)
class MeasuredOps:
    """Context of ``code/torch/benchmarks/cases.py``: the ops, and which modules of the package they use."""

    package: str
    native: bool
    reference: bool
    ops: tuple[MeasuredOp, ...]


def measured_ops(package: str, signatures: Sequence[Signature], soc: str) -> MeasuredOps:
    """The table of operators. ``soc`` decides which dtypes are measured."""
    ops = tuple(_measured(signature, soc) for signature in signatures)
    return MeasuredOps(package, any(op.in_torch for op in ops), any(op.reference for op in ops), ops)


def _measured(signature: Signature, soc: str) -> MeasuredOp:
    op, kernel = signature.op, signature.kernel
    columns = dict.fromkeys(row[: len(op.inputs)] for row in combinations(op, soc))
    floats = any(DTYPES[dtype].floating for column in columns for dtype in column)
    return MeasuredOp(
        type=op.type,
        function=signature.function,
        in_torch=kernel.computable,
        reference=kernel.expressed,
        inputs=tuple(map(_input, op.inputs)),
        columns=tuple(map(dtype_row, columns)),
        outputs=python_strings(signature.outputs),
        attrs=tuple(f'"{attr.name}": {python_literal(attr.type, sample_attr(attr))}' for attr in op.attrs),
        written=python_strings(signature.written),
        further=tuple(NamesField(name, python_strings(held)) for name, held in kernel.torch.measured_fields.items()),
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
    given = ", ".join(items)
    return f'"{tensor.name}": Input({given})'
