"""Kernels that add products with numbers in place compute what torch does: tiles, rows in tiles, kept, and in parts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch
from generated_ops import ALL, ROW_CHIPS, Chip, GeneratedOps, catalog_op, generate, op

from opforge.ir.evaluate import evaluate
from opforge.kinds.rows.plan import RowsPlan
from opforge.naming import snake
from opforge.spec.combinations import combinations
from opforge.spec.model import AttrSpec, OpSpec, TensorSpec

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

ALPHA = AttrSpec("alpha", "float", -0.75)
STEPS = ("AdamStep", "AdamWStep", "LionStep", "SgdMomentumStep", "EmaUpdate")
X, R, Y = (TensorSpec(name, ALL, ("...", "H")) for name in "xry")
# Passes over a row that is kept: the term, or the operand of the product, is in the kept row.
KEPT = (
    OpSpec(
        "KeptTerm",
        (X, R),
        (),
        (Y,),
        "z = x - mean(x, -1, keepdim=True)\ny = exp(z + 2.0 * r) * mean(z * z, -1, keepdim=True)",
        outputs_given=True,
    ),
    OpSpec(
        "KeptOperand",
        (X, R),
        (),
        (Y,),
        "z = exp(r) * mean(x, -1, keepdim=True) + 2.0 * x\ny = z * mean(z * z, -1, keepdim=True)",
        outputs_given=True,
    ),
)
OPS = (
    *KEPT,
    op("Chained", "z = x * y + alpha * x + 3.0 * y", ["x", "y"], [ALPHA]),
    op("Stored", "z = x * y\nw = z + alpha * x\nv = exp(x + alpha * y) + alpha * x", ["x", "y"], [ALPHA]),
    *(catalog_op(name) for name in (*STEPS, "DeepNorm", "MaskedSoftmax")),
)
SMALL = Chip(1, 20 * 1024)
RELATIVE = {"float32": 2e-5, "float16": 2**-9, "bfloat16": 2**-6}


@pytest.fixture(scope="module")
def ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    return generate(tmp_path_factory.mktemp("axpy"), toolkit_root, OPS)


def tensor(shape: tuple[int, ...], dtype: str, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    if dtype == "bool":
        return torch.rand(shape, generator=generator) > 0.5
    return (torch.rand(shape, generator=generator) + 0.25).to(getattr(torch, dtype))


def check(ops: GeneratedOps, name: str, row: tuple[str, ...], shape: tuple[int, ...], chip: Chip) -> None:
    spec = ops.ops[name]
    own = [shape if "..." in t.dims else shape[-1:] for t in spec.inputs]
    inputs = [tensor(s, dtype, i) for i, (s, dtype) in enumerate(zip(own, row, strict=False))]
    attrs = {a.name: float(a.default or 0.25) for a in spec.attrs}
    wanted = evaluate(ops.graphs[name], dict(zip([t.name for t in spec.inputs], inputs, strict=True)), attrs)
    for output, found in zip(spec.outputs, ops.run(name, inputs, chip, attrs, row), strict=True):
        exact = name == "Chained" or (name == "Stored" and output.name != "v")
        tolerance = 0.0 if exact else RELATIVE[str(found.dtype).removeprefix("torch.")]
        torch.testing.assert_close(
            found, wanted[output.name], rtol=tolerance, atol=tolerance,
            msg=lambda text, output=output: f"{name}.{output.name} {row} {shape}\n{text}",
        )  # fmt: skip


@pytest.mark.parametrize("name", ["Chained", "Stored", *STEPS])
def test_sums_are_rounded_as_torch_rounds_them(ops: GeneratedOps, name: str) -> None:
    """One tile, several with a short last one. Sums of products have the bits of torch."""
    for row in combinations(ops.ops[name]):
        for shape, chip in (((3, 5), Chip(48)), ((3001,), SMALL)):
            check(ops, name, row, shape, chip)


@pytest.mark.parametrize("name", ["DeepNorm", "MaskedSoftmax", "KeptTerm", "KeptOperand"])
@pytest.mark.parametrize("dtype", ALL)
def test_rows(ops: GeneratedOps, name: str, dtype: str) -> None:
    """In tiles; kept from pass to pass, where the sum is not at the place of its operand; in parts."""
    plan = ops.plans[name]
    assert isinstance(plan, RowsPlan)
    for passes in ([plan.whole], [each.part for each in plan.passes], plan.kept):
        assert sum(i.name == "Axpy" for p in passes for i in p.instructions) >= 1
    (row,) = (row for row in combinations(ops.ops[name]) if row[0] == dtype)
    chip = ROW_CHIPS[0]
    column = combinations(ops.ops[name]).index(row)
    tile = (chip.ub - 256 - plan.whole.reserved) // plan.whole.bytes_per_element(column) // 256 * 256
    for length in (65, tile + 1, 4 * tile + 7, 12 * tile - 63):
        check(ops, name, row, (3, length), chip)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (r"(Axpy\(z\w*), x(\w*),", r"\1, y\2,"),
        (r"(Axpy\(\w+, \w+), 3.0f", r"\1, -3.0f"),
        (r"Axpy\((z\w*), x", r"Muls(\1, x"),
    ],
    ids=["another operand", "another number", "not added"],
)
def test_mistakes_are_noticed(ops: GeneratedOps, right: str, wrong: str, tmp_path: Path) -> None:
    file = f"{snake('Chained')}_kernel.h"
    text = (ops.folder / "op_kernel" / file).read_text(encoding="utf-8")
    found = re.search(right, text)
    assert found is not None, text
    broken = ops.with_mistake(tmp_path, file, {found.group(): re.sub(right, wrong, found.group())}, once=True)
    with pytest.raises(AssertionError):
        check(broken, "Chained", ("float32",) * 3, (3, 5), Chip(48))
