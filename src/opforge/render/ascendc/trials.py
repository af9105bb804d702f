"""The trials of the programs in aclnn/: shapes and dtypes of every tensor of a call, as C++ braces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.program import Shape, TrialCase
from opforge.spec.combinations import Row, combinations
from opforge.spec.dimensions import Dim, Dots, evaluate_dim
from opforge.spec.model import OpSpec, TensorSpec
from opforge.spec.samples import input_symbols, sample_attr
from opforge.spec.value_dims import DROPPED, KEPT

LISTED = 2  # number of tensors in a list
_VALUES = 3  # number of values of an input that the host reads, if no symbol gives it
# Elementwise: one shape for all tensors, and a row that is repeated.
_EQUAL: tuple[tuple[str, Shape], ...] = (
    ("one element", (1,)),
    ("less than a block", (31,)),
    ("several dimensions", (2, 3, 257)),
    ("every core at work", (7, 40961)),
    ("no elements", (0, 5)),
)
_REPEATED: tuple[Shape, Shape] = ((5, 67), (67,))
# Symbolic shapes: leading dimensions, and the size of the first symbol. Each further symbol is one larger.
_BY_SYMBOLS: tuple[tuple[str, Shape, int], ...] = (
    ("one element", (1,), 1),
    ("less than a block", (2,), 7),
    ("several dimensions", (2, 3), 67),
    ("no rows", (0,), 5),
)


@dataclass(frozen=True)
class TrialShapes:
    """Shapes of inputs and results as two braced lists. ``note`` says what they test."""

    note: str
    shapes: tuple[str, str]


@dataclass(frozen=True)
class Slot:
    """One tensor of a call. A list has several slots. ``place`` is the argument's index among inputs, then outputs."""

    tensor: TensorSpec
    place: int


def slots(op: OpSpec) -> tuple[Slot, ...]:
    """The tensors of a call: first the inputs, then the outputs."""
    arguments = enumerate((*op.inputs, *op.outputs))
    return tuple(Slot(tensor, place) for place, tensor in arguments for _ in range(length(op, tensor)))


def length(op: OpSpec, tensor: TensorSpec) -> int:
    """The number of tensors of an argument in a trial: several if it is a list."""
    if not tensor.dynamic or tensor.scalar:
        return 1
    attr = next((attr for attr in op.attrs if attr.name == tensor.count), None)
    value = LISTED if attr is None else sample_attr(attr)
    return value if isinstance(value, int) and value >= 0 else 0


def slot_of(op: OpSpec, name: str) -> int:
    """The index of an argument's first tensor."""
    return next(index for index, slot in enumerate(slots(op)) if slot.tensor.name == name)


def result_places(op: OpSpec) -> tuple[int, ...]:
    """The indices of the results among the tensors. An in-place result has the index of its input."""
    firsts = ((slot_of(op, output.inplace or output.name), length(op, output)) for output in op.outputs)
    return tuple(first + index for first, count in firsts for index in range(count))


def type_rows(op: OpSpec, soc: str) -> tuple[tuple[str, ...], ...]:
    """The types of the tensors, for every combination that a SoC supports."""
    return tuple(
        acl_types(op, row)
        for row in combinations(op, soc)
        if all(DTYPES[dtype].bits >= 8 for dtype in row)  # a host tensor holds no elements smaller than a byte
    )


def acl_types(op: OpSpec, row: Row) -> tuple[str, ...]:
    """The types of the tensors of a call, for one combination of dtypes."""
    return tuple(f"ACL_{DTYPES[row[slot.place]].ge.removeprefix('DT_')}" for slot in slots(op))


def launched_row(op: OpSpec, soc: str) -> tuple[int, Row]:
    """The combination that a launched kernel is compiled for, with its index on the SoC. float16 is preferred."""
    rows = combinations(op, soc)
    index = next((i for i, row in enumerate(rows) if row[0] == "float16"), 0)
    return index, rows[index]


def braces(items: Sequence[str]) -> str:
    """A braced list."""
    return f"{{{', '.join(items)}}}"


def trials_of(op: OpSpec, cases: Sequence[TrialCase]) -> tuple[TrialShapes, ...]:
    """The shapes that the programs try. Each case with optional inputs is also tried without them."""
    trials = []
    for case in cases:
        trials.append(_trial(case.note, case.inputs, case.outputs))
        if any(tensor.optional for tensor in op.inputs):
            given = [None if slot.tensor.optional else s for slot, s in zip(slots(op), case.inputs, strict=False)]
            trials.append(_trial(f"{case.note}, without optional inputs", given, case.outputs))
    return tuple(trials)


