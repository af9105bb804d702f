"""`opforge acceptance` with the real commands, on the simulated device: one op of each of two kinds."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]


def test_two_ops_pass_and_a_second_run_takes_their_records(environment: Environment, tmp_path: Path) -> None:
    done = environment.sh("opforge acceptance VectorAdd PlainMatmul", tmp_path)
    assert done.stdout.strip() == "2 of 2 ops passed every command"
    with tarfile.open(tmp_path / "acceptance.tar.gz") as archive:
        page = archive.extractfile("acceptance/report.md")
        assert page is not None
        text = page.read().decode()
        names = archive.getnames()
    assert "on the simulated device: nothing here was measured on hardware" in text
    assert "| part01 | VectorAdd, PlainMatmul | ok | ok | ok | ok | ok |  |" in text
    assert text.count("| VectorAdd | float16 |") == 1
    assert "acceptance/logs/part01/test.log" in names
    assert environment.files() == {f for f in environment.files() if "part01" not in f}  # nothing stays installed
    again = environment.sh("opforge acceptance VectorAdd PlainMatmul", tmp_path)
    assert "its record is of the same toolkit and versions" in again.stderr
