"""What counts as an edit, and which tests it concerns."""

import os
import threading
import time
from pathlib import Path

import pytest

from opforge.build.edits import changed, selected_tests, snapshot, wait_for_edits
from opforge.spec.read.parse import parse_spec

SPEC = """\
edition: 1
project: {name: pair, package: pair_ops, vendor: pair, version: 0.1.0, soc: [ascend910b]}
ops:
  Add:
    inputs: {x: {dtype: [float32]}}
    compute: y = x + 1.0
  AddMore:
    inputs: {x: {dtype: [float32]}}
    compute: y = x + 2.0
  Mine:
    inputs: {x: {dtype: [float32]}}
    outputs: {y: {}}
    sources: [op_host/mine.cpp, op_kernel/deep/own.cpp, op_kernel/both.h]
  Yours:
    inputs: {x: {dtype: [float32]}}
    outputs: {y: {}}
    sources: [op_host/yours.cpp, op_kernel/yours.cpp, op_kernel/both.h]
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("opforge.yaml", "op_kernel/add.cpp", "tests/test_it.py", "build/a.cpp", "dist/a.py", ".git/a.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    (tmp_path / "op_kernel" / "build").mkdir()  # only the project's own is an output
    (tmp_path / "op_kernel" / "build" / "b.h").write_text("")
    (tmp_path / "tests" / "__pycache__").mkdir()
    for leaving in ("tests/__pycache__/a.py", "op_kernel/add.cpp~", "op_kernel/.add.cpp.swp", "tests/out.bin"):
        (tmp_path / leaving).write_text("")
    return tmp_path


def test_sources_are_seen_and_nothing_else(root: Path) -> None:
    assert set(snapshot(root)) == {"opforge.yaml", "op_kernel/add.cpp", "op_kernel/build/b.h", "tests/test_it.py"}


def test_edited_new_and_gone_files(root: Path) -> None:
    before = snapshot(root)
    assert changed(before, snapshot(root)) == ()
    times = (root / "opforge.yaml").stat()
    (root / "opforge.yaml").write_text("x")
    os.utime(root / "opforge.yaml", ns=(times.st_atime_ns, times.st_mtime_ns))
    (root / "csrc").mkdir()
    (root / "csrc" / "new.cpp").touch()
    (root / "op_kernel" / "add.cpp").unlink()
    assert changed(before, snapshot(root)) == ("csrc/new.cpp", "op_kernel/add.cpp", "opforge.yaml")


def test_waiting_ends_when_an_editor_has_written_everything(root: Path) -> None:
    before = snapshot(root)

    def save() -> None:
        time.sleep(0.3)
        for name in ("op_kernel/add.cpp", "tests/test_it.py"):
            (root / name).write_text("edited")
            time.sleep(0.05)

    editor = threading.Thread(target=save)
    editor.start()
    began = time.monotonic()
    assert wait_for_edits(root, before) == ("op_kernel/add.cpp", "tests/test_it.py")
    assert 0.3 < time.monotonic() - began < 5
    editor.join()


@pytest.mark.parametrize(
    ("edited", "expected"),
    [
        (["op_kernel/add_kernel.h"], ("-k", "add")),
        (["op_kernel/add_more_kernel.h"], ("-k", "add_more")),
        (["op_host/add_more.cpp", "op_kernel/add_tiling.h"], ("-k", "add_more or add")),
        (["op_kernel/deep/own.cpp"], ("-k", "mine")),
        (["op_kernel/both.h"], ()),
        (["op_kernel/opforge/tile_io.h"], ()),
        (["op_kernel/helpers.h"], ()),
        (["opforge.yaml"], ()),
        (["csrc/adapter.cpp"], ()),
        (["python/pair_ops/__init__.py"], ()),
        (["tests/op_cases.py"], ()),
        (["tests/test_it.py"], ("tests/test_it.py",)),
        (["tests/test_it.py", "op_kernel/add.cpp"], ()),
        (["tests/test_gone.py"], None),
        (["benchmarks/cases.py", "aclnn/call_add.cpp"], None),
        (["benchmarks/cases.py", "op_kernel/add.cpp"], ("-k", "add")),
    ],
)
def test_tests_of_an_edit(edited: list[str], expected: tuple[str, ...] | None, root: Path) -> None:
    assert selected_tests(edited, parse_spec(SPEC, None), root) == expected


def test_a_project_of_one_op_runs_all_its_tests(root: Path) -> None:
    spec = parse_spec(SPEC[: SPEC.index("  AddMore")], None)
    assert selected_tests(["op_kernel/add.cpp"], spec, root) == ()
    assert selected_tests(["tests/test_it.py"], spec, root) == ("tests/test_it.py",)
