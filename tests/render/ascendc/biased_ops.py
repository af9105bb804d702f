"""Products to which the cube cores add a bias."""

from __future__ import annotations

from generated_ops import ALL, PRODUCTS

from opforge.spec.model import OpSpec, TensorSpec

_TWO_BIASES = OpSpec(
    "TwoBiases",
    (
        TensorSpec("a", ALL, ("K", "M")),
        TensorSpec("b", ALL, ("N", "K")),
        TensorSpec("c", ALL, ("N", "K")),
        TensorSpec("p", ALL, ("N",)),
        TensorSpec("q", ALL, ("N",)),
    ),
    (),
    (TensorSpec("y", ALL, ("M", "N")), TensorSpec("z", ALL, ("M", "N"))),
    "y = a.T @ b.T + p\nz = q + a.T @ c.T",
)
_ONE_BIAS_TWICE = OpSpec(
    "OneBiasTwice",
    (
        TensorSpec("a", ALL, ("...", "K")),
        TensorSpec("b", ALL, ("K", "N")),
        TensorSpec("c", ALL, ("K", "N")),
        TensorSpec("p", ALL, ("N",)),
    ),
    (),
    (TensorSpec("y", ALL, ("...", "N")), TensorSpec("z", ALL, ("...", "N"))),
    "y = a @ b + p\nz = a @ c + p",
)
_WIDE = OpSpec(
    "WideLinear",
    (TensorSpec("a", ALL[:2], ("...", "K")), TensorSpec("b", ALL[:2], ("K", "N")), TensorSpec("p", ALL[:2], ("N",))),
    (),
    (TensorSpec("y", ("float32",) * 2, ("...", "N")),),
    "y = a @ b + p",
)
BIASED = (*(each for each in PRODUCTS if each.type == "Linear"), _TWO_BIASES, _ONE_BIAS_TWICE, _WIDE)
