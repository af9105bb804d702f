"""The context of op_kernel's form for ops with rows, ``kinds/rows/kernel.h``, and its parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opforge.frozen import dataclass

if TYPE_CHECKING:
    from opforge.kinds.rows.spread import SpreadPass
    from opforge.kinds.vector_kernel import ReadTensor
    from opforge.render.ascendc.instruction_spelling import Call
    from opforge.render.ascendc.vector_code import Temporary, VectorForm, WrittenTensor


@dataclass(frozen=True)
class ColumnTensor:
    """An input that is the same for all rows: it is copied in once. The arguments are those of its queue's DeQue."""

    queue: str
    place: str
    strides: str
    type: str
    local: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class RowInput:
    """An input with one element for each row: its queue, the place in GM, and the arguments of the queue's DeQue."""

    queue: str
    place: str
    strides: str
    local: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class RowResult:
    """A result with one element for each row: its queue, the local tensor with the value, and how it is stored."""

    queue: str
    local: str
    buffer: str
    stored: tuple[str, ...]


@dataclass(frozen=True)
class SumResult:
    """A result that is a sum over all rows: its number, and its queue of some columns."""

    number: int
    queue: str


@dataclass(frozen=True)
class FinishForm:
    """The steps that a pass runs on its reductions after the last part of a row. ``empty``: for rows without parts."""

    comment: str
    counts_rows: bool
    compares_rows: bool
    temporaries: tuple[Temporary, ...]
    mask_numbers: tuple[int, ...]
    row_numbers: tuple[int, ...]
    row_mask_numbers: tuple[int, ...]
    empty: tuple[Call, ...]
    calls: tuple[Call, ...]


@dataclass(frozen=True)
class BeginForm:
    """The function that runs before the elements of rows: it loads ``inputs`` with one element for each row.

    Then come ``steps`` on values of rows.
    """

    inputs: tuple[RowInput, ...]
    halves: bool
    steps: FinishForm


@dataclass(frozen=True)
class ProgramForm:
    """A function of the kernel that reads and computes one tile. ``finish`` has one entry or none."""

    name: str
    comment: str
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    read: tuple[ReadTensor, ...]
    vector: VectorForm
    counts_elements: bool
    counts_rows: bool
    compares_rows: bool
    row_numbers: tuple[int, ...]
    row_mask_numbers: tuple[int, ...]
    kept_numbers: tuple[int, ...]
    total_numbers: tuple[int, ...]
    blocks: bool
    numbers: bool
    writes: bool
    writes_rows: bool
    finish: tuple[FinishForm, ...]


@dataclass(frozen=True)
class KeptForm:
    """A pass over a row that stays in UB: its function, and those that follow its last part."""

    name: str
    arguments: tuple[str, ...]
    ends: tuple[str, ...]


@dataclass(frozen=True)
class KernelForm:
    """Context of ``kinds/rows/kernel.h``; ``kernel_type`` is the class.

    ``programs``: the one for whole rows, then ``passes``.
    ``begin`` has one entry or none.
    ``column_calls`` compute with the inputs that are the same for all rows, once for all tiles.
    ``kept`` counts the values of a whole row that stays in UB; ``kept_passes`` are the passes over it.

    ``spread``: the passes over rows of which all cores read parts, if they may; ``combined_at_end``: those that make
    the results if all of these have one element for each row.

    ``sums``: the results that are sums over all rows, which are then cut into shares; ``sum_count`` of them. ``slots``:
    those of the workspace for each part of rows of which all cores read parts.

    ``last``: a row is the last dimension alone. ``several``: it has several dimensions. ``across``: rows lie down the
    columns of a tile. ``row`` is a sentence.
    """

    op_type: str
    kernel_type: str
    stem: str
    guard: str
    formula: str
    last: bool
    several: bool
    across: bool
    row: str
    row_count: str
    rows_of_part: str
    total_size: str
    finish_parameters: tuple[str, ...]
    finish_arguments: tuple[str, ...]
    vector: VectorForm
    types: tuple[str, ...]
    init_parameters: tuple[str, ...]
    queues: tuple[Call, ...]
    shifted_queues: tuple[Call, ...]
    read: tuple[ReadTensor, ...]
    written: tuple[WrittenTensor, ...]
    whole_results: tuple[WrittenTensor, ...]
    row_results: tuple[RowResult, ...]
    sums: tuple[SumResult, ...]
    sum_count: int
    slots: int
    row_halves: bool
    multiplies: bool
    row_values: int
    row_masks: int
    totals: int
    any_masks: bool
    numbers: bool
    columns: tuple[ColumnTensor, ...]
    column_halves: bool
    column_calls: tuple[Call, ...]
    whole_arguments: tuple[str, ...]
    begin: tuple[BeginForm, ...]
    programs: tuple[ProgramForm, ...]
    passes: tuple[ProgramForm, ...]
    kept: int
    kept_passes: tuple[KeptForm, ...]
    spread: tuple[SpreadPass, ...]
    combined_at_end: tuple[str, ...]
