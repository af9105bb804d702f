"""find_package(ASC): what the npu_op_* functions refuse, and what an edit makes again."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from fake_toolkit import op_host
from workshop import Workshop

from opforge.toolkit.build_tools import find_cmake, find_make, find_ninja

pytestmark = pytest.mark.compiler

HOST = """\
aux_source_directory(${CMAKE_CURRENT_SOURCE_DIR} ops_srcs)
npu_op_code_gen(SRC ${ops_srcs} PACKAGE ${package_name} OUT_DIR ${ASCEND_AUTOGEN_PATH} JOIN_OP_DEF True)
file(GLOB autogen_aclnn_src ${ASCEND_AUTOGEN_PATH}/aclnn_*.cpp)
set_source_files_properties(${autogen_aclnn_src} PROPERTIES GENERATED TRUE)
npu_op_library(cust_opapi ACLNN ${autogen_aclnn_src})
npu_op_library(cust_op_proto GRAPH ${ops_srcs} ${ASCEND_AUTOGEN_PATH}/op_proto.cc)
npu_op_library(cust_optiling TILING ${ops_srcs})
npu_op_package_add(${package_name} LIBRARY cust_optiling cust_opapi cust_op_proto)
"""
KERNEL = """\
npu_op_kernel_options(ascendc_kernels ALL OPTIONS -DALL_OPS)
npu_op_kernel_options(ascendc_kernels Second OPTIONS -DSECOND_ONLY)
npu_op_kernel_sources(ascendc_kernels KERNEL_DIR ./)
npu_op_kernel_sources(ascendc_kernels OP_TYPE Second KERNEL_DIR ./other KERNEL_FILE renamed.cpp)
npu_op_kernel_library(ascendc_kernels SRC_BASE ${CMAKE_CURRENT_SOURCE_DIR}/ TILING_LIBRARY cust_optiling)
npu_op_package_add(${package_name} LIBRARY ascendc_kernels)
npu_op_package_add(${package_name} FILES extra.txt PACKAGE_PATH docs)
"""
TOP = """\
cmake_minimum_required(VERSION 3.16.0)
project(opp CXX)
find_package(ASC REQUIRED)
set(package_name ${vendor_name})
npu_op_package(${package_name} TYPE RUN CONFIG INSTALL_PATH ${CMAKE_BINARY_DIR}/)
add_subdirectory(op_host)
add_subdirectory(op_kernel)
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project of two ops in the form of the official template, in a folder with a space."""
    root = tmp_path / "two ops"
    files = {
        "CMakeLists.txt": TOP,
        "op_host/CMakeLists.txt": HOST,
        "op_host/first.cpp": '#include "shared.h"\n' + op_host("First", "first", "float16,float,bfloat16"),
        "op_host/second.cpp": '#include "../op_host/shared.h"\n' + op_host("Second", "second", "float"),
        "op_host/shared.h": "\n",
        "op_kernel/CMakeLists.txt": KERNEL,
        "op_kernel/first.cpp": "first kernel\n",
        "op_kernel/other/renamed.cpp": "second kernel\n",
        "op_kernel/extra.txt": "extra\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def configure(
    tree: Path, workshop: Workshop, *options: str, generator: str = "Unix Makefiles"
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            find_cmake(os.environ), "-S", tree, "-B", tree / "out", "-G", generator, "-Dvendor_name=two",
            f"-DASC_DIR={workshop.toolkit / 'lib64' / 'cmake' / 'ASC'}", "-DASCEND_COMPUTE_UNIT=ascend910b", *options,
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def make(tree: Path) -> list[str]:
    """Builds, and returns the kernels that were compiled."""
    calls = tree / "out" / "kernels" / "asc_opc.calls"
    calls.unlink(missing_ok=True)
    done = subprocess.run(
        [find_make(os.environ), "-C", tree / "out", "-j2", "binary", "package"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(line.split("_")[0] for line in calls.read_text().splitlines()) if calls.exists() else []


def test_edits_make_again_what_depends_on_them(tree: Path, workshop: Workshop) -> None:
    assert configure(tree, workshop).returncode == 0
    assert make(tree) == ["First", "First", "First", "Second"]
    assert make(tree) == []
    (tree / "op_kernel" / "other" / "renamed.cpp").write_text("second kernel, edited\n")
    assert make(tree) == ["Second"]
    packed = tree / "out" / "package" / "vendors" / "two"
    sources = packed / "op_impl" / "ai_core" / "tbe" / "two_impl" / "dynamic"
    assert (sources / "other" / "renamed.cpp").read_text() == "second kernel, edited\n"
    assert (packed / "docs" / "extra.txt").read_text() == "extra\n"
    second = next((packed / "op_impl/ai_core/tbe/kernel/ascend910b/second").glob("*.o")).read_text()
    assert "['-DALL_OPS', '-DSECOND_ONLY', '-ffile-prefix-map=" in second
    first = next((packed / "op_impl/ai_core/tbe/kernel/ascend910b/first").glob("*.o")).read_text()
    assert "['-DALL_OPS', '-ffile-prefix-map=" in first
    # The OpDef loses a dtype column and the header it includes changes: both configure again without being told to.
    (tree / "op_host" / "shared.h").write_text("// changed\n")
    (tree / "op_host" / "first.cpp").write_text('#include "shared.h"\n' + op_host("First", "first", "float16,float"))
    assert make(tree) == []
    kernels = packed / "op_impl" / "ai_core" / "tbe" / "kernel" / "ascend910b"
    assert len(list((kernels / "first").glob("*.o"))) == 2
    assert len(list((tree / "out" / "kernels").rglob("First_*.o"))) == 2


def test_every_file_below_op_kernel_is_packed(tree: Path, workshop: Workshop) -> None:
    """As CANN's functions have it: headers of whatever name, and no texts."""
    for name in ("tables.inl", "notes.txt", "other/NOTES"):
        (tree / "op_kernel" / name).write_text(name)
    configure(tree, workshop)
    make(tree)
    sources = tree / "out" / "package" / "vendors" / "two" / "op_impl" / "ai_core" / "tbe" / "two_impl" / "dynamic"
    packed = {str(path.relative_to(sources)) for path in sources.rglob("*") if path.is_file()}
    assert packed == {"first.cpp", "other/renamed.cpp", "tables.inl", "other/NOTES"}


