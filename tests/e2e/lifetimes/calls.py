"""Runs inside a child with the simulated device: many calls of one op, and what is alive afterwards.

    calls.py PACKAGE OP CALLS        OP is vector_add or swiglu

Prints what grew from the end of the warm-up to the end of each part; silence is success.
"""

from __future__ import annotations

import ctypes
import functools
import gc
import importlib
import os
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import torch

DEVICE = torch.device("npu")
KINDS = (
    "aclTensor", "aclTensorList", "aclScalar", "aclScalarList", "aclIntArray", "aclFloatArray", "aclBoolArray",
    "aclOpExecutor",
)  # fmt: skip
DEVICE_KINDS = ("device_allocation", "device_bytes", "stream", "event")
# PyTorch's caching allocator keeps a few for later; how many depends on when other threads come to their calls.
SPARE = {"event": 4, "device_allocation": 4, "device_bytes": 4 << 21}
MOST_RSS_GROWTH = 8 << 20  # bytes: a leak of one tensor description a call is a fraction of it, one of 10 KiB is not

Op = Callable[..., torch.Tensor]


def alive() -> dict[str, int]:
    """Live objects of the aclnn interface and of the device."""
    torch.npu.synchronize()
    gc.collect()
    objects, device = ctypes.CDLL("libnnopbase.so"), ctypes.CDLL("libascendcl.so")
    objects.opforgeSimLive.restype = device.opforgeSimLiveDevice.restype = ctypes.c_int64
    counts = {kind: objects.opforgeSimLive(kind.encode()) for kind in KINDS}
    counts |= {kind: device.opforgeSimLiveDevice(kind.encode()) for kind in DEVICE_KINDS}
    counts["memory_allocated"] = torch.npu.memory_allocated()
    assert -1 not in counts.values(), counts
    return counts


def rss() -> int:
    """Resident bytes of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def operands(name: str, seed: int, columns: int = 7) -> list[torch.Tensor]:
    torch.manual_seed(seed)
    shapes = {"vector_add": [(5, columns)] * 2, "swiglu": [(3, 17), (17, columns), (17, columns)]}[name]
    return [torch.randn(shape, dtype=torch.float16) for shape in shapes]


def check(result: torch.Tensor, expected: torch.Tensor) -> None:
    torch.testing.assert_close(result.cpu(), expected, rtol=2e-3, atol=2e-3)


@functools.cache
def side_streams() -> tuple[torch.npu.Stream, torch.npu.Stream]:
    """Two streams, always the same: for each new one the caching allocator begins anew."""
    return torch.npu.Stream(), torch.npu.Stream()


def on_the_current_stream(op: Op, name: str, calls: int) -> None:
    """Inputs and results are freed right after the call, while it may still be in the task queue."""
    cpu = operands(name, 1)
    expected = op(*cpu)
    for number in range(calls):
        result = op(*(tensor.to(DEVICE) for tensor in cpu))
        if number % 100 == 0:
            check(result, expected)


def strided(op: Op, name: str, calls: int) -> None:
    """Inputs that reach the kernel as copies in the workspace."""
    cpu = [tensor.t().contiguous().t() for tensor in operands(name, 2)]
    expected = op(*cpu)
    inputs = [tensor.t().to(DEVICE).t() for tensor in cpu]
    assert not any(tensor.is_contiguous() for tensor in inputs)
    for number in range(calls):
        result = op(*inputs)
        if number % 100 == 0:
            check(result, expected)


def with_gradients(op: Op, name: str, calls: int) -> None:
    inputs = [tensor.to(DEVICE).requires_grad_() for tensor in operands(name, 3)]
    for _ in range(calls):
        op(*inputs).sum().backward()
        for tensor in inputs:
            tensor.grad = None


def on_two_side_streams(op: Op, name: str, calls: int) -> None:
    """The same op on two streams at once, each with its own workspace; inputs come from a third."""
    cpu = [operands(name, 4), operands(name, 5, columns=33)]
    expected = [op(*tensors) for tensors in cpu]
    for number in range(calls // 2):
        inputs = [[tensor.to(DEVICE) for tensor in tensors] for tensors in cpu]
        results = []
        for stream, tensors in zip(side_streams(), inputs, strict=True):
            stream.wait_stream(torch.npu.current_stream())
            with torch.npu.stream(stream):
                results.append(op(*tensors))
                done = torch.npu.Event()
                done.record()
            for tensor in tensors:
                tensor.record_stream(stream)
            torch.npu.current_stream().wait_event(done)
        del inputs, tensors
        for result in results:
            result.record_stream(torch.npu.current_stream())
        if number % 50 == 0:
            for result, right in zip(results, expected, strict=True):
                check(result, right)


def from_two_threads(op: Op, name: str, calls: int) -> None:
    """Each thread on a stream of its own; PyTorch calls operators without the interpreter's lock."""
    wrong: list[BaseException] = []

    def work(stream: torch.npu.Stream) -> None:
        try:
            torch.npu.set_device(0)
            with torch.npu.stream(stream):
                on_the_current_stream(op, name, calls // 2)
        except BaseException as error:  # noqa: BLE001 - raised again below
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(stream,)) for stream in side_streams()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for error in wrong:
        raise error


def refused(op: Op, name: str, calls: int) -> None:
    """Calls that the first phase or the adapter refuses keep nothing."""
    first, *others = (tensor.to(DEVICE) for tensor in operands(name, 6))
    for _ in range(calls):
        try:
            op(first[:, :5], *others)
        except (RuntimeError, ValueError, TypeError):
            continue
        raise AssertionError("shapes that do not fit were taken")


PARTS = (on_the_current_stream, strided, with_gradients, on_two_side_streams, from_two_threads, refused)


def leaking(op: Op, name: str, calls: int) -> None:
    """What must be found: an array a call that nobody destroys, and a stream."""
    on_the_current_stream(op, name, calls)
    numbers, stream = (ctypes.c_int64 * 1)(7), ctypes.c_void_p()
    for _ in range(calls):
        ctypes.CDLL("libnnopbase.so").aclCreateIntArray(numbers, ctypes.c_uint64(1))
    ctypes.CDLL("libascendcl.so").aclrtCreateStream(ctypes.byref(stream))


def main(package: str, name: str, calls: int, parts: tuple[Callable[[Op, str, int], None], ...] = PARTS) -> None:
    """Say what grew."""
    op: Op = getattr(importlib.import_module(package), name)
    for part in parts:
        part(op, name, 60)  # the task queue and the caching allocator grow at first
        part(op, name, 60)
        before, resident = alive(), rss()
        part(op, name, calls)
        after, grown = alive(), rss() - resident
        for kind in before:
            if after[kind] - before[kind] > SPARE.get(kind, 0):
                sys.stdout.write(f"{part.__name__}: {kind} grew from {before[kind]} to {after[kind]}\n")
        if grown > MOST_RSS_GROWTH:
            sys.stdout.write(f"{part.__name__}: {grown} bytes more are resident after {calls} calls\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
