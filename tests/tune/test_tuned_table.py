"""tuning/<soc>.json and the table made of it: what is written, read back, refused, stale."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from opforge.build.tuned_table import (
    TunedPlan,
    kernel_digest,
    read_plans,
    row_count,
    table_of,
    write_plans,
)
from opforge.errors import ProjectError
from opforge.kinds import derive
from opforge.plan.split_plan import SplitPlan
from opforge.program import Kernel
from opforge.spec.read.parse import parse_spec

SPEC = """\
edition: 1
project: {name: tried, package: tried, vendor: tried, version: 0.1.0, soc: [ascend910b]}
ops:
  Scaled:
    inputs:
      x: {dtype: [float16, float32], shape: [..., H]}
      g: {shape: [H]}
      r: {shape: [..., H], optional: true}
    compute: y = x * g + where(present(r), r, 0.0)
"""


PRODUCT = """\
  Product:
    inputs:
      x: {dtype: [float16], shape: [..., H]}
      w: {shape: [H, I]}
    compute: y = x @ w"""


@pytest.fixture
def kernel() -> Kernel:
    return derive(parse_spec(SPEC, None)).public[0]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    files = {
        "op_kernel/scaled.cpp": '#include "scaled_kernel.h"\n',
        "op_kernel/scaled_kernel.h": '#include "opforge/tile_io.h"\n#include "kernel_operator.h"\n',
        "op_kernel/opforge/tile_io.h": "// tiles\n",
        "op_host/scaled_host_tiling.h": '#include "../op_kernel/scaled_tiling.h"\n',
        "op_kernel/scaled_tiling.h": "// data\n",
        "op_kernel/other.h": "// another op's\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def plan_of(root: Path, **changes: object) -> TunedPlan:
    shapes = {"x": (2, 32, 128), "g": (128,), "r": None}
    plan = TunedPlan(
        "Scaled", kernel_digest(root, "Scaled"), "Ascend910B1", ("float16",) * 4, shapes, (33, 64),
        SplitPlan(cores=40, tile_elements=512), 8.0, 6.0, 0.01, True,
    )  # fmt: skip
    return replace(plan, **changes)  # type: ignore[arg-type]


def test_what_is_written_is_read_back(root: Path) -> None:
    plan = plan_of(root)
    file = write_plans(root, "ascend910b", [plan], tried=[])
    assert file == root / "tuning" / "ascend910b.json"
    assert tuple((root / "tuning").iterdir()) == (file,)
    assert read_plans(file) == (plan,)
    assert '"plan": {"cores": 40, "tile_elements": 512}' in file.read_text()  # as files of earlier versions
    assert len(file.read_text().splitlines()) == 6  # one line for each plan, for reviews


def test_a_later_search_replaces_its_own_keys_alone(root: Path) -> None:
    first = plan_of(root)
    second = plan_of(root, dtypes=("float32",) * 4)
    write_plans(root, "ascend910b", [first, second], tried=[])
    better = replace(first, us=5.0)
    file = write_plans(root, "ascend910b", [better], tried=[first.key])
    assert file is not None
    assert sorted(read_plans(file), key=lambda plan: plan.dtypes) == [better, second]
    assert write_plans(root, "ascend910b", [], tried=[first.key, second.key]) is None
    assert tuple((root / "tuning").iterdir()) == ()


def test_the_table(root: Path, kernel: Kernel) -> None:
    entries, stale = table_of([plan_of(root)], [kernel], root)
    assert not stale
    assert [(e.op, e.column, e.cores) for e in entries] == [("Scaled", 0, 48)]
    # x has the rows that may vary; g has none; the missing r counts as one element
    assert entries[0].inputs == "{{33, 64, 128}, {1, 1, 128}, {1, 1, 1}}"
    assert entries[0].plan == "{40, 512, 0, 0, 0, 0, 0}"
    assert "6.0 us, was 8.0 (measured)" in entries[0].note


@pytest.mark.parametrize("edited", ["op_kernel/opforge/tile_io.h", "op_kernel/scaled_tiling.h", "op_kernel/scaled.cpp"])
def test_a_changed_kernel_makes_plans_stale(root: Path, kernel: Kernel, edited: str) -> None:
    plan = plan_of(root)
    (root / "op_kernel/other.h").write_text("// changed\n")
    (root / edited).write_bytes((root / edited).read_bytes().replace(b"\n", b"\r\n"))
    assert not table_of([plan], [kernel], root)[1]
    (root / edited).write_text("// edited\n")
    entries, stale = table_of([plan], [kernel], root)
    assert not entries
    assert "its kernel has changed since" in stale[0]
    assert "Scaled float16 [2, 32, 128], [128], none on Ascend910B1" in stale[0]


@pytest.mark.parametrize(
    "changes",
    [{"op": "Gone"}, {"dtypes": ("int8",) * 4}, {"chip": "Ascend1"}, {"inputs": {"x": (2, 128), "other": (128,)}}],
)
def test_plans_of_another_spec_are_stale(root: Path, kernel: Kernel, changes: dict[str, object]) -> None:
    entries, stale = table_of([plan_of(root, **changes)], [kernel], root)
    assert not entries
    assert len(stale) == 1


def test_a_plan_with_members_of_another_kind_of_kernel_is_refused(root: Path, kernel: Kernel) -> None:
    with pytest.raises(ProjectError) as refused:
        table_of([plan_of(root, plan=SplitPlan(cores=40, inner_parts=4, load_blocks=2))], [kernel], root)
    assert str(refused.value).startswith(
        "tuning/: Scaled float16 [2, 32, 128], [128], none on Ascend910B1: the plan sets inner_parts, load_blocks, "
        "which the kernel of Scaled does not have"
    )
    assert refused.value.hint == "it has cores, tile_elements; `opforge tune` writes plans that fit"


def test_parts_of_k_need_the_key_in_the_spec() -> None:
    """Sums of an op with ``batch_invariant: true`` are not shared, and a plan cannot change that."""
    for shared in ("", "\n    batch_invariant: false"):
        spec = parse_spec(SPEC[: SPEC.index("  Scaled")] + PRODUCT + shared, None)
        assert ("inner_parts" in derive(spec).public[0].plan_members) == bool(shared)


def test_rows(kernel: Kernel) -> None:
    assert row_count(kernel.op, {"x": (2, 32, 128), "g": (128,), "r": None}) == 64
    assert row_count(kernel.op, {"x": (128,), "g": (128,), "r": (1, 128)}) == 1


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "Expecting"),
        ('{"plans": []}', "it has no 'format'"),
        ('{"format": 2, "plans": []}', "its format is 2"),
        ('{"format": 1, "plans": [{}]}', "it has no"),
        ("[]", "is not a table of plans"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, says: str) -> None:
    file = tmp_path / "ascend910b.json"
    file.write_text(text)
    with pytest.raises(ProjectError) as refused:
        read_plans(file)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("plan", {"tile_rows": -1}),
        ("plan", {"tiles": 1}),
        ("plan", {"inner_parts": 0}),
        ("rows", [1]),
        ("inputs", {"x": "8"}),
        ("dtypes", "float16"),
    ],
)
def test_wrong_fields_are_refused(root: Path, field: str, value: object) -> None:
    file = write_plans(root, "ascend910b", [plan_of(root)], tried=[])
    assert file is not None
    table = json.loads(file.read_text())
    table["plans"][0][field] = value
    file.write_text(json.dumps(table))
    with pytest.raises(ProjectError):
        read_plans(file)
