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
MEMBERS, SET = "    uint32_t tileElements;\n", "    tiling->tileElements = static_cast<uint32_t>(tileElements);\n"
SIZES = (
    "    int64_t sizes[8];  // the elements of each tensor\n",
    """\
    for (size_t i = 0; i < results[0].size(); i++) {
        tiling->sizes[i] = host_tiling::ElementsOf(results[0][i]);
    }
""",
)
# What the author adds for each op: to the tiling data, and to what fills them.
ADDED = {
    "scale_each": SIZES,
    "add_each": SIZES,
    "first_along": (
        "    int64_t inner;  // elements of a row\n    int64_t step;   // elements from one row of x to the next\n",
        """\
    const host_tiling::Dims& shape = call.inputs[kXInput][0];
    const int64_t axis = call.axisAttr < 0 ? call.axisAttr + static_cast<int64_t>(shape.size()) : call.axisAttr;
    tiling->inner = host_tiling::ElementsOf(host_tiling::Dims(shape.begin() + axis + 1, shape.end()));
    tiling->step = tiling->inner * shape[axis];
""",
    ),
    "chunks": (
        "    int64_t lengths[8];\n    int64_t rest;\n    int64_t tail;\n",
        """\
    for (size_t i = 0; i < call.lengthsAttr.size(); i++) {
        tiling->lengths[i] = call.lengthsAttr[i];
    }
    tiling->tail = call.inputs[kTailInput].empty() ? 0 : call.inputs[kTailInput][0][0];
    tiling->rest = results[1][0][0] - tiling->tail;
""",
    ),
    "tiled": ("    int64_t size;  // of x\n", "    tiling->size = call.inputs[kXInput][0][0];\n"),
}


UNWRITTEN = """
import torch, torch_npu, results
try:
    results.tiled(torch.ones(3).npu(), [2])
except ValueError as error:
    print(error)
"""


def add(path: Path, line: str, more: str) -> None:
    """Adds lines behind a line of a file."""
    text = path.read_text()
    assert text.count(line) == 1
    path.write_text(text.replace(line, line + more))


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
    for op, (members, lines) in ADDED.items():
        add(project / "op_kernel" / f"{op}_tiling.h", MEMBERS, members)
        add(project / "op_host" / f"{op}_host_tiling.h", SET, lines)
    environment.sh("opforge build && opforge install", project)
    unwritten = environment.sh(f"opforge run -- python -c '{UNWRITTEN}'", project).stdout
    assert "tiled: its shapes are not written yet: op_host/tiled_shapes.h" in unwritten
    for shapes in (RESULTS / "op_host").iterdir():
        shutil.copy(shapes, project / "op_host")
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
    lambda: results.chunks(torch.ones(2).npu(), lengths=[1, 3]),
    lambda: results.first_along(torch.ones(2, 2).npu(), axis=2),
):
    try:
        call()
    except (RuntimeError, ValueError) as error:
        print(error)
"""


def test_impossible_results(results: tuple[Environment, Path], tmp_path: Path) -> None:
    environment, project = results
    program = tmp_path / "wrong.py"
    program.write_text(WRONG, encoding="utf-8")
    said = environment.sh(f"opforge run -- python {program}", project).stdout
    assert "ys would" in said.splitlines()[0]
    assert "6 // 0" in said.splitlines()[1]
    assert "scale_each" in said.splitlines()[2]
    assert "chunks: x is shorter than its pieces" in said
    assert "first_along: axis 2 is not one of 2" in said


MISTAKES = {
    # The number of cores, or one less, is taken for that of tensors: the last one is not written.
    "op_kernel/scale_each_kernel.h": ("i < tiling->args.ysCount", "i + 1 < tiling->args.ysCount"),
    # The attribute that keeps the axis is forgotten: op_host and the reference give different shapes.
    "op_host/first_along_shapes.h": ("if (call.keepAttr) {", "if (false) {"),
}


def test_mistakes_of_an_author_fail_the_tests(results: tuple[Environment, Path]) -> None:
    environment, project = results
    right = {name: (project / name).read_text() for name in MISTAKES}
    for name, (line, wrong) in MISTAKES.items():
        assert right[name].count(line) == 1
        (project / name).write_text(right[name].replace(line, wrong))
    try:
        tests = "(scale_each and lists) or (first_along and registration) or (first_along and sizes)"
        failed = environment.sh(f"opforge test -q -k '{tests}'", project, check=False).stdout
    finally:
        for name, text in right.items():
            (project / name).write_text(text)
    assert "ScaleEach: output ys" in failed
    assert "FAILED tests/test_first_along.py::test_sizes" in failed
    assert "FAILED tests/test_first_along.py::test_registration" in failed
