"""Kernels of gradients give what their graphs mean; that these are torch's gradients is tested with the graphs."""

from __future__ import annotations

import pytest
import torch
from generated_ops import Chip, GeneratedOps
from test_typed_kernels import tensor
from typed_ops import GRADIENTS

from opforge.ir.evaluate import evaluate
from opforge.spec.combinations import combinations

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

THREE = Chip(3)
RELATIVE = {torch.float32: 1e-5, torch.float16: 2**-10, torch.bfloat16: 2**-7}


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, -1])
def test_every_gradient(gradient_ops: GeneratedOps, place: int) -> None:
    """In the first and the last row of dtypes, with one input broadcast; terms about 1 may cancel."""
    assert len(gradient_ops.ops) == len(GRADIENTS), sorted(gradient_ops.ops)
    for name, op in gradient_ops.ops.items():
        row = combinations(op)[place]
        for last in ((9, 37), (37,), (9, 1)):
            shapes = [(9, 37)] * (len(op.inputs) - 1) + [last]
            inputs = [tensor(s, d, seed) for seed, (s, d) in enumerate(zip(shapes, row, strict=False))]
            values = {a.name: float(a.default or 0) for a in op.attrs}
            dtypes = {t.name: getattr(torch, d) for t, d in zip(op.outputs, row[len(op.inputs) :], strict=True)}
            given = {t.name: i for t, i in zip(op.inputs, inputs, strict=True)}
            wanted = evaluate(gradient_ops.graphs[name], given, values, dtypes)
            for output, result in zip(op.outputs, gradient_ops.run(name, inputs, THREE, values, row), strict=True):
                tolerance = RELATIVE[result.dtype]
                torch.testing.assert_close(
                    result, wanted[output.name], rtol=tolerance, atol=tolerance, equal_nan=True,
                    msg=lambda text, name=name, output=output, row=row: f"{name}.{output.name} {row}\n{text}",
                )  # fmt: skip
