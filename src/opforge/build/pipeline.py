"""``opforge build``: the list of steps, each with its key; only those whose key changed run.

    toolkit, environment   found, not built (the simulator is, when it is missing)
    spec        opforge.yaml is read; files that nobody edited follow it
    skeleton    CMake files from msOpGen, in the build folder
    operators   op_host and op_kernel become the run package          } at the same time
    adapter     csrc/ becomes libadapter.so, with the cached glue     }
    wheel       the Python package with both inside

A step's key is written when its outputs are there and checked; so nothing that failed or was interrupted is believed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from opforge.build import facts
from opforge.build.ground import Ground, StepResult, lay_ground
from opforge.build.keys import Hit, Miss, compare
from opforge.build.project_lock import project_lock
from opforge.build.python_env import PythonEnv
from opforge.build.request import BuildRequest
from opforge.build.state import State, StepRecord, load_state, save_state, stats_of
from opforge.errors import BuildError
from opforge.toolkit.protocol import Toolkit


@dataclass(frozen=True)
class Step:
    """One step: what it is called, what it depends on, and whether its last outputs are still good."""

    name: str
    key: Mapping[str, str]
    verdict: Hit | Miss


@dataclass(frozen=True)
class Built:
    """What a build gave: the two artifacts, for whom, and which steps ran."""

    run_package: Path
    wheel: Path
    toolkit: Toolkit
    env: PythonEnv
    ran: tuple[str, ...]
    seconds: float


def step_keys(request: BuildRequest, state: State, ground: Ground) -> dict[str, dict[str, str]]:
    """The key of each step, in order. Reads stats, and the content of files whose stat changed."""
    root = request.root
    spec = facts.spec_facts(state, root)
    toolkit = facts.toolkit_facts(ground.toolkit)
    compiler = facts.compiler_facts(ground.compiler)
    torch = facts.torch_facts(state, ground.env)
    operators = facts.hashes(state, root, facts.source_files(root, ("op_host", "op_kernel")))
    csrc = facts.hashes(state, root, facts.source_files(root, ("csrc",)))
    package = facts.hashes(state, root, facts.source_files(root, ("python",)))
    skeleton = {**spec, **toolkit}
    run = {**skeleton, **compiler, **operators}
    adapter = {**csrc, **compiler, **torch}
    return {
        "spec": {**spec, **facts.hashes(state, root, (facts.LOCK,))},
        "skeleton": skeleton,
        "operators": run,
        "adapter": adapter,
        "wheel": {**run, **adapter, **package},
    }


def plan_steps(request: BuildRequest, state: State, ground: Ground) -> list[Step]:
    """Each step with its verdict: a hit needs the same key, and outputs as the step left them."""
    steps = []
    for name, key in step_keys(request, state, ground).items():
        record = state.steps.get(name)
        verdict = compare(record.key if record else None, key)
        if isinstance(verdict, Hit) and record is not None:
            touched = record.outputs_untouched(request.root)
            if touched is not None:
                verdict = Miss(f"{touched} is not as it was left")
        steps.append(Step(name, key, verdict))
    return steps


def build(request: BuildRequest) -> Built:
    """Brings dist/ up to date. With nothing to do it starts no process and writes nothing."""
    start = time.monotonic()
    state = load_state(request.state_file)
    known = dict(state.notes)
    ground = lay_ground(request, state)
    steps = plan_steps(request, state, ground)
    if all(isinstance(step.verdict, Hit) for step in steps):
        if state.notes != known and request.folder.is_dir():
            save_state(request.state_file, state)
        return _built(request, state, ground, (), start)
    request.progress.note(f"toolkit: {ground.toolkit.kind} {ground.toolkit.version} ({ground.toolkit.reason})")
    with project_lock(request.folder):
        ran = _Run(request, ground, state).everything()
    return _built(request, state, ground, ran, start)


def _built(request: BuildRequest, state: State, ground: Ground, ran: tuple[str, ...], start: float) -> Built:
    wheel = state.steps["wheel"].facts["wheel"]
    package = state.steps["operators"].facts["run_package"]
    return Built(
        request.dist / package, request.dist / wheel, ground.toolkit, ground.env, ran, time.monotonic() - start
    )


class _Run:
    """One build that has something to do. Holds the state, which two lanes of steps write to."""

    def __init__(self, request: BuildRequest, ground: Ground, state: State) -> None:
        self.request = request
        self.ground = ground
        self.state = state
        self.guard = Lock()
        self.ran: list[str] = []

    def everything(self) -> tuple[str, ...]:
        from opforge.build import steps  # noqa: PLC0415  (what only a build with something to do needs)

        work = steps.Work(self.request, self.ground)
        self._step("spec", work.read_spec)
        # The spec step may have rewritten sources: the keys of the others are of the files as they are now.
        with ThreadPoolExecutor(max_workers=2) as pool:
            lanes = [
                pool.submit(self._lane, [("skeleton", work.skeleton), ("operators", work.operators)]),
                pool.submit(self._lane, [("adapter", work.adapter)]),
            ]
            try:
                _, pending = wait(lanes, return_when=FIRST_EXCEPTION)
                if pending and any(lane.done() and lane.exception() for lane in lanes):
                    self.request.runner.stop()
            except BaseException:
                self.request.runner.stop()
                raise
        self._raise_first([lane.exception() for lane in lanes])
        self._step("wheel", work.wheel)
        return tuple(self.ran)

    @staticmethod
    def _raise_first(errors: list[BaseException | None]) -> None:
        """The error that came first; a lane that was stopped because of it says KeyboardInterrupt or a signal."""
        real = [e for e in errors if e is not None]
        ours = [e for e in real if isinstance(e, Exception) and "was ended by" not in str(e)]
        for error in (*ours, *real):
            raise error

    def _lane(self, steps: list[tuple[str, Callable[[], StepResult]]]) -> None:
        for name, run in steps:
            self._step(name, run)

    def _step(self, name: str, run: Callable[[], StepResult]) -> None:
        with self.guard:
            step = next(s for s in plan_steps(self.request, self.state, self.ground) if s.name == name)
            if isinstance(step.verdict, Hit):
                return
            old = self.state.steps.pop(name, None)
            for output in old.outputs if old else ():
                if output.startswith("dist/"):  # if this step fails, no artifact of an older source may lie there
                    (self.request.root / output).unlink(missing_ok=True)
            save_state(self.request.state_file, self.state)
        start = time.monotonic()
        began = time.time_ns()
        self.request.progress.start(name, step.verdict.reason)
        result = run()
        self._check_new(name, result, began)
        with self.guard:
            # Sources edited while the step ran belong to the next build: the key is of what was there at the start,
            # except for the spec step, which writes sources itself.
            key = step.key if name != "spec" else step_keys(self.request, self.state, self.ground)["spec"]
            outputs = stats_of(self.request.root, result.outputs)
            self.state.steps[name] = StepRecord(dict(key), outputs, dict(result.facts))
            save_state(self.request.state_file, self.state)
            self.ran.append(name)
        self.request.progress.finish(name, f"done in {time.monotonic() - start:.1f} s")

    @staticmethod
    def _check_new(name: str, result: StepResult, began: int) -> None:
        slack = 2_000_000_000  # file systems with coarse times
        for path in result.outputs:
            if not path.exists():
                raise BuildError(f"step {name} ended well but left no {path}")
            if path in result.fresh and path.stat().st_mtime_ns < began - slack:
                raise BuildError(f"step {name} ended well but {path} is from an earlier build")
