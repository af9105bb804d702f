"""A toolkit as awkward as CANN's, by OPFORGE_SIM_AWKWARD: what is built, refused, installed and taken away stays right.

The toolkit is the stand-in without its mark, so opforge takes it for CANN; each switch is one row of
docs/toolkit_differences.md.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from fake_toolkit import make_fake_toolkit, op_host
from workshop import Workshop, make_project

from opforge.build.pipeline import Built, build
from opforge.build.request import BuildRequest
from opforge.build.vendor_tree import content_hash, run_installer
from opforge.errors import OpforgeError
from opforge.install.removal import remove_vendor
from opforge.toolkit.process import Runner
from tests.sampled import sampled

pytestmark = pytest.mark.compiler

# By what a switch is about; tests/simulator/test_differences.py compares them with the table.
BUILDING = [
    "bogus-op", "chatter", "environment-orders", "home-needed", "kernel-scripts", "leftovers", "loose-targets",
    "msopgen-chatter", "msopgen-half", "no-note", "partial-codegen", "per-soc-kernels", "plain-paths",
    "silent-op-build", "stale-codegen", "stale-sources", "wrapped-errors",
]  # fmt: skip
INSTALLING = [
    "half-installed", "keeps-old-files", "lenient-options", "locked-scripts", "noisy-installer", "plain-installer",
    "plain-set-env", "uninstall-exits-1", "word-vendors",
]  # fmt: skip
ALONE = ["merged-columns"]  # has a test of its own
# `make test-all` has these alone; with all at once there is a test that is not slow.
BUILDING_SAMPLE = {"kernel-scripts", "partial-codegen"}
INSTALLING_SAMPLE = {"half-installed", "plain-installer"}


@pytest.fixture(scope="module")
def cann(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_fake_toolkit(tmp_path_factory.mktemp("awkward") / "cann")
    (root / "version.cfg").write_text("Version=9.0.0\n")
    return root


Sourced = Callable[[str], dict[str, str]]


@pytest.fixture(scope="module")
def sourced(workshop: Workshop, cann: Path) -> Sourced:
    """The environment as set_env.sh leaves it, with what an outer make and CANN's own build may have left there."""
    left = {"MAKEFLAGS": "ki", "OPS_ACLNN_GEN": "0", "ASCEND_SLOG_PRINT_TO_STDOUT": "1"}
    home = {"PATH": f"{cann / 'bin'}:{workshop.environ['PATH']}", "ASCEND_HOME_PATH": str(cann)}
    return lambda switch: {**workshop.environ, **left, **home, "OPFORGE_SIM_AWKWARD": switch}


def told(request: BuildRequest) -> list[str]:
    """The lines of the error with which a build ends; nothing of an older one may lie in dist/."""
    with pytest.raises(OpforgeError) as caught:
        build(request)
    assert list((request.root / "dist").glob("*")) == []
    text = caught.value.render()
    assert "Traceback" not in text
    return text.splitlines()


def packed(root: Path, pattern: str) -> str:
    """The only text of all files in the package that match."""
    (text,) = {path.read_text() for path in (root / "build" / "vendor").rglob(pattern)}
    return text


def life_of_a_project(root: Path, request: BuildRequest) -> None:
    """Built, built again, edited, broken in each of its parts, and mended."""
    make_project(root)
    assert build(request).run_package.is_file()
    assert build(request).ran == ()
    header = root / "op_kernel" / "tiny_copy_kernel.h"
    header.write_text("// edited\n")
    build(request)
    assert packed(root, "tiny_copy_kernel.h") == "// edited\n"
    assert all("// edited" in path.read_text() for path in (root / "build" / "vendor").rglob("TinyCopy_*.o"))
    assert len(list((root / "build" / "vendor").rglob("TinyCopy_*.o"))) == 4
    header.write_text("BROKEN\n")
    assert told(request).count("op_kernel/tiny_copy.cpp:1:1: error: BROKEN") == 1
    assert told(request).count("op_kernel/tiny_copy.cpp:1:1: error: BROKEN") == 1, "and again"
    header.write_text("// right\n")
    source = root / "op_host" / "tiny_copy.cpp"
    right = source.read_text()
    source.write_text(f"{right}int planted = nowhere;\n")
    assert [line for line in told(request) if line.startswith("op_host/tiny_copy.cpp:3:15: error: ")]
    source.write_text("// no op\n")
    assert "op_build: no op in the library" in told(request)
    source.write_text(op_host("TinyCopy", "tiny_copy", "float16"))
    assert "op_host and opforge.yaml disagree on the signature" in "".join(told(request))
    source.write_text(right)
    build(request)
    assert packed(root, "tiny_copy_kernel.h") == "// right\n"


