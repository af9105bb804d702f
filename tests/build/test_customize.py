"""Builds with CANN 8.x, whose CMake interface is a project template, with the known mistakes of the real one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_customize import make_customize
from fake_toolkit import make_fake_toolkit, op_host
from workshop import SPEC, Recorder, Workshop

from opforge.build.customize import OPBUILD, copy_customize
from opforge.build.pipeline import Built, build
from opforge.build.vendor_tree import run_installer
from opforge.errors import BuildError
from opforge.toolkit.process import Runner

pytestmark = pytest.mark.compiler


@pytest.fixture(scope="module")
def cann8(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_customize(tmp_path_factory.mktemp("cann") / "8.1.RC1")


@pytest.fixture
def progress_lines() -> list[str]:
    return []


@pytest.fixture
def build8(project: Path, workshop: Workshop, cann8: Path, progress_lines: list[str]) -> Callable[[], Built]:
    def run() -> Built:
        request = workshop.request(project, environ=workshop.with_cann(cann8), progress=Recorder(progress_lines))
        return build(request)

    return run


def failure(build8: Callable[[], Built]) -> BuildError:
    with pytest.raises(BuildError) as caught:
        build8()
    return caught.value


def test_the_toolkit_decides_the_interface(project: Path, build8, workshop: Workshop, tmp_path: Path) -> None:
    built = build8()
    assert built.run_package.name.startswith("custom_opp_")
    assert built.toolkit.generation == 8
    assert built.toolkit.version == "8.1.RC1"
    assert "add_kernels_compile" in (project / "build/cann/src/op_kernel/CMakeLists.txt").read_text()
    tree = project / "build/vendor/vendors/tiny/op_impl/ai_core/tbe"
    assert len(list(tree.glob("kernel/ascend910_93/tiny_copy/TinyCopy_*.o"))) == 2
    assert (tree / "op_tiling/liboptiling.so").exists()
    newer = make_fake_toolkit(tmp_path / "9")
    (newer / "version.cfg").write_text("Version=9.0.0\n")
    assert build(workshop.request(project, environ=workshop.with_cann(newer))).toolkit.generation == 9
    assert "npu_op_kernel_library" in (project / "build/cann/src/op_kernel/CMakeLists.txt").read_text()


def test_nothing_to_do_the_second_time(build8, progress_lines: list[str]) -> None:
    build8()
    progress_lines.clear()
    build8()
    assert not [line for line in progress_lines if line.startswith("start ")]


def test_an_edited_kernel_is_compiled_and_packed(project: Path, build8) -> None:
    """The functions copy kernels' sources while CMake configures, and never again."""
    build8()
    (project / "op_kernel/tiny_copy_kernel.h").write_text("// edited\n")
    build8()
    tree = project / "build/vendor/vendors/tiny/op_impl/ai_core/tbe"
    assert (tree / "tiny_impl/dynamic/tiny_copy_kernel.h").read_text() == "// edited\n"
    assert all("// edited" in path.read_text() for path in tree.rglob("TinyCopy_*.o"))


def test_a_failing_kernel_is_told_and_nothing_older_is_packed(project: Path, build8) -> None:
    """The functions look whether the binary is there, which it is from the build before."""
    build8()
    (project / "op_kernel/tiny_copy_kernel.h").write_text("BROKEN\n")
    error = failure(build8)
    assert (error.detail or "").startswith("op_kernel/tiny_copy.cpp:1:1: error: BROKEN\n")
    assert not list((project / "build/cann").rglob("TinyCopy_*.o"))
    assert not list((project / "dist").glob("*.run"))


def test_an_error_in_op_host_is_shown_as_the_compiler_said_it(project: Path, build8) -> None:
    source = project / "op_host/tiny_copy.cpp"
    source.write_text(source.read_text() + "int planted = nowhere;\n")
    detail = failure(build8).detail or ""
    assert re.match(r"op_host/tiny_copy\.cpp:\d+:\d+: error: .*nowhere", detail)
    assert "build ops lib" not in detail


