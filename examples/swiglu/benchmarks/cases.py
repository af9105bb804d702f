"""Operators, sizes and limits for `opforge bench`, `verify` and `test --leaks`. Extend this file as you like."""

from __future__ import annotations

import torch
from opforge.testing.measuring import Case, Input, Op, Relative, Tolerance

import swiglu
from swiglu import _reference
from swiglu._opforge import _native

TESTING = ">=1.2,<2"  # the versions of opforge.testing that this file works with

OPS: tuple[Op, ...] = (
    Op(
        type="SwiGLU",
        function=swiglu.swiglu,
        in_torch=_native.swiglu,
        reference=_reference.swiglu,
        inputs={"x": Input(dims=("...", "H")), "w_gate": Input(dims=("H", "I")), "w_up": Input(dims=("H", "I"))},
        columns=(
            (torch.float16, torch.float16, torch.float16),
            (torch.bfloat16, torch.bfloat16, torch.bfloat16),
            (torch.float32, torch.float32, torch.float32),
        ),
        outputs=("y",),
        left=("x",),
        right=("w_gate", "w_up"),
        products=("...", "I", "H"),
        differentiable=True,
    ),
)

# Tokens, terms of a product, columns of its result: small sizes for a simulator, and a layer of a 7B model. At those
# in "counted", a simulator only counts, in one call.
PRODUCTS = {
    "small": ((1, 1024, 2816), (33, 127, 257), (256, 512, 1376)),
    "full": ((1, 4096, 11008), (128, 4096, 11008), (2048, 4096, 11008)),
    "counted": ((128, 4096, 11008),),
}
# Tokens, elements of each.
ELEMENTS = {
    "small": ((1, 4096), (33, 127), (512, 1024)),
    "full": ((1, 4096), (128, 4096), (2048, 4096), (8192, 4096)),
    "counted": ((2048, 4096),),
}
# Limits of standards A and B: for dtypes other than float16, bfloat16 and float32, or to replace theirs.
TOLERANCES: dict[torch.dtype, Tolerance] = {}
RELATIVES: dict[torch.dtype, Relative] = {}


def timed(op: Op, size: str) -> tuple[Case, ...]:
    """The cases at which `opforge bench` times an operator. ``size``: small or full."""
    return op.cases(products=PRODUCTS[size], elements=ELEMENTS[size])


def counted(op: Op) -> tuple[Case, ...]:
    """The cases at which `opforge bench` counts bytes and instructions, on a simulator, without times."""
    return timed(op, "counted")
