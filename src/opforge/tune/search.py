"""Searches for the fastest plan of each op and size. Optuna keeps the trials, so that several workers share them.

All plans are ranked without running any; the first of them are tried. On an NPU a trial measures the plan against the
tiling's own choice, in turns; the simulated device counts, and the model of time estimates.
"""

from __future__ import annotations

import contextlib
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opforge.build.tuned_table import Shapes, TunedPlan, row_count
from opforge.errors import MeasureError, UsageError
from opforge.frozen import dataclass
from opforge.plan.split_plan import RankedPlan, SplitPlan
from opforge.program import Kernel
from opforge.release import __version__
from opforge.soc import SocVersion
from opforge.spec.combinations import Row
from opforge.toolkit.process import Runner
from opforge.tune.trial_program import Answer, TrialProgram, shape_text
from opforge.tune.tuned_sizes import with_rows

if TYPE_CHECKING:
    import optuna

SHARE = 0.05  # of the plans that are tried
_ROUNDS = 9  # of a measurement, on an NPU
_GAIN = 0.01  # the least gain of an estimate for which a plan is kept
_PAUSE = 0.5  # seconds
_PATIENCE, _TIMES_LONGER = 120.0, 5  # seconds, and times the longest trial


@dataclass(frozen=True)
class Job:
    """One op, combination of dtypes and size, with its program."""

    kernel: Kernel
    row: Row
    shapes: Shapes
    chip: SocVersion
    program: TrialProgram

    @property
    def name(self) -> str:
        """The name of its study: all that its times depend on."""
        shapes = " ".join(map(shape_text, self.shapes.values()))
        what = f"{self.kernel.op.type} {'/'.join(self.row)} {shapes}"
        return f"{what} {self.program.kernel} {self.chip.name} {self.by} opforge {__version__}"

    @property
    def title(self) -> str:
        """The job for people: SwiGLU float16 128x512 512x1376."""
        return f"{self.kernel.op.type} {self.row[0]} {' '.join(map(shape_text, self.shapes.values()))}"

    @property
    def by(self) -> str:
        """Whether an NPU measures its times, or the model of time estimates them."""
        return "model" if self.program.simulated else "measured"

    @property
    def rounds(self) -> int:
        """The rounds of a measurement; a simulated device counts once."""
        return 0 if self.program.simulated else _ROUNDS

    @cached_property
    def ranked(self) -> tuple[RankedPlan, ...]:
        """All plans whose gain the device can tell, the likely fastest first."""
        given = {name: shape for name, shape in self.shapes.items() if shape is not None}
        plans = self.kernel.split_plans(given, self.row, self.chip)
        return tuple(each for each in plans if not (self.program.simulated and each.plan.measured))

    @property
    def tried(self) -> tuple[SplitPlan, ...]:
        """The first plans, and the tiling's own choice."""
        most = math.ceil(len(self.ranked) * SHARE)
        return (SplitPlan(), *(each.plan for each in self.ranked[:most]))


@dataclass(frozen=True)
class Found:
    """The result of a job: the best plan, or None if none is faster than the tiling's own choice."""

    job: Job
    plan: TunedPlan | None
    default_us: float
    best_us: float
    plans: int
    tried: int
    wrong: int  # plans with other results; none is used


def open_storage(address: str) -> Any:
    """Optuna's storage: an address such as sqlite:///trials.db or mysql://..., or the file of a journal.

    Raises UsageError for an address that Optuna does not take, or that does not answer.
    """
    import optuna  # noqa: PLC0415
    from optuna.storages import JournalStorage, RDBStorage  # noqa: PLC0415
    from optuna.storages.journal import JournalFileBackend  # noqa: PLC0415
    from sqlalchemy.exc import SQLAlchemyError  # noqa: PLC0415

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        return RDBStorage(address) if "://" in address else JournalStorage(JournalFileBackend(address))
    except (SQLAlchemyError, optuna.exceptions.OptunaError, ImportError, OSError) as error:
        reason = str(error).splitlines()[0]
        hint = "an address such as sqlite:///trials.db, or a file in an existing folder"
        raise UsageError(f"--storage {address} cannot be used: {reason}", hint=hint) from error


def begin(job: Job, storage: Any, *, alone: bool) -> int:
    """Lets plans that were never tried wait for workers; returns their number. ``alone``: no other search runs."""
    import optuna  # noqa: PLC0415
    from optuna.trial import TrialState  # noqa: PLC0415

    study = optuna.create_study(storage=storage, study_name=job.name, load_if_exists=True)
    if alone:
        for left in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
            study.tell(left.number, state=TrialState.FAIL)  # of a search that was killed
    known = [_asked(trial) for trial in study.get_trials(deepcopy=False) if trial.state != TrialState.FAIL]
    new = [plan for plan in job.tried if plan not in known]
    for plan in new:
        _enqueue(study, plan)
    return len(new)


def _enqueue(study: optuna.Study, plan: SplitPlan) -> None:
    study.enqueue_trial(vars(plan), user_attrs={"plan": vars(plan)})


def _asked(trial: Any) -> SplitPlan | None:
    plan = trial.user_attrs.get("plan")
    return None if plan is None else SplitPlan(**plan)


