"""The search for plans, with a stand-in for the program that tries one: what is kept, shared and tried again."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import optuna
import pytest

from opforge.errors import MeasureError, UsageError
from opforge.kinds import derive
from opforge.measure.time_model import TimeEstimate
from opforge.plan.split_plan import SplitPlan
from opforge.soc import SocVersion
from opforge.spec.read.parse import parse_spec
from opforge.toolkit.process import Completed, Runner
from opforge.tune import search
from opforge.tune.search import Job, begin, found, open_storage, work
from opforge.tune.trial_program import Answer, TrialProgram

SPEC = """\
edition: 1
project: {name: tried, package: tried, vendor: tried, version: 0.1.0, soc: [ascend910b]}
ops:
  AddGelu:
    inputs:
      x: {dtype: [float16, float32]}
      y: {}
    compute: z = gelu(x + y)
"""
ROW = ("float16",) * 3
BEST = 2816  # elements of a tile


def usual(plan: SplitPlan, shapes: Mapping[str, Any]) -> float:  # noqa: ARG001
    """Microseconds: a quarter less with the best plan."""
    return 7.5 if plan.tile_elements == BEST else 10.0


@dataclass
class Program:
    """In place of a TrialProgram: ``time`` says how long a launch takes, ``result`` what it computes."""

    time: Callable[[SplitPlan, Mapping[str, Any]], float] = usual
    result: Callable[[SplitPlan], int] = lambda plan: 1  # noqa: ARG005
    simulated: bool = True
    spread: float = 0.0
    kernel: str = "0123456789abcdef"
    tried: list[SplitPlan] = field(default_factory=list)

    def run(self, runner: Runner, plan: SplitPlan, shapes: Mapping[str, Any], rounds: int, scratch: Path) -> Answer:  # noqa: ARG002
        assert scratch.is_dir()
        self.tried.append(plan)
        time = self.time(plan, shapes)
        if self.simulated:
            assert rounds == 0
            return Answer(self.result(plan), (), (), TimeEstimate(time, 1.0, "HBM", {}, 1.0, True))
        before = [self.time(SplitPlan(), shapes) + self.spread * (turn % 3 - 1) for turn in range(rounds)]
        return Answer(self.result(plan), tuple(before), (time,) * rounds, None)


def job_of(program: Program, rows: int = 64) -> Job:
    kernel = derive(parse_spec(SPEC, None)).public[0]
    shapes = {"x": (rows, 4096), "y": (rows, 4096)}
    return Job(kernel, ROW, shapes, SocVersion("Ascend910B1", 24, 48), program)  # type: ignore[arg-type]


def searched(tmp_path: Path, program: Program, **more: Any) -> search.Found:
    job, storage = job_of(program, **more), open_storage(str(tmp_path / "trials.log"))
    begin(job, storage, alone=True)
    work(job, storage, Runner(), lambda _: None)
    return found(job, storage, Runner())


def test_the_fastest_plan_is_kept(tmp_path: Path) -> None:
    done = searched(tmp_path, Program())
    assert done.plan is not None
    assert (done.plan.plan.tile_elements, done.plan.default_us, done.plan.us) == (BEST, 10.0, 7.5)
    assert not done.plan.measured


def test_at_most_a_twentieth_of_the_plans_is_tried(tmp_path: Path) -> None:
    program = Program()
    done = searched(tmp_path, program)
    assert done.plans > 1000
    assert done.tried - 1 <= 0.05 * done.plans + 1  # beside the tiling's own choice
    kept = [plan for plan in program.tried if plan != SplitPlan()]
    assert len({tuple(vars(plan).values()) for plan in kept}) == done.tried - 1


PRODUCT = """\
edition: 1
project: {name: tried, package: tried, vendor: tried, version: 0.1.0, soc: [ascend910b]}
ops:
  Product:
    inputs:
      x: {dtype: [float16], shape: [..., K]}
      w: {shape: [K, N]}
    compute: y = x @ w
    batch_invariant: false
