"""Handwritten ops whose results an author's kernel writes in other forms than one tensor of a declared shape.

results/ has their spec, their references and their kernels. What tiling says beside the generated members is put in as
its author would.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.conftest import Environment, make_environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

RESULTS = Path(__file__).parent / "results"
TILING = ("    uint32_t tileElements;\n", "    int64_t sizes[8];  // the elements of each tensor\n")
HOST = (
    "    tiling->tileElements = static_cast<uint32_t>(tileElements);\n",
    """\
    for (size_t i = 0; i < results[0].size(); i++) {
        tiling->sizes[i] = host_tiling::ElementsOf(results[0][i]);
    }
""",
)
# What the author of a kernel adds to generated files: behind which line, and what.
ADDED = {
    f"{folder}/{op}_{file}.h": added
    for op in ("scale_each", "add_each")
    for folder, file, added in (("op_kernel", "tiling", TILING), ("op_host", "host_tiling", HOST))
}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[Environment, Path]:
    """The project, with all kernels written, built and installed."""
    folder = tmp_path_factory.mktemp("results")
    environment = make_environment(folder / "env")
    environment.sh("opforge new Each --inputs x --package results --compute 'y = x * 2' --soc ascend910b", folder)
    project = folder / "results"
    shutil.copy(RESULTS / "opforge.yaml", project)
    shutil.copy(RESULTS / "golden.py", project / "python" / "results")
    environment.sh("opforge update && opforge add Log --inputs x --outputs y --pattern elementwise", project)
    for kernel in (RESULTS / "op_kernel").iterdir():
        shutil.copy(kernel, project / "op_kernel")
    for name, (line, more) in ADDED.items():
        text = (project / name).read_text()
        assert text.count(line) == 1
        (project / name).write_text(text.replace(line, line + more))
    environment.sh("opforge build && opforge install", project)
    return environment, project


def test_the_projects_own_tests_pass(results: tuple[Environment, Path]) -> None:
    environment, project = results
    assert re.search(r"\d{2,} passed", environment.passes_as_on_devices(project))


def test_the_programs_that_call_aclnn_run(results: tuple[Environment, Path]) -> None:
    environment, project = results
    called = environment.sh("opforge test --aclnn", project).stdout
    assert "aclnnScaleEach: 0 of 8 trials are wrong" in called
    assert "aclnnAddEach: 0 of 4 trials are wrong" in called


WRONG = """
import torch, torch_npu, results

for call in (
    lambda: results.split_even(torch.ones(6).npu(), -1),
    lambda: results.split_even(torch.ones(6).npu(), 0),
    lambda: results.scale_each([]),
):
    try:
        call()
    except (RuntimeError, ValueError) as error:
        print(error)
"""


def test_lists_of_an_impossible_length(results: tuple[Environment, Path], tmp_path: Path) -> None:
    environment, project = results
    program = tmp_path / "wrong.py"
    program.write_text(WRONG, encoding="utf-8")
    said = environment.sh(f"opforge run -- python {program}", project).stdout
    assert "ys would" in said.splitlines()[0]
    assert "6 // 0" in said.splitlines()[1]
    assert "scale_each" in said.splitlines()[2]


def test_a_kernel_that_forgets_a_tensor_of_a_list(results: tuple[Environment, Path]) -> None:
    """The mistake of an author who takes the number of cores for that of tensors: the last one is not written."""
    environment, project = results
    path = project / "op_kernel" / "scale_each_kernel.h"
    text = path.read_text()
    loop = "i < tiling->args.ysCount"
    assert text.count(loop) == 1
    path.write_text(text.replace(loop, f"{loop} - 1"))
    try:
        failed = environment.sh("opforge test -q -k 'scale_each and lists'", project, check=False)
    finally:
        path.write_text(text)
    assert "failed" in failed.stdout
    assert "ScaleEach: output ys" in failed.stdout
