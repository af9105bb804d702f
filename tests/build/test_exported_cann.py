"""Projects that `opforge export cann` writes are built by their own build.sh, with a toolkit of each generation."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from fake_customize import make_customize
from fake_toolkit import make_fake_toolkit
from workshop import SPEC, Workshop

from opforge.build.exported_cann import GENERATIONS, cann_project
from opforge.errors import BuildError
from opforge.kinds import derive
from opforge.program import Program
from opforge.scaffold.exported_files import write_export
from opforge.spec.read.parse import load_spec

# All but the newest are slow tests.
BUILT = [*(pytest.param(each, marks=pytest.mark.slow) for each in GENERATIONS[:-1]), GENERATIONS[-1]]

pytestmark = pytest.mark.compiler


@pytest.fixture(scope="module")
def toolkits(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    folder = tmp_path_factory.mktemp("toolkits")
    return {8: make_customize(folder / "8.1.RC1"), 9: make_fake_toolkit(folder / "9.0.0")}


def program(project: Path) -> Program:
    return derive(load_spec(project / "opforge.yaml"))


def export(project: Path, generation: int, out: Path) -> Path:
    files = cann_project(project, program(project), generation, pytest.fail)
    return write_export(files, out, force=False).folder


def built(exported: Path, toolkit: Path, workshop: Workshop, *, ok: bool = True) -> str:
    """Runs build.sh with CMake, make, g++ and Python on PATH; returns its output."""
    environ = workshop.with_cann(toolkit)
    environ = {**environ, "PATH": f"{environ['PATH']}:{Path(sys.executable).parent}"}
    done = subprocess.run(
        [exported / "build.sh"], cwd="/", env=environ, capture_output=True, text=True, errors="replace", check=False
    )
    said = done.stdout + done.stderr
    assert (done.returncode == 0) == ok, said
    assert len(list((exported / "build_out").glob("custom_opp_*.run"))) == ok
    return said


@pytest.mark.parametrize("generation", BUILT)
def test_build_sh_makes_a_package_that_installs(
    generation: int, project: Path, toolkits: dict[int, Path], workshop: Workshop, tmp_path: Path
) -> None:
    exported = export(project, generation, tmp_path / "exported")
    built(exported, toolkits[generation], workshop)
    (package,) = (exported / "build_out").glob("custom_opp_*.run")
    place = tmp_path / "installed"
    place.mkdir()
    command = ["bash", package, "--quiet", f"--install-path={place}"]
    subprocess.run(command, env=workshop.with_cann(toolkits[generation]), check=True, capture_output=True)
    tree = place / "vendors/tiny"
    kernels = tree / "op_impl/ai_core/tbe/kernel"
    assert [len(list(kernels.glob(f"{soc}/*/TinyCopy_*.o"))) for soc in ("ascend910b", "ascend910_93")] == [2, 2]
    assert (tree / "op_api/lib/libcust_opapi.so").is_file()
    assert (tree / "op_impl/ai_core/tbe/op_tiling/liboptiling.so").exists()


@pytest.mark.parametrize("generation", BUILT)
def test_a_second_build_has_nothing_of_the_first(
    generation: int, project: Path, toolkits: dict[int, Path], workshop: Workshop, tmp_path: Path
) -> None:
    exported = export(project, generation, tmp_path / "exported")
    built(exported, toolkits[generation], workshop)
    (exported / "op_kernel/tiny_copy_kernel.h").write_text("BROKEN\n")
    built(exported, toolkits[generation], workshop, ok=False)


@pytest.mark.parametrize("generation", BUILT)
def test_fields_of_the_project_reach_the_compilers(
    generation: int, project: Path, toolkits: dict[int, Path], workshop: Workshop, tmp_path: Path
) -> None:
    fields = "version: 0.1.0, include: [shared/one, shared/two], host_cpp: 17, define: [FAST],"
    (project / "opforge.yaml").write_text(SPEC.replace("version: 0.1.0,", fields))
    for name in ("one", "two"):
        (project / "shared" / name).mkdir(parents=True)
        (project / "shared" / name / "same.h").write_text(f"#define FROM_{name.upper()}\n")
    (project / "shared/two/other.h").write_text("")
    source = project / "op_host/tiny_copy.cpp"
    check = "#if __cplusplus < 201703L || !defined(FAST) || !defined(FROM_ONE)\n#error\n#endif\n"
    source.write_text(f'#include "same.h"\n#include "other.h"\n{check}{source.read_text()}')
    exported = export(project, generation, tmp_path / "exported")
    assert (exported / "op_kernel/shared/one/same.h").is_file()
    built(exported, toolkits[generation], workshop)
    text = (exported / "README.md").read_text()
    assert "CPATH must have these folders: `op_kernel/shared/one`, `op_kernel/shared/two`." in text


def test_cann_8_ends_where_op_build_fails(
    project: Path, toolkits: dict[int, Path], workshop: Workshop, tmp_path: Path
) -> None:
    source = project / "op_host/tiny_copy.cpp"
    source.write_text(source.read_text().replace("OP:", "NO:"))
    said = built(export(project, 8, tmp_path / "exported"), toolkits[8], workshop, ok=False)
    assert "op_build: no op in the library" in said
    assert "op_build did not read op_host; its message is above" in " ".join(said.split())


def test_cann_8_is_told_from_another(
    project: Path, toolkits: dict[int, Path], workshop: Workshop, tmp_path: Path
) -> None:
    said = built(export(project, 8, tmp_path / "exported"), toolkits[9], workshop, ok=False)
    assert "has no project template: ASCEND_HOME_PATH must lead to CANN 8.x" in " ".join(said.split())


@pytest.mark.parametrize("generation", GENERATIONS)
def test_presets_name_no_folder_of_this_machine(generation: int, project: Path) -> None:
    files = {str(file.path): file.text for file in cann_project(project, program(project), generation, pytest.fail)}
    presets = json.loads(files["CMakePresets.json"])["configurePresets"][0]["cacheVariables"]
    assert presets["ASCEND_COMPUTE_UNIT"]["value"] == "ascend910b;ascend910_93"
    assert presets["vendor_name"]["value"] == "tiny"
    assert presets["ASCEND_CANN_PACKAGE_PATH"]["value"] == "$env{ASCEND_HOME_PATH}"
    assert not any(str(project) in text or "OPFORGE_" in text for text in files.values())
    for name in ("CMakeLists.txt", "CMakePresets.json", "build.sh", "op_host/CMakeLists.txt"):
        assert "opforge" not in files[name]


def test_a_source_that_is_not_text_is_refused(project: Path) -> None:
    (project / "op_kernel/table.bin").write_bytes(b"\xff\xfe")
    with pytest.raises(BuildError, match=r"op_kernel/table\.bin is not a text in UTF-8"):
        cann_project(project, program(project), 9, pytest.fail)
