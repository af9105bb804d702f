"""Vector instructions on values without buffers, and the emitter that collects them."""

from __future__ import annotations

from dataclasses import field

from opforge.frozen import dataclass
from opforge.plan.vector_model import ComputeDtype, HostScalar, ScalarOperand


@dataclass(frozen=True)
class Value:
    """A tile of numbers, loaded from an input or computed by a step. A ``mask`` has one bit per element.

    ``product`` is the name of its matrix product, for a tile of one, in float32. ``otherwise`` is the number that
    replaces an optional ``input`` that is left out.
    """

    id: int
    input: str | None = None
    mask: bool = False
    product: str | None = None
    otherwise: float | None = None
    dtype: ComputeDtype = "float32"


@dataclass(frozen=True)
class Step:
    """An instruction on values: ``target = name(sources, scalar)``.

    Beside sources and target it needs ``work`` float32 tiles and ``work_masks`` masks as work space. The target may
    overwrite a source.
    """

    name: str
    target: Value
    sources: tuple[Value, ...]
    scalar: ScalarOperand | None = None
    mode: str | None = None
    work: int = 0
    work_masks: int = 0


@dataclass(frozen=True)
class Lowered:
    """A whole graph as steps: the inputs and products it reads, output values by name, scalars for the host."""

    inputs: tuple[Value, ...]  # loaded elementwise, in order; without inputs that only products read
    products: tuple[Value, ...]  # in the graph's order
    steps: tuple[Step, ...]
    outputs: tuple[tuple[str, Value], ...]
    scalars: tuple[HostScalar, ...]


@dataclass
class Emitter:
    """Collects steps."""

    steps: list[Step] = field(default_factory=list)
    count: int = 0

    def value(self, *, name: str | None = None, mask: bool = False, dtype: ComputeDtype = "float32") -> Value:
        """A new value."""
        self.count += 1
        return Value(self.count - 1, name, mask, dtype=dtype)

    def emit(
        self,
        name: str,
        *sources: Value,
        scalar: ScalarOperand | None = None,
        mode: str | None = None,
        dtype: ComputeDtype | None = None,
        work: tuple[int, int] = (0, 0),
    ) -> Value:
        """Adds a step and returns its value, of ``dtype`` or of the sources' dtype."""
        wide = [source.dtype for source in sources if not source.mask] or [scalar.dtype if scalar else "float32"]
        target = self.value(mask=name.startswith("Compare"), dtype=dtype or wide[0])
        self.steps.append(Step(name, target, sources, scalar, mode, *work))
        return target

    def filled(self, scalar: ScalarOperand) -> Value:
        """A tile of one number."""
        return self.emit("Duplicate", scalar=scalar)

    def number(self, mask: Value) -> Value:
        """1.0 where the mask is set, else 0.0."""
        return self.select(mask, self.filled(literal(1.0)), literal(0.0))

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
