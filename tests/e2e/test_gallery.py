"""Projects that begin with an example of the gallery: built, installed, and their tests pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import make_environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]


@pytest.mark.parametrize(
    "name", ["rope", "adam_in_place", "foreach_add", "masked_rows", "matmul_object_bias", "value_depend_slice"]
)
def test_an_examples_project_passes_its_tests(name: str, tmp_path: Path) -> None:
    environment = make_environment(tmp_path / "env")
    environment.sh(f"opforge new --example {name} && cd {name} && opforge build && opforge install", tmp_path)
    assert " passed" in environment.sh("opforge test", tmp_path / name).stdout
