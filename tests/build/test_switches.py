"""What each name in OPFORGE_SIM_AWKWARD turns on, without opforge: CMake, make, msOpGen and the installer alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from fake_toolkit import op_host
from test_cmake import HOST, TOP
from workshop import Workshop

from opforge.build.pipeline import Built
from opforge.toolkit.build_tools import find_cmake

pytestmark = [pytest.mark.compiler, pytest.mark.slow]


KERNELS = """\
npu_op_kernel_sources(ascendc_kernels KERNEL_DIR ./)
npu_op_kernel_library(ascendc_kernels SRC_BASE ${CMAKE_CURRENT_SOURCE_DIR}/ TILING_LIBRARY cust_optiling)
npu_op_package_add(${package_name} LIBRARY ascendc_kernels)
"""


class Tree:
    """A project of the official template's form, built with CMake and make by hand."""

    def __init__(self, root: Path, workshop: Workshop, switch: str) -> None:
        self.root, self.out, self.toolkit = root, root / "out", workshop.toolkit
        path = f"{workshop.toolkit / 'bin'}:{workshop.environ['PATH']}"
        self.environ = {**workshop.environ, "PATH": path, "OPFORGE_SIM_AWKWARD": switch}
        files = {
            "CMakeLists.txt": TOP,
            "op_host/CMakeLists.txt": HOST,
            "op_host/first.cpp": op_host("First", "first", "float16,float"),
            "op_kernel/CMakeLists.txt": KERNELS,
            "op_kernel/first.cpp": "first kernel\n",
        }  # fmt: skip
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)

    def run(self, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            words, capture_output=True, text=True, check=False, env={**self.environ, **variables}, cwd=self.root
        )

    def configure(self, **variables: str) -> subprocess.CompletedProcess[str]:
        package = self.toolkit / "lib64" / "cmake" / "ASC"
        options = ("-Dvendor_name=two", f"-DASC_DIR={package}", "-DASCEND_COMPUTE_UNIT=ascend910b;ascend910_93")
        return self.run(find_cmake(os.environ), "-S", self.root, "-B", self.out, *options, **variables)

    def make(self, *targets: str) -> subprocess.CompletedProcess[str]:
        return self.run("make", "-C", self.out, "-k", *(targets or ("binary", "package")))

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text)

    @property
    def calls(self) -> int:
        """How often asc_opc was started."""
        path = self.out / "kernels" / "asc_opc.calls"
        return len(path.read_text().splitlines()) if path.is_file() else 0

    def packed(self, pattern: str) -> list[Path]:
        return sorted((self.out / "package").rglob(pattern))


@pytest.fixture
def tree(request: pytest.FixtureRequest, tmp_path: Path, workshop: Workshop) -> Tree:
    """The tree of the switch that the test is named after: test_<switch>__<what it does>."""
    switch = request.function.__name__.removeprefix("test_").partition("__")[0].replace("_", "-")
    return Tree(tmp_path / "tree", workshop, switch)


def built(tree: Tree) -> Tree:
    done = tree.configure()
    assert done.returncode == 0, done.stderr
    done = tree.make()
    assert done.returncode == 0, done.stdout + done.stderr
    return tree


def test_wrapped_errors__are_broken_by_cmake(tree: Tree) -> None:
    tree.write(
        "op_host/first.cpp", "int planted = nowhere_that_is_a_name_of_some_length_so_that_a_line_must_be_broken;\n"
    )
    said = tree.configure().stderr
    assert "opbuild run failed!" in said
    assert "error: 'nowhere_that_is_a_name" not in said, "the words stand in several lines"
    assert "Traceback (most recent call last):" in said


def test_loose_targets__compile_each_time_and_pack_what_is_there(tree: Tree) -> None:
    built(tree)
    assert (tree.calls, tree.make().returncode, tree.calls) == (2, 0, 4)
    tree.write("op_kernel/first.cpp", "BROKEN\n")
    (tree.out / "custom.run").write_text("")
    for old in tree.out.glob("custom_opp_*.run"):
        old.unlink()
    assert tree.make().returncode != 0
    assert len(list(tree.out.glob("custom_opp_*.run"))) == 1
    assert tree.packed("*.o") == []


def test_stale_sources__are_packed(tree: Tree) -> None:
    built(tree)
    tree.write("op_kernel/first.cpp", "edited\n")
    assert tree.make().returncode == 0
    assert {path.read_text() for path in tree.packed("first.cpp")} == {"first kernel\n"}
    assert all(path.read_text().startswith("edited") for path in tree.packed("First_*.o"))


def test_stale_codegen__reads_op_host_once(tree: Tree) -> None:
    built(tree)
    tree.write("op_host/first.cpp", op_host("First", "first", "float16,float,bfloat16"))
    assert tree.make().returncode == 0
    assert "bfloat16" not in (tree.out / "autogen" / "aic-ascend910b-ops-info.ini").read_text()


