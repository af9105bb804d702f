"""Times swiglu.swiglu on the NPU: medians of several runs, launch included.

Type `opforge run -- python benchmarks/bench_swiglu.py`.
"""

from __future__ import annotations

import json
import os
import statistics
import time
from pathlib import Path

import torch
import torch_npu  # noqa: F401  (device "npu")

import swiglu

# Tokens, hidden size, columns of the result: from one token to a layer of a small language model.
SIZES = ((1, 1024, 4096), (33, 127, 257), (512, 512, 1376), (2048, 1024, 4096))
DTYPES = (torch.float16, torch.bfloat16, torch.float32)
PRODUCTS = 2
RUNS = 3


def is_simulated() -> bool:
    """Whether the active toolkit is a simulated one, whose times say nothing about hardware."""
    try:
        facts = (Path(os.environ["ASCEND_HOME_PATH"]) / "version.cfg").read_text(encoding="utf-8")
    except (KeyError, OSError):
        return False
    return "simulated=1" in facts.splitlines()


def measure(tokens: int, hidden: int, columns: int, dtype: torch.dtype) -> float:
    """Microseconds of one call."""
    shapes = (
        (tokens, hidden),
        (hidden, columns),
        (hidden, columns),
    )
    inputs = [(torch.randn(shape) / hidden**0.5).to(dtype).npu() for shape in shapes]
    calls = 10 if tokens * hidden * columns < 1 << 28 else 1  # in a run, between two synchronisations
    times = []
    for _ in range(RUNS + 1):
        torch.npu.synchronize()
        start = time.perf_counter()
        for _ in range(calls):
            swiglu.swiglu(*inputs)
        torch.npu.synchronize()
        times.append((time.perf_counter() - start) / calls)
    return statistics.median(times[1:]) * 1e6  # the first run warms up


def main() -> None:
    """Prints a line per dtype and size, as JSON where BENCH_JSON is set."""
    simulated = is_simulated()
    rows = []
    for dtype in DTYPES:
        for tokens, hidden, columns in SIZES:
            us = measure(tokens, hidden, columns, dtype)
            rows.append(
                {
                    "dtype": str(dtype).removeprefix("torch."),
                    "tokens": tokens,
                    "hidden": hidden,
                    "columns": columns,
                    "us": round(us, 1),
                    "gflops": round(2 * PRODUCTS * tokens * hidden * columns / us / 1e3, 1),
                }
            )
    if os.environ.get("BENCH_JSON"):
        print(json.dumps({"schema": 1, "op": "swiglu", "simulated": simulated, "rows": rows}))
        return
    place = "simulated: these times are the host's, not an NPU's" if simulated else torch.npu.get_device_name(0)
    print(f"swiglu.swiglu ({place}); median of {RUNS} runs")
    for row in rows:
        size = f"[{row['tokens']}, {row['hidden']}] @ [{row['hidden']}, {row['columns']}]"
        print(f"{row['dtype']:>9} {size:>28} {row['us']:>12,.1f} us {row['gflops']:>8,.1f} GFLOP/s")


if __name__ == "__main__":
    main()
