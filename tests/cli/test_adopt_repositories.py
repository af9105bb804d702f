"""`opforge adopt` of repositories that keep operators, headers and macros in places of their own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from opforge.build import key_parts
from opforge.build.request import BuildRequest
from opforge.build.run_package import copy_sources
from opforge.build.skeleton import make_skeleton
from opforge.build.toolkits import simulated
from opforge.kinds import derive
from opforge.spec.read.parse import load_spec
from tests.cli.adopting import Run, operator
from tests.conftest import CACHE

pytestmark = [pytest.mark.compiler, pytest.mark.usefixtures("toolkit_root")]


def test_operators_below_csrc(tmp_path: Path, opforge: Run) -> None:
    root = tmp_path / "serving"
    unit = root / "csrc" / "attention" / "csrc" / "ops" / "scaled"
    operator(unit, "ScaledX", "scaled_x")
    (root / "csrc" / "torch_binding.cpp").write_text("this is compiled by the repository\n")
    code, _, err = opforge("adopt", "serving", "--only", "csrc/attention")
    assert code == 0, err
    (op,) = load_spec(root / "opforge.yaml").ops
    assert op.sources[0] == "csrc/attention/csrc/ops/scaled/op_host/scaled_x.cpp"
    folders = key_parts.adapter_folders([op.sources[0]])
    files = key_parts.source_files(root, folders)
    assert "csrc/adapter.cpp" in files
    assert all(name == "csrc/adapter.cpp" or name.startswith("csrc/opforge/") for name in files)
    assert key_parts.adapter_folders(["op_host", "op_kernel"]) == ("csrc",)


def test_a_header_of_the_op_comes_before_that_of_a_neighbour(tmp_path: Path, opforge: Run) -> None:
    root = tmp_path / "repo"
    operator(root / "nn" / "scaled", "ScaledX", "scaled_x")
    host = root / "nn" / "scaled" / "op_host" / "scaled_x.cpp"
    use = '#include "base/log.h"\n#include "own.h"\nstatic_assert(LOG == 1 && OWN == 1, "");\n'
    host.write_text(use + host.read_text())
    for name, text in (
        ("LICENSE", ""),
        ("common/include/base/log.h", "#define LOG 1\n"),
        ("nn/other/base/log.h", "#define LOG 2\n"),
        ("nn/other/op_host/own.h", "#define OWN 2\n"),
        ("nn/other/op_host/own.cpp", "this is a file of another op\n"),
        ("nn/scaled/op_host/tiling/own.h", "#define OWN 1\n"),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    code, _, err = opforge("adopt", "repo", "--only", "nn/scaled")
    assert code == 0, err
    project = load_spec(root / "opforge.yaml").project
    assert project.include == ("common/include", "nn/scaled/op_host/tiling")


def test_macros_of_cmake_files_and_of_the_command_line(tmp_path: Path, opforge: Run, toolkit_root: Path) -> None:
    root = tmp_path / "repo"
    operator(root / "scaled", "ScaledX", "scaled_x")
    host = root / "scaled" / "op_host" / "scaled_x.cpp"
    use = "#ifdef WITH_LOGS\n#error logs\n#endif\nstatic const char* kModule = MODULE_NAME;\n"
    host.write_text(use + "static const int kLevel = LEVEL;\n" + host.read_text())
    (root / "CMakeLists.txt").write_text(
        "target_compile_definitions(tiling PRIVATE\n"
        '  MODULE_NAME=$<IF:$<BOOL:${OPEN}>,"[Custom]","">\n  WITH_LOGS=1\n  UNUSED_NAME="text"\n)\n'
    )
    code, _, err = opforge("adopt", "repo")
    assert (code, "LEVEL" in err) == (5, True)
    code, _, err = opforge("adopt", "repo", "--define", "LEVEL=(2)")
    assert (code, "`LEVEL=(2)` is not a valid definition" in err) == (3, True)
    code, _, err = opforge("adopt", "repo", "--define", "LEVEL=2")
    assert code == 0, err
    spec = load_spec(root / "opforge.yaml")
    assert set(spec.project.define) == {'MODULE_NAME="[Custom]"', "LEVEL=2"}
    request = BuildRequest(root, dict(os.environ), CACHE)
    make_skeleton(request, derive(spec), simulated(toolkit_root, "test"), tmp_path / "skeleton")
    cmake = (tmp_path / "skeleton" / "op_host" / "CMakeLists.txt").read_text()
    assert '[[-DMODULE_NAME="[Custom]"]]' in cmake
    assert "[[-DLEVEL=2]]" in cmake


def test_functions_that_call_aclnn_when_graphs_fall_back_are_no_part_of_an_op(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    fallback = tmp_path / "mine" / "op_host" / "fallback_scaled_x.cpp"
    fallback.write_text('#include "fallback/fallback.h"\nthis is not compiled\n')
    assert opforge("adopt", "mine")[0] == 0
    (op,) = load_spec(tmp_path / "mine" / "opforge.yaml").ops
    assert op.sources == ("op_host/scaled_x.cpp", "op_kernel/scaled_x.cpp")


def test_op_host_in_a_newer_cpp(tmp_path: Path, opforge: Run, toolkit_root: Path) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    host = tmp_path / "mine" / "op_host" / "scaled_x.cpp"
    host.write_text("#include <memory>\nstatic const auto kShared = std::make_unique<int>(1);\n" + host.read_text())
    assert opforge("adopt", "mine")[0] == 0
    spec = load_spec(tmp_path / "mine" / "opforge.yaml")
    assert spec.project.host_cpp == 17
    request = BuildRequest(tmp_path / "mine", dict(os.environ), CACHE)
    make_skeleton(request, derive(spec), simulated(toolkit_root, "test"), tmp_path / "skeleton")
    cmake = (tmp_path / "skeleton" / "op_host" / "CMakeLists.txt").read_text()
    assert cmake.startswith("target_compile_options(intf_pub INTERFACE -std=c++17)\n")
    assert "npu_op_code_gen(\n  JOBS ${OPFORGE_JOBS}\n  COMPILE_OPTIONS -std=c++17\n  SRC" in cmake
    text = (tmp_path / "mine" / "opforge.yaml").read_text()
    (tmp_path / "mine" / "opforge.yaml").write_text(text.replace("host_cpp: 17", "host_cpp: 20"))
    code, _, err = opforge("status", "--project", "mine")
    assert (code, "`20` is not a valid C++ standard for op_host" in err) == (3, True)


def test_files_of_op_host_that_define_the_same_function(tmp_path: Path, opforge: Run, toolkit_root: Path) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    folder = tmp_path / "mine" / "op_host"
    (folder / "shared.h").write_text("int Shared(int x) { return x; }\n")
    (folder / "more.cpp").write_text('#include "shared.h"\n')
    host = folder / "scaled_x.cpp"
    host.write_text('#include "shared.h"\n' + host.read_text())
    code, _, err = opforge("adopt", "mine")
    assert code == 0, err
    assert "several files of op_host define Shared(int): the linker takes the first definition" in err
    spec = load_spec(tmp_path / "mine" / "opforge.yaml")
    assert spec.project.allow_multiple_definition
    request = BuildRequest(tmp_path / "mine", dict(os.environ), CACHE)
    make_skeleton(request, derive(spec), simulated(toolkit_root, "test"), tmp_path / "skeleton")
    cmake = (tmp_path / "skeleton" / "op_host" / "CMakeLists.txt").read_text()
    assert "target_link_options(intf_pub INTERFACE -Wl,--allow-multiple-definition)\n" in cmake
    assert "npu_op_code_gen(\n  JOBS ${OPFORGE_JOBS}\n  LINK_OPTIONS -Wl,--allow-multiple-definition\n  SRC" in cmake


def test_a_proto_file_that_does_not_compile_is_left_out(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    (tmp_path / "mine" / "op_host" / "scaled_x_proto.cpp").write_text("nobody compiles this\n")
    code, _, err = opforge("adopt", "mine")
    assert (code, "op_host/scaled_x_proto.cpp was left out: it does not compile" in err) == (0, True)
    (op,) = load_spec(tmp_path / "mine" / "opforge.yaml").ops
    assert op.sources == ("op_host/scaled_x.cpp", "op_kernel/scaled_x.cpp")


def test_a_host_source_that_ops_share_outside_of_op_host(tmp_path: Path, opforge: Run) -> None:
    root = tmp_path / "repo"
    operator(root / "nn" / "scaled", "ScaledX", "scaled_x")
    host = root / "nn" / "scaled" / "op_host" / "scaled_x.cpp"
    host.write_text('#include "tiling_base/util.h"\nstatic const int kShared = Shared();\n' + host.read_text())
    for name, text in (
        ("LICENSE", ""),
        ("common/include/tiling_base/util.h", "int Shared();\n"),
        ("common/src/tiling_base/util.cpp", '#include "tiling_base/util.h"\nint Shared() { return 1; }\n'),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    code, _, err = opforge("adopt", "repo", "--only", "nn/scaled")
    assert code == 0, err
    spec = load_spec(root / "opforge.yaml")
    (op,) = spec.ops
    assert op.sources[2:] == ("common/src/tiling_base/util.cpp",)
    build = tmp_path / "build"
    copy_sources(root, build, [op], spec.project.include)
    forwarder = build / "op_host" / "common_src_tiling_base_util.cpp"
    assert forwarder.read_text() == '#include "../op_kernel/common/src/tiling_base/util.cpp"\n'
    assert (build / "op_kernel" / "common" / "src" / "tiling_base" / "util.cpp").is_file()


def test_folders_to_include_from_can_be_named(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    host = tmp_path / "mine" / "op_host" / "scaled_x.cpp"
    host.write_text('#include "limits_of_mine.h"\nstatic const int kMost = MOST;\n' + host.read_text())
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "limits_of_mine.h").write_text("#define MOST 3\n")
    code, _, err = opforge("adopt", "mine")
    assert code == 5
    assert "`limits_of_mine.h` is neither in the project nor in the toolkit" in err
    assert opforge("adopt", "mine", "--include", "../elsewhere")[0] == 0
    assert load_spec(tmp_path / "mine" / "opforge.yaml").project.include == ("../elsewhere",)


def test_functions_of_an_op_on_which_a_cmake_file_depends(tmp_path: Path, opforge: Run) -> None:
    root = tmp_path / "repo"
    operator(root / "nn" / "scaled", "Scaled", "scaled")
    (root / "nn" / "scaled" / "op_host" / "parts.cpp").write_text("int Part() { return 2; }\n")
    operator(root / "nn" / "scaled_v2", "ScaledV2", "scaled_v2")
    host = root / "nn" / "scaled_v2" / "op_host" / "scaled_v2.cpp"
    host.write_text("int Part();\nstatic const int kPart = Part();\n" + host.read_text())
    (root / "LICENSE").touch()
    code, _, err = opforge("adopt", "repo", "--only", "nn/scaled_v2")
    assert (code, "undefined symbol" in err) == (5, True), err
    cmake = host.parent / "CMakeLists.txt"
    cmake.write_text('set(scaled_v2_depends nn/scaled CACHE INTERNAL "Dependencies")\n')
    code, _, err = opforge("adopt", "repo", "--only", "nn/scaled_v2")
    assert code == 0, err
    (op,) = load_spec(root / "opforge.yaml").ops
    assert op.sources == (
        "nn/scaled_v2/op_host/scaled_v2.cpp",
        "nn/scaled_v2/op_kernel/scaled_v2.cpp",
        "nn/scaled/op_host/parts.cpp",
    )


def test_op_host_of_many_files_compiles_with_headers_that_are_compiled_before(
    tmp_path: Path, opforge: Run, toolkit_root: Path
) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    folder = tmp_path / "mine" / "op_host"
    (folder / "size.cpp").write_text("#include <cstddef>\nsize_t Size() { return 1; }\n")
    (folder / "other.cpp").write_text(
        "namespace ops {\nstruct OpDef { int own; };\nint Own(OpDef op) { return op.own; }\n}\n"
    )
    assert opforge("adopt", "mine")[0] == 0
    compiled = toolkit_root / "cache" / "op_host_headers" / "c++11" / "op_host.h.gch"
    assert compiled.is_file()
    with compiled.open("r+b") as file:
        file.write(b"damaged")
    operator(tmp_path / "more", "ScaledY", "scaled_y")
    for name in ("size.cpp", "other.cpp"):
        (tmp_path / "more" / "op_host" / name).write_text((folder / name).read_text())
    assert opforge("adopt", "more")[0] == 0
    assert compiled.read_bytes()[:7] != b"damaged"
    (op,) = load_spec(tmp_path / "more" / "opforge.yaml").ops
    assert [name for name in op.sources if "op_host" in name] == [
        "op_host/other.cpp",
        "op_host/scaled_y.cpp",
        "op_host/size.cpp",
    ]


def test_infershape_that_never_ends_for_some_ranks(tmp_path: Path, opforge: Run) -> None:
    operator(tmp_path / "mine", "ScaledX", "scaled_x")
    host = tmp_path / "mine" / "op_host" / "scaled_x.cpp"
    endless = "    for (volatile int i = 0; context->GetInputShape(0)->GetDimNum() == 1; i = i ^ 1) {\n    }\n"
    copies = "    *context->GetOutputShape(0)"
    assert copies in host.read_text()
    host.write_text(host.read_text().replace(copies, endless + copies))
    code, out, err = opforge("adopt", "mine")
    assert code == 0, err
    (op,) = load_spec(tmp_path / "mine" / "opforge.yaml").ops
    assert "write the shape" not in out + err
    assert op.type == "ScaledX"
