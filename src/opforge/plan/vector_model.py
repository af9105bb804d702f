"""The plan of an op on the vector cores of its SoCs: numbers and names, no C++ text.

A plan is a list of vector instructions over one tile, the places that they read and write, and a tile's size in UB.
Instruction names are Ascend C's, since this layer lowers to the target's instructions.
"""

from __future__ import annotations

from typing import Literal

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass

PlaceKind = Literal[
    "input", "output", "temp", "integers", "mask", "row", "row mask", "column", "kept", "numbers", "sum"
]
ComputeDtype = Literal["float32", "int32"]

# A tile holds a multiple of this number of elements: 512 bytes of float16. Compare also needs whole 256-byte blocks
# ("count elements must fill a multiple of 256 bytes", Compares in the Ascend C documentation).
TILE_STEP = 256
# UB that PlatformAscendC.GetCoreMemSize reserves for the framework on the A2 and A3 products.
FRAMEWORK_RESERVE = 256
# UB at the end that must be free for Select with a scalar or two tensors ("reserve 8 KB", Select in the documentation).
SELECT_RESERVE = 8192


@dataclass(frozen=True)
class Place:
    """The place of a tile's values: the view of input or output ``name``, or temporary ``number`` of a kind.

    A ``temp`` holds float32, ``integers`` hold int32, a ``mask`` one bit for each element. A tensor's view holds its
    compute dtype. A ``row`` holds one float32 for each row of the tile, a ``row mask`` one bit. A ``column`` is the
    view of an input that is the same for all rows: a tile of one row. A ``kept`` place has float32 of a whole row, of
    which a tile is a part. ``numbers`` are those of the elements of each row: 0, 1, 2, ... They are never overwritten.
    A ``sum`` has one float32 for each element of a tile, summed over tiles, or for each element of a long row.
    """

    kind: PlaceKind
    name: str = ""
    number: int = 0

    @property
    def of_rows(self) -> bool:
        """Whether it holds one value for each row."""
        return self.kind in ("row", "row mask")

    def __str__(self) -> str:
        return self.name or f"{self.kind}[{self.number}]"


@dataclass(frozen=True)
class ScalarOperand:
    """A number: ``value``, or member ``name`` of the tiling data; its negative if ``negated``."""

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

    ``mode`` is a comparison's CMPMODE, a selection's SELMODE, a cast's RoundMode, or the output that stores a
    function's result (``plan.stored_results``). ``work`` is the call's work space. ``block`` is the first block of the
    numbers that its polynomials add (``plan.coefficient_blocks``).
    """

    name: str
    target: Place
    sources: tuple[Place, ...]
    scalar: ScalarOperand | None = None
    mode: str | None = None
    work: tuple[Place, ...] = ()
    block: int | None = None

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
    """A tensor argument of the kernel, with its dtype columns. ``moved``: the kernel copies it; unused inputs are not.

    ``compute`` is the dtype of its view. ``row``: it has one element for each row; ``column``: it is the same for all
    rows. ``summed``: it is a sum over all rows. ``inplace`` is the input that an output shares its memory with.
    ``repeated``: its last extent is 1 in the spec; the scalar unit reads each row's element, which fills the row.
    """

    name: str
    dtypes: tuple[str, ...]
    output: bool = False
    moved: bool = True
    compute: ComputeDtype = "float32"
    inplace: str | None = None
    row: bool = False
    column: bool = False
    summed: bool = False
    repeated: bool = False

    @property
    def tiled(self) -> bool:
        """Whether its queue holds tiles, not one element for each row or for some columns."""
        return not self.row and not self.summed

    @property
    def once(self) -> bool:
        """Whether its queue has one buffer: it is the same for all rows, or copied from there before the tile."""
        return self.column or (self.row and not self.output)

    def converts(self, column: int) -> bool:
        """Whether the view needs its own buffer, since its dtype differs from the stored one."""
        return self.moved and self.dtypes[column] != self.compute

    def via_half(self, column: int) -> bool:
        """Whether the vector unit can cast between its dtype and float32 only through half: one byte (Cast)."""
        return self.moved and DTYPES[self.dtypes[column]].size == 1


def view_of(argument: Argument) -> Place:
    """The place of a tensor's view. A column has the buffer of an input."""
    return Place("output" if argument.output else "input", argument.name)


