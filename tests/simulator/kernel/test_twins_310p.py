"""The tests of vector functions once more, each call on a core of ascend310p too: the same bytes, all data types."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.compiler, pytest.mark.slow]

FILES = [
    "test_functions.py",
    "test_masks.py",
    "test_compare_select.py",
    "test_converting.py",
    "test_reduce.py",
    "test_adv_math.py",
    "test_adv_norm.py",
    "test_adv_norm_grad.py",
    "test_adv_pad.py",
    "test_adv_rows.py",
    "test_adv_softmax.py",
    "test_adv_softmax_means.py",
    "test_adv_transpose.py",
]
# Whose results are others there; test_vector_310p.py holds them, and what differs between the rounding modes of Cast.
OTHERS = ["test_reduce.py::test_orders", "test_reduce.py::test_whole_tensors"]


def test_every_call_on_both_cores() -> None:
    here = Path(__file__).parent
    out = [f"--deselect={(here / each).relative_to(here.parents[2])}" for each in OTHERS]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-p",
            "no:cacheprovider",
            "-m",
            "not slow",
            *out,
            *(str(here / f) for f in FILES),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=here.parents[2],
        env={**os.environ, "OPFORGE_KERNEL_TWINS": "ascend310p"},
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
