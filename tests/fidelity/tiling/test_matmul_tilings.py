"""The simulator's Matmul tilings are those of CANN's library, row by row of the measured table, but for known ones.

``compare_matmul.py`` writes the table and the known differences; nothing here needs CANN.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from compare_matmul import MATMUL
from measured_tables import build_probe

pytestmark = pytest.mark.compiler


@pytest.fixture(scope="module")
def probe(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_probe(MATMUL.probe, toolkit_root, tmp_path_factory.mktemp("probe"))


def test_tilings_are_the_public_librarys_but_for_known_differences(probe: Path) -> None:
    assert len(MATMUL.rows()) >= 400
    MATMUL.assert_known(probe)


def test_the_result_counts_the_table() -> None:
    MATMUL.assert_counted()
