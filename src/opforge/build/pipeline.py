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
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from opforge.build import facts
from opforge.build.ground import Ground, lay_ground
from opforge.build.keys import Hit, Miss, compare
from opforge.build.project_lock import project_lock
from opforge.build.python_env import PythonEnv
from opforge.build.request import BuildRequest
from opforge.build.state import State, load_state, save_state
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
    interface = facts.meaning_facts(state, root, "interface")
    toolkit = facts.toolkit_facts(ground.toolkit)
    compiler = facts.compiler_facts(ground.compiler)
    torch = facts.torch_facts(state, ground.env)
    operators = facts.hashes(state, root, facts.source_files(root, facts.source_folders(state)))
    csrc = facts.hashes(state, root, facts.source_files(root, ("csrc",)))
    package = facts.hashes(state, root, facts.source_files(root, ("python",)))
    skeleton = {**interface, **toolkit}
    run = {**skeleton, **compiler, **operators}
    adapter = {**csrc, **compiler, **torch}
    return {
        "spec": facts.spec_facts(state, root),
        "skeleton": skeleton,
        "operators": run,
        "adapter": adapter,
        "wheel": {**run, **adapter, **package, **facts.meaning_facts(state, root, "says")},
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
        from opforge.build.running import Run  # noqa: PLC0415  (threads, and all that only a build with work needs)

        ran = Run(request, ground, state).everything()
    return _built(request, state, ground, ran, start)


def _built(request: BuildRequest, state: State, ground: Ground, ran: tuple[str, ...], start: float) -> Built:
    wheel = state.steps["wheel"].facts["wheel"]
    package = state.steps["operators"].facts["run_package"]
    return Built(
        request.dist / package, request.dist / wheel, ground.toolkit, ground.env, ran, time.monotonic() - start
    )
