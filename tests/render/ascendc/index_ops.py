"""Ops that number the elements of a row: indices of extremes, and losses with class indices."""

from __future__ import annotations

from collections.abc import Sequence

from generated_ops import ALL

from opforge.spec.model import AttrSpec, OpSpec, TensorSpec
from tests.parsed import parsed

X = TensorSpec("x", ALL, ("...", "C"))


def op(  # noqa: PLR0917
    name: str,
    compute: str,
    results: Sequence[TensorSpec],
    classes: str = "",
    attrs: Sequence[AttrSpec] = (),
    dims: Sequence[str] = ("...", "1"),
) -> OpSpec:
    """``classes`` is the dtype of an input with one class index for each row, of the shape ``dims``."""
    target = (TensorSpec("target", (classes,) * 3, tuple(dims)),) if classes else ()
    return parsed(OpSpec(name, (X, *target), tuple(attrs), tuple(results), compute))


def result(name: str, dtype: str = "", dims: Sequence[str] = ("...",)) -> TensorSpec:
    return TensorSpec(name, (dtype,) * 3 if dtype else ALL, tuple(dims))


SMOOTHED = (AttrSpec("label_smoothing", "float", 0.25), AttrSpec("ignore_index", "int", 2))
INDEXED = (
    op("ArgMax", "i = argmax(x, -1)", [result("i", "int64")]),
    op("ArgMin", "i = cast(argmin(x, dim=-1, keepdim=True), int32)", [result("i", "int32", ("...", "1"))]),
    op("MaxWithIndex", "v, i = max(x, -1)", [result("v"), result("i", "int64")]),
    op("MinWithIndex", "v, i = min(x * x - x, -1)", [result("v"), result("i", "int64")]),
    # The index as a number, beside the numbers of the elements in a whole result.
    op(
        "AfterFirst",
        "i = cast(argmax(x, -1, keepdim=True), float32)\n"
        "j = cast(argmin(x, -1, keepdim=True), float32)\n"
        "y = x * (j - i)",
        [result("y", dims=("...", "C"))],
    ),
    op(
        "CrossEntropy",
        'loss = cross_entropy(x, target, reduction="none")',
        [result("loss", dims=("...", "1"))],
        "int64",
    ),
    op(
        "NllLoss",
        'loss = nll_loss(log_softmax(x, -1), target, ignore_index=0, reduction="none")',
        [result("loss", dims=("...", "1"))],
        "int32",
    ),
    op(
        "Smoothed",
        'loss = cross_entropy(x, target, ignore_index=ignore_index, label_smoothing=label_smoothing, reduction="none")',
        [result("loss", dims=("...", "1"))],
        "int32",
        SMOOTHED,
    ),
    op(
        "WithoutDimension",
        'loss = cross_entropy(x, target, label_smoothing=label_smoothing, reduction="none")',
        [result("loss")],
        "int64",
        SMOOTHED[:1],
        ("...",),
    ),
)
