"""The committed comparison with measured times agrees with the table of constants and with what commands say."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from fit_times import Case, fit, summary
from kept_results import RESULTS

from opforge.measure import time_model
from opforge.measure.time_constants import constants
from opforge.measure.time_model import PIPES, Work


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return dict(json.loads((RESULTS / "times.json").read_text(encoding="utf-8")))


def test_the_table_has_what_was_fitted(found: dict[str, Any]) -> None:
    for name, value in found["fitted"].items():
        each = constants("Ascend910B2")[name]
        assert (each.value, each.kind) == (value, "fitted")


def test_commands_tell_the_error_of_the_result(found: dict[str, Any]) -> None:
    assert found["both"]["median"] == pytest.approx(time_model.MEDIAN_ERROR, abs=0.005)
    assert found["both"]["most"] == pytest.approx(time_model.ERROR_OF_MOST, abs=0.005)
    assert found["both"]["median"] <= 0.2


def test_errors_are_those_of_the_rows(found: dict[str, Any]) -> None:
    for kind, part in found["kinds"].items():
        rows = [row for row in found["rows"] if row["kind"] == kind]
        assert summary([abs(row["error"]) for row in rows]) == part
        for row in rows:
            assert row["estimated"] / row["measured"] - 1 == pytest.approx(
                row["error"], abs=0.004
            )  # estimates have two digits


def test_a_fit_finds_the_constants_that_made_the_times() -> None:
    truth = {"launch": 3.0, "hbm": 1400.0}
    cases = []
    for read in (10**5, 10**6, 10**7, 5 * 10**7):
        work = (Work(read, read, read, read, 0, 0, 0, dict.fromkeys(PIPES, 0)),)
        one = Case("exp", "elementwise", "", "float32", "", 1.0, work)
        cases.append(Case("exp", "elementwise", "", "float32", "", one.estimate(truth), work))
    assert fit(cases) == truth
