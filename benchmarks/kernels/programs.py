"""Public programs that launch one kernel: built from a checkout and called with the data of a case."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

STANDS_IN = Path(__file__).parent / "stands_in"  # headers that come before those of a checkout
Opforge = Callable[..., str]


@dataclass(frozen=True)
class Program:
    """A program that reads its operands from files and writes the result to one.

    ``include`` are folders of the checkout; ``source`` is in the pair's folder. ``arguments`` and the new texts of
    ``edits`` may have the sizes {m}, {k} and {n}. With edits, a copy of the source is built for each case.
    ``own_loads``: the kernel itself moves its operands from L1 to L0.
    """

    source: str
    include: tuple[str, ...]
    options: tuple[str, ...]
    operands: tuple[str, ...]
    result: str
    arguments: tuple[str, ...] = ()
    edits: tuple[tuple[str, str], ...] = ()
    own_loads: bool = False


class Place(NamedTuple):
    """The source's folder, ``folder`` below ``checkout``, and the folder ``work``, in which the program runs."""

    checkout: Path
    folder: str
    work: Path


def build(program: Program, place: Place, sizes: Mapping[str, int], opforge: Opforge) -> None:
    """Builds ``work/program``, unless that is there and does not depend on the sizes."""
    checkout, folder, work = place
    if (work / "program").exists() and not program.edits:
        return
    source = checkout / folder / program.source
    if program.edits:
        text = source.read_text(encoding="utf-8")
        for old, new in program.edits:
            if old not in text:
                raise SystemExit(f"{source} has no `{old}`")
            text = text.replace(old, new.format(**sizes))
        source = work / program.source
        source.write_text(text, encoding="utf-8")
    include = [f"-I{path}" for path in (STANDS_IN, *(checkout / name for name in program.include))]
    words = ("bisheng", "-x", "asc", str(source), "-o", "program", "--npu-arch=dav-2201", *include, *program.options)
    command = f'{shlex.join(words)} -I"$ASCEND_HOME_PATH/include/aclnn"'
    opforge(work, "run", "--toolchain", "simulator", "--", "sh", "-c", command)


def call(
    program: Program, work: Path, sizes: Mapping[str, int], operands: Sequence[Tensor], opforge: Opforge
) -> Tensor:
    """The result of the program, flat, of the operands' dtype."""
    for name, value in zip(program.operands, operands, strict=True):
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_bytes(value.contiguous().numpy().tobytes())
    result = work / program.result
    result.parent.mkdir(exist_ok=True)
    result.unlink(missing_ok=True)
    arguments = [word.format(**sizes) for word in program.arguments]
    opforge(work, "run", "--toolchain", "simulator", "--rules", "device", "--", "./program", *arguments)
    return torch.frombuffer(bytearray(result.read_bytes()), dtype=operands[0].dtype)
