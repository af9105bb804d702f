"""Formats that only name dimensions: aclnn is told the one that every dtype of a tensor has."""

from __future__ import annotations

import pytest
from torch_projects import render, spec_of

from opforge.errors import SpecError
from opforge.render.torch.argument_types import blocked, label_of
from opforge.spec.model import TensorSpec

pytestmark = pytest.mark.torch

POOL = """\
edition: 1
project: {name: pools, package: pools, vendor: pools, version: 0.1.0, soc: [ascend910b]}
ops:
  Pool:
    inputs:
      x: {shape: [...], dtype: [float16, float32], format: [NCDHW, NCDHW]}
      mask: {shape: [...mask], dtype: [int32, int32], optional: true, format: [NCHW, NCHW]}
    outputs:
      y: {shape: [...], dtype: [float16, float32], format: [NCDHW, NCDHW]}
"""


def test_aclnn_is_told_the_format() -> None:
    adapter = next(file.text for file in render(spec_of(POOL)) if str(file.path) == "csrc/adapter.cpp")
    called = " ".join(adapter.split())
    assert (
        "aclnnCall( opforge::labelled(x, 30), opforge::labelled(mask, 0), opforge::labelled(y, 30))"
        in called.replace("aclnnCall(opforge", "aclnnCall( opforge")
    )


def test_blocked_formats_are_refused() -> None:
    with pytest.raises(SpecError) as refused:
        render(spec_of(POOL.replace("NCHW, NCHW", "NC1HWC0, NC1HWC0")))
    assert "Pool: mask has the formats NC1HWC0 alone" in str(refused.value)
    with pytest.raises(SpecError) as refused:  # what an operator writes
        render(spec_of(POOL.replace("format: [NCDHW, NCDHW]}\n", "format: [FRACTAL_NZ, FRACTAL_NZ]}\n")))
    assert "Pool: y has the formats FRACTAL_NZ alone" in str(refused.value)


def test_inputs_in_blocks() -> None:
    """Also in a list, and in an operator that writes to another input."""
    spec = POOL.replace("optional: true, format: [NCHW, NCHW]", "dynamic: true, format: [FRACTAL_NZ, FRACTAL_NZ]")
    adapter = next(file.text for file in render(spec_of(spec)) if str(file.path) == "csrc/adapter.cpp")
    called = "".join(adapter.split())
    assert 'opforge::in_blocks("pool:mask",sharedRuntime(),mask)' in called
    assert 'check_formats("pool",sharedRuntime(),inputOperands.arguments(),{"mask"})' in called
    assert "aclnnCall(opforge::labelled(x,30),maskBlocks,opforge::labelled(y,30))" in called
    written = spec.replace("outputs:", "outputs:\n      out: {inplace: x}")
    adapter = next(file.text for file in render(spec_of(written)) if str(file.path) == "csrc/adapter.cpp")
    assert 'opforge::in_blocks("pool:mask",sharedRuntime(),maskApart)' in "".join(adapter.split())


@pytest.mark.parametrize(
    ("formats", "expected"),
    [
        (("FRACTAL_NZ", "FRACTAL_NZ"), True),
        (("FRACTAL_NZ", "ND"), False),
        (("FRACTAL_NZ", "NC1HWC0"), False),  # float32 has it not
        ((), False),
    ],
)
def test_formats_in_blocks(formats: tuple[str, ...], expected: bool) -> None:
    assert blocked(TensorSpec("x", ("float16", "float32"), formats=formats)) == expected


@pytest.mark.parametrize(
    ("formats", "label"),
    [
        (("ND", "ND"), None),
        ((), None),
        (("NCHW", "NCHW"), "NCHW"),
        (("NCHW", "ND"), None),
        (("NCHW", "NHWC"), None),  # each of another dtype
        (("FRACTAL_NZ", "FRACTAL_NZ"), None),
    ],
)
def test_labels(formats: tuple[str, ...], label: str | None) -> None:
    assert label_of(TensorSpec("x", ("float16", "float32"), formats=formats)) == label


def test_one_of_two_formats() -> None:
    both = TensorSpec("x", ("float16", "float32", "float16", "float32"), formats=("NHWC", "NCHW", "NCHW", "NHWC"))
    assert label_of(both) == "NHWC"
