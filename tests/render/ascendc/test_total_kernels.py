"""Kernels that reduce the values of all rows, against torch: no rows, one, primes, more than one core's share."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from generated_ops import ALIKE_CHIPS, ROW_CHIPS, Chip, GeneratedOps, harness
from total_ops import TOTALS

from opforge.ir.evaluate import evaluate
from opforge.spec.combinations import combinations

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

SMALL, ODD = ROW_CHIPS
RELATIVE = {torch.float32: 2e-5, torch.float16: 2**-9, torch.bfloat16: 2**-6}
NAN = float("nan")


def inputs_of(ops: GeneratedOps, name: str, row: tuple[str, ...], whole: tuple[int, ...]) -> list[torch.Tensor]:
    """Floats of few values, so that many are equal; classes from all of a row, some of them ignored."""
    *leading, length = whole
    made = []
    for seed, (spec, dtype) in enumerate(zip(ops.ops[name].inputs, row, strict=False)):
        generator = torch.Generator().manual_seed(seed + length)
        shape = () if not spec.dims else (*leading, 1 if spec.dims[-1] == "1" else length)
        shape = {("C",): (length,), ("...",): tuple(leading)}.get(spec.dims, shape)
        if dtype == "int64":
            classes = torch.randint(-1, length, shape, generator=generator)
            made.append(torch.where(classes < 0, -100, classes))
        else:
            least = 1 if spec.name == "w" else -9  # weights, whose sum is a divisor
            made.append((torch.randint(least, 10, shape, generator=generator) / 8).to(getattr(torch, dtype)))
    return made


def check(ops: GeneratedOps, name: str, dtype: str, shape: tuple[int, ...], chip: Chip) -> None:
    op = ops.ops[name]
    row = next(row for row in combinations(op) if row[-1] == dtype)
    inputs = inputs_of(ops, name, row, shape)
    attrs = {a.name: float(a.default or 0) for a in op.attrs}
    dtypes = {t.name: getattr(torch, d) for t, d in zip(op.outputs, row[len(op.inputs) :], strict=True)}
    wanted = evaluate(ops.graphs[name], dict(zip((t.name for t in op.inputs), inputs, strict=True)), attrs, dtypes)
    for output, result in zip(op.outputs, ops.run(name, inputs, chip, attrs, row), strict=True):
        tolerance = RELATIVE[result.dtype]
        torch.testing.assert_close(
            result, wanted[output.name], rtol=tolerance, atol=tolerance, equal_nan=True,
            msg=lambda text, output=output: f"{name}.{output.name} {row} {shape} on {chip}\n{text}",
        )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        pytest.param(op.type, dtype, marks=pytest.mark.slow if (op.type, dtype) == ("MaskedMean", "float16") else ())
        for op in TOTALS
        for dtype in ("float32", "float16")
    ],
)
def test_numbers_of_rows(total_ops: GeneratedOps, name: str, dtype: str) -> None:
    """In tiles of whole rows, in parts of rows, and in parts that all cores read."""
    for shape in ((9,), (1, 7), (49, 33), (2, 3, 5, 64), (331, 130), (3, 20_011), (1, 200_003)):
        check(total_ops, name, dtype, shape, ODD)


@pytest.mark.parametrize("name", ["MeanCrossEntropy", "SmoothedSum", "WeightedMean", "MaskedMean", "MeanDistance"])
def test_no_rows(total_ops: GeneratedOps, name: str) -> None:
    """A mean is NaN then, and a sum 0."""
    check(total_ops, name, "float32", (0, 9), ODD)


def test_more_rows_than_a_tile_has_elements(total_ops: GeneratedOps) -> None:
    """The values of all rows are read in parts."""
    for rows in (2**14 + 1, 100_003):
        check(total_ops, "MeanDistance", "float32", (rows, 3), ODD)


@pytest.mark.parametrize("name", [op.type for op in TOTALS])
def test_bits_do_not_depend_on_the_cores(total_ops: GeneratedOps, name: str) -> None:
    row = next(row for row in combinations(total_ops.ops[name]) if row[-1] == "float32")
    for shape in ((331, 130), (9973, 7)):
        generator = torch.Generator().manual_seed(3)
        inputs = [
            torch.randn(value.shape, generator=generator) if value.is_floating_point() else value
            for value in inputs_of(total_ops, name, row, shape)
        ]
        attrs = {a.name: float(a.default or 0) for a in total_ops.ops[name].attrs}
        found = {float(total_ops.run(name, inputs, chip, attrs, row)[0]) for chip in ALIKE_CHIPS}
        assert len(found) == 1, (name, shape, found)


def test_rows_that_do_not_count(total_ops: GeneratedOps) -> None:
    """They are no part of the mean's divisor, whatever their elements are; of none, the mean is NaN as in torch."""
    x = torch.randn(6, 17) * 30
    x[3, 5], x[4] = NAN, float("inf")
    for target in ([3, 16, 1, -100, -100, 0], [-100] * 6):
        classes = torch.tensor(target)
        (found,) = total_ops.run("MeanCrossEntropy", [x, classes[:, None]], ODD)
        torch.testing.assert_close(
            found, torch.nn.functional.cross_entropy(x, classes), rtol=2e-6, atol=2e-6, equal_nan=True
        )


# In the entry of MeanCrossEntropy: what an author forgets, what stands there instead, and what is said of it.
_COUNTS = "rowValues + tilingData.valueBytes, loss, tilingData.totals"
MISTAKES = {
    "cores_that_do_not_wait": (
        "    AscendC::SyncAll();\n",
        "",
        "this core has waited for nothing",
    ),
    "a_mean_without_the_counts": (_COUNTS, "rowValues, loss, tilingData.totals", "got 1.0"),
    "a_core_without_a_share": ("AscendC::GetBlockIdx() == 0", "AscendC::GetBlockIdx() == 1", "got 7.0"),
}


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_are_found(total_ops: GeneratedOps, mistake: str, tmp_path: Path) -> None:
    right, wrong, said = MISTAKES[mistake]
    broken = total_ops.with_mistake(tmp_path, "mean_cross_entropy.cpp", {right: wrong}, once=True)
    with pytest.raises((AssertionError, harness.LaunchError), match=said):
        check(broken, "MeanCrossEntropy", "float32", (331, 130), ODD)
