"""benchmarks/cases.py of a project: the operators that the programs of opforge.testing measure."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.render.layout import python_strings
from opforge.render.torch.drawn_literals import drawing_names, input_literal, size_items
from opforge.render.torch.signature import Signature, dtype_row, python_literal
from opforge.spec.combinations import torch_combinations
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
    sizes: tuple[str, ...]
    written: tuple[str, ...]
    further: tuple[NamesField, ...]
    authored: bool
    skeleton: str
    differentiable: bool


@dataclass(frozen=True)
class MeasuredOps:
    """Context of ``code/torch/benchmarks/cases.py``: the ops, and which modules of the package they use.

    ``drawing`` are the names that the file imports from opforge.testing.measuring.
    """

    package: str
    drawing: tuple[str, ...]
    native: bool
    reference: bool
    ops: tuple[MeasuredOp, ...]


def measured_ops(package: str, signatures: Sequence[Signature], soc: str) -> MeasuredOps:
    """The table of operators. ``soc`` decides which dtypes are measured."""
    ops = tuple(_measured(signature, soc) for signature in signatures)
    names = ["Case", "Input", "Op", "Relative", "Tolerance", *drawing_names([signature.op for signature in signatures])]
    return MeasuredOps(
        package, tuple(sorted(names)), any(op.in_torch for op in ops), any(op.reference for op in ops), ops
    )


def _measured(signature: Signature, soc: str) -> MeasuredOp:
    op, kernel = signature.op, signature.kernel
    columns = dict.fromkeys(row[: len(op.inputs)] for row in torch_combinations(op, soc))
    floats = any(DTYPES[dtype].floating for column in columns for dtype in column)
    return MeasuredOp(
        type=op.type,
        function=signature.function,
        in_torch=kernel.computable,
        reference=kernel.expressed,
        inputs=tuple(f'"{tensor.name}": {input_literal(tensor)}' for tensor in op.inputs),
        columns=tuple(map(dtype_row, columns)),
        outputs=python_strings(signature.outputs),
        attrs=tuple(f'"{attr.name}": {python_literal(attr.type, sample_attr(attr))}' for attr in op.attrs),
        sizes=size_items(op),
        written=python_strings(signature.written),
        further=tuple(NamesField(name, python_strings(held)) for name, held in kernel.torch.measured_fields.items()),
        authored=kernel.authored,
        skeleton=kernel.skeleton,
        differentiable=op.backward and floats and kernel.computable,
    )
