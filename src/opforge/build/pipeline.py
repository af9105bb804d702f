"""``opforge build``: runs the steps of ``step_table.STEPS`` whose key changed."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from opforge.build import key_parts
from opforge.build.keys import Hit
from opforge.build.part import Kernels, Part
from opforge.build.python_env import PythonEnv
from opforge.build.request import BuildRequest
from opforge.build.state import State, load_state, save_state
from opforge.build.step_context import StepContext, find_context
from opforge.build.step_table import KeySources, plan_steps
from opforge.frozen import dataclass
from opforge.toolkit.protocol import Toolkit

if TYPE_CHECKING:
    from opforge.build.kernel_service import Counts


@dataclass(frozen=True)
class Built:
    """The result of a build: the two artifacts, their environment, and the steps that ran."""

    run_package: Path
    wheel: Path
    toolkit: Toolkit
    env: PythonEnv
    ran: tuple[str, ...]
    seconds: float
    jobs: Counts | None = None  # of kernels that were compiled as jobs


def build(request: BuildRequest) -> Built:
    """Brings dist/ up to date. If nothing changed, it starts no process and writes nothing.

    Raises SpecError, BuildError, ToolkitError, EnvironmentProblem and ProjectError.
    """
    start = time.monotonic()
    state = load_state(request.state_file)
    known = state.interpreter
    if not state.steps:  # a first build: the toolkit may take a minute, and would be built for a wrong spec
        from opforge.spec.read.parse import load_spec  # noqa: PLC0415

        load_spec(request.root / key_parts.SPEC)
    context = find_context(request, state)
    steps = plan_steps(KeySources(request, state, context))
    if all(isinstance(planned.verdict, Hit) for planned in steps):
        for planned in steps:
            request.progress.skip(planned.name, planned.verdict.reason)
        moved = any(record.moved for record in state.steps.values())
        if (moved or state.interpreter != known) and request.folder.is_dir():
            save_state(request.state_file, state)
        return _built(request, state, context, (), start)
    request.progress.note(f"toolkit: {context.toolkit.kind} {context.toolkit.version} ({context.toolkit.reason})")
    from opforge.build.project_lock import project_lock  # noqa: PLC0415  (these two: only for a build with work)
    from opforge.build.running import Run  # noqa: PLC0415

    with project_lock(request.folder):
        newest = load_state(request.state_file)  # another build may just have finished
        newest.interpreter = state.interpreter
        run = Run(request, context, newest)
        ran = run.everything()
    return replace(_built(request, newest, context, ran, start), jobs=run.work.counts)


@dataclass(frozen=True)
class BuiltPart:
    """Compiled kernels of a part of a project. ``dist`` says in a sentence what dist/ holds."""

    kernels: Kernels
    count: int  # of binaries; 0 if only CANN knows it
    toolkit: Toolkit
    dist: str
    seconds: float
    jobs: Counts | None = None


def build_part(request: BuildRequest, part: Part) -> BuiltPart:
    """Compiles the kernels of a part, and checks op_host. Nothing is packed, so that no half package exists.

    Raises UsageError for unknown names, and the errors of ``build``.
    """
    from opforge.build.project_lock import project_lock  # noqa: PLC0415
    from opforge.build.running import Run  # noqa: PLC0415
    from opforge.spec.read.parse import load_spec  # noqa: PLC0415

    start = time.monotonic()
    load_spec(request.root / key_parts.SPEC)
    state = load_state(request.state_file)
    context = find_context(request, state)
    request.progress.note(f"toolkit: {context.toolkit.kind} {context.toolkit.version} ({context.toolkit.reason})")
    with project_lock(request.folder):
        newest = load_state(request.state_file)
        newest.interpreter = state.interpreter
        run = Run(request, context, newest)
        kernels, count = run.part(part)
        dist = _dist(request, newest, context)
        save_state(request.state_file, newest)
    return BuiltPart(kernels, count, context.toolkit, dist, time.monotonic() - start, run.work.counts)


def _dist(request: BuildRequest, state: State, context: StepContext) -> str:
    """A sentence on dist/, which a build of a part leaves as it is."""
    packed = state.steps.get("wheel")
    if packed is None or packed.artifact is None or not (request.root / packed.artifact).is_file():
        return "dist/ holds no complete build"
    if all(isinstance(planned.verdict, Hit) for planned in plan_steps(KeySources(request, state, context))):
        return "dist/ is up to date: it holds all ops"
    return "dist/ holds the last complete build, of older sources"


def _built(request: BuildRequest, state: State, context: StepContext, ran: tuple[str, ...], start: float) -> Built:
    package, wheel = (request.root / state.artifact(step) for step in ("operators", "wheel"))
    return Built(package, wheel, context.toolkit, context.env, ran, time.monotonic() - start)
