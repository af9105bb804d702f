"""Which toolkit is taken, and what is known of a real one from its files."""

import platform
from pathlib import Path

import pytest

from opforge.errors import ToolkitError
from opforge.toolkit.cann import find_asc_dir, find_msopgen, fingerprint, load_cann, read_version
from opforge.toolkit.detect import Choice, choose
from opforge.toolkit.protocol import Toolkit


def lay_cann(root: Path, asc: str, version: str = "Version=8.5.0\n") -> Path:
    """The files of a CANN toolkit that opforge looks at."""
    for name, text in ((asc, ""), ("tools/opbuild/op_build", ""), ("compiler/version.info", version)):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.fixture
def cann(tmp_path: Path) -> Path:
    return lay_cann(tmp_path / "cann", "lib64/cmake/ASCConfig.cmake")


@pytest.fixture
def simulated(tmp_path: Path) -> Path:
    root = lay_cann(tmp_path / "sim", "lib64/cmake/ASC/ASCConfig.cmake")
    (root / "version.cfg").write_text("version=8.5.0\nsimulated=1\n")
    return root


def test_auto_without_anything() -> None:
    assert choose("auto", {}) == Choice("simulator", None, "ASCEND_HOME_PATH is not set")


def test_auto_takes_cann_and_says_why(cann: Path) -> None:
    choice = choose("auto", {"ASCEND_HOME_PATH": str(cann)})
    assert choice == Choice("cann", cann, f"ASCEND_HOME_PATH is the CANN toolkit {cann}")


def test_auto_knows_its_own_toolkit(simulated: Path) -> None:
    choice = choose("auto", {"ASCEND_HOME_PATH": str(simulated)})
    assert choice == Choice("simulator", None, f"ASCEND_HOME_PATH is the simulated toolkit {simulated}")


def test_simulator_even_beside_cann(cann: Path) -> None:
    choice = choose("simulator", {"ASCEND_HOME_PATH": str(cann)})
    assert choice == Choice("simulator", None, "--toolchain simulator asks for it")


def test_auto_with_a_runtime_alone(tmp_path: Path) -> None:
    choice = choose("auto", {"ASCEND_HOME_PATH": str(tmp_path)})
    assert choice.reason == f"ASCEND_HOME_PATH is {tmp_path}, which has no tools/opbuild/op_build"


@pytest.mark.parametrize(
    ("environ", "what"),
    [
        ({}, "--toolchain cann: ASCEND_HOME_PATH is not set"),
        (
            {"ASCEND_HOME_PATH": "/nonexistent"},
            "--toolchain cann: ASCEND_HOME_PATH is /nonexistent, which does not exist",
        ),
    ],
)
def test_cann_that_is_not_there(environ: dict[str, str], what: str) -> None:
    with pytest.raises(ToolkitError) as caught:
        choose("cann", environ)
    assert caught.value.what == what
    assert caught.value.hint


def test_cann_is_not_the_simulator(simulated: Path) -> None:
    with pytest.raises(ToolkitError, match="is the simulated toolkit"):
        choose("cann", {"ASCEND_HOME_PATH": str(simulated)})


@pytest.mark.parametrize(
    "config",
    [
        "lib64/cmake/ASCConfig.cmake",
        "lib64/cmake/ASC/ASCConfig.cmake",
        f"{platform.machine()}-linux/lib64/cmake/asc-config.cmake",
        "compiler/tikcpp/ascendc_kernel_cmake/asc-config.cmake",
    ],
)
def test_cmake_package_of_each_generation(tmp_path: Path, config: str) -> None:
    assert find_asc_dir(lay_cann(tmp_path, config)) == (tmp_path / config).parent


def test_cann_without_the_cmake_package(tmp_path: Path) -> None:
    root = lay_cann(tmp_path / "8.1", "unrelated")
    with pytest.raises(ToolkitError) as caught:
        load_cann(root, {}, "test")
    template = "tools/op_project_templates/ascendc/customize"
    assert caught.value.what == f"the CANN toolkit at {root} has neither the CMake package ASC nor {template}"
    assert "opforge toolkit info" in str(caught.value.hint)


