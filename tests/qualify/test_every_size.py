"""Every op of the catalog, in every dtype, on cores large and small, for every size at which something may go wrong.

The results are compared with the meaning of the op's graph, only as precisely as a mistake of the sizes needs: how
precise each function is, tests/render/ascendc says.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from generated_ops import PRODUCT_ROW_CHIPS, ROW_CHIPS, Chip, GeneratedOps, generate

from opforge.ir.evaluate import evaluate
from opforge.spec.combinations import combinations
from opforge.spec.model import OpSpec
from tests.qualify.catalog_shapes import each_of, known, laid_out, rows_of, shapes_of

if TYPE_CHECKING:
    from tests.portion import Portion

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

CHIPS = (Chip(48), Chip(1, 20 * 1024), Chip(7, 20 * 1024))
PRODUCT_CHIPS = (Chip(48), Chip(2), Chip(6, 20 * 1024))
# Rows: their lengths and counts, beside those at the borders of a tile.
LENGTHS = (1, 2, 7, 8, 9, 255, 256, 257, 4096, 100_003)
COUNTS = (0, 1, 47, 48, 49, 10_007)
MOST_ELEMENTS = 2**22
CLOSE = {"float32": 2**-12, "float16": 2**-7, "bfloat16": 2**-4}

# One, primes, and what lies around blocks of 32 bytes, repeats of 256, rows of a tile.
SIDES = (0, 1, 2, 3, 7, 13, 15, 16, 17, 31, 32, 33, 61, 63, 64, 65, 127, 128, 129, 251, 255, 256, 257)
BROADCASTS = (lambda n, m: ((m, n), (n,)), lambda n, m: ((m, n), (m, 1)), lambda n, m: ((n,), (m, 1)))


def factors(shape: Sequence[int], dtype: str, seed: int) -> torch.Tensor:
    """Ones of either sign, and up to 200 pairs in a row of which one is 2 and the other 1/2: no product overflows."""
    generator = torch.Generator().manual_seed(seed)
    count = (torch.Size(shape).numel() + 1) // 2
    some = torch.rand(count, generator=generator) < 200 / max(shape[-1], 800)
    powers = torch.randint(-1, 2, (count,), generator=generator) * some
    signs = torch.randint(0, 2, (count, 2), generator=generator) * 2 - 1
    pairs = torch.stack((powers, -powers), -1).float().exp2() * signs
    return pairs.flatten()[: torch.Size(shape).numel()].reshape(tuple(shape)).to(getattr(torch, dtype))


@dataclass(frozen=True)
class Case:
    """One launch: the op, the dtypes of its tensors, its inputs' shapes, the chip."""

    op: str
    row: tuple[str, ...]
    shapes: tuple[tuple[int, ...] | None, ...]
    chip: Chip


def values(shape: Sequence[int], dtype: str, seed: int) -> torch.Tensor:
    """Quarters from 0.25 to 3.25 of either sign, whose products every sum holds exactly; or truth values."""
    generator = torch.Generator().manual_seed(seed)
    if dtype == "bool":
        return torch.randint(0, 2, tuple(shape), generator=generator) == 1
    numbers = torch.randint(1, 14, tuple(shape), generator=generator) / 4
    signs = torch.randint(0, 2, tuple(shape), generator=generator) * 2 - 1
    return (numbers * signs).to(getattr(torch, dtype))


