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
from tests.qualify.catalog_shapes import drawn, known, laid_out, rows_of, shapes_of

if TYPE_CHECKING:
    from opforge.spec.model import OpSpec
    from tests.qualify.conftest import Portion

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

SOC, CHIP = "Ascend910B1", Chip(48)
ROWS, LENGTH = 1024, 4096  # of ops without products
M, N, K = 256, 1024, 512
KINDS = ("elementwise", "rows", "products", "productrows")
# What a result may be off, relative to the largest one: half a unit of the storage's last place, and some of float32.
MOST = {torch.float32: 2**-18, torch.float16: 2**-10, torch.bfloat16: 2**-7}


def shapes(op: OpSpec, ops: GeneratedOps, kind: str) -> tuple[tuple[int, ...], ...]:
    if "product" in kind:
        return shapes_of(op, M, N, K)
    if kind == "rows":
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
        "dtype": row[0],
        "shape": own[0],
        "bytes": round((work.read + work.written) / ideal, 3),
        "microseconds": round(time.microseconds, 1),
        "bound": time.bound,
        "error": error(ops, op, inputs, attrs, results),
    }


def error(
    ops: GeneratedOps,
    op: OpSpec,
    inputs: Sequence[torch.Tensor],
    attrs: dict[str, float],
    results: Sequence[torch.Tensor],
) -> float | None:
    """The largest error of a floating result against float64, over the largest number. None if no result is floating.

    Raises AssertionError if it is more than rounding.
    """
    exact = {t.name: i.double() if i.is_floating_point() else i for t, i in zip(op.inputs, inputs, strict=True)}
    named = dict(zip((t.name for t in op.outputs), results, strict=True))
    dtypes = {name: torch.float64 if r.is_floating_point() else r.dtype for name, r in named.items()}
    meant = evaluate(ops.graphs[op.type], exact, attrs, dtypes)
    worst = []
    for name, result in named.items():
        if result.is_floating_point():
            finite = meant[name].isfinite()
            size = max(1.0, float(meant[name][finite].abs().max()))
            off = float((result.double() - meant[name])[finite].abs().max()) / size
            assert off <= MOST[result.dtype], f"{op.type}.{name} of {result.dtype} is off by {off:.2g}"
            worst.append(off)
    return float(f"{max(worst):.2g}") if worst and math.isfinite(max(worst)) else None


def look(ops: GeneratedOps, kind: str) -> dict[str, list[dict[str, Any]]]:
    return {name: [measured(ops, op, row, kind) for row in combinations(op)] for name, op in ops.ops.items()}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_sample(kind: str, toolkit_root: Path, tmp_path: Path, portion: Portion[Any]) -> None:
    look(generate(tmp_path, toolkit_root, portion(known(kind), 2)), kind)


@pytest.mark.qualify
@pytest.mark.parametrize("kind", KINDS)
def test_all(kind: str, toolkit_root: Path, tmp_path: Path, keep: Callable[[str, dict[str, Any]], None]) -> None:
    keep(f"catalog_{kind}", {"soc": SOC, "ops": look(generate(tmp_path, toolkit_root, known(kind)), kind)})
