"""Operators without tensors: a `device` argument chooses where they run, as in torch.arange."""

from __future__ import annotations

import pytest
from torch_projects import render, spec_of

from opforge.errors import SpecError
from opforge.kinds import derive
from opforge.render.torch.op_plugin import render_op_plugin

pytestmark = pytest.mark.torch

SPEC = """\
edition: 1
project: {name: placed, package: placed, vendor: placed, version: 0.1.0, soc: [ascend910b]}
ops:
  Count:
    inputs:
      bounds: {shape: [2], dtype: [int64], value_depend: required}
    attrs:
      step: {type: int, default: 1}
    outputs:
      y: {shape: [64], dtype: [float32]}
    reference: golden:count
"""


def text_of(path: str) -> str:
    return next(file.text for file in render(spec_of(SPEC)) if str(file.path) == path)


def test_the_function_has_a_device() -> None:
    public = text_of("python/placed/__init__.py")
    assert (
        'def count(bounds: Sequence[int], step: int = 1, *, device: torch.device | str = "npu") -> Tensor:\n' in public
    )
    assert "    return torch.ops.placed.count(torch.empty(0, device=device), bounds, step)\n" in public
    assert "device: where the operator runs and its results are." in public


def test_the_dispatcher_has_a_tensor_on_the_device() -> None:
    adapter = text_of("csrc/adapter.cpp")
    assert '"count(Tensor like, int[] bounds, int step=1) -> Tensor"' in adapter
    assert "at::Tensor count(const at::Tensor& like, const std::vector<int64_t>& bounds, int64_t step) {" in adapter
    assert 'return opforge::by_torch("placed::count", &count, like, bounds, step);' in adapter
    assert "aclnnCall(bounds, step, y);" in adapter
    ops = text_of("python/placed/_ops.py")
    assert "def _count_fake(like: Tensor, bounds: Sequence[int], step: int = 1) -> Tensor:" in ops
    assert "return like.new_empty((64,), dtype=torch.float32)" in ops
    assert "y = golden.count(bounds, step)" in ops
    assert "register_autograd" not in ops


def refused(text: str) -> str:
    with pytest.raises(SpecError) as error:
        render(spec_of(text))
    return str(error.value)


def test_other_operators_need_a_tensor() -> None:
    needed = "Count has no tensor among its required inputs"
    assert needed in refused(SPEC.replace("    attrs:", "      x: {dtype: [int64], optional: true}\n    attrs:"))
    assert needed in refused(SPEC.replace("[int64]", "[int64, int32]").replace("[float32]", "[float32, float16]"))
    assert "so that `device` names the device" in refused(SPEC.replace("step:", "device:"))


def test_exports_and_graphs_have_no_such_operators() -> None:
    with pytest.raises(SpecError, match="and an export has no `device` argument"):
        render_op_plugin(derive(spec_of(SPEC)), "npu_")
    assert "count" not in text_of("python/placed/_ge.py")
