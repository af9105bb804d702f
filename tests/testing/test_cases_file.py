"""What benchmarks/cases.py of a project may say: sizes, limits of its own, and modules beside it."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

pytestmark = pytest.mark.torch

CASES = """\
import torch
from opforge.testing.measuring import Case, Input, Op, Relative, Tolerance
from doubling import twice

TESTING = ">=1.0,<2"
OPS = (
    Op(
        type="Twice",
        function=twice,
        inputs={"x": Input()},
        columns=((torch.float64,), (torch.float16,)),
        outputs=("y",),
        reference=twice,
    ),
)
TOLERANCES = {torch.float64: Tolerance(2**-40, 2**-40, 1e-9), torch.float16: Tolerance(0.0, 0.0, 1e-3)}
RELATIVES = {torch.float64: Relative(2**-40, 2**-40, 2**-60, 2**-20)}


def timed(op: Op, size: str) -> tuple[Case, ...]:
    return op.cases(products=[], elements={"small": [(2, 3), (1, 5)]}[size])
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from torch import Tensor

    from opforge.testing.measuring.cases_file import MODULE

    monkeypatch.setattr(Tensor, "npu", lambda self: self.detach().clone(), raising=False)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setitem(sys.modules, MODULE, ModuleType(MODULE))
    monkeypatch.setitem(sys.modules, "doubling", ModuleType("doubling"))
    monkeypatch.delitem(sys.modules, "doubling")
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "cases.py").write_text(CASES, encoding="utf-8")
    (tmp_path / "benchmarks" / "doubling.py").write_text("def twice(x):\n    return x * 2\n", encoding="utf-8")
    return tmp_path


def test_operators_and_sizes(root: Path) -> None:
    from opforge.testing.interface import cases_of
    from opforge.testing.measuring.cases_file import load_cases

    project = load_cases(cases_of(root))
    assert project.root == root
    (op,) = project.ops
    assert (op.name, op.type, op.native) == ("twice", "Twice", None)
    assert [(case.label, case.dtype) for case in project.timed(op, "small")] == [
        ("2x3", "float64"),
        ("1x5", "float64"),
        ("2x3", "float16"),
        ("1x5", "float16"),
    ]
    assert project.counted(op) == ()  # the file does not define it


def test_a_project_may_say_where_it_only_counts(root: Path) -> None:
    from opforge.testing.interface import cases_of
    from opforge.testing.measuring.cases_file import load_cases

    with (root / "benchmarks" / "cases.py").open("a", encoding="utf-8") as file:
        file.write("\n\ndef counted(op):\n    return op.cases(products=[], elements=[(7, 9)])\n")
    project = load_cases(cases_of(root))
    assert [case.label for case in project.counted(project.ops[0])] == ["7x9", "7x9"]


def test_limits_of_a_project_decide(root: Path) -> None:
    """A dtype that no standard has a row for is judged by the project's, and a stricter row replaces the standard's."""
    import torch

    from opforge.testing.interface import cases_of
    from opforge.testing.measuring.cases_file import load_cases
    from opforge.testing.measuring.judging import judged, rows, trials
    from opforge.testing.measuring.standards import STANDARD, without_rule

    project = load_cases(cases_of(root))
    (op,) = project.ops
    assert without_rule([torch.float64]) == ["float64"]
    assert without_rule([torch.float64], project.limits) == []
    trial = replace(next(trials(op, 0, quick=True)), limits=project.limits)
    (row,) = rows(trial)
    assert (row["dtype"], row["passed"], row["A"]["matched"]) == ("float64", True, 1.0)
    assert list(rows(replace(trial, limits=STANDARD))) == []  # there is no rule

    golden = torch.full((2000,), 1.0, dtype=torch.float64)
    near = torch.full((2000,), 1.0 + 2**-10, dtype=torch.float16)
    verdicts = [
        judged(near, golden, None, replace(trial, limits=limits), several=False)["A"]["matched"]
        for limits in (STANDARD, project.limits)
    ]
    assert verdicts == [1.0, 0.0]


def test_a_dtype_needs_both_rows() -> None:
    import torch

    from opforge.testing.measuring.standards import Limits, Tolerance, without_rule

    half = Limits({torch.float64: Tolerance(0.0, 0.0, 0.0)}, {})
    assert without_rule([torch.float64], half) == ["float64"]


def test_a_package_that_is_not_installed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from opforge.testing.interface import cases_of
    from opforge.testing.measuring.cases_file import load_cases

    (root / "benchmarks" / "doubling.py").unlink()
    with pytest.raises(SystemExit) as ended:
        load_cases(cases_of(root))
    assert ended.value.code == 5
    assert capsys.readouterr().err == (
        "error: benchmarks/cases.py: No module named 'doubling'\n"
        "  help: `opforge build && opforge install` puts the project's package into the environment\n"
    )