@pytest.mark.parametrize("above", ["", "toolkit/"])
def test_older_cann_has_a_project_template(tmp_path: Path, above: str) -> None:
    root = lay_cann(tmp_path, f"{above}tools/op_project_templates/ascendc/customize/cmake/func.cmake")
    found = load_cann(root, {}, "test")
    assert (found.generation, found.asc_dir) == (8, None)
    lay_cann(root, "lib64/cmake/ASCConfig.cmake")  # as CANN 9.x, which has both
    assert load_cann(root, {}, "test").generation == 9


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("Version=8.1.RC1\n", "8.1.RC1"),
        ("version=[9.0.0]\n", "9.0.0"),
        ('# x\nversion = "8.5.0"\n', "8.5.0"),
        ("toolkit_running_version=[7.7.0.1.238:8.1.RC1]\n", "8.1.RC1"),
        ("x\n", "unknown"),
    ],
)
def test_version_spellings(tmp_path: Path, text: str, version: str) -> None:
    assert read_version(lay_cann(tmp_path, "a", text)) == version


def test_msopgen_of_each_generation(tmp_path: Path) -> None:
    assert find_msopgen(tmp_path, {"PATH": ""}) == ()
    wheel = tmp_path / "wheel"
    wheel.mkdir()
    (wheel / "msopgen").write_text("#!/bin/sh\n")
    (wheel / "msopgen").chmod(0o755)
    assert find_msopgen(tmp_path, {"PATH": str(wheel)}) == (str(wheel / "msopgen"),)
    old = tmp_path / "python" / "site-packages" / "bin" / "msopgen"
    old.parent.mkdir(parents=True)
    old.write_text("")
    assert find_msopgen(tmp_path, {"PATH": str(wheel)}) == ("python3", str(old))


def test_fingerprint_follows_the_programs(cann: Path) -> None:
    before = fingerprint(cann)
    assert fingerprint(cann) == before
    (cann / "tools" / "opbuild" / "op_build").write_text("other")
    assert fingerprint(cann) != before


def test_activation_puts_the_simulator_first_and_only_once() -> None:
    toolkit = Toolkit("simulator", Path("/sim"), "1", "f", "test")
    env = toolkit.activation({"PATH": "/usr/bin::/sim/bin", "LD_LIBRARY_PATH": ":/x"}, "Ascend910B3")
    assert env["PATH"] == "/sim/bin:/usr/bin"
    assert env["LD_LIBRARY_PATH"] == "/sim/lib64:/x"
    assert (env["TASK_QUEUE_ENABLE"], env["OPFORGE_SOC"]) == ("0", "Ascend910B3")
    assert toolkit.activation(env, "Ascend910B3") == env
    assert toolkit.activation({"TASK_QUEUE_ENABLE": "2"})["TASK_QUEUE_ENABLE"] == "2"


def test_activation_leaves_a_sourced_cann_as_it_is() -> None:
    sourced = {"PATH": "/cann/bin", "ASCEND_HOME_PATH": "/cann", "ASCEND_OPP_PATH": "/opp", "LD_LIBRARY_PATH": "/l"}
    assert Toolkit("cann", Path("/cann"), "9", "f", "test").activation(sourced, "Ascend910B3") == sourced


def test_version_of_cann_goes_before_that_of_a_component(tmp_path: Path) -> None:
    root = lay_cann(tmp_path, "a", "Version=7.7.0.1.238\nversion_dir=8.1.RC1\n")
    assert read_version(root) == "7.7.0.1.238"
    (root / "aarch64-linux").mkdir()
    (root / "aarch64-linux/ascend_toolkit_install.info").write_text("package_name=x\nversion=8.1.RC1\n")
    assert read_version(root) == "8.1.RC1"
