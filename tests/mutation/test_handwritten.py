"""Mistakes in handwritten kernels, of the patterns and of the gallery: the project's own tests catch them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.e2e.conftest import Environment, make_environment
from tests.mutation.planting import Installed, Subject, judged, keep

pytestmark = [pytest.mark.compiler, pytest.mark.torch, pytest.mark.npu]

EACH = 8  # mistakes
PATTERNS = {
    "Summed": "--inputs x,z --outputs y --pattern elementwise",
    "Normed": "--inputs x --outputs y --shape 'x=[..., H]' --shape 'y=[..., H]' --pattern rows",
    "Gathered": "--inputs table,index --outputs y --shape 'table=[N, H]' --shape 'index=[T]' --shape 'y=[T, H]' "
    "--dtype index=int32 --pattern gather",
    "Product": "--inputs a,b --outputs c --shape 'a=[M, K]' --shape 'b=[K, N]' --shape 'c=[M, N]' --pattern matmul",
}
EXAMPLES = {  # of the gallery: the combinations of dtypes
    "argmax_rows": 1,
    "cumsum_rows": 1,
    "dequant_int8": 1,
    "dynamic_quant": 2,
    "gather_elements": 1,
    "gelu_tanh": 2,
    "group_norm": 1,
    "index_select_rows": 2,
    "layer_norm_rows": 1,
    "log_softmax_adv": 1,
    "masked_rows": 2,
    "matmul_intrinsics": 1,
    "moe_token_permute": 1,
    "pad_rows": 2,
    "rms_norm_rows": 1,
    "rope": 1,
    "scatter_add": 1,
    "softmax_rows": 2,
    "sort_rows": 1,
    "top_k_rows": 1,
    "transpose_matrix": 1,
    "tril": 2,
}


@pytest.fixture(scope="module")
def environment(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    assert toolkit_root.is_dir()
    return make_environment(tmp_path_factory.mktemp("mutants") / "env")


def installed(environment: Environment, folder: Path, options: str) -> Installed:
    """A project with one op."""
    environment.sh(f"opforge new {options} --path project", folder)
    environment.sh("opforge build && opforge install", folder / "project")
    return Installed(environment, folder / "project", "mutant")


def pattern(environment: Environment, folder: Path, op: str) -> Installed:
    return installed(environment, folder, f"{op} {PATTERNS[op]} --package mutant --soc ascend910b --features aclnn")


@pytest.mark.qualify
@pytest.mark.parametrize("op", PATTERNS)
def test_mistakes_in_a_pattern_are_caught(op: str, environment: Environment, tmp_path: Path) -> None:
    subject = Subject(op, f"{op.lower()}_kernel.h", 2 if op == "Product" else 3)
    project = pattern(environment, tmp_path, op)
    rows = judged(project, subject, project.planted(subject, 2 * EACH), tmp_path)
    assert keep(subject, rows) == []


@pytest.mark.qualify
@pytest.mark.parametrize("example", EXAMPLES)
def test_mistakes_in_an_example_are_caught(example: str, environment: Environment, tmp_path: Path) -> None:
    op = example.title().replace("_", "")
    project = replace(installed(environment, tmp_path, f"--example {example}"), package=example)
    subject = Subject(op, f"{example}.cpp", EXAMPLES[example])
    rows = judged(project, subject, project.planted(subject, EACH), tmp_path)
    assert keep(subject, rows) == []


@pytest.mark.slow
def test_a_sample_is_caught(environment: Environment, tmp_path: Path) -> None:
    """One mistake of each class (40 s)."""
    subject = Subject("Normed", "normed_kernel.h", 3)
    project = pattern(environment, tmp_path, "Normed")
    planted = {mistake.kind: mistake for mistake in project.planted(subject, 10)}
    rows = judged(project, subject, [*planted.values()], tmp_path)
    compiled = [row for row in rows if row["verdict"] != "does not compile"]
    assert len(compiled) >= 6
    assert [row for row in compiled if row["verdict"] != "caught"] == []