def elementwise_cases(ops: GeneratedOps) -> Iterator[Case]:
    for name, op in ops.ops.items():
        for index, row in enumerate(combinations(op)):
            whole = ops.plans[name].tiles[index].elements
            small = (CHIPS[1].ub - 256) // ops.plans[name].bytes_per_element(index) // 256 * 256
            sizes = {
                CHIPS[0]: (*SIDES, 48 * 128 + 1, 48 * whole // 4 + 3, whole - 1, whole, whole + 1, 49 * whole + 5),
                CHIPS[1]: (*SIDES, small - 1, small, small + 1, 2 * small + 1, 5 * small - 7),
                CHIPS[2]: (*SIDES, small - 1, small + 1, 7 * small, 7 * small + 1, 29 * small + 11),
            }
            for chip in CHIPS:
                for size in sizes[chip]:
                    yield Case(name, row, laid_out(op, (), size), chip)
            for n, m in itertools.product((0, 1, 7, 16, 33, 257, 1031), (1, 3, 17)):
                yield Case(name, row, laid_out(op, (m,), n), CHIPS[2])
                for shapes in BROADCASTS if broadcasts(op) else ():
                    rest = ((m, n) if i % 2 else (n,) for i in range(len(op.inputs) - 2))
                    yield Case(name, row, (*shapes(n, m), *rest), CHIPS[2])


def broadcasts(op: OpSpec) -> bool:
    """Whether the op's inputs may have shapes of their own."""
    own = all(t.dims == ("...",) for t in op.inputs) and not any(t.inplace for t in op.outputs)
    return own and len(op.inputs) > 1


def row_cases(ops: GeneratedOps) -> Iterator[Case]:
    """Every length meets every count, on each chip with the lengths at the borders of its tiles."""
    for name, op in ops.ops.items():
        for index, row in enumerate(combinations(op)):
            for chip in (CHIPS[0], *ROW_CHIPS):
                plan = ops.plans[name].whole
                whole = (chip.ub - 256 - plan.reserved) // plan.bytes_per_element(index) // 256 * 256
                for length, count in itertools.product((*LENGTHS, whole, whole + 1, 3 * whole - 63), COUNTS):
                    if length * count <= MOST_ELEMENTS:
                        yield Case(name, row, rows_of(op, ops.graphs[name].axes, length, count), chip)


def product_row_cases(ops: GeneratedOps) -> Iterator[Case]:
    return product_cases(ops, (CHIPS[0], *PRODUCT_ROW_CHIPS))


def product_cases(ops: GeneratedOps, chips: Sequence[Chip] = PRODUCT_CHIPS) -> Iterator[Case]:
    """Each of M, N and K meets each side, and each pair of them the sides around blocks."""
    around = (0, 1, 2, 15, 16, 17, 33, 127, 128, 129, 257)
    triples = {(m, 19, 23) for m in SIDES} | {(5, n, 23) for n in SIDES} | {(5, 19, k) for k in SIDES}
    triples |= {(m, n, 7) for m, n in itertools.product(around, around)}
    triples |= {(m, 7, k) for m, k in itertools.product(around, around)}
    triples |= {(7, n, k) for n, k in itertools.product(around, around)}
    triples |= {(1031, 5, 3), (3, 4099, 5), (5, 3, 2053), (517, 1291, 40)}
    for name, op in ops.ops.items():
        for row in combinations(op):
            for index, (m, n, k) in enumerate(sorted(triples)):
                yield Case(name, row, shapes_of(op, m, n, k), chips[index % len(chips)])


def wrong(ops: GeneratedOps, case: Case) -> str:
    """Empty, or how the op's results differ from what its graph means."""
    op = ops.ops[case.op]
    draw = factors if "prod(" in op.compute else values
    inputs = [
        None if shape is None else draw(shape, dtype, seed)
        for seed, (shape, dtype) in enumerate(zip(case.shapes, case.row, strict=False))
    ]
    attrs = {a.name: float(a.default or 0) for a in op.attrs}
    given = {t.name: i for t, i in zip(op.inputs, inputs, strict=True) if i is not None}
    dtypes = {t.name: getattr(torch, d) for t, d in zip(op.outputs, case.row[len(op.inputs) :], strict=True)}
    meant = evaluate(ops.graphs[case.op], given, attrs, dtypes)
    run = ops.run_products if "@" in op.compute else ops.run
    close = CLOSE[next(d for d in case.row if d in CLOSE)] if any(d in CLOSE for d in case.row) else 0.0
    try:
        for output, result in zip(op.outputs, run(case.op, inputs, case.chip, attrs), strict=True):
            torch.testing.assert_close(result, meant[output.name], rtol=close, atol=close, equal_nan=True)
    except Exception as error:  # noqa: BLE001 - a refusal is a result too
        return f"{case}: {error}"
    return ""


def look(ops: GeneratedOps, cases: Sequence[Case]) -> dict[str, Any]:
    """The number of launches; fails with the first cases that are wrong."""
    found = [text for text in (wrong(ops, case) for case in cases) if text]
    assert not found, f"{len(found)} of {len(cases)} are wrong\n" + "\n\n".join(found[:5])
    return {"launches": len(cases), "wrong": 0}


Keep = Callable[[str, dict[str, Any]], None]
KINDS = {
    "elementwise": elementwise_cases,
    "rows": row_cases,
    "products": product_cases,
    "productrows": product_row_cases,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_sample(kind: str, toolkit_root: Path, tmp_path: Path, portion: Portion[Any]) -> None:
    """A few ops, whose kernels take longer to compile than to run."""
    ops = generate(tmp_path, toolkit_root, portion(known(kind), 3))
    look(ops, portion(list(KINDS[kind](ops)), 300))


@pytest.mark.qualify
@pytest.mark.parametrize(("kind", "op"), each_of(KINDS))
def test_each(kind: str, op: OpSpec, toolkit_root: Path, tmp_path: Path, keep: Keep) -> None:
    ops = generate(tmp_path, toolkit_root, [op])
    keep(f"every_size/{op.type}", {"kind": kind, **look(ops, list(KINDS[kind](ops)))})
