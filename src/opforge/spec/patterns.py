"""The patterns of ``opforge new --pattern``: kernels that handwritten ops can begin with, and the tensors that fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.dtypes import COMPUTE_DTYPES
from opforge.frozen import dataclass
from opforge.naming import snake
from opforge.spec.model import OpSpec

INTEGERS = ("int32", "int64")


@dataclass(frozen=True)
class Pattern:
    """A pattern. ``inputs`` are the dimensions of each input, None for any number of ``[...]``.

    ``index`` is the number of an input of integers that select rows of the first input. ``filled`` is a dimension of
    the first input that must not be 0. ``dtypes`` are the first input's without ``--dtype``.
    """

    about: str
    inputs: tuple[tuple[str, ...], ...] | None
    output: tuple[str, ...]
    needs: str
    index: int | None = None
    filled: int | None = None
    dtypes: tuple[str, ...] = COMPUTE_DTYPES

    def dims_of_input(self, place: int) -> tuple[str, ...]:
        """The dimensions of an input without ``--shape``."""
        return ("...",) if self.inputs is None or place >= len(self.inputs) else self.inputs[place]


PATTERNS: Mapping[str, Pattern] = {
    "elementwise": Pattern(
        "a function of each element",
        None,
        ("...",),
        "inputs and one output of one shape, of float16, bfloat16 or float32",
    ),
    "rows": Pattern(
        "a value, or a row, of each row",
        (("...", "H"),),
        ("...", "H"),
        "one input such as [..., H] and one output of [..., H] or [...], of float16, bfloat16 or float32",
        filled=-1,
    ),
    "gather": Pattern(
        "rows of a table by their indices",
        (("N", "H"), ("...",)),
        ("...", "H"),
        "a table [N, H], indices [...] of int32 or int64, and one output [..., H] of the table's dtype",
        index=1,
        filled=0,
    ),
    "matmul": Pattern(
        "the product of two matrices",
        (("M", "K"), ("K", "N")),
        ("M", "N"),
        "inputs [M, K] and [K, N] and one output [M, N], of one of float16, bfloat16 and float32",
        filled=-1,
        dtypes=("float16", "bfloat16"),
    ),
}


def default_reference(op_type: str) -> str:
    """The ``reference`` of an op that begins with a pattern."""
    return f"{snake(op_type)}_reference:{snake(op_type)}"


def op_shapes(op: OpSpec) -> str:
    """``x [..., H] float32 -> y [...] float32``: a signature for messages."""
    return " -> ".join(
        ", ".join(
            f"{tensor.name} [{', '.join(tensor.dims)}] {'/'.join(dict.fromkeys(tensor.dtypes))}" for tensor in each
        )
        for each in (op.inputs, op.outputs)
    )


def fits(name: str, op: OpSpec) -> bool:
    """Whether the pattern's files compute an op of this signature."""
    pattern, inputs = PATTERNS[name], op.inputs
    if len(op.outputs) != 1 or (pattern.inputs is not None and len(inputs) != len(pattern.inputs)):
        return False
    output = op.outputs[0]
    if not all(tensor.plain and tensor.contiguous and not tensor.optional for tensor in (*inputs, output)):
        return False
    if output.inplace is not None or output.shaped or op.dtype_product:
        return False
    computed = [tensor for place, tensor in enumerate((*inputs, output)) if place != pattern.index]
    if not all(dtype in COMPUTE_DTYPES for tensor in computed for dtype in tensor.dtypes):
        return False
    if name in ("gather", "matmul") and len({tensor.dtypes for tensor in computed}) > 1:
        return False
    if pattern.index is not None and not set(inputs[pattern.index].dtypes) <= set(INTEGERS):
        return False
    return _shapes_fit(name, [tensor.dims for tensor in inputs], output.dims)


def _shapes_fit(name: str, inputs: Sequence[tuple[str, ...]], output: tuple[str, ...]) -> bool:
    first = inputs[0]
    if name == "elementwise":
        return all(dims == output for dims in inputs)
    if name == "rows":
        return bool(first) and not first[-1].startswith("...") and output in (first, first[:-1])
    if any(dim.startswith("...") for dim in first) or len(first) != 2:
        return False
    if name == "gather":
        return output == (*inputs[1], first[1])
    return len(inputs[1]) == 2 and inputs[1][0] == first[1] and output == (first[0], inputs[1][1])
