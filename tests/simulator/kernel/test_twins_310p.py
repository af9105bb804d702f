"""The tests of vector functions once more, each call on a core of ascend310p too: the same bytes, all data types."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.portion import Portion
from tests.sampled import sampled

pytestmark = pytest.mark.compiler

FILES = (
    "vector/test_functions.py",
    "vector/test_masks.py",
    "vector/test_compare_select.py",
    "vector/test_converting.py",
    "vector/test_reduce.py",
    "adv/test_adv_math.py",
    "adv/test_adv_norm.py",
    "adv/test_adv_norm_grad.py",
    "adv/test_adv_pad.py",
    "adv/test_adv_rows.py",
    "adv/test_adv_softmax.py",
    "adv/test_adv_softmax_means.py",
    "adv/test_adv_transpose.py",
)
# Whose results are others there; test_vector_310p.py holds them, and what differs between the rounding modes of Cast.
OTHERS = ["vector/test_reduce.py::test_orders", "vector/test_reduce.py::test_whole_tensors"]


@pytest.mark.parametrize("count", sampled((5, len(FILES)), {5}))
def test_every_call_on_both_cores(count: int, portion: Portion[str]) -> None:
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
            *(str(here / f) for f in portion(FILES, count)),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=here.parents[2],
        env={**os.environ, "OPFORGE_KERNEL_TWINS": "ascend310p"},
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-6000:]
