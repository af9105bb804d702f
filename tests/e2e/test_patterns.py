"""Ops that begin with a pattern: they pass their own tests at once, and compute right at sizes around the tiles'."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Environment, make_environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

ADD_RELU_BACK = """\
  AddReluBack:
    inputs: {grad_y: {dtype: [float16, bfloat16, float32]}, y: {}}
    compute: |
      grad_x = where(y > 0, grad_y, 0.0)
      grad_bias = where(y > 0, grad_y, 0.0)
      grad_other = where(y > 0, grad_y, 0.0)
    outputs: {grad_x: {}, grad_bias: {}, grad_other: {}}
    backward: false
"""
OPS = (
    "RowMax --inputs x --outputs y --shape 'y=[...]' --pattern rows",
    "RowRest --inputs x --pattern rows",
    "AddRelu --inputs x,bias,other --pattern elementwise",
    "PickRows --inputs table,index --pattern gather --dtype float16,bfloat16,float32,index=int32",
    "PickLong --inputs table,index --pattern gather --dtype float32",
    "MyProduct --inputs a,b --pattern matmul",
)

SIZES = """
import torch, torch_npu, patterns

generator = torch.Generator().manual_seed(0)

def values(*shape):
    return torch.randn(shape, generator=generator).to(dtype)

def check(function, expected, *arguments, tolerance=0.0):
    actual = function(*(each.npu() for each in arguments)).cpu()
    assert actual.dtype == expected.dtype and actual.shape == expected.shape
    where = f"{function.__name__} {dtype} {[tuple(each.shape) for each in arguments]}"
    torch.testing.assert_close(actual, expected, rtol=tolerance, atol=tolerance, msg=lambda said: f"{where}: {said}")

for dtype in (torch.float16, torch.bfloat16, torch.float32):
    for columns in (1, 7, 255, 256, 257, 1024, 1025, 4097):
        for rows in (0, 1, 3, 131):
            x = values(rows, columns)
            check(patterns.row_max, x.amax(-1), x)
            check(patterns.row_rest, (x.float() - x.float().amax(-1, keepdim=True)).to(dtype), x)
            bias, other = values(rows, columns), values(rows, columns)
            check(patterns.add_relu, (x.float() + bias.float() + other.float()).relu().to(dtype), x, bias, other)
            table = values(5, columns)
            index = torch.randint(0, 5, (rows,), generator=generator)
            check(patterns.pick_rows, table[index], table, index.int())
            if dtype == torch.float32:
                check(patterns.pick_long, table[index], table, index)
    x = values(40_000, 3)
    check(patterns.row_max, x.amax(-1), x)
    products = ((0, 3, 5), (1, 1, 1), (7, 255, 13), (129, 257, 256), (300, 64, 390))
    for m, k, n in () if dtype == torch.float32 else products:
        a, b = values(m, k), values(k, n)
        tolerance = {torch.float16: 1e-2, torch.bfloat16: 1e-1}[dtype]
        check(patterns.my_product, (a.double() @ b.double()).to(dtype), a, b, tolerance=tolerance)

x = torch.full((2, 70), -torch.inf)
assert patterns.row_max(x.npu()).tolist() == [-torch.inf, -torch.inf]
one = torch.ones(3).npu()
wrong_calls = (
    lambda: patterns.row_max(torch.ones(2, 0).npu()),
    lambda: patterns.my_product(torch.ones(2, 0).half().npu(), torch.ones(0, 2).half().npu()),
    lambda: patterns.add_relu(torch.ones(2, 3).npu(), one, one),
)
for wrong in wrong_calls:
    try:
        wrong()
    except RuntimeError as error:
        print(error)
"""


@pytest.fixture(scope="module")
def patterns(tmp_path_factory: pytest.TempPathFactory) -> tuple[Environment, Path]:
    """A project with an op of each pattern, built and installed."""
    folder = tmp_path_factory.mktemp("patterns")
    environment = make_environment(folder / "env")
    first, *others = OPS
    environment.sh(f"opforge new {first} --package patterns --soc ascend910b", folder)
    for other in others:
        environment.sh(f"opforge add {other}", folder / "patterns")
    spec = folder / "patterns/opforge.yaml"
    named = "    reference: add_relu_reference:add_relu\n"
    spec.write_text(spec.read_text().replace(named, f"{named}    backward: AddReluBack\n"))
    spec.write_text(spec.read_text() + ADD_RELU_BACK)
    environment.sh("opforge update && opforge build && opforge install", folder / "patterns")
    return environment, folder / "patterns"


def test_the_projects_own_tests_pass_at_once(patterns: tuple[Environment, Path]) -> None:
    environment, project = patterns
    assert "skipped" not in environment.passes_as_on_devices(project)


GRADIENT = """
import torch, torch_npu, patterns

values = [-2.0, 1.0], [1.0, 1.0], [0.0, 0.0]
x, bias, other = (torch.tensor(each, device="npu", requires_grad=True) for each in values)
y = patterns.add_relu(x, bias, other)
print(*(each.tolist() for each in torch.autograd.grad(y, (x, bias, other), torch.tensor([5.0, 7.0]).npu())))
"""


def test_an_op_of_the_project_computes_the_gradients(patterns: tuple[Environment, Path], tmp_path: Path) -> None:
    environment, project = patterns
    program, profile = tmp_path / "gradient.py", tmp_path / "profile.jsonl"
    program.write_text(GRADIENT, encoding="utf-8")
    out = environment.sh(f"opforge run -- python {program}", project, OPFORGE_SIM_PROFILE=str(profile)).stdout
    assert "[0.0, 7.0] [0.0, 7.0] [0.0, 7.0]" in out
    assert "AddReluBack" in profile.read_text(encoding="utf-8")


def test_sizes_around_those_of_the_tiles(patterns: tuple[Environment, Path], tmp_path: Path) -> None:
    environment, project = patterns
    program = tmp_path / "sizes.py"
    program.write_text(SIZES, encoding="utf-8")
    out = environment.sh(f"opforge run -- python {program}", project).stdout
    assert "a row of x needs at least one element" in out
    assert "a product of [2, 0] with [0, 2] needs 1 to 2147483647 elements in a dimension" in out
    assert "the kernel does not broadcast [3] to [2, 3]" in out
