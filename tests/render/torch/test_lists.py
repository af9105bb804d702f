"""Operators whose results are lists of tensors: one for each tensor of a list among the inputs."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch_projects import render, spec_of

from opforge.errors import SpecError
from opforge.kinds import derive
from opforge.render.torch.op_plugin import render_op_plugin

pytestmark = pytest.mark.torch

HEAD = """\
edition: 1
project: {name: lists, package: lists, vendor: lists, version: 0.1.0, soc: [ascend910b]}
ops:
"""
SOURCES = "    sources: [op_host/lists.cpp, op_kernel/lists.cpp]\n"
EACH = f"""\
  EachTan:
    inputs:
      xs: {{shape: [...xs], dtype: [float16, float32], dynamic: true}}
    outputs:
      ys: {{shape: [...xs], dtype: [float32, float32], dynamic: true}}
    reference: golden:each_tan
{SOURCES}"""
INTO = f"""\
  AddEach:
    inputs:
      xs: {{shape: [...xs], dtype: [float32], dynamic: true}}
      y: {{shape: [...y]}}
    outputs:
      r: {{inplace: xs}}
      ys: {{shape: [...xs], dynamic: true}}
      s: {{shape: [...y]}}
    reference: golden:add_each
{SOURCES}"""


def text_of(path: str) -> str:
    files = render(spec_of(HEAD + EACH + INTO))
    return next(file.text for file in files if str(file.path) == path)


def test_the_dispatcher_is_given_lists() -> None:
    adapter = text_of("csrc/adapter.cpp")
    assert '"each_tan(Tensor[] xs) -> Tensor[]"' in adapter
    assert '"add_each(Tensor(a!)[] xs, Tensor y) -> (Tensor[] ys, Tensor s)"' in adapter
    assert "std::vector<at::Tensor> ys = opforge::one_for_each(xs, outputDtypes[0]);" in adapter
    assert "if (opforge::has_elements(ys)) {" in adapter
    assert "const std::vector<at::Tensor> xsMemory = opforge::writable(xs);" in adapter
    assert 'opforge::check_apart("add_each", "xs", xs);' in adapter
    assert "opforge::write_back(xs, xsMemory);" in adapter


def test_python_gives_lists() -> None:
    public = text_of("python/lists/__init__.py")
    assert "def each_tan(xs: Sequence[Tensor]) -> list[Tensor]:" in public
    assert "def add_each(xs: Sequence[Tensor], y: Tensor) -> tuple[Sequence[Tensor], list[Tensor], Tensor]:" in public
    ops = text_of("python/lists/_ops.py")
    assert "return _by_hand.one_for_each(" in ops
    assert "_by_hand.one_for_each(xs, xs[0].dtype)" in ops
    assert "_by_hand.copy_each(xs, r)" in ops


@pytest.fixture(name="by_hand", scope="module")
def _by_hand(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path = Path(tmp_path_factory.mktemp("lists")) / "lists_by_hand.py"
    path.write_text(text_of("python/lists/_opforge/_by_hand.py"), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def test_lists_of_a_reference(by_hand: ModuleType) -> None:
    xs = [torch.ones(3), torch.ones(2, 5)]
    made = by_hand.fitting_each("each_tan", "ys", [torch.tan(x) for x in xs], xs, torch.float16)
    assert [(y.shape, y.dtype) for y in made] == [(x.shape, torch.float16) for x in xs]
    with pytest.raises(RuntimeError, match=r"each_tan: its reference gives ys of 1 tensors for a list of 2"):
        by_hand.fitting_each("each_tan", "ys", xs[:1], xs, torch.float16)
    with pytest.raises(
        RuntimeError, match=r"its reference gives ys\[1\] of shape \[3\], and opforge.yaml says \[2, 5\]"
    ):
        by_hand.fitting_each("each_tan", "ys", [xs[0], xs[0]], xs, torch.float16)


def test_gradients_through_lists(by_hand: ModuleType) -> None:
    xs = [torch.ones(3, requires_grad=True), torch.ones(2, requires_grad=True)]
    grads = [torch.full((3,), 2.0), None]
    made = by_hand.gradients(lambda given: [x * x for x in given], [xs], [[True, True]], [grads])
    assert made[0][0].tolist() == [4.0] * 3
    assert made[0][1] is None


def test_lists_need_sources() -> None:
    with pytest.raises(SpecError) as refused:
        render(spec_of(HEAD + EACH.replace(SOURCES, "")))
    assert "EachTan: ys is a list of tensors, and opforge writes no InferShape for lists" in str(refused.value)


def test_exports_and_graphs_have_no_lists() -> None:
    program = derive(spec_of(HEAD + EACH))
    with pytest.raises(SpecError) as refused:
        render_op_plugin(program, "npu_")
    assert "EachTan: ys is a list of tensors, and an export has no such results" in str(refused.value)
    assert "EachTan" not in text_of("python/lists/_ge.py")
