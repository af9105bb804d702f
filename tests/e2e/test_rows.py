"""A project of rows beside other kinds: its own tests pass on the NPU, and catch a wrong reduction. Five minutes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from opforge.kinds import derive
from opforge.render.project import render_project
from opforge.scaffold.new_project import write_project
from opforge.spec.read.parse import parse_spec

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

SPEC = """\
edition: 1
project: {name: rows, package: rows_ops, vendor: rows_ops, version: 0.1.0, soc: [ascend910b]}
ops:
  AddNorm:
    inputs:
      x: {shape: [..., H], dtype: [float16]}
      residual: {shape: [..., H]}
      gamma: {shape: [H], optional: true}
    attrs: {eps: {type: float, default: 1.0e-6}}
    outputs: {y: {}, total: {}, rstd: {dtype: [float32]}}
    compute: |
      total = x + residual
      rstd = rsqrt(mean(total * total, -1, keepdim=True) + eps)
      y = total * rstd * where(present(gamma), gamma, 1.0)
  LogOfSum:
    inputs: {x: {shape: [..., H], dtype: [bfloat16]}}
    compute: y = logsumexp(x, -1)
  ChannelStatistics:
    inputs: {x: {shape: [B, C, H], dtype: [float32]}}
    compute: m, v = mean(x, (0, 2)), var(x, (0, 2))
  SoftmaxChannels:
    inputs: {x: {shape: [B, C, H], dtype: [float16]}}
    compute: y = softmax(x, 1)
  Largest:
    inputs: {x: {shape: [..., H], dtype: [float16]}}
    compute: v, i = max(x, -1)
  LargestChannel:
    inputs: {x: {shape: [B, C, H], dtype: [bfloat16]}}
    compute: v, i = max(x, 1)
  ClassLoss:
    inputs:
      x: {shape: [..., C], dtype: [float32]}
      target: {shape: [..., 1], dtype: [int64], values: {min: 0, below: C}}
    attrs: {ignore_index: {type: int, default: 0}}
    compute: y = cross_entropy(x, target, ignore_index=ignore_index, label_smoothing=0.1, reduction="none")
  Loss:
    inputs: {x: {dtype: [float32]}, target: {}}
    compute: y = huber_loss(x, target)
  Plus:
    inputs: {x: {dtype: [float32]}, y: {}}
    compute: z = x + y
  Project:
    inputs: {x: {shape: [..., K], dtype: [float16]}, w: {shape: [K, N]}}
    compute: y = x @ w
  ProjectNorm:
    inputs:
      x: {shape: [..., K], dtype: [float16]}
      gate: {shape: [K, N]}
      up: {shape: [K, N]}
      residual: {shape: [..., N]}
      gamma: {shape: [N], optional: true}
    compute: |
      total = silu(x @ gate) * (x @ up) + residual
      root = rsqrt(mean(total * total, -1, keepdim=True) + 0.01)
      y, rstd, top = total * root * where(present(gamma), gamma, 1.0), root, amax(total, -1)
"""
# A million elements in one row: all cores read parts of it.
LONG = """\
import torch, torch_npu, rows_ops
x, t = torch.randn(2, 1 << 20)
torch.testing.assert_close(rows_ops.loss(x.npu(), t.npu()).cpu(), torch.nn.functional.huber_loss(x, t))
x = x.bfloat16()
torch.testing.assert_close(rows_ops.log_of_sum(x.npu()).cpu(), torch.logsumexp(x, -1))
"""
# A row of more than 64 elements loses those at its end that fill no repeat.
RIGHT, WRONG = "const uint32_t rest = level.count % kLanes;", "const uint32_t rest = 0;"


def test_rows_beside_other_kinds(environment: Environment, tmp_path: Path) -> None:
    project, spec = tmp_path / "rows", parse_spec(SPEC, None)
    write_project(render_project(derive(spec)), spec, project)
    environment.sh("opforge build && opforge install", project)
    passed = re.search(r"(\d+) passed", environment.passes_as_on_devices(project))
    assert passed is not None
    assert int(passed[1]) > 150
    profile = tmp_path / "profile.jsonl"
    environment.sh(f"opforge run -- python -c '{LONG}'", project, OPFORGE_SIM_PROFILE=str(profile))
    launched = [json.loads(line) for line in profile.read_text(encoding="utf-8").splitlines()]
    assert [(each["op"], each["tiling_key"]) for each in launched] == [("Loss", 2), ("LogOfSum", 2)]

    header = project / "op_kernel" / "opforge" / "row_math.h"
    text = header.read_text(encoding="utf-8").replace('"tile_io.h"', '"opforge/tile_io.h"')
    assert RIGHT in text
    kernel = project / "op_kernel" / "log_of_sum_kernel.h"  # the header is opforge's own and would be restored
    body = kernel.read_text(encoding="utf-8").replace('#include "opforge/row_math.h"', text.replace(RIGHT, WRONG))
    kernel.write_text(body, encoding="utf-8")
    kernel = project / "op_kernel" / "softmax_channels_kernel.h"  # the last part of a row across tiles is lost
    body = kernel.read_text(encoding="utf-8")
    assert "part < tiling->partCount" in body
    kernel.write_text(body.replace("part < tiling->partCount", "part < (tiling->partCount + 1) / 2"), encoding="utf-8")
    failed = environment.sh("opforge test -k 'lengths and (log_of_sum or channels)'", project, check=False)
    assert failed.returncode == 1
    for name in ("log_of_sum", "softmax_channels"):
        assert f"FAILED tests/test_rows.py::test_lengths[{name}-0]" in failed.stdout
