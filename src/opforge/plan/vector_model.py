"""What a plan says: how one op runs on the vector cores of its SoCs. Numbers and names only, no C++ text.

A plan is a list of vector instructions over one tile, the places they read and write, and what a tile costs in UB.
Instruction names are those of Ascend C, as lowering to a target's instructions is this layer's job.
"""

from __future__ import annotations

from typing import Literal

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass

PlaceKind = Literal["input", "output", "temp", "integers", "mask"]
ComputeDtype = Literal["float32", "int32"]

# A tile holds a multiple of this many elements: 512 bytes of float16, and what Compare's whole 256-byte blocks ask for
# ("count elements must fill a multiple of 256 bytes", Compares in the Ascend C documentation).
TILE_STEP = 256
# UB that PlatformAscendC.GetCoreMemSize keeps back for the framework on the A2 and A3 products.
FRAMEWORK_RESERVE = 256
# UB that Select with a scalar or two tensors wants left free at the end ("reserve 8 KB", Select in the documentation).
SELECT_RESERVE = 8192


@dataclass(frozen=True)
class Place:
    """Where a tile's values are: the view of input or output ``name``, or number ``number`` of one kind of temporaries.

    A ``temp`` holds float32, ``integers`` hold int32, a ``mask`` one bit for each element. The view of a tensor holds
    what its values are computed in.
    """

    kind: PlaceKind
    name: str = ""
    number: int = 0

    def __str__(self) -> str:
        return self.name or f"{self.kind}[{self.number}]"


@dataclass(frozen=True)
class ScalarOperand:
    """One number: ``value``, or member ``name`` of the tiling data; ``negated`` says that its negative is meant."""

    value: float | None = None
    name: str | None = None
    negated: bool = False
    dtype: ComputeDtype = "float32"

    def __str__(self) -> str:
        text = self.name if self.name is not None else f"{self.value:g}"
        return f"-{text}" if self.negated else text


@dataclass(frozen=True)
class Instruction:
    """One Ascend C call over a tile: ``target = name(sources, scalar)``.

    ``mode`` is a comparison's CMPMODE, a selection's SELMODE or a cast's RoundMode. ``work`` are places that the call
    uses for itself.
    """

    name: str
    target: Place
    sources: tuple[Place, ...]
    scalar: ScalarOperand | None = None
    mode: str | None = None
    work: tuple[Place, ...] = ()

    def __str__(self) -> str:
        operands = [
            *map(str, self.sources),
            *([str(self.scalar)] if self.scalar else []),
            *([self.mode] if self.mode else []),
        ]
        uses = f" with {', '.join(map(str, self.work))}" if self.work else ""
        return f"{self.target} = {self.name}({', '.join(operands)}){uses}"


@dataclass(frozen=True)
class Argument:
    """A tensor argument of the kernel, with its dtype columns. An input that no output needs is never ``moved``.

    ``compute`` is the dtype of its view. ``inplace`` is the input that an output shares its memory with.
    """

    name: str
    dtypes: tuple[str, ...]
    output: bool = False
    moved: bool = True
    compute: ComputeDtype = "float32"
    inplace: str | None = None

    def converts(self, column: int) -> bool:
        """Whether its view takes room of its own, as it is stored in another dtype than the view's."""
        return self.moved and self.dtypes[column] != self.compute

    def via_half(self, column: int) -> bool:
        """Whether the vector unit gets from its dtype to float32, or back, by way of half alone: one byte (Cast)."""
        return self.moved and DTYPES[self.dtypes[column]].size == 1


@dataclass(frozen=True)
class FloatBuffer:
    """Room for a tile of 4-byte values. It exists only where ``stands_for``, if any, is stored in another dtype."""

    place: Place
    stands_for: str | None = None


@dataclass(frozen=True)
class OutputHome:
    """Where an output's value is built when it is stored in another dtype than its view's.

    ``copies`` names the place to copy from when the value was built for something else: a second output of one value.
    """

    output: str
    place: Place
    copies: Place | None = None


@dataclass(frozen=True)
class HostScalar:
    """A member of the tiling data that op_host computes from the attributes: the graph's scalar ``node``."""

    name: str
    node: int
    dtype: ComputeDtype = "float32"


@dataclass(frozen=True)
class TileSize:
    """The largest tile of one dtype column on one SoC that has it."""

    soc: str
    column: int
    dtypes: tuple[str, ...]  # of all arguments, inputs first
    elements: int
    bytes_per_element: int
    ub: int  # bytes that tiles may use


class Arguments:
    """What plans of every kind have: a kernel's tensor arguments, in the order of the OpDef."""

    arguments: tuple[Argument, ...]

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """The input arguments, in declaration order."""
        return tuple(a for a in self.arguments if not a.output)

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """The output arguments, in declaration order."""
        return tuple(a for a in self.arguments if a.output)


@dataclass(frozen=True)
class Plan(Arguments):
    """How one op runs: its instructions per tile, its buffers, and its tiles per SoC and dtype column."""

    op_type: str
    arguments: tuple[Argument, ...]
    scalars: tuple[HostScalar, ...]
    instructions: tuple[Instruction, ...]
    homes: tuple[OutputHome, ...]
    floats: tuple[FloatBuffer, ...]
    masks: int
    buffers: int  # per queue: 2 overlaps copying with computing, 1 where two would not fit the queue limit
    tiles: tuple[TileSize, ...]
    reserved: int = 0  # bytes of UB that stay free for the instructions themselves
    optional: tuple[tuple[str, float], ...] = ()  # inputs that may be missing, and the number that stands for each then
    coupled: bool = False  # whether one of its SoCs has cube and vector core in one, and no DataCopyPad

    def bytes_per_element(self, column: int) -> int:
        """UB bytes that one element of a tile costs in a dtype column, masks (a bit each) rounded up to bytes."""
        arguments = {a.name: a for a in self.arguments}
        queues = sum(self.buffers * DTYPES[a.dtypes[column]].size for a in self.arguments if a.moved)
        floats = sum(4 for b in self.floats if b.stands_for is None or arguments[b.stands_for].converts(column))
        halves = 2 if any(a.via_half(column) for a in self.arguments) else 0
        return queues + floats + halves + self.masks

    def row_step(self, column: int) -> int:
        """Elements whose multiples the rows of a tile start at: 32 bytes of the narrowest, of at most 4 bytes each."""
        return 32 // min(4, *(DTYPES[a.dtypes[column]].size for a in self.arguments))
