"""The ops of the catalog without products, a part in a project: generated tests pass on the NPU; they are measured.

`make test-all` has the first part, `make qualify` the others.
"""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from opforge.kinds import derive
from opforge.render.project import render_project
from opforge.scaffold.new_project import write_project
from opforge.spec import catalog
from opforge.spec.model import ProjectSpec, Spec
from tests.sampled import sampled

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler]

READ_AGAIN = ("ChannelStatistics",)  # the variance of rows over other dimensions reads x after the mean has
PARTS = tuple(map(str, range(1, 41)))


@pytest.mark.parametrize("part", sampled(PARTS, {"1"}))
def test_all_pass(environment: Environment, tmp_path: Path, part: str) -> None:
    known = [op for op in map(catalog.entry, catalog.names()) if op is not None and "@" not in op.compute]
    assert len(known) > 30
    all_of_them = len(known)
    known = known[PARTS.index(part) :: len(PARTS)]
    project = ProjectSpec("known_ops", "known_ops", "known_ops", "0.1.0", ("ascend910b",))
    spec = Spec(project, tuple(dataclasses.replace(op, source=None) for op in known))
    write_project(render_project(derive(spec)), spec, tmp_path / "known_ops")
    environment.sh("opforge build && opforge install", tmp_path / "known_ops")
    passed = re.search(r"(\d+) passed", environment.passes_as_on_devices(tmp_path / "known_ops"))
    assert passed is not None
    assert int(passed[1]) >= 1000 * len(known) // all_of_them

    verified = json.loads(environment.sh("opforge verify --quick --json", tmp_path / "known_ops").stdout)
    assert verified["passed"]
    environment.sh("opforge bench --quick", tmp_path / "known_ops")
    timed = json.loads((tmp_path / "known_ops" / "build" / "reports" / "bench.json").read_text(encoding="utf-8"))
    for rows in (verified["rows"], timed["rows"]):
        assert {row["op"] for row in rows} == {op.type for op in known}
    of_all_rows = {op.type for op in known if op.expression.totals}  # in a workspace
    for row in timed["rows"]:
        moved, shapes = row["gm_bytes"], {tuple(shape) for shape in row["shapes"].values()}
        assert row["peak_bytes"]["custom"] == 0 or row["op"] in of_all_rows, row["op"]
        measured = sum(moved["measured"].values())
        assert len(shapes) > 1 or measured == moved["fused"] or row["op"] in READ_AGAIN, row["op"]
        assert len(shapes) > 1 or measured <= moved["unfused"], row["op"]
