"""Inputs in FRACTAL_NZ: an adopted operator that takes them in this format alone gets rows and blocks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
CALLS = """
import sys
import opforge
unblock = opforge.load("Unblock", sys.argv[1], verbose=False)
import torch, torch_npu

torch.npu.config.allow_internal_format = True  # else npu_format_cast keeps rows
for dtype in (torch.float16, torch.int8):
    for shape in ((1, 1), (1, 40), (15, 31), (16, 16), (16, 32), (17, 33), (48, 100)):
        w, other = (torch.randint(-100, 100, shape).to(dtype) for _ in range(2))
        rows, more = w.npu(), other.npu()
        blocks = torch_npu.npu_format_cast(rows, 29)
        assert torch_npu.get_npu_format(blocks) == 29
        for given, last in ((rows, more), (blocks, torch_npu.npu_format_cast(more, 29)), (blocks.clone(), more)):
            y, z = unblock(given, None, [given, last])
            assert torch.equal(y.cpu(), w) and torch.equal(z.cpu(), other), (dtype, shape)
        y, z = unblock(rows, more, [blocks])
        assert torch.equal(y.cpu(), other) and torch.equal(z.cpu(), w), (dtype, shape)
        flipped, _ = unblock(rows.t(), None, [rows.t()])
        assert torch.equal(flipped.cpu(), w.t()), (dtype, shape)

whole = torch_npu.npu_format_cast(torch.ones(64, 64, dtype=torch.float16, device="npu"), 29)
line = torch.ones(64, dtype=torch.float16, device="npu")
for wrong in ((whole[16:], None, [whole[16:]]), (line, None, [line])):
    try:
        unblock(*wrong)
    except ValueError as error:
        print(error)
"""


def test_rows_and_blocks(environment: Environment, toolkit_root: Path, tmp_path: Path) -> None:
    assert toolkit_root.is_dir()
    (tmp_path / "calls.py").write_text(CALLS)
    run = f"TORCH_DEVICE_BACKEND_AUTOLOAD=0 PYTHONPATH='{ROOT / 'src'}' python calls.py '{ROOT / 'tests/e2e/blocks'}'"
    done = environment.sh(run, tmp_path)
    assert done.stdout.splitlines() == [
        "unblock: w is a view of a tensor that is stored in FRACTAL_NZ; give a whole one",
        "unblock: w has 1 dimensions; it is passed in FRACTAL_NZ, which needs two",
    ]
