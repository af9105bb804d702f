"""A handwritten op whose author has written the kernel: its spec changes, opforge follows, and the author's files stay.

before/ holds four files of that op as opforge generated them when the kernel had its bindings itself, and the kernel as
its author wrote it then.
"""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path, PurePosixPath

import pytest
import torch
from generated_ops import CHIPS, GeneratedOps, compile_host, harness

from opforge.build.step_actions import Work
from opforge.cli import main as cli
from opforge.cli.shared.options import make_request
from opforge.errors import ProjectError
from opforge.scaffold.base_file import read_base, write_base
from opforge.scaffold.lock import LOCK_FILE, LockedFile, dump_lock, read_lock, text_sha256
from opforge.scaffold.project_state import project_state
from opforge.spec.read.parse import load_spec

HERE = Path(__file__).parent
KERNEL, BINDINGS = "op_kernel/scaled_kernel.h", "op_kernel/scaled_bindings.h"
TILING, ARGS = "op_kernel/scaled_tiling.h", "op_kernel/scaled_args.h"
HOST, CALL = "op_host/scaled_host_tiling.h", "op_host/scaled_call.h"
AUTHORED, GENERATED = (KERNEL, TILING, HOST), (BINDINGS, ARGS, CALL)
SET_TILE = "    tiling->tileElements = static_cast<uint32_t>(tileElements);\n"


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path}: {old}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def write_kernel(project: Path) -> dict[str, bytes]:
    """What the author does: body, a member of the tiling data, and what it is. The texts of the three files."""
    shutil.copy(HERE / "scaled_kernel.h", project / KERNEL)
    edit(project / TILING, "    uint32_t tileElements;\n", "    uint32_t tileElements;\n    float factor;\n")
    edit(project / HOST, SET_TILE, f"{SET_TILE}    tiling->factor = 1.5f;\n")
    return texts(project)


def texts(project: Path) -> dict[str, bytes]:
    return {name: (project / name).read_bytes() for name in AUTHORED}


def extend(project: Path) -> None:
    """An output and an attribute more."""
    edit(project / "opforge.yaml", "      y: {shape: [...]}\n", "      y: {shape: [...]}\n      z: {shape: [...]}\n")
    add_attribute(project)


def add_attribute(project: Path) -> None:
    edit(
        project / "opforge.yaml",
        "      alpha: {type: float, default: 2.0}\n",
        "      alpha: {type: float, default: 2.0}\n      beta: {type: int, default: 3}\n",
    )


def first_step_of_a_build(project: Path) -> None:
    """The one that renders, without the toolkit and the environment that the others need."""
    Work(make_request(project, "simulator", None, None), context=None).read_spec()


def computed(project: Path, toolkit_root: Path, folder: Path, **attrs: float) -> list[torch.Tensor]:
    """The outputs of the op for a tensor of ones; memory that the kernel does not write holds sevens."""
    copied = folder / "compiled"
    shutil.copytree(project, copied)
    compile_host(copied, toolkit_root)
    op = load_spec(project / "opforge.yaml").ops[0]
    ops = GeneratedOps(copied, folder / "kernels", toolkit_root, {op.type: op}, {}, {})
    return ops.run("Scaled", [torch.ones(3, 1009)], CHIPS[0], {"alpha": 4.0, **attrs})


