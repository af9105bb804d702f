"""``opforge build``: the list of steps, each with its key; only those whose key changed run.

    toolkit, environment   found, not built (the simulator is, when it is missing)
    spec        opforge.yaml is read; files that nobody edited follow it
    skeleton    CMake files from msOpGen, in the build folder
    operators   op_host and op_kernel become the run package          } at the same time
    adapter     csrc/ becomes libadapter.so, with the cached glue     }
    wheel       the Python package with both inside

A step's key is written when its outputs are there and checked; so nothing that failed or was interrupted is believed.
It has the hashes of the files that the step has read, not of what lies there before or after: a step works on copies
or on bytes that it hashes as it reads them, and lists what its compilers have read elsewhere. Whatever an editor does
meanwhile, the next build compares with what is in the artifacts.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from opforge.build import key_parts
from opforge.build.keys import Hit, Miss, compare
from opforge.build.project_lock import project_lock
from opforge.build.python_env import PythonEnv
from opforge.build.request import BuildRequest
from opforge.build.state import State, StepRecord, load_state, save_state
from opforge.build.step_context import StepContext, find_context
from opforge.frozen import dataclass
from opforge.toolkit.protocol import Toolkit

Hashes = Mapping[str, str]


@dataclass(frozen=True)
class StepKey:
    """What a step depends on: the hashes of ``files``, which it reads, and facts that are ``settled`` beforehand."""

    settled: Hashes
    files: Hashes

    @property
    def all(self) -> dict[str, str]:
        """The whole key."""
        return {**self.settled, **self.files}


@dataclass(frozen=True)
class Step:
    """One step: what it is called, what it depends on, and whether its last outputs are still good."""

    name: str
    key: StepKey
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


def step_keys(
    request: BuildRequest, state: State, context: StepContext, read: Hashes | None = None
) -> dict[str, StepKey]:
    """The key of each step, in order. Reads stats, and the content of files whose stat changed.

    ``read`` are hashes of opforge.yaml and the lock as a build that runs has read them.

    Raises SpecialFileError and BuildError for what lies in a source folder and is not of the project.
    """
    root, environ, read = request.root, request.environ, read or {}
    interface = key_parts.meaning_parts(state, root, "interface", read)
    compilers = {
        **key_parts.compiler_parts(context.compiler),
        **key_parts.variable_parts(environ, key_parts.COMPILERS_READ),
    }
    skeleton = {**interface, **key_parts.toolkit_parts(context.toolkit), **key_parts.place_parts(request)}
    operators = StepKey(
        {**skeleton, **compilers, **key_parts.variable_parts(environ, key_parts.CMAKE_READS)},
        {**_sources(state, root, key_parts.source_folders(state)), **key_parts.outside_parts(state, root, "operators")},
    )
    adapter = StepKey(
        {**compilers, **key_parts.torch_parts(state, context.env)},
        {**_sources(state, root, ("csrc",)), **key_parts.outside_parts(state, root, "adapter")},
    )
    own = package_key(request, state, read)
    return {
        "spec": StepKey(key_parts.spec_parts(state, root, read), {}),
        "skeleton": StepKey(skeleton, {}),
        "operators": operators,
        "adapter": adapter,
        "wheel": StepKey(
            {**operators.settled, **adapter.settled, **own.settled}, {**operators.files, **adapter.files, **own.files}
        ),
    }


def package_key(request: BuildRequest, state: State, read: Hashes) -> StepKey:
    """What the wheel depends on besides what the operators and the adapter depend on."""
    names = key_parts.source_files(request.root, key_parts.package_folders(state)) + key_parts.pages(request.root)
    says = key_parts.meaning_parts(state, request.root, "says", read)
    return StepKey({**says, **key_parts.simulator_parts(state)}, key_parts.packed_hashes(state, request.root, names))


def _sources(state: State, root: Path, folders: list[str] | tuple[str, ...]) -> dict[str, str]:
    return key_parts.hashes(state, root, key_parts.source_files(root, folders))


def plan_steps(request: BuildRequest, state: State, context: StepContext, read: Hashes | None = None) -> list[Step]:
    """Each step with its verdict."""
    keys = step_keys(request, state, context, read)
    return [Step(name, key, verdict(state.steps.get(name), key, request.root)) for name, key in keys.items()]


def verdict(record: StepRecord | None, key: StepKey, root: Path) -> Hit | Miss:
    """A hit needs the same key, and outputs as the step left them."""
    found = compare(record.key if record else None, key.all)
    touched = record.outputs_untouched(root) if record and isinstance(found, Hit) else None
    return found if touched is None else Miss(f"{touched} is not as it was left")


def build(request: BuildRequest) -> Built:
    """Brings dist/ up to date. With nothing to do it starts no process and writes nothing."""
    start = time.monotonic()
    state = load_state(request.state_file)
    known = dict(state.notes)
    context = find_context(request, state)
    steps = plan_steps(request, state, context)
    if all(isinstance(step.verdict, Hit) for step in steps):
        moved = any(record.moved for record in state.steps.values())
        if (moved or state.notes != known) and request.folder.is_dir():
            save_state(request.state_file, state)
        return _built(request, state, context, (), start)
    request.progress.note(f"toolkit: {context.toolkit.kind} {context.toolkit.version} ({context.toolkit.reason})")
    with project_lock(request.folder):
        from opforge.build.running import Run  # noqa: PLC0415  (threads, and all that only a build with work needs)

        newest = load_state(request.state_file)  # another build may just have ended
        newest.notes.update(state.notes)
        ran = Run(request, context, newest).everything()
    return _built(request, newest, context, ran, start)


def _built(request: BuildRequest, state: State, context: StepContext, ran: tuple[str, ...], start: float) -> Built:
    wheel = state.steps["wheel"].facts["wheel"]
    package = state.steps["operators"].facts["run_package"]
    return Built(
        request.dist / package, request.dist / wheel, context.toolkit, context.env, ran, time.monotonic() - start
    )
