"""What each op of the catalog costs and how exact it is, for docs/catalog.md: bytes, estimated time, error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from generated_ops import Chip, GeneratedOps, generate

from opforge.ir.evaluate import evaluate
from opforge.measure.time_model import estimate, launch_work
from opforge.spec.combinations import combinations
from tests.qualify.catalog_shapes import drawn, each_of, known, laid_out, rows_of, shapes_of

if TYPE_CHECKING:
    from opforge.spec.model import OpSpec
    from tests.portion import Portion

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

SOC, CHIP = "Ascend910B1", Chip(48)
ROWS, LENGTH = 1024, 4096  # of ops without products
M, N, K = 256, 1024, 512
KINDS = ("elementwise", "rows", "rowtotals", "products", "productrows")
# What a result may be off, relative to the largest one: half a unit of the storage's last place, and some of float32.
ROUNDING = {"float32": 2**-18, "float16": 2**-10, "bfloat16": 2**-7}
WITHIN = {"VectorTan": 30.0}  # results that are compared: nearer to a pole, the rounding of its argument decides


def shapes(op: OpSpec, ops: GeneratedOps, kind: str) -> tuple[tuple[int, ...], ...]:
    if "product" in kind:
        return shapes_of(op, M, N, K)
    if kind in ("rows", "rowtotals"):
        return rows_of(op, ops.graphs[op.type].axes, LENGTH, ROWS)
    return laid_out(op, (ROWS,), LENGTH)


def measured(ops: GeneratedOps, op: OpSpec, row: tuple[str, ...], kind: str) -> dict[str, Any]:
    """One launch: bytes over those of the tensors, microseconds and what bounds them, the largest relative error."""
    own = shapes(op, ops, kind)
    inputs = [drawn(shape, dtype, i) for i, (shape, dtype) in enumerate(zip(own, row, strict=False))]
    attrs = {a.name: float(a.default or 0) for a in op.attrs}
    timed: list[dict[str, Any]] = []
    if "product" in kind:
        results = ops.run_products(op.type, inputs, CHIP, attrs, timed=timed)
    else:
        results = ops.run(op.type, inputs, CHIP, attrs, row, timed=timed)
    work = launch_work(timed[0])
    time = estimate([work], SOC)
    ideal = sum(tensor.nbytes for tensor in (*inputs, *results))
    return {
        "dtype": next((dtype for dtype in row if dtype in ROUNDING), row[0]),
        "shape": own[0],
        "bytes": round((work.read + work.written) / ideal, 3),
        "microseconds": round(time.microseconds, 1),
        "bound": time.bound,
        "errors": errors(ops, op, inputs, attrs, results),
    }


def errors(
    ops: GeneratedOps,
    op: OpSpec,
    inputs: Sequence[torch.Tensor],
    attrs: dict[str, float],
    results: Sequence[torch.Tensor],
) -> dict[str, float]:
    """For each floating result, the largest error against float64 over the largest number that its dtype holds."""
    exact = {t.name: i.double() if i.is_floating_point() else i for t, i in zip(op.inputs, inputs, strict=True)}
    named = dict(zip((t.name for t in op.outputs), results, strict=True))
    dtypes = {name: torch.float64 if r.is_floating_point() else r.dtype for name, r in named.items()}
    meant = evaluate(ops.graphs[op.type], exact, attrs, dtypes)
    found = {}
    for name, result in named.items():
        if result.is_floating_point():
            largest = min(WITHIN.get(op.type, math.inf), torch.finfo(result.dtype).max)
            compared = meant[name].abs() <= largest
            wanted, actual = meant[name][compared], result.double()[compared]
            if compared.any():
                size = max(1.0, float(wanted.abs().max()))
                found[name] = float(f"{float((actual - wanted).abs().max()) / size:.2g}")
    return found


def look(ops: GeneratedOps, kind: str) -> dict[str, list[dict[str, Any]]]:
    """Each op in each dtype; fails with all that are off by more than rounding."""
    found = {name: [measured(ops, op, row, kind) for row in combinations(op)] for name, op in ops.ops.items()}
    wrong = [
        f"{name}.{output.name} of {case['dtype']} is off by {case['errors'][output.name]}"
        for name, op in ops.ops.items()
        for row, case in zip(combinations(op), found[name], strict=True)
        for output, dtype in zip(op.outputs, row[len(op.inputs) :], strict=True)
        if not case["errors"].get(output.name, 0.0) <= ROUNDING.get(dtype, 0.0)
    ]
    assert not wrong, "\n".join(wrong)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_sample(kind: str, toolkit_root: Path, tmp_path: Path, portion: Portion[Any]) -> None:
    look(generate(tmp_path, toolkit_root, portion(known(kind), 2)), kind)


@pytest.mark.qualify
@pytest.mark.parametrize(("kind", "op"), each_of(KINDS))
def test_each(
    kind: str, op: OpSpec, toolkit_root: Path, tmp_path: Path, keep: Callable[[str, dict[str, Any]], None]
) -> None:
    """One file for each op, so that a run that is stopped has kept what it measured."""
    found = look(generate(tmp_path, toolkit_root, [op]), kind)
    keep(f"catalog/{op.type}", {"soc": SOC, "kind": kind, "cases": found[op.type]})
