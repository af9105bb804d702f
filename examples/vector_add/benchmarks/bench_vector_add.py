"""Times vector_add.vector_add on the NPU: medians of several runs, launch included.

Type `opforge run -- python benchmarks/bench_vector_add.py`.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from pathlib import Path

import torch
import torch_npu  # noqa: F401  (device "npu")

import vector_add

SIZES = (1, 1_009, 65_536, 1_000_003)
COLUMNS = (
    (torch.float16, torch.float16),
    (torch.bfloat16, torch.bfloat16),
    (torch.float32, torch.float32),
)
RUNS = 7
CALLS = 10  # in a run, between two synchronisations


def is_simulated() -> bool:
    """Whether the active toolkit is a simulated one, whose times say nothing about hardware."""
    try:
        facts = (Path(os.environ["ASCEND_HOME_PATH"]) / "version.cfg").read_text(encoding="utf-8")
    except (KeyError, OSError):
        return False
    return "simulated=1" in facts.splitlines()


def measure(size: int, column: tuple[torch.dtype, ...]) -> float:
    """Microseconds of one call."""
    shapes: tuple[tuple[int, ...], ...] = ((size,), (size,))
    inputs = [torch.rand(shape).to(dtype).npu() for shape, dtype in zip(shapes, column, strict=True)]
    times = []
    for _ in range(RUNS + 1):
        torch.npu.synchronize()
        start = time.perf_counter()
        for _ in range(CALLS):
            vector_add.vector_add(*inputs)
        torch.npu.synchronize()
        times.append((time.perf_counter() - start) / CALLS)
    return statistics.median(times[1:]) * 1e6  # the first run warms up


def main() -> None:
    """Prints a line per dtype and size, as JSON where BENCH_JSON is set."""
    simulated = is_simulated()
    rows = [
        {"dtype": str(column[0]).removeprefix("torch."), "elements": size, "us": round(measure(size, column), 1)}
        for column in COLUMNS
        for size in SIZES
    ]
    if os.environ.get("BENCH_JSON"):
        print(json.dumps({"schema": 1, "op": "vector_add", "simulated": simulated, "rows": rows}))
        return
    place = "simulated: these times are the host's, not an NPU's" if simulated else torch.npu.get_device_name(0)
    print(f"vector_add.vector_add ({place}); median of {RUNS} runs of {CALLS} calls")
    for row in rows:
        print(f"{row['dtype']:>9} {row['elements']:>10,} elements {row['us']:>10,.1f} us")


if __name__ == "__main__":
    main()