@dataclass(frozen=True)
class FloatBuffer:
    """A buffer for a tile of 4-byte values. With ``stands_for``, it exists only if that tensor is stored otherwise."""

    place: Place
    stands_for: str | None = None


@dataclass(frozen=True)
class OutputHome:
    """The place where an output's value is built if its stored dtype differs from its view's.

    ``copies`` names the place to copy from if two outputs have the same value.
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
    """The largest tile of one dtype column on one SoC that supports it."""

    soc: str
    column: int
    dtypes: tuple[str, ...]  # of all arguments, inputs first
    elements: int
    bytes_per_element: int
    ub: int  # bytes that tiles may use


class Arguments:
    """The part that plans of all kinds share: a kernel's tensor arguments, in the order of the OpDef."""

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
    """The plan of one op: its instructions per tile, its buffers, and its tiles per SoC and dtype column."""

    op_type: str
    arguments: tuple[Argument, ...]
    scalars: tuple[HostScalar, ...]
    instructions: tuple[Instruction, ...]
    homes: tuple[OutputHome, ...]
    floats: tuple[FloatBuffer, ...]
    masks: int
    buffers: int  # per queue: 2 overlap copies with arithmetic; 1 if two would exceed the queue limit
    tiles: tuple[TileSize, ...]
    reserved: int = 0  # bytes of UB reserved for instructions
    optional: tuple[tuple[str, float], ...] = ()  # optional inputs, and the numbers that replace them
    coupled: bool = False  # whether one of its SoCs combines cube and vector core, and lacks DataCopyPad
    kept: int = 0  # buffers of a whole row that does not fit in a tile
    shifted: frozenset[Place] = frozenset()  # buffers, the last of ``floats``, that begin in other banks than the rest

    @property
    def read(self) -> tuple[Argument, ...]:
        """The inputs that it copies, in the order of the copies.

        ``repeated`` ones come first: the scalar unit then works on their elements while the others are copied.
        """
        return tuple(sorted((a for a in self.inputs if a.moved), key=lambda a: not a.repeated))

    @property
    def streamed(self) -> tuple[Argument, ...]:
        """The tensors whose elements pass through the tiles: memory that an output shares with an input counts once."""
        moved = [a for a in self.arguments if a.moved and a.tiled and not a.column]
        names = {a.name for a in moved}
        return tuple(a for a in moved if a.inplace not in names)

    @property
    def read_once(self) -> tuple[Argument, ...]:
        """The inputs among them, unless an output overwrites them: each element is read once if none is broadcast."""
        overwritten = {a.inplace for a in self.outputs}
        return tuple(a for a in self.streamed if not a.output and not a.repeated and a.name not in overwritten)

    @property
    def numbers(self) -> bool:
        """Whether it needs the numbers of the elements of a row."""
        return any(source.kind == "numbers" for instruction in self.instructions for source in instruction.sources)

    @property
    def sums(self) -> int:
        """The number of sums over all rows."""
        return sum(argument.summed for argument in self.arguments)

    def buffers_of(self, argument: Argument) -> int:
        """The buffers of a tensor's queue."""
        return 1 if argument.once else self.buffers

    def bytes_per_element(self, column: int) -> int:
        """UB bytes per element of a tile in a dtype column; masks, one bit each, are rounded up to bytes."""
        arguments = {a.name: a for a in self.arguments}
        moved = [a for a in self.arguments if a.moved and a.tiled]
        queues = sum(self.buffers_of(a) * DTYPES[a.dtypes[column]].size for a in moved)
        floats = sum(4 for b in self.floats if b.stands_for is None or arguments[b.stands_for].converts(column))
        halves = 2 if any(a.via_half(column) for a in self.arguments) else 0
        return queues + floats + halves + self.masks + (4 if self.numbers else 0) + 4 * self.sums

    def row_step(self, column: int) -> int:
        """The alignment of a tile's rows in elements: 32 bytes of the narrowest dtype, of at most 4 bytes each."""
        return 32 // min(4, *(DTYPES[a.dtypes[column]].size for a in self.arguments))
