"""The build puts the plans of tuning/ into its copy of op_host, and warns of those whose kernel has changed."""

from pathlib import Path

import pytest
from workshop import Workshop

from opforge.build.pipeline import build
from opforge.build.tuned_table import TunedPlan, kernel_digest, write_plans
from opforge.errors import ProjectError
from opforge.plan.split_plan import SplitPlan

pytestmark = pytest.mark.compiler

HEADER = "op_host/opforge/tuned_plans.h"


def with_plan(project: Path) -> None:
    shapes = {"x": (64, 4096)}
    plan = TunedPlan(
        "TinyCopy", kernel_digest(project, "TinyCopy"), "Ascend910B1", ("float16",) * 2, shapes, (33, 64),
        SplitPlan(cores=7), 8.0, 6.0, 0.01, True,
    )  # fmt: skip
    write_plans(project, "ascend910b", [plan], tried=[])


def built(workshop: Workshop, project: Path) -> tuple[list[str], str, list[str]]:
    """The steps that ran, the header as it is compiled, and the warnings."""
    request = workshop.request(project)
    ran = build(request).ran
    copies = [*project.glob(f"build/**/src/{HEADER}"), *workshop.cache.glob(f"**/src/{HEADER}")]
    warnings = [line for line in request.progress.lines if line.startswith("note warning: a plan")]
    return list(ran), copies[0].read_text() if copies else "", warnings


def test_plans_reach_op_host(workshop: Workshop, project: Path) -> None:
    assert built(workshop, project)[1:] == ("", [])
    with_plan(project)
    ran, header, warnings = built(workshop, project)
    assert "operators" in ran
    assert '{"TinyCopy", 0, 48, {{33, 64, 4096}}, {7, 0, 0, 0, 0, 0, 0}},' in header
    assert not warnings
    assert built(workshop, project)[0] == []
    assert not (project / HEADER).exists()  # the project itself has only the table

    (project / "op_kernel/tiny_copy_kernel.h").write_text("// edited\n")
    ran, header, warnings = built(workshop, project)
    assert "operators" in ran
    assert "TinyCopy" not in header
    assert len(warnings) == 1
    assert "its kernel has changed since; `opforge tune` looks again" in warnings[0]

    with_plan(project)
    assert "TinyCopy" in built(workshop, project)[1]
    (project / "tuning/ascend910b.json").unlink()
    ran, header, _ = built(workshop, project)
    assert "operators" in ran
    assert header == ""


def test_a_damaged_table_stops_the_build(workshop: Workshop, project: Path) -> None:
    (project / "tuning").mkdir()
    (project / "tuning/ascend910b.json").write_text("<<<<<<< ours\n")
    with pytest.raises(ProjectError) as refused:
        build(workshop.request(project))
    assert "ascend910b.json is not a table of plans" in str(refused.value)
