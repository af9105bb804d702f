"""Runs the steps of a build that are due: in order, two lanes at a time, with a key only for what succeeded."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from threading import Lock

from opforge.build import key_parts, step_actions
from opforge.build.keys import Hit, Miss
from opforge.build.pipeline import Step, StepKey, package_key, plan_steps, verdict
from opforge.build.request import BuildRequest
from opforge.build.state import State, StepRecord, look_of, save_state
from opforge.build.step_context import StepContext, StepResult
from opforge.errors import BuildError


class Run:
    """One build that has something to do. Holds the state, which two lanes of steps write to."""

    def __init__(self, request: BuildRequest, context: StepContext, state: State) -> None:
        self.request = request
        self.context = context
        self.state = state
        self.guard = Lock()
        self.read: dict[str, str] = {}  # the spec and the lock as this build has read them
        self.ran: list[str] = []
        self.errors: list[BaseException] = []  # in the order in which they happened

    def everything(self) -> tuple[str, ...]:
        """All steps whose key changed; returns their names in the order they ended."""
        work = step_actions.Work(self.request, self.context)
        self.read[key_parts.SPEC] = work.spec_hash
        self._step("spec", work.read_spec)
        self.read[key_parts.LOCK] = self.state.steps["spec"].key[key_parts.LOCK]
        work.check_references()
        # The spec step may have rewritten sources: the keys of the others are of the files as they are now.
        self._withdraw_artifacts()
        with ThreadPoolExecutor(max_workers=2) as pool:
            try:
                lanes = [
                    pool.submit(self._lane, [("skeleton", work.skeleton), ("operators", work.operators)]),
                    pool.submit(self._lane, [("adapter", work.adapter)]),
                ]
                _, pending = wait(lanes, return_when=FIRST_EXCEPTION)
                if pending and any(lane.done() and lane.exception() for lane in lanes):
                    self.request.runner.stop()
            except BaseException:
                self.request.runner.stop()
                raise
        if self.errors:  # the first: a lane that was stopped because of it has one of its own
            raise self.errors[0]
        self._step("wheel", work.wheel)
        return tuple(self.ran)

    def reread_spec(self) -> None:
        """The step that reads the spec, alone: for a text that changed and says the same of the ops."""
        work = step_actions.Work(self.request, self.context)
        self.read[key_parts.SPEC] = work.spec_hash
        self._step("spec", work.read_spec)

    def _withdraw_artifacts(self) -> None:
        """If a step fails now, no artifact of older sources may lie in dist/."""
        for step in plan_steps(self.request, self.state, self.context, self.read):
            record = self.state.steps.get(step.name)
            for output in record.outputs if record and isinstance(step.verdict, Miss) else ():
                if output.startswith("dist/"):
                    (self.request.root / output).unlink(missing_ok=True)

    def _lane(self, lane: list[tuple[str, Callable[[], StepResult]]]) -> None:
        try:
            for name, run in lane:
                self._step(name, run)
        except BaseException as error:
            with self.guard:
                self.errors.append(error)
            raise

    def _step(self, name: str, run: Callable[[], StepResult]) -> None:
        with self.guard:
            step = self._planned(name)
            if isinstance(step.verdict, Hit):
                return
            self.state.steps.pop(name, None)
            save_state(self.request.state_file, self.state)
        start = time.monotonic()
        began = time.time_ns()
        tick = key_parts.clock(self.request.folder)
        self.request.progress.start(name, step.verdict.reason)
        result = run()
        self._check_new(name, result, began)
        with self.guard:
            key = {**step.key.settled, **result.read, **self._outside(result, tick)}
            told = {**result.facts, key_parts.OUTSIDE: "\0".join(result.outside)}
            self.state.steps[name] = StepRecord(key, look_of(self.request.root, result.outputs), told)
            save_state(self.request.state_file, self.state)
            self.ran.append(name)
        self.request.progress.finish(name, f"done in {time.monotonic() - start:.1f} s")

    def _planned(self, name: str) -> Step:
        if name != "wheel":
            planned = plan_steps(self.request, self.state, self.context, self.read)
            return next(step for step in planned if step.name == name)
        # It packs what the steps before have left: a source that was edited since is the next build's.
        own = package_key(self.request, self.state, self.read)
        before = {**self.state.steps["operators"].key, **self.state.steps["adapter"].key}
        key = StepKey({**before, **own.settled}, own.files)
        return Step(name, key, verdict(self.state.steps.get(name), key, self.request.root))

    def _outside(self, result: StepResult, tick: int) -> dict[str, str]:
        """The hashes of what compilers have read elsewhere; of what changed since ``tick``, none that fits again."""
        found = {}
        for name in result.outside:
            path = self.request.root / name
            moved = not name.endswith("/") and key_parts.changed_since(path, tick)
            found[name] = "changed meanwhile" if moved else key_parts.outside_hash(self.state, self.request.root, name)
        return found

    @staticmethod
    def _check_new(name: str, result: StepResult, began: int) -> None:
        slack = 2_000_000_000  # file systems with coarse times
        for path in result.outputs:
            if not path.exists():
                raise BuildError(f"step {name} succeeded but did not produce {path}")
            if path in result.fresh and path.stat().st_mtime_ns < began - slack:
                raise BuildError(f"step {name} succeeded but {path} is from an earlier build")
