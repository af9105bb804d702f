"""Inputs that are read once stay out of the L2 cache in calls that move more bytes than it holds."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from generated_ops import ALL, L2_CHIPS, Chip, GeneratedOps, catalog_op, generate, op
from typed_ops import TYPED

from opforge.dtypes import DTYPES
from opforge.naming import snake
from opforge.render.ascendc.ascendc_side import SharedForm
from opforge.render.forms import render_form
from opforge.spec.model import OpSpec, TensorSpec

pytestmark = [pytest.mark.compiler, pytest.mark.torch]

CHIP = L2_CHIPS[0]
WITHOUT = Chip(3)
TYPES = {o.type: o for o in TYPED}
ROW = TensorSpec("x", ("float32",), ("...", "H"))
OPS = (
    op("VectorAdd", "z = x + y", ["x", "y"]),
    op("Shifted", "z = sigmoid(x) * y + sigmoid(y) * x", ["x", "y"]),
    *(TYPES[name] for name in ("Mixed", "InPlace", "Optional")),
    *(catalog_op(name) for name in ("RMSNorm", "Softmax")),
    OpSpec("SoftmaxOfSum", (ROW, replace(ROW, name="y")), (), (replace(ROW, name="z"),), "z = softmax(x + y, -1)"),
)
HINT = "SetL2CacheHint"


@pytest.fixture(scope="module")
def ops(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> GeneratedOps:
    return generate(tmp_path_factory.mktemp("l2"), toolkit_root, OPS)


def flag(ops: GeneratedOps, name: str, shapes: Sequence[Sequence[int] | None], row: Sequence[str], chip: Chip) -> int:
    """The member bypassL2 of the tiling data of a call."""
    struct = (ops.folder / "op_kernel" / f"{snake(name)}_tiling.h").read_text(encoding="utf-8")
    offset = 0
    for ctype, member in re.findall(r"^    (u?int(?:32|64)_t|float) (\w+);$", struct, re.MULTILINE):
        size = 8 if "64" in ctype else 4
        offset = -(-offset // size) * size
        if member == "bypassL2":
            return int.from_bytes(ops.tiling(name, shapes, row, chip, {}).data[offset : offset + 4], "little")
        offset += size
    raise AssertionError(struct)


def flat(ops: GeneratedOps, name: str, elements: int, row: Sequence[str], missing: int | None = None) -> int:
    shapes = [None if i == missing else [elements] for i in range(len(row))]
    return flag(ops, name, shapes, row, CHIP)


@pytest.mark.parametrize("dtype", ALL)
def test_the_bytes_of_all_tensors_count(ops: GeneratedOps, dtype: str) -> None:
    most = CHIP.l2 // (3 * DTYPES[dtype].size)
    assert 3 * DTYPES[dtype].size * most == CHIP.l2
    for elements, wanted in ((0, 0), (1, 0), (most - 1, 0), (most, 0), (most + 1, 1), (1000 * most, 1)):
        assert flat(ops, "VectorAdd", elements, (dtype,) * 3) == wanted, elements


@pytest.mark.parametrize(
    ("name", "row", "missing", "each"),
    [
        ("Mixed", ("float16", "float32", "float32"), None, 10),
        ("Mixed", ("float32", "bfloat16", "bfloat16"), None, 8),
        ("InPlace", ("float16",) * 4, None, 6),  # y has the memory of x
        ("Optional", ("float16", "float16", "bool", "float16"), None, 7),
        ("Optional", ("float16", "float16", "bool", "float16"), 1, 5),
        ("Optional", ("float32", "float32", "bool", "float32"), 1, 9),
    ],
)
def test_each_tensor_counts_with_its_own_type(
    ops: GeneratedOps, name: str, row: tuple[str, ...], missing: int | None, each: int
) -> None:
    most = CHIP.l2 // each
    assert [flat(ops, name, count, row, missing) for count in (most - 1, most, most + 1)] == [0, 0, 1]


def test_real_chips(ops: GeneratedOps) -> None:
    """The public example of 8192 x 8192 is above 192 MiB; half of it fills the cache."""

    class Real(Chip):
        name = "Ascend910B1"

    for rows, wanted in ((4096, 0), (4097, 1), (8192, 1)):
        assert flag(ops, "VectorAdd", [[rows, 8192]] * 3, ("float16",) * 3, Real(48)) == wanted


def test_a_chip_whose_cache_is_not_known_keeps_the_default(ops: GeneratedOps) -> None:
    assert flag(ops, "VectorAdd", [[1 << 20]] * 3, ("float32",) * 3, WITHOUT) == 0


def test_no_input_of_a_broadcast_call(ops: GeneratedOps) -> None:
    for shapes in ([[20, 400], [400]], [[400], [20, 400]], [[20, 1], [20, 400]], [[20, 400], []]):
        assert flag(ops, "VectorAdd", [*shapes, [20, 400]], ("float32",) * 3, CHIP) == 0, shapes


def test_rows(ops: GeneratedOps) -> None:
    """The weight, which is the same for all rows, does not count."""
    for rows, wanted in ((14, 0), (15, 0), (16, 1)):
        shapes = [[rows, 100], [100], [rows, 100]]
        assert flag(ops, "RMSNorm", shapes, ("float32",) * 3, CHIP) == wanted
        assert flag(ops, "Softmax", [[rows, 100], [rows, 100]], ("float32",) * 2, CHIP) == wanted
        assert flag(ops, "Softmax", [[2 * rows, 100], [2 * rows, 100]], ("float16",) * 2, CHIP) == wanted


def test_rows_that_are_read_again(ops: GeneratedOps) -> None:
    """In parts, and with an input that several rows share."""
    assert flag(ops, "Softmax", [[30, 30000], [30, 30000]], ("float32",) * 2, CHIP) == 0
    assert flag(ops, "Softmax", [[1, 300000], [1, 300000]], ("float32",) * 2, CHIP) == 0
    assert flag(ops, "SoftmaxOfSum", [[40, 100]] * 3, ("float32",) * 3, CHIP) == 1
    for shape in ([100], [1, 100]):
        assert flag(ops, "SoftmaxOfSum", [[40, 100], shape, [40, 100]], ("float32",) * 3, CHIP) == 0, shape


@pytest.mark.parametrize(
    ("name", "shapes", "hinted"),
    [
        ("VectorAdd", [(2500,), (2500,)], [0, 1]),
        ("Shifted", [(50, 63), (50, 63)], [0, 1]),
        ("InPlace", [(3001,), (3001,)], [1]),
        ("Softmax", [(47, 90)], [0]),
        ("RMSNorm", [(31, 101), (101,)], [0]),
    ],
)
def test_results_are_the_same(ops: GeneratedOps, name: str, shapes: list[tuple[int, ...]], hinted: list[int]) -> None:
    """The simulated device counts what is read past the cache: all of these inputs, once."""
    tensors = [torch.randn(shape, generator=torch.Generator().manual_seed(3)) for shape in shapes]
    timed: list[dict[str, Any]] = []
    for with_hint, without in zip(*(ops.run(name, tensors, c, timed=timed) for c in (CHIP, WITHOUT)), strict=True):
        assert torch.equal(with_hint, without)
    assert [sum(core["bypassed"] for core in launch["cores"]) for launch in timed] == [
        sum(tensors[i].nbytes for i in hinted),
        0,
    ]


def initialised(ops: GeneratedOps, name: str) -> dict[str, bool]:
    """The input queues of a kernel, and whether Init lets them stay out of the cache."""
    text = (ops.folder / "op_kernel" / f"{snake(name)}_kernel.h").read_text(encoding="utf-8")
    calls = re.findall(r"inQueue(\w+)\.Init\(([^;]*)\);", text)
    return {queue: "bypassL2" in arguments for queue, arguments in calls}


def test_inputs_that_are_overwritten_or_the_same_for_all_rows_stay_as_they_are(ops: GeneratedOps) -> None:
    assert initialised(ops, "InPlace") == {"X": False, "W": True}
    assert initialised(ops, "RMSNorm") == {"X": True, "Gamma": False}
    assert initialised(ops, "Optional") == {"X": True, "Bias": True, "M": True}


@pytest.mark.parametrize(("arch", "wanted"), [(2201, True), (2002, False)])
def test_ascend310p_has_no_hint(arch: int, wanted: bool, tmp_path: Path) -> None:
    """The page of SetL2CacheHint: Atlas inference products do not support it."""
    text = render_form("code/ascendc/op_kernel/tile_io.h", SharedForm(coupled=True))
    source = tmp_path / "tile_io.h"
    source.write_text(re.sub(r"^#include .*$", "", text, flags=re.MULTILINE), encoding="utf-8")
    command = ["g++", "-E", "-P", f"-D__NPU_ARCH__={arch}", "-x", "c++", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "bypassL2" in done.stdout
    assert (HINT in done.stdout) == wanted
