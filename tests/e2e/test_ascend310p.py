"""Ops on AI Cores that are cube and vector core in one: rows that fill no blocks, without DataCopyPad; products."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.test_corpus import adopt, copied

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

SHAPES = """
import torch, torch_npu, vector_add

assert torch_npu.npu.get_device_name() == "Ascend310P3"
SHAPES = [
    ((1,), (1,)), ((7,), (7,)), ((0,), (0,)), ((33, 5), (5,)), ((33, 5), (33, 1)), ((3, 33, 5), (3, 1, 5)),
    ((64, 7), (7,)), ((2000, 17), (17,)), ((100003,), (100003,)), ((9, 1000), (1000,)), ((9, 4099), (9, 1)),
]
for left, right in SHAPES:
    x, y = torch.randn(left).half(), torch.randn(right).half()
    z = vector_add.vector_add(x.npu(), y.npu())
    torch.npu.synchronize()
    assert torch.equal(z.cpu(), x + y), (left, right)
"""


def test_rows_of_every_length(environment: Environment, tmp_path: Path) -> None:
    new = "opforge new VectorAdd --inputs x,y --dtype float16 --soc ascend310p"
    environment.sh(f"{new} && cd vector_add && opforge build && opforge install", tmp_path)
    (tmp_path / "vector_add" / "shapes.py").write_text(SHAPES, encoding="utf-8")
    environment.sh("opforge run -- python shapes.py", tmp_path / "vector_add")


def test_the_tests_that_a_project_has_of_its_own(environment: Environment, tmp_path: Path) -> None:
    new = "opforge new ScaledGelu --inputs x,y --dtype float16,float32 --compute 'z = gelu(x) * y' --soc ascend310p"
    done = environment.sh(f"{new} && cd scaled_gelu && opforge build && opforge install && opforge test", tmp_path)
    assert "target dtype is not supported" not in done.stdout + done.stderr  # regions of autocast that are not there


PRODUCTS = """
import torch, torch_npu, linear

SIZES = [
    (1, 1, 1), (3, 5, 7), (16, 16, 16), (17, 31, 13), (33, 64, 129), (130, 100, 257), (5, 40, 1003), (300, 16, 48),
    (257, 33, 31), (0, 4, 4), (4, 0, 4), (1000, 64, 1000), (7, 65537, 3),
]
for m, k, n in SIZES:
    x, weight, bias = torch.randn(m, k).half(), torch.randn(n, k).half(), torch.randn(n).half()
    product = x.double() @ weight.double().T
    for given in (bias, None):
        y = linear.linear(x.npu(), weight.npu(), None if given is None else given.npu())
        torch.npu.synchronize()
        expected = product if given is None else product + given.double()
        torch.testing.assert_close(y.cpu().double(), expected, rtol=1e-3, atol=1e-3 * max(k, 1) ** 0.5)
print(torch_npu.npu.get_device_name())
"""


@pytest.mark.qualify
def test_products_with_bias_on_either_kind_of_core(environment: Environment, tmp_path: Path) -> None:
    new = "opforge new Linear --inputs x,weight,bias --dtype float16 --soc ascend310p,ascend910b"
    environment.sh(f"{new} && cd linear && opforge build && opforge install", tmp_path)
    project = tmp_path / "linear"
    (project / "products.py").write_text(PRODUCTS, encoding="utf-8")
    for chip in ("Ascend310P3", "Ascend910B1"):
        done = environment.sh("opforge run -- python products.py", project, OPFORGE_SOC=chip)
        assert done.stdout.strip() == chip
    environment.sh("opforge test", project, OPFORGE_SOC="Ascend310P3")
    any_legal_tiling(environment, project, "products.py")


def any_legal_tiling(environment: Environment, project: Path, program: str) -> None:
    """Right whatever tiling the library returns, as long as it is legal."""
    for seed in range(1, 6):
        legal = {"OPFORGE_SOC": "Ascend310P3", "OPFORGE_SIM_TILING": f"legal:{seed}"}
        environment.sh(f"opforge run -- python {program}", project, **legal)


GATED = """
import torch, torch_npu, swiglu
from torch.nn.functional import silu

for m, h, i in [(1, 1, 1), (13, 17, 31), (64, 128, 256), (257, 40, 33)]:
    x, gate, up = torch.randn(m, h).half(), torch.randn(h, i).half(), torch.randn(h, i).half()
    y = swiglu.swiglu(x.npu(), gate.npu(), up.npu())
    torch.npu.synchronize()
    wide = [t.double() for t in (x, gate, up)]
    expected = silu(wide[0] @ wide[1]) * (wide[0] @ wide[2])
    torch.testing.assert_close(y.cpu().double(), expected, rtol=2e-3, atol=2e-3 * h**0.5)
"""


@pytest.mark.qualify
def test_two_products_in_one_op(environment: Environment, tmp_path: Path) -> None:
    new = "opforge new SwiGLU --inputs x,w_gate,w_up --dtype float16 --soc ascend310p"
    environment.sh(f"{new} && cd swiglu && opforge build && opforge install", tmp_path)
    (tmp_path / "swiglu" / "gated.py").write_text(GATED, encoding="utf-8")
    environment.sh("opforge run -- python gated.py", tmp_path / "swiglu")
    any_legal_tiling(environment, tmp_path / "swiglu", "gated.py")


# Operators of tests/corpus whose kernels are for both kinds of cores, with those cases that these cores can do.
BY_HAND = ("matmul_object_bias=whole blocks of columns", "mul_tbuf", "rope")


def test_operators_written_by_hand(tmp_path: Path) -> None:
    names = tuple(each.partition("=")[0] for each in BY_HAND)
    adopted = adopt(copied(tmp_path / "both_kinds", names), names)
    rows = adopted.run("documented", *BY_HAND, OPFORGE_SOC="Ascend310P3")
    assert [row["op"] for row in rows] == ["matmul_object_bias", *["mul_tbuf"] * 3, *["rope"] * 3]
    assert not [row for row in rows if row["said"] or "raised" in row]


ROOM = "    product.SetLocalWorkspace(buffer.Get<uint8_t>());\n"


def test_an_operator_that_forgets_what_these_cores_ask_for(tmp_path: Path) -> None:
    name = "matmul_object_bias"
    folder = copied(tmp_path / "no_room", (name,))
    edits = {"kernel": (ROOM, ""), "host": ('.AddConfig("ascend910b").AddConfig("ascend910_93")', "")}
    for side, (old, new) in edits.items():
        path = folder / name / f"op_{side}" / f"{name}.cpp"
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
    (row,) = adopt(folder, (name,)).run("documented", BY_HAND[0], OPFORGE_SOC="Ascend310P3")
    assert "on ascend310p a product takes room in the unified buffer" in row["raised"]
    assert "SetLocalWorkspace" in row["raised"]
