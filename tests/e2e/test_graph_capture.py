"""torch.npu.graph on the simulated device: a generated op and PyTorch's own, captured, replayed, and refused."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler]

CAPTURED = """
import torch, torch_npu, vector_add
x, y, table = torch.zeros(1009).npu(), torch.zeros(1009).npu(), torch.randn(5, 3).npu()
strided = torch.zeros(64, 33).npu().t()

def model():
    total = vector_add.vector_add(x, y) * 2
    best = x[:5].argmax().view(1)
    return total, vector_add.vector_add(total, y), table.index_select(0, best), vector_add.vector_add(strided, strided)

model()
graph = torch.npu.NPUGraph()
with torch.npu.graph(graph):
    results = model()
torch.manual_seed(1)
for _ in range(3):
    for place in (x, y, strided):
        place.copy_(torch.randn(place.shape))
    assert all(not torch.equal(result, eager) for result, eager in zip(results, model()))
    graph.replay()
    assert all(torch.equal(result, eager) for result, eager in zip(results, model()))

side = torch.npu.Stream()
forked = torch.npu.NPUGraph()
with torch.npu.graph(forked):
    one = vector_add.vector_add(x, y)
    side.wait_stream(torch.npu.current_stream())
    with torch.npu.stream(side):
        two = vector_add.vector_add(one, y)
    torch.npu.current_stream().wait_stream(side)
    three = two + one
y.fill_(2)
forked.replay()
assert torch.equal(three, (x + 2 + 2) + (x + 2))

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 16)

    def forward(self, x):
        return vector_add.vector_add(torch.nn.functional.silu(self.layer(x)), x.sum(-1, keepdim=True))

plain = Model().npu()
graphed = torch.npu.make_graphed_callables(Model().npu(), (torch.randn(4, 8).npu(),))
graphed.load_state_dict(plain.state_dict())
for _ in range(2):
    data = torch.randn(4, 8).npu()
    for model in (plain, graphed):
        model.zero_grad()
        model(data).square().mean().backward()
    torch.testing.assert_close(graphed.layer.weight.grad, plain.layer.weight.grad)
print("replayed")
"""

REFUSED = """
import torch, torch_npu, vector_add
x = torch.arange(8.).npu()
CASES = {
    "item": lambda z: z.sum().item(),
    "cpu": lambda z: z.cpu(),
    "npu": lambda z: torch.ones(2).npu(),
    "nonzero": lambda z: z.nonzero(),
    "random": lambda z: torch.rand_like(z),
    "stream": lambda z: torch.npu.current_stream().synchronize(),
    "device": lambda z: torch.npu.synchronize(),
}
vector_add.vector_add(x, x)
for name, reads in CASES.items():
    stream = torch.npu.current_stream()
    try:
        with torch.npu.graph(torch.npu.NPUGraph()):
            reads(vector_add.vector_add(x, x))
    except RuntimeError as error:
        for each in (error.__context__, error):
            text = str(each).splitlines()
            print(name, text[0].rpartition("error code is ")[2], "|", text[-1])
    torch.npu.set_stream(stream)
    assert torch.equal(vector_add.vector_add(x, x).cpu(), torch.arange(8.) * 2)
"""


@pytest.mark.slow
def test_a_generated_op_in_a_graph(environment: Environment, built: Path, tmp_path: Path) -> None:
    project = Path(shutil.copytree(built, tmp_path / "vector_add", symlinks=True))
    environment.sh("opforge install", project)
    for name, program in (("captured", CAPTURED), ("refused", REFUSED)):
        (tmp_path / f"{name}.py").write_text(program)
    for queue in ("0", "1"):
        done = environment.sh("opforge run -- python captured.py", tmp_path, TASK_QUEUE_ENABLE=queue)
        assert done.stdout == "replayed\n"
    refused = environment.sh("opforge run -- python refused.py 2>/dev/null", tmp_path).stdout.splitlines()
    reasons, ends = refused[::2], refused[1::2]
    assert [line.partition(" | ")[0] for line in reasons] == [
        "item 107027",
        "cpu 107030",
        "npu 107030",
        "nonzero 107027",
        "random 107000",
        "stream 107027",
        "device 107027",
    ]
    for reason, end in zip(reasons, ends, strict=True):
        (name, _, why), (_, code, said) = reason.split(" ", 2), end.split(" ", 2)
        assert code == "507903", name
        assert said.endswith(why.removeprefix("| ")), name
    tested = environment.sh("opforge test -k captured", project)
    assert "passed" in tested.stdout
    assert "skipped" not in tested.stdout
