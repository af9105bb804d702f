"""The headline command from an empty folder to a trained block, and every recipe with products in one project."""

from __future__ import annotations

import json
import re
import textwrap
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler]

CATALOG = "opforge.spec.catalog"
EXAMPLE = Path(__file__).parents[2] / "examples" / "swiglu" / "llama_mlp" / "llama_mlp.py"

# The catalog's recipes with products, and one that is turned on both sides, has two outputs and no leading dimensions.
RECIPES = ("ge_glu", "re_glu", "linear", "plain_matmul", "matmul_leaky_relu", "matmul_gelu")
TURNED = """\
TurnedBoth:
  inputs:
    a:    {shape: [K, M], dtype: [float16, bfloat16, float32]}
    b:    {shape: [N, K]}
    rest: {shape: [M, N]}
  compute: |
    hidden = a.T @ b.T
    y = sigmoid(hidden) * rest
    z = hidden - rest
  outputs:
    y: {}
    z: {}
"""

# Each op on the NPU against the same op on the CPU, which is the golden, in both directions.
COMPARE = """
import torch, torch_npu, swiglu
from torch.testing import assert_close

CLOSE = {torch.float16: (2**-9, 2**-9), torch.bfloat16: (2**-6, 2**-6), torch.float32: (2**-10, 2**-16)}
OPS = {
    "swiglu": ("rk", "kn", "kn"), "ge_glu": ("rk", "kn", "kn"), "re_glu": ("rk", "kn", "kn"),
    "linear": ("rk", "nk", "n"), "plain_matmul": ("rk", "kn"), "matmul_leaky_relu": ("rk", "kn", "n"),
    "matmul_gelu": ("rk", "kn"), "turned_both": ("km", "nk", "mn"),
}
SIZES = [(1, 1, 1), (2, 17, 33), (131, 64, 259), (16, 200, 7), (257, 31, 128)]
torch.manual_seed(0)
count = 0
for name, shapes in OPS.items():
    op = getattr(torch.ops.swiglu, name)
    for dtype, (rtol, atol) in CLOSE.items():
        for m, k, n in SIZES:
            size = {"r": (1, m), "m": (m,), "k": (k,), "n": (n,)}
            inputs = [
                (torch.randn([s for letter in shape for s in size[letter]]) * k**-0.25).to(dtype) for shape in shapes
            ]
            for given in [inputs, [*inputs[:2], None]] if name == "linear" else [inputs]:
                found = []
                for device in ("cpu", "npu"):
                    tensors = [None if t is None else t.to(device).requires_grad_() for t in given]
                    made = op(*tensors)
                    made = made if isinstance(made, tuple) else (made,)
                    wanted = [t for t in tensors if t is not None]
                    upstream = [torch.linspace(-1, 1, y.numel()).reshape(y.shape).to(y) for y in made]
                    found.append([*made, *torch.autograd.grad(made, wanted, upstream)])
                for golden, actual in zip(*found):
                    assert actual.device.type == "npu"
                    where = f"{name} {dtype} {m} {k} {n}: "
                    bound = 2 * atol * max(1.0, golden.abs().max().item())
                    assert_close(actual.cpu(), golden, rtol=rtol, atol=bound, msg=where.__add__)
                    count += 1
print("compared", count)
"""


@pytest.mark.slow
def test_the_headline_commands_and_the_example(environment: Environment, toolkit_root: Path, tmp_path: Path) -> None:
    assert toolkit_root.is_dir()
    before = environment.files()
    folder = tmp_path / "empty"
    folder.mkdir()
    new = "opforge new SwiGLU --inputs x,w_gate,w_up --features modules,fuse,converter,aclnn"
    made = environment.sh(new, folder)
    assert "warning: CANN has ops with nearly the same names: SwiGLU (built in: SwiGlu)" in made.stderr
    project = folder / "swiglu"
    environment.sh("opforge build", project)
    environment.sh("opforge install", project)
    assert re.search(r"\d{2,} passed", environment.passes_as_on_devices(project))
    trained = environment.sh(f"opforge run -- python '{EXAMPLE}' --layers 2 --steps 8", project)
    assert "fuse found 2 of 2 MLPs" in trained.stdout
    rows = re.findall(r"^ +\d+" + r" +([\d.]+)" * 4 + "$", trained.stdout, re.MULTILINE)
    assert len(rows) == 8
    assert all(float(last) < float(first) for first, last in zip(rows[0], rows[-1], strict=True))
    kept, kept_fused = (int(x.replace(",", "")) for x in re.findall(r"([\d,]+) bytes", trained.stdout))
    assert kept_fused < kept / 2
    assert environment.sh("opforge build", project).stderr == "nothing to do: dist/ is up to date\n"
    environment.sh("opforge uninstall", project)
    assert environment.files() == before


@pytest.mark.qualify
def test_every_recipe_forward_and_backward(environment: Environment, toolkit_root: Path, tmp_path: Path) -> None:
    assert toolkit_root.is_dir()
    features = "modules,fuse,converter,aclnn"
    environment.sh(f"opforge new SwiGLU --inputs x,w_gate,w_up --features {features}", tmp_path)
    project = tmp_path / "swiglu"
    with (project / "opforge.yaml").open("a") as spec:
        for text in [*(files(CATALOG).joinpath(f"{name}.yaml").read_text() for name in RECIPES), TURNED]:
            spec.write(textwrap.indent(text, "  "))
    environment.sh("opforge build", project)
    environment.sh("opforge install", project)
    script = tmp_path / "compare.py"
    script.write_text(COMPARE)
    compared = environment.sh(f"opforge run -- python '{script}'", project)
    assert int(compared.stdout.split()[-1]) > 300
    assert re.search(r"\d{3} passed", environment.passes_as_on_devices(project))
    verified = environment.sh("opforge verify --quick --json", project)
    assert {row["op"] for row in json.loads(verified.stdout)["rows"]} >= {"SwiGLU", "GeGLU", "Linear", "TurnedBoth"}