def plain_cases(op: OpSpec) -> list[TrialCase]:
    """Cases for tensors of any shape: all tensors have the same shape, and a row is repeated."""
    results = len(op.outputs)
    cases = [TrialCase(note, tuple(_unless_scalar(t, s) for t in op.inputs), (s,) * results) for note, s in _EQUAL]
    written = {output.inplace for output in op.outputs}
    whole, row = _REPEATED
    kept = [index == 0 or tensor.name in written for index, tensor in enumerate(op.inputs)]
    if not all(kept):
        shapes = tuple(_unless_scalar(t, whole if k else row) for t, k in zip(op.inputs, kept, strict=True))
        cases.append(TrialCase("a repeated row", shapes, (whole,) * results))
    return cases


def _unless_scalar(tensor: TensorSpec, shape: Shape) -> Shape:
    return () if tensor.scalar else shape


def symbol_cases(op: OpSpec, *, own_shapes: bool = False) -> list[TrialCase]:
    """Cases for symbolic shapes. ``own_shapes``: outputs have the shapes that the spec states."""
    attrs = {attr.name: sample_attr(attr) for attr in op.attrs if attr.type == "int"}
    given = {name: value for name, value in attrs.items() if isinstance(value, int)}
    cases = []
    for note, leading, size in _BY_SYMBOLS:
        sizes = given | {name: _supported(op, name, size + index) for index, name in enumerate(input_symbols(op))}
        inputs = [_input_shape(slot.tensor, leading, sizes) for slot in slots(op) if slot.place < len(op.inputs)]
        whole = broadcast_shape(inputs)
        try:
            outputs = [slot.tensor for slot in slots(op) if slot.place >= len(op.inputs)]
            results = [_result_shape(op, t, leading, sizes) if own_shapes else whole for t in outputs]
        except ZeroDivisionError:  # by an attribute whose default is 0, which is no value for a call
            continue
        if all(extent >= 0 for shape in results for extent in shape):
            cases.append(TrialCase(note, tuple(inputs), tuple(results)))
    return cases


def _supported(op: OpSpec, symbol: str, size: int) -> int:
    """The size, or the next larger one that the spec says the op supports."""
    for limits in op.sizes:
        if limits.symbol == symbol:
            step = limits.multiple_of
            size = -(-max(size, limits.min) // step) * step
            return size if limits.max is None else min(size, limits.max // step * step)
    return size


def _input_shape(tensor: TensorSpec, leading: Shape, sizes: Mapping[str, int]) -> Shape:
    if tensor.scalar:
        return (_VALUES,) if tensor.dynamic else ()
    if tensor.value_depend is not None and tensor.dims[:1] == ("...",):
        return (_VALUES,)
    return shape_of(tensor.dimensions, leading, sizes)


def _result_shape(op: OpSpec, tensor: TensorSpec, leading: Shape, sizes: Mapping[str, int]) -> Shape:
    """The shape of a result. One of the leading dimensions may be reduced: the last, if an attribute gives it."""
    reduced = len(leading) - 1 if any(attr.axis for attr in op.attrs) else 0
    if tensor.dimensions == (KEPT,):
        return (*leading[:reduced], 1, *leading[reduced + 1 :])
    if tensor.dimensions == (DROPPED,):
        return (*leading[:reduced], *leading[reduced + 1 :])
    return shape_of(tensor.dimensions, leading, sizes)


def shape_of(dims: Sequence[Dim], leading: Shape, sizes: Mapping[str, int]) -> Shape:
    """The shape of symbolic dimensions; ``leading`` replaces the ellipsis."""
    shape: list[int] = []
    for dim in dims:
        shape += leading if isinstance(dim, Dots) else [evaluate_dim(dim, sizes)]
    return tuple(shape)


def broadcast_shape(shapes: Sequence[Shape]) -> Shape:
    """The shape to which all of these broadcast."""
    rank = max(map(len, shapes))
    columns = zip(*((1,) * (rank - len(shape)) + shape for shape in shapes), strict=True)
    return tuple(next((extent for extent in column if extent != 1), 1) for column in columns)


def _trial(note: str, inputs: Sequence[Shape | None], results: Sequence[Shape]) -> TrialShapes:
    of_inputs, of_results = (braces([_text(shape) for shape in group]) for group in (inputs, results))
    return TrialShapes(note, (of_inputs, of_results))


def _text(shape: Shape | None) -> str:
    return "kMissing" if shape is None else braces([str(extent) for extent in shape])
