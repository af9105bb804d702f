"""Runs the steps of a build that must run, two at a time. A key is recorded only after success."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Lock

from opforge.build import key_parts
from opforge.build.keys import Hit, Miss
from opforge.build.part import Kernels, Part, kernels_of
from opforge.build.request import BuildRequest
from opforge.build.state import State, StepRecord, look_of, save_state
from opforge.build.step_actions import Work
from opforge.build.step_context import StepContext, StepResult
from opforge.build.step_table import STEPS, KeySources, Step, plan_due, plan_steps
from opforge.errors import BuildError, OpforgeError

_LANES = 2  # parallel steps; each starts up to the requested number of compilers


class Run:
    """A build with at least one step to run. Holds the state, which parallel steps write to."""

    def __init__(self, request: BuildRequest, context: StepContext, state: State) -> None:
        self.request = request
        self.state = state
        self.guard = Lock()
        self.read: dict[str, str] = {}  # hashes of the spec and the lock as this build read them
        self.sources = KeySources(request, state, context, self.read)
        self.work = Work(request, context)
        self.ran: list[str] = []
        self.errors: list[BaseException] = []  # in the order in which they occurred
        self.failed: set[str] = set()  # names of steps

    def everything(self) -> tuple[str, ...]:
        """Runs all steps whose key changed. Returns their names in the order in which they ended."""
        self.reread_spec()
        self.read[key_parts.LOCK] = self.state.steps[STEPS[0].name].key[key_parts.LOCK]
        self.work.restore_deleted()
        self.work.check_references()
        # The spec step may have rewritten sources, so the keys of the other steps are computed now.
        self._withdraw_artifacts()
        self.work.write_compile_commands()  # before the compilers: an editor helps most with what they refuse
        try:
            self._run_all(STEPS[1:])
        finally:
            self.work.write_compile_commands()  # op_build has written headers for some kernels
        return tuple(self.ran)

    def part(self, part: Part) -> tuple[Kernels, int]:
        """Compiles some kernels. Packs nothing, and leaves dist/ as it is. Returns the kernels and their number."""
        kernels = kernels_of(part, self.work.program)
        self.reread_spec()
        self.read[key_parts.LOCK] = self.state.steps[STEPS[0].name].key[key_parts.LOCK]
        self.work.restore_deleted()
        self._step(STEPS[1])
        start = time.monotonic()
        self.request.progress.start("kernels", f"{', '.join(kernels.ops)} for {', '.join(kernels.socs)}")
        count = self.work.compile_part(kernels)
        self.request.progress.finish("kernels", f"done in {time.monotonic() - start:.1f} s")
        return kernels, count

    def reread_spec(self) -> None:
        """Runs only the step that reads the spec, for a text that changed without changing the ops."""
        self.read[key_parts.SPEC] = self.work.spec_hash
        self._step(STEPS[0])

    def _withdraw_artifacts(self) -> None:
        """Removes artifacts of older sources from dist/, so that a failing step leaves none there."""
        for planned in plan_steps(self.sources):
            record = self.state.steps.get(planned.name)
            if record and record.artifact and isinstance(planned.verdict, Miss):
                (self.request.root / record.artifact).unlink(missing_ok=True)

    def _run_all(self, steps: Sequence[Step]) -> None:
        """Runs each step after its predecessors. The first error stops the others and is raised.

        With ``keep_going``, steps that do not depend on a failed one run, and all errors are raised as one.
        """
        waiting = {step.name: step for step in steps}
        running: dict[Future[None], str] = {}
        with ThreadPoolExecutor(max_workers=_LANES) as pool:
            try:
                while (waiting or running) and self._goes_on():
                    unfinished = {*waiting, *running.values(), *self.failed}
                    for step in [each for each in waiting.values() if unfinished.isdisjoint(each.after)]:
                        running[pool.submit(self._guarded, waiting.pop(step.name))] = step.name
                    if not running:  # the rest depends on failed steps
                        break
                    for ended in wait(running, return_when=FIRST_COMPLETED).done:
                        del running[ended]
                if running:
                    self.request.runner.stop()
            except BaseException:
                self.request.runner.stop()
                raise
        if self.errors and self._goes_on():
            raise together([error for error in self.errors if isinstance(error, OpforgeError)])
        if self.errors:  # the first error: it stopped other steps, which then have their own errors
            raise self.errors[0]

    def _goes_on(self) -> bool:
        """Whether steps may still start: nothing has failed, or only builds have, and ``keep_going`` is set."""
        return not self.errors or (self.request.keep_going and all(isinstance(e, OpforgeError) for e in self.errors))

    def _guarded(self, step: Step) -> None:
        try:
            self._step(step)
        except BaseException as error:  # noqa: BLE001  (raised again where the steps are waited for)
            with self.guard:
                self.errors.append(error)
                self.failed.add(step.name)

    def _step(self, step: Step) -> None:
        with self.guard:
            planned = plan_due(step, self.sources)
            if isinstance(planned.verdict, Hit):
                self.request.progress.skip(step.name, planned.verdict.reason)
                return
            self.state.steps.pop(step.name, None)
            save_state(self.request.state_file, self.state)
        start = time.monotonic()
        began = time.time_ns()
        tick = key_parts.clock(self.request.folder)
        self.request.progress.start(step.name, planned.verdict.reason)
        result = step.how(self.work)
        self._check_new(step.name, result, began)
        with self.guard:
            key = {**planned.key.settled, **result.read, **self._outside(result, tick)}
            self.state.steps[step.name] = self._record(key, result)
            save_state(self.request.state_file, self.state)
            self.ran.append(step.name)
        self.request.progress.finish(step.name, f"done in {time.monotonic() - start:.1f} s")

    def _record(self, key: dict[str, str], result: StepResult) -> StepRecord:
        root = self.request.root
        artifact = None if result.artifact is None else result.artifact.relative_to(root).as_posix()
        return StepRecord(key, look_of(root, result.outputs), result.outside, artifact, result.meaning)

    def _outside(self, result: StepResult, tick: int) -> dict[str, str]:
        """Hashes of files that compilers read elsewhere. Files changed since ``tick`` get one that never matches."""
        found = {}
        for name in result.outside:
            path = self.request.root / name
            moved = not name.endswith("/") and key_parts.changed_since(path, tick)
            found[name] = "changed meanwhile" if moved else key_parts.outside_hash(self.state, self.request.root, name)
        return found

    @staticmethod
    def _check_new(name: str, result: StepResult, began: int) -> None:
        slack = 2_000_000_000  # for file systems with coarse times
        for path in result.outputs:
            if not path.exists():
                raise BuildError(f"step {name} succeeded but did not produce {path}")
            if path in result.fresh and path.stat().st_mtime_ns < began - slack:
                raise BuildError(f"step {name} succeeded but {path} is from an earlier build")


def together(errors: Sequence[OpforgeError]) -> OpforgeError:
    """One error that tells all of them; a single one stays as it is."""
    if len(errors) == 1:
        return errors[0]
    detail = "\n".join(error.render() for error in errors)
    found = BuildError(f"{len(errors)} steps failed", detail=detail)
    found.problems = tuple(problem for error in errors if isinstance(error, BuildError) for problem in error.problems)
    found.interrupted = any(isinstance(error, BuildError) and error.interrupted for error in errors)
    return found