def test_jobs_limit_the_compilers_of_op_host(tree: Path, workshop: Workshop) -> None:
    path = tree / "op_host" / "CMakeLists.txt"
    path.write_text(path.read_text().replace("npu_op_code_gen(", "npu_op_code_gen(JOBS ${OPFORGE_JOBS} "))
    assert configure(tree, workshop, "-DOPFORGE_JOBS=1").returncode == 0
    assert configure(tree, workshop, "-DOPFORGE_JOBS=none").returncode != 0


def test_ninja_refuses_as_with_cann(tree: Path, workshop: Workshop) -> None:
    """CANN's functions write $(MAKE) into their commands: whoever builds with Ninja fails here as there."""
    ninja = find_ninja(os.environ)
    configured = configure(tree, workshop, f"-DCMAKE_MAKE_PROGRAM={ninja}", generator="Ninja")
    done = subprocess.run([ninja, "-C", tree / "out", "binary"], capture_output=True, text=True, check=False)
    said = configured.stderr + done.stdout + done.stderr
    assert "bad $-escape (literal $ must be written as $$)" in said
    assert done.returncode != 0


@dataclass(frozen=True)
class Wrong:
    """One word of a CMake file replaced, and what is said about it."""

    name: str
    old: str
    new: str
    message: str


@pytest.mark.parametrize(
    "wrong",
    [
        Wrong("CMakeLists.txt", "TYPE RUN", "TYPE SHARED", "TYPE 'SHARED' is not supported by the simulated toolkit"),
        Wrong(
            "op_host/CMakeLists.txt", "optiling TILING", "optiling TF_PLUGIN", "the support list is ACLNN TILING GRAPH"
        ),
        Wrong(
            "op_host/CMakeLists.txt",
            "npu_op_library(cust_optiling TILING",
            "npu_op_device_tiling_library(t SHARED",
            "the simulated toolkit has no AI CPU",
        ),
        Wrong("op_kernel/CMakeLists.txt", "KERNEL_FILE renamed.cpp", "", "OP_TYPE and KERNEL_FILE must exist"),
        Wrong("op_kernel/CMakeLists.txt", "LIBRARY ascendc_kernels", "LIBRARY other", "other is not a valid library"),
        Wrong("op_kernel/CMakeLists.txt", "renamed.cpp", "nowhere.cpp", "the kernel source of Second does not exist"),
        Wrong("op_kernel/CMakeLists.txt", "TILING_LIBRARY cust_optiling", "", "must provide TILING_LIBRARY"),
        Wrong("op_kernel/CMakeLists.txt", "ALL OPTIONS -DALL_OPS", "ALL", "Must provide options"),
    ],
    ids=lambda wrong: wrong.message,
)
def test_refused(tree: Path, workshop: Workshop, wrong: Wrong) -> None:
    path = tree / wrong.name
    text = path.read_text()
    assert wrong.old in text
    path.write_text(text.replace(wrong.old, wrong.new))
    done = configure(tree, workshop)
    assert done.returncode != 0
    assert wrong.message in " ".join(done.stderr.split())


def test_op_that_is_no_longer_registered_has_no_kernels(tree: Path, workshop: Workshop) -> None:
    configure(tree, workshop)
    make(tree)
    (tree / "op_host" / "second.cpp").write_text("// nothing\n")
    assert make(tree) == []
    assert not list((tree / "out" / "package").rglob("*econd_*.o"))
    assert list((tree / "out" / "package").rglob("First_*.o"))


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("-DASCEND_COMPUTE_UNIT=ascend910c", "COMPUTE_UNIT ascend910c does not support, the support list is"),
        ("-DASCEND_COMPUTE_UNIT=", "ASCEND_COMPUTE_UNIT is not set"),
        ("-DASCEND_CANN_PACKAGE_PATH=/usr", "Give both the same toolkit"),
        ("-DENABLE_CROSS_COMPILE=True", "the simulated toolkit builds for this machine only"),
    ],
)
def test_refused_options(tree: Path, workshop: Workshop, option: str, message: str) -> None:
    done = configure(tree, workshop, option)
    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())
