"""Ops that reduce rows, and then the values of all rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from generated_ops import ALL

from opforge.spec.model import AttrSpec, OpSpec, TensorSpec
from tests.parsed import parsed

X = TensorSpec("x", ALL, ("...", "C"))
Y = TensorSpec("y", ALL, ("...", "C"))
CLASSES = TensorSpec("target", ("int64",) * 3, ("...", "1"))


def op(name: str, compute: str, *inputs: TensorSpec, attrs: Sequence[AttrSpec] = ()) -> OpSpec:
    return parsed(OpSpec(name, inputs, tuple(attrs), (TensorSpec("loss", ALL, ()),), compute))


TOTALS = (
    op("MeanCrossEntropy", "loss = cross_entropy(x, target)", X, CLASSES),
    op(
        "SmoothedSum",
        'loss = cross_entropy(x, target, ignore_index=ignored, label_smoothing=0.25, reduction="sum") * scale',
        X,
        CLASSES,
        attrs=(AttrSpec("ignored", "int", 2), AttrSpec("scale", "float", 0.5)),
    ),
    op("WeightedMean", "loss = cross_entropy(x, target, w)", X, CLASSES, TensorSpec("w", ALL, ("C",))),
    op(
        "MaskedMean",
        'loss = sum(cross_entropy(x, target, reduction="none") * w) / sum(w)',
        X,
        replace(CLASSES, dims=("...",)),
        TensorSpec("w", ALL, ("...",)),
    ),
    op("MeanDistance", "loss = mean(sum((x - y) ** 2, -1))", X, Y),
    op("Range", "loss = amax(sum(x * y, -1)) - amin(x)", X, Y),
)
