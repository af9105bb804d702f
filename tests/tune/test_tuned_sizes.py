"""The sizes of `opforge tune --at`: shapes of all inputs, and what is said of sizes that do not fit."""

from __future__ import annotations

import pytest

from opforge.errors import UsageError
from opforge.kinds import derive
from opforge.program import Kernel
from opforge.spec.read.parse import parse_spec
from opforge.tune.tuned_sizes import Size, example, needed, with_rows

SPEC = """\
edition: 1
project: {name: tried, package: tried, vendor: tried, version: 0.1.0, soc: [ascend910b]}
ops:
  Add:
    inputs:
      x: {dtype: [float16]}
      y: {}
    compute: z = x + y
  Gated:
    inputs:
      x: {dtype: [float16], shape: [..., H]}
      w: {shape: [H, I]}
      scale: {shape: [I], optional: true}
    compute: y = (x @ w) * where(present(scale), scale, 1.0)
    backward: false
"""
ADD, GATED = derive(parse_spec(SPEC, None)).public[0], derive(parse_spec(SPEC, None)).public[-1]


@pytest.mark.parametrize(
    ("kernel", "text", "shapes"),
    [
        (ADD, "...=64x4096", {"x": (64, 4096), "y": (64, 4096)}),
        (ADD, "...=64x4096,y=4096", {"x": (64, 4096), "y": (4096,)}),
        (ADD, "x=8,y=8", {"x": (8,), "y": (8,)}),
        (GATED, "...=2x32, H=512, I=96", {"x": (2, 32, 512), "w": (512, 96), "scale": (96,)}),
        (GATED, "...=64,H=512,I=96,scale=none", {"x": (64, 512), "w": (512, 96), "scale": None}),
    ],
)
def test_shapes(kernel: Kernel, text: str, shapes: dict[str, object]) -> None:
    assert Size.parse(text).shapes(kernel) == shapes


@pytest.mark.parametrize(
    ("kernel", "text", "says"),
    [
        (GATED, "...=64,H=512", "it does not say I"),
        (GATED, "...=64,H=512,I=96,J=3", "Gated has no J"),
        (ADD, "H=512", "Add has no H"),
        (ADD, "64x4096", "is not a size"),
        (ADD, "...=64*2", "is not a size"),
        (GATED, "...=64,H=512x2,I=96", "H is one number"),
        (ADD, "...=0x8", "a tensor without elements"),
    ],
)
def test_what_does_not_fit(kernel: Kernel, text: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        Size.parse(text).shapes(kernel)
    assert says in str(refused.value)
    assert refused.value.hint


@pytest.mark.parametrize("kernel", [ADD, GATED])
def test_what_a_hint_proposes_works(kernel: Kernel) -> None:
    assert len(Size.parse(example(kernel.op)).shapes(kernel)) == len(kernel.op.inputs)


def test_needed() -> None:
    assert needed(ADD.op) == ("...",)
    assert needed(GATED.op) == ("...", "H", "I")


def test_other_rows() -> None:
    shapes = {"x": (2, 32, 512), "w": (512, 96), "scale": (96,)}
    assert with_rows(GATED.op, shapes, 33) == {"x": (33, 512), "w": (512, 96), "scale": (96,)}
    assert with_rows(ADD.op, {"x": (64, 8), "y": (8,)}, 33) == {"x": (33, 8), "y": (8,)}
