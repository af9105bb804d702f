"""Times, memory, errors and counts of one operator at one size: a row of the report of opforge.testing.bench."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor

from opforge.testing.measuring import traffic
from opforge.testing.measuring.case import Arguments, Case, doubled, mapped, single
from opforge.testing.measuring.judging import Trial, judged
from opforge.testing.measuring.standards import STANDARD, Limits, without_rule

LONG = 0.02  # minimum duration of a run in seconds; shorter calls are repeated
MOST_CALLS = 50
SIDES = ("custom", "native")

Call = Callable[[], tuple[Tensor, ...]]


def measure(case: Case, runs: int, limits: Limits = STANDARD) -> dict[str, Any]:
    """One row of the report. ``passed`` is the verdict on the results; None without a reference."""
    op = case.op
    on_cpu = case.inputs()
    on_npu = mapped(on_cpu, Tensor.npu)
    native = op.native
    calls: dict[str, Call] = {"custom": lambda: op.custom(on_npu)}
    if native is not None:
        calls["native"] = lambda: native(on_npu)
    with torch.no_grad():
        errors, passed = _errors(case, on_cpu, limits)  # before many in-place writes
        peaks = {name: _peak(call) for name, call in calls.items()}
        times = _times(calls, runs)
        counted = traffic.launches(calls["custom"])
        unfused = traffic.unfused(calls["native"]) if native is not None else None
        fused = traffic.fused(on_npu, calls["custom"]())
    return {
        **_described(case),
        "custom_us": times["custom"],
        "native_us": times.get("native"),
        "tokens_per_s": {name: case.tokens * 1e6 / times[name]["median"] if name in times else None for name in SIDES},
        "peak_bytes": {name: peaks.get(name) for name in SIDES},
        "passed": passed,
        "error": errors.get("custom"),
        "native_error": errors.get("native"),
        **_counts(counted, fused, unfused),
    }


def count(case: Case) -> dict[str, Any] | None:
    """A row with counts of one call, without times and without a verdict. None if the device has no counters.

    PyTorch's own operators do not compute: their traffic follows from the shapes.
    """
    on_cpu = case.inputs()
    on_npu = mapped(on_cpu, Tensor.npu)
    outputs: list[Tensor] = []
    with torch.no_grad():
        counted = traffic.launches(lambda: outputs.extend(case.op.custom(on_npu)))
        if counted is None:
            return None
        unfused = traffic.unfused_by_shapes(case.op.native, on_cpu) if case.op.native is not None else None
    return {
        **_described(case),
        **dict.fromkeys(("custom_us", "native_us", "passed", "error", "native_error")),
        **{name: dict.fromkeys(SIDES) for name in ("tokens_per_s", "peak_bytes")},
        **_counts(counted, traffic.fused(on_npu, outputs), unfused),
    }


def _described(case: Case) -> dict[str, Any]:
    return {
        "op": case.op.type,
        "dtype": case.dtype,
        "label": case.label,
        "shapes": {name: list(shape) for name, shape in case.shapes().items()},
        "tokens": case.tokens,
    }


def _counts(counted: traffic.Counted | None, fused: int, unfused: traffic.Unfused | None) -> dict[str, Any]:
    measured = None if counted is None else {"read": counted.read, "written": counted.written}
    return {
        "gm_bytes": {"unfused": None if unfused is None else unfused.moved, "fused": fused, "measured": measured},
        "unfused": None if unfused is None else unfused._asdict(),
        "work": None if counted is None else counted.work,
        "launches": None if counted is None else counted.launches,
        "cores": None if counted is None else counted.cores,
        "memory": None if counted is None else counted.memory,
    }


def _times(calls: dict[str, Call], runs: int) -> dict[str, dict[str, float]]:
    """Microseconds per call. The calls take turns, so that changes of the machine affect all of them."""
    repeated = {name: _repetitions(call) for name, call in calls.items()}
    found: dict[str, list[float]] = {name: [] for name in calls}
    collects = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for _ in range(runs):
            for name, call in calls.items():
                found[name].append(_seconds(call, repeated[name]) / repeated[name])
    finally:
        if collects:
            gc.enable()
    return {
        name: {"median": 1e6 * statistics.median(each), "min": 1e6 * min(each), "max": 1e6 * max(each)}
        for name, each in found.items()
    }


def _repetitions(call: Call) -> int:
    """The number of calls in a run. The calls that determine it are the warm-up: the first one loads kernels."""
    _seconds(call, 1)
    return max(1, min(MOST_CALLS, int(LONG / max(_seconds(call, 1), 1e-9))))


def _seconds(call: Call, count: int) -> float:
    torch.npu.synchronize()
    start = time.perf_counter()
    for _ in range(count):
        call()
    torch.npu.synchronize()
    return time.perf_counter() - start


def _peak(call: Call) -> int:
    """Bytes of device memory that a call needs in addition to its inputs and outputs."""
    call()
    torch.npu.synchronize()
    torch.npu.empty_cache()
    before = torch.npu.memory_allocated()
    torch.npu.reset_peak_memory_stats()
    outputs = call()
    torch.npu.synchronize()
    kept = torch.npu.memory_allocated() - before  # outputs, without in-place ones
    peak: int = torch.npu.max_memory_allocated() - before - kept
    del outputs
    return max(0, peak)


def _errors(case: Case, on_cpu: Arguments, limits: Limits) -> tuple[dict[str, dict[str, float]], bool | None]:
    """The largest and the mean difference from the golden result, over all outputs, and whether a standard passes."""
    golden, native = case.op.golden, case.op.native
    if golden is None:
        return {}, None
    goldens = golden(mapped(on_cpu, doubled))
    outputs = case.op.custom(mapped(on_cpu, Tensor.npu))
    found = {"custom": _difference(outputs, goldens)}
    if native is not None:
        found["native"] = _difference(native(mapped(on_cpu, Tensor.npu)), goldens)
    trial = Trial(case, case.label, lenient=True, limits=limits)

    def in_float32(place: int) -> Tensor:
        return golden(mapped(on_cpu, single))[place]

    verdicts = [
        judged(output, exact, None, trial, several=True, again=partial(in_float32, place))["passed"]
        for place, (output, exact) in enumerate(zip(outputs, goldens, strict=True))
        if not without_rule([output.dtype], limits)
    ]
    return found, all(verdicts) if verdicts else None


def _difference(outputs: tuple[Tensor, ...], goldens: tuple[Tensor, ...]) -> dict[str, float]:
    differences = []
    for output, golden in zip(outputs, goldens, strict=True):
        actual, exact = output.cpu().double().flatten(), golden.double().flatten()
        alike = (actual == exact) | (actual.isnan() & exact.isnan())  # includes infinities and NaN
        differences.append(torch.where(alike, 0.0, (actual - exact).abs()))
    every = torch.cat(differences)
    return {"max": float(every.max()), "mean": float(every.mean())} if every.numel() else {"max": 0.0, "mean": 0.0}
