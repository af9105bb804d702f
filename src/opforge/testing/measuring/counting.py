"""Counts live objects before and after many calls of an operator: a row of opforge.testing.leaks's report."""

from __future__ import annotations

import ctypes
import gc
import itertools
import os
import statistics
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, cast

import torch
from torch import Tensor

from opforge.testing.measuring.case import Case, Op, mapped, tensors_in

# Counters of the simulated toolkit: library, function, kinds. CANN's libraries do not have them.
COUNTERS = (
    (
        "libnnopbase.so",
        "opforgeSimLive",
        (
            *("aclTensor", "aclTensorList", "aclScalar", "aclScalarList", "aclIntArray", "aclFloatArray"),
            *("aclBoolArray", "aclOpExecutor"),
        ),
    ),
    ("libascendcl.so", "opforgeSimLiveDevice", ("device_allocation", "device_bytes", "stream", "event")),
)
# Entries of the ring buffer with which torch_npu passes a stream's calls to another thread unless TASK_QUEUE_ENABLE is
# 0 (kQueueCapacity of its NPUQueue.cpp). Each entry allocates its memory at its first use.
QUEUE = 4096
BATCHES = 5
TRIES = 3  # for the memory of the process
BYTES_A_CALL = 64  # less than the smallest object of a call, more than the effect of one page on a batch


def task_queue() -> int:
    """The value of TASK_QUEUE_ENABLE: 0 launches at once; 1 (the default) and 2 launch from another thread."""
    return int(os.environ.get("TASK_QUEUE_ENABLE") or 1)


def tried(op: Op) -> list[Case]:
    """Small cases, because leaks depend on the number of calls."""
    return list(op.cases(products=[(5, 7, 3)], elements=[(5, 7)]))


def kinds_of_call(op: Op) -> tuple[str, ...]:
    """Forward, and backward if the operator has a gradient."""
    return ("forward", "backward") if op.differentiable else ("forward",)


def streams(case: Case) -> dict[str, Any]:
    """The streams for the calls; None is the current stream. All entries of their queues have been used once."""
    found = {"current": None, "side": torch.npu.Stream()}
    if task_queue():
        for stream in found.values():
            with _on(stream):
                _settle(_call(case, "forward"), QUEUE)
    return found


def _on(stream: Any) -> AbstractContextManager[Any]:
    if stream is None:
        return nullcontext()
    stream.wait_stream(torch.npu.current_stream())
    return cast("AbstractContextManager[Any]", torch.npu.stream(stream))


def counted(case: Case, what: str, place: str, stream: Any, calls: int) -> dict[str, Any]:
    """One row of the report. ``place`` is the name of the stream."""
    call = _call(case, what)
    with _on(stream):
        _settle(call, max(calls // BATCHES, 1))  # fills caches
        live, device, process = _live(), torch.npu.memory_allocated(), _process()
        grew = _process_grows(call, calls)
        left, kept, used = _live(), torch.npu.memory_allocated(), _process()
    found = [f"{name} {live[name]} -> {left[name]}" for name in live if left[name] > live[name]]
    found += [f"device memory {device} -> {kept} bytes"] if kept > device else []
    found += ["the process's memory, with every batch of calls"] if grew else []
    return {
        "op": case.op.type,
        "what": what,
        "stream": place,
        "grew": bool(found),
        "live": {name: {"before": live[name], "after": left[name]} for name in live} or None,
        "device_bytes": {"before": device, "after": kept},
        "rss_bytes": {"before": process, "after": used},
        "why": ", ".join(found),
    }


def _call(case: Case, what: str) -> Callable[[], None]:
    values = mapped(case.inputs(), Tensor.npu)
    if what == "forward":

        def forward() -> None:
            with torch.no_grad():
                case.op.custom(values)

        return forward
    leaves = [tensor.requires_grad_() for tensor in tensors_in(values) if tensor.is_floating_point()]
    upstream: list[Tensor] = []

    def backward() -> None:
        outputs = [output for output in case.op.custom(values) if output.requires_grad]
        if outputs and not upstream:
            upstream.extend(torch.ones_like(output) for output in outputs)
        if outputs:
            torch.autograd.grad(outputs, leaves, upstream, allow_unused=True)

    return backward


def _settle(call: Callable[[], None], count: int) -> None:
    for _ in range(count):
        call()
    torch.npu.synchronize()
    gc.collect()


def _process_grows(call: Callable[[], None], calls: int) -> bool:
    """Makes the calls in batches, and repeats them while each batch seems to need more memory."""
    size = max(calls // BATCHES, 1)
    for _ in range(TRIES):
        used = [_process()]
        for _ in range(BATCHES):
            _settle(call, size)
            used.append(_process())
        steps = [after - before for before, after in itertools.pairwise(used)]
        if statistics.median(steps) < BYTES_A_CALL * size:
            return False
    return True


def _process() -> int:
    """Resident bytes of the process, after returning free ones; 0 if the system does not report them."""
    try:
        ctypes.CDLL(None).malloc_trim(0)
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError):
        return 0


def _live() -> dict[str, int]:
    """The number of live objects of each kind in the simulated toolkit; empty for CANN."""
    found = {}
    for library, name, kinds in COUNTERS:
        try:
            count = getattr(ctypes.CDLL(library), name)
        except (AttributeError, OSError):
            continue
        count.restype, count.argtypes = ctypes.c_int64, [ctypes.c_char_p]
        counts = {kind: int(count(kind.encode("ascii"))) for kind in kinds}
        found.update({kind: number for kind, number in counts.items() if number >= 0})
    return found
