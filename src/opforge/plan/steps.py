"""Vector instructions on values without buffers, and the emitter that collects them."""

from __future__ import annotations

from dataclasses import field, replace
from operator import attrgetter

from opforge.frozen import dataclass
from opforge.plan.vector_model import ComputeDtype, HostScalar, ScalarOperand


@dataclass(frozen=True)
class Value:
    """A tile of numbers, loaded from an input or computed by a step. A ``mask`` has one bit per element.

    ``product`` is the name of its matrix product, for a tile of one, in float32. ``otherwise`` is the number that
    replaces an optional ``input`` that is left out. A ``row`` value has one number, or one bit, for each row of the
    tile; it may be an input. A ``column`` is an input that is the same for all rows, or computed from it. A ``summed``
    value is a sum over all rows, to which each tile is added.
    """

    id: int
    input: str | None = None
    mask: bool = False
    product: str | None = None
    otherwise: float | None = None
    dtype: ComputeDtype = "float32"
    row: bool = False
    column: bool = False
    summed: bool = False

    @property
    def tile(self) -> bool:
        """Whether it has all elements of a tile."""
        return not self.row and not self.column and not self.summed


@dataclass(frozen=True)
class Step:
    """An instruction on values: ``target = name(sources, scalar)``.

    Beside sources and target it needs ``work`` float32 tiles and ``work_masks`` masks as work space. The target may
    overwrite a source that is not one of ``apart``. ``block``: see ``plan.coefficient_blocks``.
    """

    name: str
    target: Value
    sources: tuple[Value, ...]
    scalar: ScalarOperand | None = None
    mode: str | None = None
    work: int = 0
    work_masks: int = 0
    block: int | None = None

    @property
    def apart(self) -> tuple[Value, ...]:
        """The sources that the target must not overwrite: those that are read again after it has been written."""
        return self.sources if self.name == POLYNOMIAL else self.sources[1:] if self.name == AXPY else ()


@dataclass(frozen=True)
class Lowered:
    """A whole graph as steps: the inputs and products it reads, output values by name, scalars for the host."""

    inputs: tuple[Value, ...]  # loaded elementwise, in order; without inputs that only products read
    products: tuple[Value, ...]  # in the graph's order
    steps: tuple[Step, ...]
    outputs: tuple[tuple[str, Value], ...]
    scalars: tuple[HostScalar, ...]


# Instructions that take a value of each row, or an input that is the same for all rows, beside a tile.
MIXED = ("Add", "Sub", "Mul", "Div", "Min", "Max")
# Instructions that make one value of each row.
REDUCING = {
    "sum": "Sum",
    "prod": "Product",
    "amax": "Largest",
    "amin": "Least",
    "max_first": "Largest",
    "min_first": "Least",
}

# The instruction that computes a polynomial: its mode names the coefficients in vector_math.h.
POLYNOMIAL = "Polynomial"
# The instruction that adds a product with a number, ``target = sources[0] + sources[1] * scalar``, in place.
AXPY = "Axpy"

# The instruction that adds the rows of a tile to a sum over all rows.
SUM_ROWS = "SumRows"


@dataclass
class Emitter:
    """Collects steps. ``row`` says that the node which is being lowered has one value for each row.

    ``overwrites`` says that nothing else reads the node's operand, so that a column is computed in its own place.
    """

    steps: list[Step] = field(default_factory=list)
    count: int = 0
    row: bool = False
    overwrites: bool = False
    wholes: dict[int, Value] = field(default_factory=dict)  # tiles made of values of rows, by value
    made: dict[Step, Value] = field(default_factory=dict)  # the value of each step, by the step without a target

    def value(
        self, *, name: str | None = None, mask: bool = False, dtype: ComputeDtype = "float32", row: bool = False
    ) -> Value:
        """A new value."""
        self.count += 1
        return Value(self.count - 1, name, mask, dtype=dtype, row=row)

    def emit(
        self,
        name: str,
        *sources: Value,
        scalar: ScalarOperand | None = None,
        mode: str | None = None,
        dtype: ComputeDtype | None = None,
        work: tuple[int, int] = (0, 0),
        row: bool | None = None,
    ) -> Value:
        """Adds a step, if the same is not there yet, and returns its value, of ``dtype`` or of the sources' dtype.

        Its value is one of rows if all sources are, unless ``row`` says otherwise.
        """
        if self.overwrites and len(sources) == 1 and sources[0].column:
            column = replace(self.value(), column=True)
            self.steps.append(Step(name, column, sources, scalar, mode))
            return column
        if row is None:
            row = all(source.row for source in sources) if sources else self.row
            if not row and not (name in MIXED and any(source.tile for source in sources)):
                sources = self.tiles(name, sources)
        wide = [source.dtype for source in sources if not source.mask] or [scalar.dtype if scalar else "float32"]
        result = Value(0, mask=name.startswith("Compare"), dtype=dtype or wide[0], row=row)
        step = Step(name, result, sources, scalar, mode, *work)
        same = replace(step, sources=tuple(sorted(sources, key=attrgetter("id")))) if name in ("Add", "Mul") else step
        if same not in self.made:
            self.made[same] = replace(result, id=self.value().id)
            self.steps.append(replace(step, target=self.made[same]))
        return self.made[same]

    def tiles(self, name: str, sources: tuple[Value, ...]) -> tuple[Value, ...]:
        """The sources as tiles; of a value of each row and an input that is the same for all rows, only the latter."""
        mixed = name in MIXED and any(source.row for source in sources)
        return tuple(source if mixed and source.row else self.whole(source) for source in sources)

    def whole(self, value: Value) -> Value:
        """A tile of the value: that of each row, repeated along the row, if it has one for each row."""
        if value.tile:
            return value
        if value.column:
            if value.id not in self.wholes:
                self.wholes[value.id] = self.emit("Repeat", value, row=False)
            return self.wholes[value.id]
        if value.id not in self.wholes:
            spread = self.emit("Spread", self.number(value) if value.mask else value, row=False)
            self.wholes[value.id] = self.is_set(spread) if value.mask else spread
        return self.wholes[value.id]

    def reduced(self, name: str, value: Value) -> Value:
        """One value for each row; a reduction works in a tile."""
        return self.emit(name, self.whole(value), work=(1, 0), row=True)

    def sum_of_rows(self, value: Value) -> Value:
        """The sum of a value over all rows."""
        target = replace(self.value(), summed=True)
        self.steps.append(Step(SUM_ROWS, target, (self.whole(value),)))
        return target

    def filled(self, scalar: ScalarOperand, *, row: bool | None = None) -> Value:
        """A tile of one number."""
        return self.emit("Duplicate", scalar=scalar, row=row)

    def number(self, mask: Value) -> Value:
        """1.0 where the mask is set, else 0.0."""
        return self.select(mask, self.filled(literal(1.0), row=mask.row), literal(0.0))

    def is_set(self, number: Value) -> Value:
        """The mask of the nonzero elements."""
        return self.emit("CompareScalar", number, scalar=literal(0.0), mode="NE")

    def select(self, mask: Value, chosen: Value, other: Value | ScalarOperand) -> Value:
        """``chosen`` where the mask is set, else ``other``."""
        if isinstance(other, Value):
            return self.emit("Select", mask, chosen, other, mode="VSEL_TENSOR_TENSOR_MODE")
        return self.emit("Select", mask, chosen, scalar=other, mode="VSEL_TENSOR_SCALAR_MODE")


def literal(value: float) -> ScalarOperand:
    """A float32 number written into the kernel."""
    return ScalarOperand(value=value)
