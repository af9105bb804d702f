"""Counts the bytes that a computation moves through global memory, and computes the minimum.

OPFORGE_SIM_PROFILE names a file with the counts of a simulated device, one line of JSON per kernel launch.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from opforge.testing.measuring.case import Arguments, mapped, tensors_in

Call = Callable[[], object]
Compute = Callable[[Arguments], object]
ADDED = ("gm_read", "gm_written", "vector_elements", "macs", "instructions")  # per core, summed over launches
UNREAD = ("aten::empty", "aten::new_empty")  # prefixes of operators whose results have no data yet


@dataclass(frozen=True)
class Counted:
    """The device's counts of one call, in bytes; ``cores`` and ``memory`` are as in the lines of the file."""

    read: int
    written: int
    launches: list[dict[str, Any]]
    work: list[dict[str, Any]] | None  # for the model of time: one for each launch
    cores: list[dict[str, Any]]
    memory: dict[str, dict[str, int]]


def launches(call: Call) -> Counted | None:
    """The counts of one call's kernels; None if the device has no counters."""
    path = os.environ.get("OPFORGE_SIM_PROFILE")
    if not path:
        return None
    torch.npu.synchronize()
    before = Path(path).stat().st_size if Path(path).exists() else 0
    call()
    torch.npu.synchronize()
    if not Path(path).exists():
        return None
    with Path(path).open("rb") as file:
        file.seek(before)
        lines = [json.loads(line) for line in file.read().splitlines() if line.strip()]
    return counted(lines) if lines else None


def counted(lines: Sequence[dict[str, Any]]) -> Counted:
    """The sum of several launches: the work of each core added, and the maximum of each buffer."""
    cores: dict[tuple[str, int, int], dict[str, Any]] = {}
    peak: dict[str, int] = {}
    capacity: dict[str, int] = {}
    for line in lines:
        for core in line["cores"]:
            known = cores.setdefault((core["kind"], core["block"], core["sub"]), {**core, **dict.fromkeys(ADDED, 0)})
            for name in ADDED:
                known[name] += core[name]
        for name, size in line["peak"].items():
            peak[name] = max(peak.get(name, 0), size)
            capacity[name] = max(capacity.get(name, 0), line["capacity"][name])
    return Counted(
        read=sum(line["gm"]["read"] for line in lines),
        written=sum(line["gm"]["written"] for line in lines),
        launches=[{name: line[name] for name in ("op", "block_dim", "tiling_key")} for line in lines],
        work=[*map(_work, lines)] if all(map(_is_timed, lines)) else None,
        cores=list(cores.values()),
        memory={"peak": peak, "capacity": capacity},
    )


def _is_timed(line: dict[str, Any]) -> bool:
    return bool(line["cores"]) and all("busy" in core for core in line["cores"])


def _work(line: dict[str, Any]) -> dict[str, Any]:
    """The bytes that a launch moved, and the cycles of its busiest cores by pipe."""
    cores = line["cores"]
    return {
        **line["gm"],
        "crossed": sum(core["crossed"] for core in cores),
        "bypassed": sum(core["bypassed"] for core in cores),
        "macs": sum(core["macs"] for core in cores),
        "span": max((core["span"] for core in cores), default=0),
        "busy": {pipe: max(core["busy"][pipe] for core in cores) for pipe in cores[0]["busy"]},
    }


def fused(values: Arguments, outputs: Iterable[Tensor]) -> int:
    """Bytes that any kernel must move: each input read once, each output written once."""
    return sum(_size(tensor) for tensor in _distinct(tensors_in(values))) + sum(map(_size, outputs))


class Unfused(NamedTuple):
    """PyTorch's own operators: the bytes they move, and how many of them move any.

    ``again`` are bytes that are read after another operator has written them.
    """

    read: int
    again: int
    written: int
    operators: int

    @property
    def moved(self) -> int:
        """All bytes."""
        return self.read + self.written


def unfused(call: Call) -> Unfused:
    """The bytes that PyTorch's own operators move: the inputs and outputs of each. Views are free."""
    with _Traffic() as mode:
        call()
    return Unfused(mode.read, mode.again, mode.written, mode.operators)


def unfused_by_shapes(compute: Compute, values: Arguments) -> Unfused | None:
    """``unfused`` without data: on PyTorch's device "meta". None if the computation depends on data."""
    shapes = mapped(values, lambda tensor: tensor.to("meta"))
    try:
        return unfused(lambda: compute(shapes))
    except RuntimeError:  # PyTorch's, and NotImplementedError, which is one
        return None


class _Traffic(TorchDispatchMode):  # type: ignore[misc]
    """Sums the bytes that every operator reads and writes."""

    def __init__(self) -> None:
        super().__init__()
        self.read = self.again = self.written = self.operators = 0
        self._made: dict[int, Any] = {}  # storages by address, kept: another one must not get the address

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        outputs = func(*args, **(kwargs or {}))
        read = _distinct(_tensors((args, kwargs or {})))
        made = _distinct(_tensors(outputs))
        schema = func._schema  # noqa: SLF001  (PyTorch has no other way to it)
        if schema.is_mutable:
            self._add(read, made)
        elif not schema.name.startswith(UNREAD):
            storages = {_storage(tensor) for tensor in read}
            fresh = [tensor for tensor in made if _storage(tensor) not in storages]
            if fresh:
                self._add(read, fresh)
        return outputs

    def _add(self, read: list[Tensor], written: list[Tensor]) -> None:
        self.read += sum(map(_size, read))
        self.again += sum(_size(tensor) for tensor in read if _storage(tensor) in self._made)
        self.written += sum(map(_size, written))
        self.operators += 1
        self._made |= {_storage(tensor): tensor.untyped_storage() for tensor in written}


def _tensors(value: Any) -> Iterator[Tensor]:
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, dict):
        yield from _tensors(list(value.values()))
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _tensors(each)


def _distinct(tensors: Iterable[Tensor]) -> list[Tensor]:
    return list({id(tensor): tensor for tensor in tensors}.values())


def _storage(tensor: Tensor) -> int:
    return int(tensor.untyped_storage()._cdata)  # noqa: SLF001  (as torch.utils' own)


def _size(tensor: Tensor) -> int:
    """The bytes of a tensor's elements. Elements that are repeated by a stride of 0 count once."""
    sizes = zip(tensor.shape, tensor.stride(), strict=True)
    count = int(tensor.element_size())
    for size, stride in sizes:
        count *= size if stride or not size else 1
    return count
