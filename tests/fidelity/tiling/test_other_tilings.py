"""The simulator's other tiling functions answer as CANN's library does, row by row, but for known differences.

``compare_others.py`` writes the table and the known differences; nothing here needs CANN.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from compare_others import OTHERS
from measured_tables import build_probe

pytestmark = pytest.mark.compiler


@pytest.fixture(scope="module")
def probe(toolkit_root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_probe(OTHERS.probe, toolkit_root, tmp_path_factory.mktemp("probe"))


def test_sizes_and_structs_are_the_public_librarys_but_for_known_differences(probe: Path) -> None:
    assert len(OTHERS.rows()) >= 200
    OTHERS.assert_known(probe)


def test_the_result_counts_the_table() -> None:
    OTHERS.assert_counted()
