"""The generated C++ programs without PyTorch: the two-phase call and the direct launch, against their own golden."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from opforge.kinds import derive
from opforge.render.project import render_project
from opforge.scaffold.new_project import write_project
from opforge.spec.read.parse import parse_spec
from tests.e2e.conftest import Environment, make_environment

Done = subprocess.CompletedProcess[str]

pytestmark = [pytest.mark.e2e, pytest.mark.compiler, pytest.mark.npu, pytest.mark.slow]

SPEC = """\
edition: 1
project: {name: mixed_ops, package: mixed_ops, vendor: mixed_ops, version: 0.1.0, soc: [ascend910b]}
ops:
  SwiGLU:
    inputs:
      x:      {shape: [..., H], dtype: [float16]}
      w_gate: {shape: [H, I]}
      w_up:   {shape: [H, I]}
    compute: y = silu(x @ w_gate) * (x @ w_up)
    backward: false
  Linear:
    inputs:
      x:      {shape: [..., K], dtype: [bfloat16, float32]}
      weight: {shape: [N, K]}
      bias:   {shape: [N], optional: true}
    compute: y = x @ weight.T + where(present(bias), bias, 0.0)
    backward: false
  Extremes:
    inputs:
      x: {shape: [...], dtype: [float32]}
      y: {shape: [...]}
    attrs:
      scale: {type: float}
      count: {type: int, default: 3}
      mode:  {type: str, default: "a \\"b\\""}
    outputs:
      least: {shape: [...]}
      most:  {shape: [...]}
    compute: |
      least = min(x, y) * scale - count
      most = max(x, y) / (scale + 1.0)
    backward: false
  ProjectNorm:
    inputs:
      x:     {shape: [..., K], dtype: [bfloat16, float32]}
      w:     {shape: [N, K]}
      gamma: {shape: [N], optional: true}
    compute: |
      h = x @ w.T
      rstd = rsqrt(mean(h * h, -1, keepdim=True) + 1.0e-6)
      y, root, top = h * rstd * where(present(gamma), gamma, 1.0), rstd, amax(h, -1)
    backward: false
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The environment of all tests here: a program takes ten seconds to compile, and there are two."""
    return make_environment(tmp_path_factory.mktemp("home") / "env with space")


@pytest.fixture(scope="module")
def first(home: Environment, built: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Done]:
    """VectorAdd, built and installed, and what the first run of its programs said."""
    copied = tmp_path_factory.mktemp("caller") / "vector add"
    shutil.copytree(built, copied)
    home.sh("opforge install", copied)
    return copied, home.sh("opforge test --aclnn", copied)


@pytest.fixture
def project(home: Environment, first: tuple[Path, Done]) -> Iterator[Path]:
    """The same project for each test: a kernel that was edited is put back, a package that was removed comes again."""
    installed, _ = first
    kept = {path: path.read_bytes() for path in (installed / "op_kernel").iterdir() if path.is_file()}
    yield installed
    for path, content in kept.items():
        if path.read_bytes() != content:
            path.write_bytes(content)
    if not (home.prefix / "opp" / "vendors" / "vector_add").is_dir():
        home.sh("opforge install", installed)


def test_both_programs_agree_with_the_golden(home: Environment, project: Path, first: tuple[Path, Done]) -> None:
    done = first[1]
    assert "aclnnVectorAdd: 0 of 18 trials are wrong" in done.stdout
    assert "vector_add_direct: 0 of 6 trials are wrong" in done.stdout
    assert "  bfloat16 [5, 67] [67] -> [5, 67]: max error 0, allowed 0.016: ok" in done.stdout
    assert re.fullmatch(r"built the programs below aclnn/ in [\d.]+ s\n", done.stderr)
    assert (project / "build" / "logs" / "aclnn.log").is_file()

    before = {path: path.stat().st_mtime_ns for path in (project / "build" / "aclnn").glob("*_vector_add")}
    again = home.sh("opforge test --aclnn", project)
    assert again.stdout == done.stdout
    assert again.stderr == ""
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.mark.qualify
def test_several_ops_with_products_optional_inputs_and_results(
    environment: Environment, toolkit_root: Path, tmp_path: Path
) -> None:
    assert toolkit_root.is_dir()
    spec = parse_spec(SPEC, None)
    write_project(render_project(derive(spec)), spec, tmp_path / "mixed_ops")
    done = environment.sh("opforge build && opforge install && opforge test --aclnn", tmp_path / "mixed_ops")
    summaries = [line for line in done.stdout.splitlines() if line.endswith("trials are wrong")]
    assert summaries == [
        "aclnnSwiGLU: 0 of 5 trials are wrong",
        "swi_glu_direct: 0 of 5 trials are wrong",
        "aclnnLinear: 0 of 20 trials are wrong",
        "linear_direct: 0 of 10 trials are wrong",
        "aclnnExtremes: 0 of 6 trials are wrong",
        "extremes_direct: 0 of 6 trials are wrong",
        "aclnnProjectNorm: 0 of 24 trials are wrong",
        "project_norm_direct: 0 of 12 trials are wrong",
    ]
    assert "float32 [2, 65, 129] [257, 129] none -> [2, 65, 257]: max error " in done.stdout
    assert "float16 [4, 0] [0, 5] [0, 5] -> [4, 5]: max error 0," in done.stdout


Edit = Callable[[str], str]


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (lambda text: text.replace("AscendC::Add(", "AscendC::Sub("), r"max error [\d.]+, allowed 0.002: WRONG"),
        (
            lambda text: text.replace("inQueueX.Init(pipe, x, kBuffers,", "inQueueX.Init(pipe, x, kBuffers, 99 *"),
            r"vector_add_direct: the launch of vector_add_direct failed with 507035: .*\n  rule: ",
        ),
    ],
    ids=["wrong", "failing"],
)
def test_a_kernel_that_is_not_right_is_seen(home: Environment, project: Path, edit: Edit, said: str) -> None:
    kernel = project / "op_kernel" / "vector_add_kernel.h"
    text = kernel.read_text()
    kernel.write_text(edit(text))
    assert kernel.read_text() != text
    stale = home.sh("opforge test --aclnn --no-build", project, check=False)
    assert stale.returncode != 0
    assert "the build is not up to date: operators: " in stale.stderr
    build = "cmake --build build/aclnn && build/aclnn/launch_vector_add"
    done = home.sh(f"opforge run -- bash -c '{build}'", project, check=False)
    assert done.returncode == 1
    assert re.search(said, done.stdout + done.stderr)


def test_what_is_missing_is_said(home: Environment, project: Path) -> None:
    done = home.sh("opforge test --aclnn -k add", project, check=False)
    assert done.returncode == 2
    assert "--aclnn takes no further arguments: -k add" in done.stderr

    library = next((home.prefix / "opp").rglob("libcust_opapi.so"))
    library.rename(library.with_suffix(".away"))
    (project / "build" / "aclnn" / "call_vector_add").unlink()  # what is linked already would fail to start
    done = home.sh("opforge test --aclnn", project, check=False)
    assert done.returncode == 8
    assert "error: the programs below aclnn/ did not build: ninja exited with status 1" in done.stderr
    assert "cannot find -lcust_opapi" in done.stderr
    assert "build/logs/aclnn.log" in done.stderr
    library.with_suffix(".away").rename(library)

    lists = project / "aclnn" / "CMakeLists.txt"
    lists.rename(project / "aclnn" / "elsewhere")
    done = home.sh("opforge test --aclnn", project, check=False)
    assert done.returncode == 5
    assert "aclnn has no CMakeLists.txt" in done.stderr
    (project / "aclnn" / "elsewhere").rename(lists)


def test_the_programs_build_without_opforge(home: Environment, project: Path) -> None:
    """As CMakeLists.txt says, in an activated environment; it says what it misses in another."""
    build = "cmake -S aclnn -B build/by_hand && cmake --build build/by_hand -j2"
    home.sh(f"opforge run -- bash -c '{build}'", project)
    done = home.sh("opforge run -- build/by_hand/call_vector_add", project)
    assert done.stdout.endswith("aclnnVectorAdd: 0 of 18 trials are wrong\n")
    done = home.sh("cmake -S aclnn -B build/bare", project, check=False)
    assert done.returncode != 0
    assert "ASCEND_HOME_PATH is not set: source the toolkit's set_env.sh" in done.stderr
    home.sh("opforge uninstall", project)
    done = home.sh("opforge test --aclnn --no-build", project, check=False)
    assert done.returncode == 9
    assert "vector_add is not installed in" in done.stderr
    done = home.sh("opforge run -- cmake -S aclnn -B build/bare", project, check=False)
    assert done.returncode != 0
    assert "no package in ASCEND_CUSTOM_OPP_PATH has aclnn_vector_add.h" in " ".join(done.stderr.split())
