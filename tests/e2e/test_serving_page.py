"""docs/serving.md: its commands and its programs, on the simulated device, with stand-ins for vLLM and sglang."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

PAGE = Path(__file__).parents[2] / "docs" / "serving.md"

# What the page's programs import. tests/render/torch/test_serving.py has more of both projects.
STAND_INS = {
    "vllm/model_executor/custom_op.py": """
from torch import nn
op_registry_oot = {}
class CustomOp(nn.Module):
    def __new__(cls, *_):
        return super().__new__(op_registry_oot.get(cls.__name__, cls))
    def forward(self, *arguments):
        return self.forward_oot(*arguments)
    @classmethod
    def register_oot(cls, made, name):
        assert name not in op_registry_oot
        op_registry_oot[name] = made
""",
    "vllm/model_executor/layers/activation.py": """
from vllm.model_executor.custom_op import CustomOp
class SiluAndMul(CustomOp):
    pass
""",
    "vllm/model_executor/layers/layernorm.py": """
import torch
from vllm.model_executor.custom_op import CustomOp
class RMSNorm(CustomOp):
    def __init__(self, hidden):
        super().__init__()
        self.weight, self.variance_epsilon = torch.nn.Parameter(torch.rand(hidden) + 0.5), 1e-5
""",
    "sglang/srt/layers/activation.py": """
from torch import nn
class SiluAndMul(nn.Module):
    def forward(self, x):
        return self.forward_npu(x)
    def forward_native(self, x):
        return x
""",
}

CHECKS = """
import torch, torch_npu
from torch.nn.functional import rms_norm as expected_norm, silu
from my_layers import *
from vllm.model_executor.layers.layernorm import RMSNorm
from vllm.model_executor.layers.activation import SiluAndMul

with torch.no_grad():
    x, residual = torch.randn(2, 5, 64), torch.randn(5, 64)
    act, norm = SiluAndMul(), RMSNorm(64).npu()
    gate, up = x.chunk(2, -1)
    torch.testing.assert_close(act(x.npu()).cpu(), silu(gate) * up)
    def expect(value):
        return expected_norm(value, (64,), norm.weight.cpu(), 1e-5)
    torch.testing.assert_close(norm(x.npu()).cpu(), expect(x))
    y, total = norm(x.npu(), residual.npu())
    torch.testing.assert_close((y.cpu(), total.cpu()), (expect(x + residual), x + residual))
    torch.testing.assert_close(torch.compile(act, backend="aot_eager", fullgraph=True)(x.npu()).cpu(), silu(gate) * up)
    graph = torch.npu.NPUGraph()
    static = x.npu()
    with torch.npu.graph(graph):
        captured = act(norm(static))
    static.copy_(x + 1)
    graph.replay()
    gate, up = expect(x + 1).chunk(2, -1)
    torch.testing.assert_close(captured.cpu(), silu(gate) * up)

SGLANG
with torch.no_grad():
    gate, up = x.chunk(2, -1)
    torch.testing.assert_close(SiluAndMul()(x.npu()).cpu(), silu(gate) * up)
print("served")
"""


def test_all_of_the_page(environment: Environment, toolkit_root: Path, tmp_path: Path) -> None:
    assert toolkit_root.is_dir()
    text = PAGE.read_text(encoding="utf-8")
    new, into, add, install = re.findall(r"^    \$ (.*)$", text, re.MULTILINE)
    narrow = "--soc ascend910b --dtype float32"  # all of them are built elsewhere
    environment.sh(f"{new} {narrow}", tmp_path)
    project = tmp_path / "my_ops"
    assert into == f"cd {project.name}"
    environment.sh(f"{add} --dtype float32", project)
    environment.sh(install, project)
    (name, layers), (_, sglang) = re.findall(r"^```python ?(\S*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    (tmp_path / name).write_text(layers)
    (tmp_path / "checks.py").write_text(CHECKS.replace("SGLANG", sglang))
    for module, source in STAND_INS.items():
        (tmp_path / module).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / module).write_text(source)
    assert environment.sh("opforge run -- python checks.py", tmp_path).stdout == "served\n"
