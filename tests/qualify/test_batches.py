"""A row has the same bits in every batch: each op of the catalog, in batches and on chips of every regime."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import torch
from generated_ops import ALIKE_CHIPS, PRODUCT_ROW_CHIPS, Chip, GeneratedOps, generate

from opforge.spec.combinations import combinations
from tests.qualify.catalog_shapes import drawn, each_of, known, laid_out, rows_of, shapes_of

if TYPE_CHECKING:
    from opforge.spec.model import OpSpec
    from tests.portion import Portion

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

MANY = 61  # rows; no other dimension has this extent
FIRST = 3
FEW = (1, 2, 7)
LENGTHS = (1, 9, 64, 257, 4100, 20_011)
ALIKE = {  # chips with the same UB
    "elementwise": ((Chip(48),), ALIKE_CHIPS),
    "rows": ((Chip(48),), ALIKE_CHIPS),
    "products": ((Chip(6, 20 * 1024),), (Chip(2),)),
    "productrows": ((Chip(48),), PRODUCT_ROW_CHIPS),
}

Shapes = tuple[tuple[int, ...], ...]


class Case(NamedTuple):
    """An op in its dtypes and with its inputs' shapes, one dimension of which is the batch."""

    op: str
    row: tuple[str, ...]
    shapes: Shapes


def shapes(op: OpSpec, ops: GeneratedOps, kind: str) -> Iterator[Shapes]:
    if "product" in kind:
        yield from (shapes_of(op, MANY, n, k) for n, k in ((1, 7), (19, 130), (130, 19), (300, 517)))
    elif kind == "rows":
        axes = ops.graphs[op.type].axes
        # Without a dimension that is not reduced there is no batch.
        yield from (rows_of(op, axes, length, MANY) for length in LENGTHS if not axes.whole)
    else:
        yield from (laid_out(op, (MANY,), length) for length in LENGTHS)


def cases(ops: GeneratedOps, kind: str) -> list[Case]:
    return [
        Case(name, row, each)
        for name, op in ops.ops.items()
        for row in combinations(op)
        for each in shapes(op, ops, kind)
    ]


def some(tensor: torch.Tensor, count: int) -> torch.Tensor:
    """``count`` rows of the batch, if the tensor has one."""
    if MANY not in tensor.shape:
        return tensor
    return tensor.narrow(tensor.shape.index(MANY), FIRST, count).clone()


def differs(ops: GeneratedOps, case: Case, kind: str) -> str:
    """Empty, or in which batch a row has other bits."""
    op = ops.ops[case.op]
    attrs = {a.name: float(a.default or 0) for a in op.attrs}
    inputs = [drawn(shape, dtype, i) for i, (shape, dtype) in enumerate(zip(case.shapes, case.row, strict=False))]

    def run(tensors: Sequence[torch.Tensor], chip: Chip) -> list[torch.Tensor]:
        if "product" in kind:
            return ops.run_products(case.op, tensors, chip, attrs)
        return ops.run(case.op, tensors, chip, attrs, case.row)

    for chips in ALIKE[kind]:
        whole = run(inputs, chips[-1])
        for count in FEW:
            for chip in chips:
                for found, among in zip(run([some(t, count) for t in inputs], chip), whole, strict=True):
                    if not torch.equal(bits(found), bits(some(among, count))):
                        return f"{case}: {count} rows alone on {chip} and among {MANY} on {chips[-1]}"
    return ""


def bits(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.view(torch.uint8) if tensor.dim() else tensor.reshape(1).view(torch.uint8)


def look(ops: GeneratedOps, kind: str, chosen: Sequence[Case]) -> dict[str, Any]:
    found = [text for text in (differs(ops, case, kind) for case in chosen) if text]
    assert not found, f"{len(found)} of {len(chosen)} differ\n" + "\n".join(found[:5])
    return {"cases": len(chosen), "differ": 0}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ALIKE)
def test_a_sample(kind: str, toolkit_root: Path, tmp_path: Path, portion: Portion[Any]) -> None:
    ops = generate(tmp_path, toolkit_root, portion(known(kind), 3))
    look(ops, kind, portion(cases(ops, kind), 24))


@pytest.mark.qualify
@pytest.mark.parametrize(("kind", "op"), each_of(ALIKE))
def test_each(
    kind: str, op: OpSpec, toolkit_root: Path, tmp_path: Path, keep: Callable[[str, dict[str, Any]], None]
) -> None:
    ops = generate(tmp_path, toolkit_root, [op])
    keep(f"batches/{op.type}", {"kind": kind, **look(ops, kind, cases(ops, kind))})