"""


@pytest.mark.parametrize("simulated", [True, False])
def test_an_npu_alone_tries_loads_and_orders(simulated: bool) -> None:
    """The model of time cannot tell their gain. What is tried is a twentieth of what can be told."""
    kernel = derive(parse_spec(PRODUCT, None)).public[0]
    shapes = {"x": (8192, 8192), "w": (8192, 8192)}
    program: Any = Program(simulated=simulated)
    job = Job(kernel, ("float16",) * 3, shapes, SocVersion("Ascend910B1", 24, 48), program)
    members = {name for plan in job.tried for name in plan.chosen}
    assert ("load_blocks" in members) == ("tile_group" in members) == (not simulated)
    assert "inner_parts" in members
    assert len(job.tried) - 1 <= 0.05 * len(job.ranked) + 1


def test_a_small_gain_is_not_kept(tmp_path: Path) -> None:
    done = searched(tmp_path, Program(lambda plan, _: 9.95 if plan.tile_elements == BEST else 10.0))
    assert done.plan is None
    assert done.default_us == 10.0


@pytest.mark.parametrize(("spread", "kept"), [(0.5, True), (4.0, False)])
def test_a_measured_gain_must_exceed_the_noise(tmp_path: Path, spread: float, kept: bool) -> None:
    done = searched(tmp_path, Program(simulated=False, spread=spread))
    assert (done.plan is not None) == kept
    if done.plan is not None:
        assert done.plan.measured
        assert done.plan.noise > 0


def test_plans_with_other_results_are_not_used(tmp_path: Path) -> None:
    done = searched(tmp_path, Program(result=lambda plan: plan.tile_elements == BEST))
    assert done.plan is None
    assert done.wrong > 0


def test_a_plan_is_for_all_sizes_at_whose_ends_it_gains(tmp_path: Path) -> None:
    done = searched(tmp_path / "a" if (tmp_path / "a").mkdir() is None else tmp_path, Program(), rows=50)
    assert done.plan is not None
    assert done.plan.rows == (33, 64)

    def slow_below(plan: SplitPlan, shapes: Mapping[str, Any]) -> float:
        return 20.0 if plan.tile_elements == BEST and shapes["x"][0] < 40 else usual(plan, shapes)

    alone = searched(tmp_path, Program(slow_below), rows=50)
    assert alone.plan is not None
    assert alone.plan.rows == (50, 50)


def test_workers_share_the_trials(tmp_path: Path) -> None:
    programs = Program(), Program()
    jobs = [job_of(program) for program in programs]
    storages = [open_storage(str(tmp_path / "trials.log")) for _ in jobs]
    begin(jobs[0], storages[0], alone=False)
    begin(jobs[1], storages[1], alone=False)  # as a second machine does
    threads = [
        threading.Thread(target=work, args=(job, storage, Runner(), lambda _: None))
        for job, storage in zip(jobs, storages, strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    plans = [tuple(vars(plan).values()) for program in programs for plan in program.tried]
    assert len(plans) == len(set(plans)) == len(jobs[0].tried)
    assert all(program.tried for program in programs)
    assert found(jobs[0], storages[0], Runner()).plan is not None


def test_an_earlier_search_is_not_repeated(tmp_path: Path) -> None:
    searched(tmp_path, Program())
    again = Program()
    assert searched(tmp_path, again).plan is not None
    assert [plan.tile_elements for plan in again.tried] in ([BEST] * 1, [0, BEST], [BEST, 0])  # the ends of the sizes


def test_a_killed_search_goes_on(tmp_path: Path) -> None:
    job, storage = job_of(Program()), open_storage(str(tmp_path / "trials.log"))
    begin(job, storage, alone=True)
    lost = optuna.load_study(storage=storage, study_name=job.name).ask()  # its process is killed here
    done = searched(tmp_path, Program())
    assert done.tried == len(job.tried)
    assert lost.user_attrs["plan"]


def test_what_a_killed_worker_tried_is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "_PATIENCE", 0.2)
    monkeypatch.setattr(search, "_TIMES_LONGER", 0)
    job, storage = job_of(Program()), open_storage(str(tmp_path / "trials.log"))
    begin(job, storage, alone=False)
    optuna.load_study(storage=storage, study_name=job.name).ask()  # another machine's worker, killed
    work(job, storage, Runner(), lambda _: None)
    assert found(job, storage, Runner()).tried == len(job.tried)


@pytest.mark.parametrize("address", ["nosuch://there", "/nosuch/trials.log", "sqlite:////nosuch/trials.db"])
def test_a_storage_that_cannot_be_used(address: str) -> None:
    with pytest.raises(UsageError) as refused:
        open_storage(address)
    assert f"--storage {address} cannot be used" in str(refused.value)


def test_a_database_is_shared_too(tmp_path: Path) -> None:
    job, storage = job_of(Program()), open_storage(f"sqlite:///{tmp_path / 'trials.db'}")
    begin(job, storage, alone=False)
    threads = [threading.Thread(target=work, args=(job, storage, Runner(), lambda _: None)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found(job, storage, Runner()).plan is not None


def test_plans_that_cannot_be_tried_are_told(tmp_path: Path) -> None:
    told: list[str] = []

    def fails(plan: SplitPlan, _: Mapping[str, Any]) -> float:
        if plan.tile_elements == BEST:
            raise MeasureError("no room", detail="the tiling says: no")
        return 10.0

    job, storage = job_of(Program(fails)), open_storage(str(tmp_path / "trials.log"))
    begin(job, storage, alone=True)
    work(job, storage, Runner(), told.append)
    assert found(job, storage, Runner()).plan is None
    assert any("no room" in line and "the tiling says: no" in line for line in told)


def test_another_chip_is_refused(tmp_path: Path) -> None:
    class Told(Runner):
        def run(self, command: Any, **_: Any) -> Completed:  # type: ignore[override]
            said = '{"soc": "Ascend910B3", "blocks": 40, "results": 1, "default_us": [2.0], "us": [1.0]}'
            return Completed(tuple(map(str, command)), 0, said, 0.1)

    program = TrialProgram(tmp_path / "try_op", "0123", "Ascend910B1", simulated=False, environ={})
    with pytest.raises(UsageError) as refused:
        program.run(Told(), SplitPlan(), {"x": (8,)}, 9, tmp_path)
    assert str(refused.value).startswith("the device is Ascend910B3, not Ascend910B1")
    assert refused.value.hint == "--soc Ascend910B3"
