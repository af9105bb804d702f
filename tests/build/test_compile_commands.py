"""build/compile_commands.json: which files it has, with which options, and when it is written. clangd: tests/e2e."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from workshop import Workshop

from opforge.build.compile_commands import NAME
from opforge.build.include_order import read_includes
from opforge.build.kernel_options import CHIPS, CORES, chip_macros, op_macros, toolkit_options
from opforge.build.launch_headers import write_launch_headers
from opforge.build.pipeline import Built, build
from opforge.build.plain_folder import cann_place
from opforge.errors import BuildError
from opforge.soc import SOCS, SUPPORTED
from opforge.spec.model import OpSpec, TensorSpec
from opforge.toolkit.protocol import Toolkit

TOOLS = Path(__file__).parents[2] / "src" / "opforge" / "simulator" / "tools"
SOURCES = (".cpp", ".h")


def entries(root: Path) -> dict[str, list[str]]:
    """The options of each file, by its path in the project."""
    rows = json.loads((root / "build" / NAME).read_text(encoding="utf-8"))
    assert {row["directory"] for row in rows} == {str(root)}
    assert all(row["arguments"][-1] == row["file"] for row in rows)
    return {str(Path(row["file"]).relative_to(root)): row["arguments"][1:-1] for row in rows}


def sources(root: Path) -> set[str]:
    folders = ("op_host", "op_kernel", "csrc", "aclnn")
    paths = (path for folder in folders for path in (root / folder).rglob("*") if path.suffix in SOURCES)
    return {str(path.relative_to(root)) for path in paths}


def included(options: list[str]) -> list[str]:
    """The headers that the options put before a file."""
    return [Path(after).name for word, after in pairwise(options) if word == "-include"]


@pytest.mark.compiler
def test_every_source_has_an_entry(built_project: tuple[Path, Built]) -> None:
    root, _ = built_project
    assert set(entries(root)) == sources(root)
    assert "op_kernel/tiny_copy_kernel.h" in entries(root)


@pytest.mark.compiler
def test_each_part_has_its_options(built_project: tuple[Path, Built], workshop: Workshop) -> None:
    root, built = built_project
    options = entries(root)
    generated = cann_place(workshop.request(root)) / "out" / "autogen"
    assert {"-std=c++11", f"-I{generated}", f"{built.toolkit.root}/include"} <= {*options["op_host/tiny_copy.cpp"]}
    kernel = options["op_kernel/tiny_copy.cpp"]
    assert {"-DDTYPE_X=half", "-DORIG_DTYPE_X=DT_FLOAT16", "-DFORMAT_Z=FORMAT_ND", "-D__NPU_ARCH__=2201"} <= {*kernel}
    assert "-x" not in kernel
    assert options["op_kernel/tiny_copy_kernel.h"] == ["-x", "c++-header", *kernel]
    assert str(built.env.torch / "include") in options["csrc/adapter.cpp"]
    assert str(built.env.torch_npu / "include") in options["csrc/opforge/npu_glue.h"]
    unknown = ("-fsanitize", "-f", "-O", "-Werror", "--cce")
    assert not [word for words in options.values() for word in words if word.startswith(unknown)]


@pytest.mark.compiler
def test_an_unchanged_file_stays_and_a_new_source_gets_its_entry(project: Path, rebuild) -> None:
    rebuild()
    target = project / "build" / NAME
    before = target.stat()
    rebuild()
    (project / "op_kernel" / "tiny_copy_kernel.h").write_text("// body, edited\n")
    assert "operators" in rebuild()
    assert (target.stat().st_ino, target.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    (project / "op_host" / "helper.h").write_text("#pragma once\n")
    rebuild()
    assert "op_host/helper.h" in entries(project)
    assert target.stat().st_ino != before.st_ino
    assert [path.name for path in target.parent.glob(f"*{NAME}*")] == [NAME]


@pytest.mark.compiler
def test_a_deleted_one_comes_back_with_the_next_build_that_runs_a_step(project: Path, rebuild) -> None:
    rebuild()
    (project / "build" / NAME).unlink()
    assert rebuild() == {}
    assert not (project / "build" / NAME).exists()
    (project / "csrc" / "adapter.cpp").write_text((project / "csrc" / "adapter.cpp").read_text() + "// edited\n")
    rebuild()
    assert set(entries(project)) == sources(project)


@pytest.mark.compiler
def test_a_kernel_that_does_not_compile_has_one(project: Path, workshop: Workshop) -> None:
    (project / "op_kernel" / "tiny_copy_kernel.h").write_text("BROKEN\n")
    with pytest.raises(BuildError):
        build(workshop.request(project))
    assert set(entries(project)) == sources(project)


@pytest.mark.compiler
def test_an_odd_file_among_the_programs_does_not_stop_a_build(project: Path, rebuild) -> None:
    (project / "aclnn").mkdir()
    (project / "aclnn" / "call.cpp").write_text("int main() {}\n")
    os.mkfifo(project / "aclnn" / "pipe.h")
    rebuild()
    assert set(entries(project)) == {name for name in sources(project) if not name.startswith("aclnn/")}


@pytest.mark.compiler
def test_a_header_comes_after_what_its_kernel_includes_before_it(project: Path, rebuild) -> None:
    kernels = project / "op_kernel"
    (kernels / "tiny_copy.cpp").write_text('#include "first.h"\n#  include <second.h>\n#include "absent.h"\n')
    (kernels / "first.h").write_text('#include "zero.h"\n#include "inner/deep.h"\n')
    for name in ("zero.h", "second.h", "inner/deep.h", "unused.h"):
        (kernels / name).parent.mkdir(exist_ok=True)
        (kernels / name).write_text("\n")
    rebuild()
    found = {name: included(options) for name, options in entries(project).items() if name.startswith("op_kernel/")}
    assert found == {
        "op_kernel/tiny_copy.cpp": [],
        "op_kernel/tiny_copy_kernel.h": [],
        "op_kernel/first.h": [],
        "op_kernel/zero.h": [],
        "op_kernel/inner/deep.h": ["zero.h"],
        "op_kernel/second.h": ["first.h"],
        "op_kernel/unused.h": [],
    }


def test_headers_that_include_each_other_have_an_end(tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text('#include "b.h"\n')
    (tmp_path / "b.h").write_text('#include "a.h"\n')
    (tmp_path / "k.cpp").write_text('#include "a.h"\n')
    assert [path.name for path in read_includes(tmp_path / "k.cpp", tmp_path, ())] == ["a.h", "b.h"]


def test_the_chips_macros_are_asc_opcs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(TOOLS / "asc_opc"))
    import kernel_type

    for soc in (SOCS[name] for name in SUPPORTED):
        target = next(one for one in kernel_type.TARGETS if one.socs.fullmatch(soc.default_version.name))
        assert CHIPS[soc.npu_arch] == target.macros
        assert set(CORES[soc.npu_arch]) == {macro for one in target.types for macro in one.macros}
        for one in target.types:
            if one.name.endswith("_ONLY"):
                named = {f"-D{macro}" for macro in (*target.macros, *one.macros)}
                assert set(chip_macros(soc.name, f"KERNEL_TASK_TYPE_DEFAULT({one.name});")) == named
    for name in ("kernel_type", "device_code", "template_arguments"):
        monkeypatch.delitem(sys.modules, name, raising=False)


def test_the_macros_of_the_first_combination() -> None:
    x = TensorSpec("x", ("bfloat16", "float32"), formats=("FRACTAL_NZ", "ND"))
    y = TensorSpec("yRef", ("bfloat16", "float32"), inplace="y")
    op = OpSpec("Some", (x, TensorSpec("y", ("bfloat16", "float32"))), (), (y,))
    assert set(op_macros(op, "ascend910b")) == {
        *("-DDTYPE_X=bfloat16_t", "-DORIG_DTYPE_X=DT_BF16", "-DFORMAT_X=FORMAT_FRACTAL_NZ"),
        *("-DDTYPE_Y=bfloat16_t", "-DORIG_DTYPE_Y=DT_BF16", "-DFORMAT_Y=FORMAT_ND"),
    }
    assert "-DDTYPE_X=float" in op_macros(op, "ascend310p")  # which has no bfloat16


def test_with_cann_the_folders_that_exist_are_searched(tmp_path: Path) -> None:
    for name in ("compiler/tikcpp/tikcfw/interface", "include", "tools/tikicpulib/lib/include"):
        (tmp_path / name).mkdir(parents=True)
    toolkit = Toolkit("cann", tmp_path, "8.5.0", "", "")
    folders = ("tools/tikicpulib/lib/include", "compiler/tikcpp/tikcfw", "compiler/tikcpp/tikcfw/interface", "include")
    assert toolkit_options(toolkit) == ("-DASCENDC_CPU_DEBUG=1", *(f"-I{tmp_path / name}" for name in folders))
    simulated = toolkit_options(replace(toolkit, kind="simulator"))
    assert f"-I{tmp_path}/include/ascendc" in simulated


def test_a_launch_is_declared_as_ascendc_library_declares_it(tmp_path: Path) -> None:
    kernel = 'extern "C" __global__ __aicore__ void go(GM_ADDR x, __gm__ const half* y,\n    uint32_t n) {}\n'
    written: dict[str, str] = {}
    write_launch_headers(tmp_path, [kernel, "// no kernel"], lambda path, text: written.update({path.name: text}))
    assert list(written) == ["aclrtlaunch_go.h"]
    assert written["aclrtlaunch_go.h"].endswith(
        'extern "C" uint32_t aclrtlaunch_go(uint32_t numBlocks, aclrtStream stream, void* x, void* y, uint32_t n);\n'
    )