def test_kernel_scripts__pack_what_a_failure_has_left(tree: Tree) -> None:
    built(tree)
    tree.write("op_kernel/first.cpp", "BROKEN\n")
    done = tree.make()
    assert done.returncode == 0, done.stdout + done.stderr
    assert all(path.read_text().startswith("first kernel") for path in tree.packed("First_*.o"))
    for path in tree.out.rglob("First_*.o"):
        path.unlink()
    done = tree.make()
    assert done.returncode != 0
    assert "RuntimeError: Kernel Compilation Error: OpType First" in done.stderr
    assert ".o not generated!" in done.stdout


def test_per_soc_kernels__are_compiled_for_each(tree: Tree) -> None:
    assert built(tree).calls == 4


def test_merged_columns__have_one_kernel(workshop: Workshop, tmp_path: Path) -> None:
    """Of float16 with each dtype of an optional bias, the first."""
    lines = ["[Add]", "opFile.value=add"]
    for key, name, dtypes in (("input0", "x", "float16,float16,float"), ("output0", "z", "float16,float16,float")):
        lines += [f"{key}.name={name}", f"{key}.dtype={dtypes}", f"{key}.format=ND,ND,ND", f"{key}.paramType=required"]
    lines += [
        "input1.name=bias",
        "input1.dtype=float16,float,float",
        "input1.format=ND,ND,ND",
        "input1.paramType=optional",
    ]
    (tmp_path / "aic-ascend910b-ops-info.ini").write_text("\n".join(lines))
    (tmp_path / "add.cpp").write_text("")
    script = workshop.toolkit / "lib64" / "cmake" / "ASC" / "scripts" / "kernel_columns.py"
    words = ["--autogen", tmp_path, "--base", tmp_path, "--work", tmp_path / "work", "--units", "ascend910b"]
    for switch, count in (("", 3), ("merged-columns", 2)):
        environ = {**workshop.environ, "OPFORGE_SIM_AWKWARD": switch}
        done = subprocess.run([sys.executable, script, *words], capture_output=True, text=True, check=True, env=environ)
        assert len(done.stdout.splitlines()) == count


def test_plain_paths__are_demanded(workshop: Workshop, tmp_path: Path) -> None:
    odd = Tree(tmp_path / "it's odd", workshop, "plain-paths").configure()
    assert odd.returncode != 0
    assert "No rule to make target" in odd.stderr
    assert Tree(tmp_path / "plain", workshop, "plain-paths").configure().returncode == 0


def test_home_needed__by_the_package(tree: Tree) -> None:
    assert "ASCEND_HOME_PATH is not set" in tree.configure().stderr
    assert tree.configure(ASCEND_HOME_PATH=str(tree.toolkit)).returncode == 0


def test_chatter__has_the_word_error(tree: Tree) -> None:
    done = tree.configure()
    assert done.returncode == 0
    assert "error: this word is not about your sources" in done.stderr
    assert "Self-extractable archive" in tree.make().stdout


def test_leftovers__of_cpack(tree: Tree) -> None:
    built(tree)
    names = {path.name.split("_opp_")[0] for path in tree.out.iterdir()}
    assert {"_CPack_Packages", "install_manifest.txt", "custom"} <= names
    assert len([path for path in tree.out.rglob("custom_opp_*.run") if path.is_file()]) == 2
    assert len(list(tree.out.glob("custom_opp_*.run.json"))) == 1


def test_bogus_op__among_those_for_tensorflow(tree: Tree) -> None:
    (listed,) = built(tree).packed("npu_supported_ops.json")
    assert sorted(name[-4:] for name in json.loads(listed.read_text())) == ["_ALL", "irst"]


def test_no_note__in_the_package(tree: Tree) -> None:
    assert built(tree).packed("opforge.json") == []


def test_partial_codegen__stays_of_an_op_build_that_refuses(tree: Tree) -> None:
    tree.write("op_host/first.cpp", "// nothing\n")
    (tree.toolkit / "unused").mkdir(exist_ok=True)
    program = tree.toolkit / "tools" / "opbuild" / "op_build"
    text = program.read_text()
    program.write_text(text.replace("if not ops:", "if not ops:\n    (out / 'aclnn_half.h').write_text('')"))
    try:
        assert tree.configure().returncode != 0
    finally:
        program.write_text(text)
    assert (tree.out / "autogen" / "aclnn_half.h").is_file()


def test_silent_op_build__unless_its_log_is_printed(tree: Tree) -> None:
    tree.write("op_host/first.cpp", "// nothing\n")
    assert "no op in the library" not in tree.configure().stderr
    assert "no op in the library" in tree.configure(ASCEND_SLOG_PRINT_TO_STDOUT="1").stderr


def test_environment_orders__are_obeyed(tree: Tree) -> None:
    tree.configure(OPS_ACLNN_GEN="0")
    assert list((tree.out / "autogen").glob("aclnn_*")) == []