def work(job: Job, storage: Any, runner: Runner, note: Callable[[str], None]) -> None:
    """Takes waiting trials of a job until all have ended, also those of other workers."""
    import optuna  # noqa: PLC0415
    from optuna.trial import TrialState  # noqa: PLC0415

    study = optuna.load_study(storage=storage, study_name=job.name)
    while True:
        if study.get_trials(deepcopy=False, states=(TrialState.WAITING,)):
            _try(job, study, runner, note)
        elif study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
            time.sleep(_PAUSE)
            _give_up_lost(study)
        else:
            return


def _try(job: Job, study: optuna.Study, runner: Runner, note: Callable[[str], None]) -> None:
    """Takes a trial and tries its plan. A trial without one means that another worker took the last that waited."""
    import optuna  # noqa: PLC0415
    from optuna.trial import TrialState  # noqa: PLC0415

    trial = study.ask()
    plan = _asked(trial)
    if plan is None:
        study.tell(trial, state=TrialState.PRUNED)
        return
    try:
        with tempfile.TemporaryDirectory() as scratch:
            answer = job.program.run(runner, plan, job.shapes, job.rounds, Path(scratch))
    except MeasureError as error:
        note(f"{error}: {(error.detail or '').strip()}")
        study.tell(trial, state=TrialState.FAIL)
        return
    with contextlib.suppress(ValueError, optuna.exceptions.UpdateFinishedTrialError):  # another worker gave it up
        trial.set_user_attr("results", str(answer.results))
        trial.set_user_attr("default_us", answer.default_us)
        study.tell(trial, _time(answer))


def _give_up_lost(study: optuna.Study) -> None:
    """Lets plans wait again that a worker has been trying for far longer than any other took: it was killed."""
    from optuna.trial import TrialState  # noqa: PLC0415

    ended = [trial.duration for trial in study.get_trials(deepcopy=False) if trial.duration is not None]
    patience = max([_PATIENCE, *(_TIMES_LONGER * duration.total_seconds() for duration in ended)])
    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        plan, begun = _asked(trial), trial.datetime_start
        if begun is not None and (datetime.now() - begun).total_seconds() > patience:  # noqa: DTZ005  (as Optuna's)
            study.tell(trial.number, state=TrialState.FAIL)
            if plan is not None:
                _enqueue(study, plan)


def found(job: Job, storage: Any, runner: Runner) -> Found:
    """The best plan of a finished job, if it gains more than the noise and its results are those of the default."""
    import optuna  # noqa: PLC0415
    from optuna.trial import TrialState  # noqa: PLC0415

    study = optuna.load_study(storage=storage, study_name=job.name)
    trials = [_ended(trial) for trial in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))]
    usual = next((trial for trial in trials if trial.plan == SplitPlan()), None)
    if usual is None:
        raise MeasureError(f"{job.name}: the tiling's own choice could not be tried", hint="see the reasons above")
    right = [trial for trial in trials if trial.results == usual.results]
    best = min(right, key=lambda trial: trial.us)
    before = statistics.median(best.default_us) if best.default_us else usual.us
    noise = _noise(best.default_us)
    plan = None
    if best is not usual and before - best.us > max(noise, _GAIN) * before:
        plan = TunedPlan(
            op=job.kernel.op.type,
            kernel=job.program.kernel,
            chip=job.chip.name,
            dtypes=job.row,
            inputs=job.shapes,
            rows=rows_of(job, best.plan, runner),
            plan=best.plan,
            default_us=before,
            us=best.us,
            noise=noise,
            measured=not job.program.simulated,
        )
    return Found(job, plan, before, best.us, len(job.ranked), len(trials), len(trials) - len(right))


@dataclass(frozen=True)
class _Ended:
    """A finished trial: its plan, a hash of the results, and microseconds; ``default_us`` of each round."""

    plan: SplitPlan
    results: str
    us: float
    default_us: Sequence[float]


def _ended(trial: optuna.trial.FrozenTrial) -> _Ended:
    attrs, value = trial.user_attrs, trial.value
    return _Ended(SplitPlan(**attrs["plan"]), attrs["results"], value or 0.0, attrs["default_us"])


def rows_of(job: Job, plan: SplitPlan, runner: Runner) -> tuple[int, int]:
    """The numbers of rows for which a plan is used: those with the same power of two, if it gains at both ends."""
    rows = row_count(job.kernel.op, job.shapes)
    most = 1 << max(rows - 1, 0).bit_length()
    ends = (most // 2 + 1, most)
    for end in ends:
        if end == rows:
            continue
        shapes = with_rows(job.kernel.op, job.shapes, end)
        try:
            with tempfile.TemporaryDirectory() as scratch:
                usual = job.program.run(runner, SplitPlan(), shapes, 0, Path(scratch))
                tried = job.program.run(runner, plan, shapes, job.rounds, Path(scratch))
        except MeasureError:
            return rows, rows
        before = statistics.median(tried.default_us) if tried.default_us else _time(usual)
        if tried.results != usual.results or _time(tried) > before:
            return rows, rows
    return ends


def _time(answer: Answer) -> float:
    """Microseconds of a launch."""
    return answer.estimated.microseconds if answer.estimated is not None else statistics.median(answer.us)


def _noise(times: Sequence[float]) -> float:
    """The spread of repeated measurements of one thing, as a share: half of the distance between the quartiles."""
    if len(times) < _ROUNDS:
        return 0.0
    low, middle, high = statistics.quantiles(times, n=4)
    return (high - low) / 2 / middle
