"""Mistakes in generated kernels of every kind: the project's own tests catch them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import make_environment
from tests.mutation.planting import HERE, Installed, Subject, judged, keep

pytestmark = [pytest.mark.compiler, pytest.mark.torch, pytest.mark.npu, pytest.mark.qualify]

EACH = 15  # mistakes
SUBJECTS = (
    Subject("Difference", "difference_kernel.h", 2),
    Subject("Affine", "affine_kernel.h", 2),
    Subject("Gelu", "gelu_kernel.h", 2),
    Subject("Between", "between_kernel.h"),
    Subject("Chosen", "chosen_kernel.h"),
    Subject("Decay", "decay_kernel.h"),
    Subject("Gated", "gated_kernel.h", 2),
    Subject("Linear", "linear_kernel.h", 2),
    Subject("GeluGrad", "gelu_grad_kernel.h", 2),
    Subject("AffineGrad", "affine_grad_kernel.h", 2),
    Subject("GatedGrad", "gated_grad_kernel.h", 2),
    Subject("Difference", "opforge/tile_io.h", 2),
    Subject("Gated", "opforge/tile_matmul.h", 2),
    Subject("Linear", "opforge/bias_rows.h", 2),
)


@pytest.fixture(scope="module")
def kinds(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """kinds.yaml, built and installed."""
    assert toolkit_root.is_dir()
    folder = tmp_path_factory.mktemp("mutants")
    environment = make_environment(folder / "env")
    environment.sh("opforge new VectorAdd --inputs x,y --path mutants", folder)
    (folder / "mutants" / "opforge.yaml").write_bytes((HERE / "kinds.yaml").read_bytes())
    environment.sh("opforge update && opforge build && opforge install", folder / "mutants")
    return Installed(environment, folder / "mutants", "mutants")


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.name)
def test_mistakes_are_caught(subject: Subject, kinds: Installed, tmp_path: Path) -> None:
    rows = judged(kinds, subject, kinds.planted(subject, EACH), tmp_path)
    assert keep(subject, rows) == []