def say(capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    assert cli.run(["update"]) == 0
    return capsys.readouterr().err.splitlines()


NOTES = ["note: op_kernel/scaled_kernel.h does not use what is new in the generated headers: zGm, betaAttr"]


def test_update_follows_the_spec_and_leaves_what_the_author_wrote(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = write_kernel(project)
    extend(project)
    said = say(capsys)
    assert [line for line in said if line.startswith("note: ")] == NOTES
    assert "conflict" not in said[-1]
    assert "merged" not in said[-1]
    assert texts(project) == written
    bindings, args, call = ((project / name).read_text(encoding="utf-8") for name in GENERATED)
    assert "    AscendC::GlobalTensor<TypeZ> zGm;\n" in bindings
    assert "        zGm.SetGlobalBuffer(reinterpret_cast<__gm__ TypeZ*>(z));\n" in bindings
    assert "    int64_t betaAttr;\n" in args
    assert "    args->betaAttr = call.betaAttr;\n" in call
    assert project_state(project).edited == tuple(sorted(map(PurePosixPath, AUTHORED)))
    assert say(capsys) == ["nothing to do: scaled is up to date"]


def test_so_does_a_build(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = write_kernel(project)
    extend(project)
    first_step_of_a_build(project)
    assert texts(project) == written
    assert "zGm" in (project / BINDINGS).read_text(encoding="utf-8")
    assert "GM_ADDR z" in (project / "op_kernel/scaled.cpp").read_text(encoding="utf-8")
    assert say(capsys) == ["nothing to do: scaled is up to date"]


@pytest.mark.compiler
def test_the_kernel_compiles_and_computes_what_it_did(project: Path, toolkit_root: Path, tmp_path: Path) -> None:
    """Whoever tests the op sees that the body does not write the new output."""
    write_kernel(project)
    extend(project)
    assert cli.run(["--quiet", "update"]) == 0
    y, z = computed(project, toolkit_root, tmp_path, beta=5)
    assert bool((y == 6.0).all())
    assert bool((z == 7.0).all())


@pytest.mark.compiler
def test_a_renamed_tensor_is_said_and_does_not_compile(
    project: Path, toolkit_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    written = write_kernel(project)
    edit(project / "opforge.yaml", "      y: {shape: [...]}\n", "      result: {shape: [...]}\n")
    notes = [line for line in say(capsys) if line.startswith("note: ")]
    assert notes == [
        "note: op_kernel/scaled_kernel.h uses what the generated headers no longer have: yGm. "
        "It does not compile until you change it",
        "note: op_kernel/scaled_kernel.h does not use what is new in the generated headers: resultGm",
    ]
    assert texts(project) == written
    with pytest.raises(harness.CompileError, match="yGm"):
        computed(project, toolkit_root, tmp_path)


def test_what_only_the_host_reads_is_said_of_its_tiling(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_kernel(project)
    line = "      alpha: {type: float, default: 2.0}\n"
    edit(project / "opforge.yaml", line, f"{line}      axes: {{type: list_int, default: [0]}}\n")
    notes = [line for line in say(capsys) if line.startswith("note: ")]
    assert notes == ["note: op_host/scaled_host_tiling.h does not use what is new in the generated headers: axesAttr"]


def test_the_notes_are_in_the_json(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_kernel(project)
    extend(project)
    assert cli.run(["update", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["notes"] == [note.removeprefix("note: ") for note in NOTES]


def test_an_unwritten_skeleton_follows_the_spec(project: Path) -> None:
    extend(project)
    first_step_of_a_build(project)
    kernel = (project / KERNEL).read_text(encoding="utf-8")
    assert "        pipe.InitBuffer(outQueueZ, kBuffers, tiling->tileElements * sizeof(TypeZ));\n" in kernel
    assert project_state(project).edited == ()


def test_an_edit_of_a_generated_header_is_merged(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = write_kernel(project)
    edit(project / BINDINGS, "\nclass ScaledBindings {\n", "\n// mine\nclass ScaledBindings {\n")
    extend(project)
    with pytest.raises(ProjectError, match="edited files depend on it") as caught:
        first_step_of_a_build(project)
    assert caught.value.detail == f"  {BINDINGS}"
    assert f"  merged   {BINDINGS} (+5 -1)" in say(capsys)
    bindings = (project / BINDINGS).read_text(encoding="utf-8")
    assert "// mine\n" in bindings
    assert "zGm" in bindings
    assert texts(project) == written


@pytest.mark.parametrize("name", [*GENERATED, KERNEL])
def test_a_file_that_the_op_does_not_compile_without_comes_back(
    name: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (project / name).read_bytes()
    (project / name).unlink()
    assert [line.split(" (")[0] for line in say(capsys)] == [f"  added    {name}", "updated scaled: 1 added"]
    assert (project / name).read_bytes() == before


def test_a_build_restores_generated_headers_as_they_were(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work = Work(make_request(project, "simulator", None, None), context=None)
    before = (project / BINDINGS).read_bytes()
    work.restore_deleted()
    assert capsys.readouterr().err == ""
    (project / BINDINGS).unlink()
    (project / KERNEL).unlink()  # its author's
    (project / "README.md").unlink()
    work.restore_deleted()
    assert capsys.readouterr().err == f"restored: {BINDINGS}\n"
    assert (project / BINDINGS).read_bytes() == before
    assert not (project / KERNEL).exists()
    assert not (project / "README.md").exists()


def test_a_build_restores_no_header_of_another_text(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As after an update of opforge: the other files would not fit."""
    lock = read_lock(project)
    assert lock is not None
    other = {**lock.files, PurePosixPath(BINDINGS): LockedFile(text_sha256(b"older"), "")}
    (project / LOCK_FILE).write_text(dump_lock(dataclasses.replace(lock, files=other)), encoding="utf-8")
    (project / BINDINGS).unlink()
    Work(make_request(project, "simulator", None, None), context=None).restore_deleted()
    assert not (project / BINDINGS).exists()
    assert capsys.readouterr().err == ""


@pytest.fixture
def before(project: Path) -> Path:
    """The project as opforge made it when the kernel had its bindings itself."""
    lock = read_lock(project)
    assert lock is not None
    locked, base = dict(lock.files), read_base(project)
    for name in GENERATED:
        (project / name).unlink()
        del locked[PurePosixPath(name)], base[PurePosixPath(name)]
    for name in (*AUTHORED, "op_kernel/scaled.cpp"):
        text = (HERE / "before" / f"{Path(name).name}.txt").read_bytes()
        (project / name).write_bytes(text)
        locked[PurePosixPath(name)] = LockedFile(text_sha256(text), "code/ascendc/kinds/handwritten")
        base[PurePosixPath(name)] = text
    write_base(project, base)
    (project / LOCK_FILE).write_text(dump_lock(dataclasses.replace(lock, files=locked)), encoding="utf-8")
    assert project_state(project).edited == ()
    return project


@pytest.fixture
def written_before(before: Path) -> Path:
    """That project with its kernel written, and with a number of the author's own in the tiling data."""
    shutil.copy(HERE / "before" / "written_kernel.h.txt", before / KERNEL)
    edit(before / KERNEL, "tiling_->alphaAttr,", "tiling_->alphaAttr * tiling_->factor,")
    edit(before / TILING, "    uint32_t tileElements;\n", "    uint32_t tileElements;\n    float factor;\n")
    edit(before / HOST, SET_TILE, f"{SET_TILE}    tiling->factor = 1.5f;\n")
    return before


OLDER = (
    "note: {} is as an older opforge began it. To have {} generated for it: rename the file, `opforge update`, "
    "and move your code into the new file"
)
OLDER_NOTES = [OLDER.format(name, Path(part).name) for name, part in ((HOST, CALL), (KERNEL, BINDINGS), (TILING, ARGS))]


def test_an_older_skeleton_becomes_one_of_today(before: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = say(capsys)
    assert said[-1] == "updated scaled: 3 added, 4 changed"
    assert all((before / name).is_file() for name in GENERATED)
    assert '#include "scaled_bindings.h"' in (before / KERNEL).read_text(encoding="utf-8")


def test_an_older_written_project_keeps_its_form(written_before: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What moved in the shared headers is merged: the path of an include."""
    kernel, tiling, host = texts(written_before).values()
    said = say(capsys)
    assert said == [f"  merged   {HOST} (+1 -1)", *OLDER_NOTES, "updated scaled: 1 merged"]
    moved = host.replace(b'#include "symbols.h"', b'#include "opforge/symbols.h"')
    assert texts(written_before) == {KERNEL: kernel, TILING: tiling, HOST: moved}
    assert not any((written_before / name).exists() for name in GENERATED)


@pytest.mark.compiler
def test_an_older_written_kernel_stays_and_works(
    written_before: Path, toolkit_root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An attribute more is merged into its tiling; the kernel itself is its author's."""
    kernel = (written_before / KERNEL).read_bytes()
    add_attribute(written_before)
    said = say(capsys)
    assert {line.split(" (")[0] for line in said if "op_host/" in line or "op_kernel/" in line} >= {
        "  changed  op_host/scaled.cpp",
        "  merged   op_host/scaled_host_tiling.h",
        "  merged   op_kernel/scaled_tiling.h",
    }
    assert "conflict" not in said[-1]
    assert (written_before / KERNEL).read_bytes() == kernel
    assert "    int64_t betaAttr;\n" in (written_before / TILING).read_text(encoding="utf-8")
    (y,) = computed(written_before, toolkit_root, tmp_path)
    assert bool((y == 6.0).all())


def test_an_output_more_reaches_the_entry_of_an_older_kernel(
    written_before: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The compiler then says that Init does not take it."""
    kernel = (written_before / KERNEL).read_bytes()
    extend(written_before)
    assert "conflict" not in say(capsys)[-1]
    assert (written_before / KERNEL).read_bytes() == kernel
    assert "op.Init(x, y, z, tilingData);" in (written_before / "op_kernel/scaled.cpp").read_text(encoding="utf-8")


def test_an_older_written_project_moves_as_the_notes_say(
    written_before: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in AUTHORED:
        (written_before / name).rename(written_before / f"{name}.mine")
    assert say(capsys)[-1] == "updated scaled: 6 added, 1 changed"
    fresh = written_before.parent / "fresh"
    options = ["--inputs", "x", "--outputs", "y", "--attr", "alpha:float=2.0", "--dtype", "float32"]
    assert cli.run(["--quiet", "new", "Scaled", *options, "--path", str(fresh)]) == 0
    for name in (*AUTHORED, *GENERATED, "op_kernel/scaled.cpp"):
        assert (written_before / name).read_bytes() == (fresh / name).read_bytes()