def test_an_op_build_that_fails_ends_the_build(project: Path, build8) -> None:
    """The functions print what it said and configure on, until files are missing that it would have written."""
    source = project / "op_host/tiny_copy.cpp"
    source.write_text(source.read_text().replace("OP:", "NO:"))
    assert failure(build8).detail == "op_build: no op in the library"


def test_an_op_build_that_fails_after_it_has_written_ends_the_build_too(project: Path, build8) -> None:
    source = project / "op_host/tiny_copy.cpp"
    source.write_text(source.read_text() + 'extern const char* word;\nconst char* word = "REFUSED";\n')
    assert failure(build8).detail == "op_build: refused"


def test_a_definition_that_differs_from_the_spec_is_refused(project: Path, build8) -> None:
    (project / "op_host/tiny_copy.cpp").write_text(op_host("TinyCopy", "tiny_copy", "float16,int32"))
    assert failure(build8).what == "op_host and opforge.yaml disagree on the signature"


def test_a_missing_opc_is_told_once(build8, cann8: Path) -> None:
    opc = cann8 / "bin/opc"
    opc.rename(cann8 / "bin/gone")
    try:
        assert failure(build8).what.startswith("opc, which compiles kernels, is not on PATH")
    finally:
        (cann8 / "bin/gone").rename(opc)


def test_options_of_op_host_reach_both_compilers(project: Path, build8) -> None:
    """op_host is compiled twice: for op_build by one command, and for the package."""
    fields = 'version: 0.1.0, host_cpp: 17, define: ["NAME=\\"a b\\"", FAST], allow_multiple_definition: true,'
    (project / "opforge.yaml").write_text(SPEC.replace("version: 0.1.0,", fields))
    source = project / "op_host/tiny_copy.cpp"
    check = "#if __cplusplus < 201703L || !defined(FAST)\n#error options\n#endif\n"
    source.write_text(f"{check}extern const char* name;\nconst char* name = NAME;\n{source.read_text()}")
    (project / "op_host/second.cpp").write_text("int twice() { return 1; }\n")
    (project / "op_host/third.cpp").write_text("int twice() { return 1; }\n")
    assert build8().run_package.is_file()


def test_scripts_of_a_read_only_toolkit_can_be_started(cann8: Path, tmp_path: Path) -> None:
    """The public template's scripts are not executable; a toolkit may belong to root."""
    template = cann8 / "tools/op_project_templates/ascendc/customize"
    (template / "cmake/util/gen_ops_filter.sh").chmod(0o444)
    copy_customize(template, tmp_path / "project")
    assert os.access(tmp_path / "project/cmake/util/gen_ops_filter.sh", os.X_OK | os.W_OK)
    assert not (tmp_path / "project/framework").exists()


@pytest.mark.parametrize("call", ["opbuild(OPS_SRC ${ops_srcs}\n  OUT_DIR x)", "opbuild( OPS_SRC\n ${srcs} OUT_DIR x)"])
def test_the_call_of_opbuild_is_found(call: str) -> None:
    found = OPBUILD.search(call)
    assert found
    assert found[0].endswith("}")


def test_the_installer_merges_and_opforge_does_not(build8, tmp_path: Path, workshop: Workshop, cann8: Path) -> None:
    package = build8().run_package
    environ = workshop.with_cann(cann8)
    place = tmp_path / "there"
    old = place / "vendors/tiny/op_api/include/older.h"
    for kept in (True, False):
        old.parent.mkdir(parents=True, exist_ok=True)
        old.write_text("")
        if kept:
            command = ["bash", package, "--quiet", f"--install-path={place}"]
            assert Runner().run(command, cwd=tmp_path, env=environ).ok
        else:
            assert run_installer(Runner(), package, place, environ, None).ok
        assert old.exists() is kept
        assert (old.parent / "aclnn_tiny_copy.h").is_file()
