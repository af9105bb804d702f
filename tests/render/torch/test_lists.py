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
from opforge.render.project import render_project
from opforge.render.torch.op_plugin import render_op_plugin
from opforge.spec.yaml_printer import print_spec

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


def test_op_host_infers_the_shapes_of_lists() -> None:
    files = {str(file.path): file.text for file in render_project(derive(spec_of((HEAD + EACH).replace(SOURCES, ""))))}
    call = files["op_host/each_tan_call.h"]
    assert "inline std::string OutputShapes(const Call& call, Shapes (&results)[kOutputs]) {" in call
    assert "    results[0] = call.inputs[kXsInput];\n" in call
    assert "    args->ysCount = static_cast<uint32_t>(call.inputs[kXsInput].size());\n" in call
    host = files["op_host/each_tan.cpp"]
    assert "gert::Shape* output = context->GetOutputShape(TensorsOf(context, i).GetInstanceStart() + j);" in host
    assert "GlobalTensor<TypeYs> YsAt(uint32_t index)" in files["op_kernel/each_tan_bindings.h"]
    assert "NewTensorList(tensors, 2, 2)" in files["aclnn/call_each_tan.cpp"]


def test_exports_and_graphs_have_no_lists() -> None:
    program = derive(spec_of(HEAD + EACH))
    with pytest.raises(SpecError) as refused:
        render_op_plugin(program, "npu_")
    assert "EachTan: ys is a list of tensors, and an export has no such results" in str(refused.value)
    assert "EachTan" not in text_of("python/lists/_ge.py")


REPEATED = f"""\
  Norms:
    inputs:
      xs: {{shape: [...xs], dtype: [float32], dynamic: true}}
    outputs:
      ys: {{shape: [1], dynamic: xs}}
    reference: golden:norms
{SOURCES}  Parts:
    inputs:
      x: {{shape: [R, C], dtype: [float32]}}
    attrs:
      count: {{type: int}}
    outputs:
      ys: {{shape: [R, C // count], dynamic: count}}
      z: {{shape: [R]}}
    reference: golden:parts
{SOURCES}"""


def test_lists_of_a_named_length() -> None:
    spec = spec_of(HEAD + REPEATED)
    assert [op.outputs[0].count for op in spec.ops] == ["xs", "count"]
    assert print_spec(spec) == print_spec(spec_of(print_spec(spec)))
    assert "dynamic: count" in print_spec(spec)
    files = {str(file.path): file.text for file in render(spec)}
    adapter = " ".join(files["csrc/adapter.cpp"].split())
    made = 'opforge::repeated("norms: ys", static_cast<int64_t>(xs.size()), xs[0], {1}, outputDtypes[0]);'
    assert f"std::vector<at::Tensor> ys = {made}" in adapter
    assert 'ysShape = {inputSizes["R"], opforge::floor_div(inputSizes["C"], count)};' in adapter
    assert 'opforge::repeated("parts: ys", count, x, ysShape, outputDtypes[0]);' in adapter
    ops = " ".join(files["python/lists/_ops.py"].split())
    assert 'return _by_hand.repeated("norms", "ys", len(xs), xs[0], (1,), xs[0].dtype)' in ops
    assert 'ys = _by_hand.fitting_repeated("norms", "ys", len(xs), ys, (1,), xs[0].dtype)' in ops
    assert '_by_hand.repeated( "parts", "ys", count, x, _shapes.made("parts", "ys", ' in ops


def test_repeated_tensors(by_hand: ModuleType) -> None:
    made = by_hand.repeated("parts", "ys", 2, torch.ones(1), (3, 4), torch.float16)
    assert [(y.shape, y.dtype) for y in made] == [((3, 4), torch.float16)] * 2
    with pytest.raises(ValueError, match="parts: ys would be a list of -1 tensors"):
        by_hand.repeated("parts", "ys", -1, torch.ones(1), (3, 4), torch.float16)
    with pytest.raises(RuntimeError, match=r"its reference gives ys of 2 tensors, and opforge.yaml says 3"):
        by_hand.fitting_repeated("parts", "ys", 3, made, (3, 4), torch.float16)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            REPEATED.replace("dynamic: count", "dynamic: cuont"),
            "`cuont` is neither a list of tensors among the required inputs nor an int attribute (did you mean `count`",
        ),
        (REPEATED.replace("type: int", "type: float"), "`count` is neither a list of tensors"),
        (
            REPEATED.replace("shape: [1], dynamic: xs", "dynamic: xs"),
            "`ys` has no shape: that of each tensor in the list",
        ),
        (
            REPEATED.replace("[...xs], dtype: [float32], dynamic: true", "[...xs], dtype: [float32], dynamic: ys"),
            "truth value",
        ),
    ],
)
def test_lengths_that_are_refused(text: str, said: str) -> None:
    with pytest.raises(SpecError) as refused:
        spec_of(HEAD + text)
    assert any(said in f"{problem.what} ({problem.hint})" for problem in refused.value.problems)