def msopgen(workshop: Workshop, folder: Path, switch: str) -> subprocess.CompletedProcess[str]:
    io = {"name": "x", "param_type": "required", "format": ["ND"], "type": ["float"]}
    (folder / "op.json").write_text(
        json.dumps([{"op": "Add", "input_desc": [io], "output_desc": [{**io, "name": "z"}]}])
    )
    words = ["gen", "-i", folder / "op.json", "-c", "ai_core-Ascend910B1", "-out", folder / "out", "-lan", "cpp"]
    return subprocess.run(
        [sys.executable, workshop.toolkit / "bin" / "msopgen", *words],
        capture_output=True, text=True, check=False, env={**workshop.environ, "OPFORGE_SIM_AWKWARD": switch},
    )  # fmt: skip


def test_plain_paths__are_demanded_by_msopgen(workshop: Workshop, tmp_path: Path) -> None:
    odd = tmp_path / "ümläut"
    odd.mkdir()
    assert msopgen(workshop, odd, "plain-paths").returncode == 101
    assert msopgen(workshop, tmp_path, "plain-paths").returncode == 0


def test_msopgen_half__of_a_project(workshop: Workshop, tmp_path: Path) -> None:
    assert msopgen(workshop, tmp_path, "msopgen-half").returncode == 108
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["CMakeLists.txt"]


def test_msopgen_chatter__before_the_log(workshop: Workshop, tmp_path: Path) -> None:
    done = msopgen(workshop, tmp_path, "msopgen-chatter")
    assert (done.returncode, "MindStudio" in done.stdout) == (0, True)


class Package:
    """The run package, installed by hand."""

    def __init__(self, package: Path, folder: Path, switch: str) -> None:
        self.folder, self.package = folder, Path(shutil.copy(package, folder))
        clean = {name: value for name, value in os.environ.items() if not name.startswith("ASCEND")}
        self.environ = {**clean, "OPFORGE_SIM_AWKWARD": switch}
        self.place = folder / "opp" / "vendors" / "tiny"

    def install(self, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
        words = options or (f"--install-path={self.folder / 'opp'}",)
        return self.run("bash", self.package, *words, **variables)

    def run(self, *words: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
        environ = {**self.environ, **variables}
        return subprocess.run(words, capture_output=True, text=True, check=False, env=environ, cwd=self.folder)


@pytest.fixture
def package(request: pytest.FixtureRequest, tmp_path: Path, built_project: tuple[Path, Built]) -> Package:
    switch = request.function.__name__.removeprefix("test_").partition("__")[0].replace("_", "-")
    return Package(built_project[1].run_package, tmp_path, switch)


def test_keeps_old_files__beside_its_own(package: Package) -> None:
    package.install()
    for name in ("old.txt", "op_api/include/old.h"):
        (package.place / name).write_text("")
    assert package.install().returncode == 0
    assert (package.place / "old.txt").exists()
    assert not (package.place / "op_api/include/old.h").exists()


def test_half_installed__where_a_library_does_not_load(package: Package, workshop: Workshop) -> None:
    toolkit = shutil.copytree(workshop.toolkit, package.folder / "toolkit")
    (toolkit / "lib64" / "libnnopbase.so").unlink()
    assert package.install(ASCEND_HOME_PATH=str(toolkit), LD_LIBRARY_PATH="").returncode == 1
    assert list(package.place.iterdir()) == []


def test_locked_scripts__by_their_modes(package: Package) -> None:
    package.install()
    assert oct((package.place / "scripts").stat().st_mode & 0o777) == oct(0o550)
    assert oct((package.place / "op_api").stat().st_mode & 0o777) == oct(0o750)


def test_plain_installer__takes_a_path_of_one_word(package: Package) -> None:
    done = package.install(f"--install-path={package.folder / 'a b'}")
    assert (done.returncode, "too many arguments" in done.stderr) == (1, True)
    assert package.install().returncode == 0


def test_plain_set_env__leaves_an_empty_entry(package: Package) -> None:
    package.install()
    script = package.place / "bin" / "set_env.bash"
    done = package.run("bash", "-c", '. "$0"; . "$0"; printenv ASCEND_CUSTOM_OPP_PATH', script)
    assert done.stdout == f"{package.place}:{package.place}:\n"


def test_uninstall_exits_1__although_it_is_gone(package: Package) -> None:
    package.install()
    done = package.run("bash", package.place / "scripts" / "uninstall.sh")
    assert (done.returncode, package.place.exists(), package.place.parent.exists()) == (1, False, True)


def test_lenient_options__take_what_is_not_known(package: Package) -> None:
    assert package.install("--instal-for-all", f"--install-path={package.folder / 'opp'}").returncode == 0


def test_noisy_installer__although_quiet(package: Package) -> None:
    assert "[ops_custom]" in package.install("--quiet", f"--install-path={package.folder / 'opp'}").stdout


def test_word_vendors__damage_the_order(package: Package) -> None:
    vendors = package.place.parent
    vendors.mkdir(parents=True)
    (vendors / "config.ini").write_text("load_priority=my-tiny,other\n")
    assert package.install("--quiet", ASCEND_OPP_PATH=str(vendors.parent)).returncode == 0
    assert (vendors / "config.ini").read_text() == "load_priority=tiny,my-,other\n"