def life_of_an_installation(package: Path, environ: dict[str, str], target: Path) -> None:
    """Installed twice, refused once, taken away."""
    runner, place = Runner(), target / "vendors" / "tiny"
    for _ in range(2):
        run_installer(runner, package, target, environ, None).require("installing")
        assert not (place / "op_api" / "include" / "old.h").exists()
        assert [path.name for path in place.parent.iterdir()] == ["tiny"]
        (place / "op_api" / "include" / "old.h").write_text("")
    script = place / "bin" / "set_env.bash"
    said = runner.run(
        ["bash", "-c", '. "$0" && printenv ASCEND_CUSTOM_OPP_PATH', script], cwd=target, env={"PATH": environ["PATH"]}
    )
    assert said.output.split(":")[0].strip() == str(place)
    before = content_hash(place)
    without = shutil.copytree(environ["ASCEND_HOME_PATH"], target / "toolkit")
    (without / "lib64" / "libnnopbase.so").unlink()
    failing = {**environ, "ASCEND_HOME_PATH": str(without)}
    assert not run_installer(runner, package, target, failing, None).ok
    assert content_hash(place) == before
    assert not run_installer(runner, package, target / "other", failing, None).ok
    assert list((target / "other").iterdir()) == []
    remove_vendor(place, runner, environ)
    assert not (target / "vendors").exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "it's odd"])
def test_everything_at_once(tmp_path: Path, workshop: Workshop, sourced: Sourced, name: str) -> None:
    environ = sourced("all")
    root = tmp_path / name / "tiny"
    request = workshop.request(root, environ=environ)
    if name == "plain":
        life_of_a_project(root, request)
    else:
        make_project(root)
    life_of_an_installation(build(request).run_package, environ, tmp_path / name / "opp")


@pytest.mark.parametrize("switch", sampled(BUILDING, BUILDING_SAMPLE))
def test_each_while_building(tmp_path: Path, workshop: Workshop, sourced: Sourced, switch: str) -> None:
    root = tmp_path / "tiny"
    request = workshop.request(root, environ=sourced(switch))
    life_of_a_project(root, request)


@pytest.mark.parametrize("switch", sampled(BUILDING, BUILDING_SAMPLE))
def test_each_with_the_simulated_toolkit(tmp_path: Path, workshop: Workshop, switch: str) -> None:
    """Where builds are incremental: a failure must be seen although older files are there."""
    root = tmp_path / "tiny"
    request = workshop.request(root, environ={**workshop.environ, "OPFORGE_SIM_AWKWARD": switch})
    if switch in ("stale-codegen", "stale-sources"):
        pytest.skip("what these leave stale only a build from nothing can find: that is what builds with CANN are")
    if switch == "msopgen-half":
        pytest.skip("that the simulated msOpGen refuses an op is an error of the simulated toolkit")
    life_of_a_project(root, request)


@pytest.mark.parametrize("place", ["opp", "it's an opp"])
@pytest.mark.parametrize("switch", sampled(INSTALLING, INSTALLING_SAMPLE))
def test_each_while_installing(
    tmp_path: Path, sourced: Sourced, built_project: tuple[Path, Built], switch: str, place: str
) -> None:
    environ = sourced(switch)
    life_of_an_installation(built_project[1].run_package, environ, tmp_path / place)


@pytest.mark.parametrize("kind", ["cann", "simulator"])
def test_combinations_that_get_no_kernel_are_told(
    project: Path, workshop: Workshop, sourced: Sourced, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """With CANN the package would not be complete; with the simulated toolkit the op runs, and would not there."""
    monkeypatch.setattr("opforge.build.step_actions.without_kernel", lambda op, _: (f"{op.type} float16, float32",))
    request = workshop.request(project)
    if kind == "cann":
        request = workshop.request(project, environ=sourced(""))
        assert "  TinyCopy: inputs of TinyCopy float16, float32" in told(request)
    else:
        build(request)
        (warning,) = [
            line for line in request.progress.lines if line.startswith("note warning: CANN compiles no kernel")
        ]
        assert warning.endswith("refuse this package\n  TinyCopy: inputs of TinyCopy float16, float32")
