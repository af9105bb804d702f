"""The steps of ``opforge build``: one table with each step's predecessors, key and action.

A step's key is written after its outputs were checked, so outputs of failed or interrupted steps are never reused. The
key has the hashes of the files as the step read them. Each step works on copies, or hashes the bytes while it reads
them, and lists other files that its compilers read. If a file is edited during a build, the next build therefore
notices the difference.

Toolkit, environment and compiler are found by ``step_context``; they are not built.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING

from opforge.build import key_parts
from opforge.build.keys import Hit, Miss, compare
from opforge.build.request import BuildRequest
from opforge.build.state import State, StepRecord
from opforge.build.step_context import StepContext, StepResult
from opforge.frozen import dataclass

if TYPE_CHECKING:  # a build with nothing to do imports no action
    from opforge.build.step_actions import Work

Hashes = Mapping[str, str]


@dataclass(frozen=True)
class StepKey:
    """The key of a step: the hashes of the ``files`` that it reads, and values that are ``settled`` beforehand."""

    settled: Hashes
    files: Hashes = field(default_factory=dict)

    @property
    def all(self) -> dict[str, str]:
        """The whole key."""
        return {**self.settled, **self.files}


@dataclass(frozen=True)
class KeySources:
    """The inputs of keys. ``read`` has the hashes of opforge.yaml and the lock as the running build read them.

    The key functions read stats, and the content of files whose stat changed. They raise SpecialFileError and
    BuildError for files in a source folder that do not belong to the project.
    """

    request: BuildRequest
    state: State
    context: StepContext
    read: Hashes = field(default_factory=dict)

    def hashes(self, folders: tuple[str, ...]) -> Hashes:
        """The hashes of all source files below these folders."""
        root = self.request.root
        return key_parts.hashes(self.state, root, key_parts.source_files(root, folders))

    def compilers(self) -> Hashes:
        """The compiler, and the variables that every compiler reads."""
        variables = key_parts.variable_parts(self.request.environ, key_parts.COMPILERS_READ)
        return {**key_parts.compiler_parts(self.context.compiler), **variables}


@dataclass(frozen=True)
class Step:
    """One row of the table.

    A step runs after all steps in ``after`` have ended. Its key contains the keys of the steps in ``packs``.
    """

    name: str
    what: str
    key: Callable[[KeySources], StepKey]
    how: Callable[[Work], StepResult]
    after: tuple[str, ...] = ()
    packs: tuple[str, ...] = ()


def _spec_key(of: KeySources) -> StepKey:
    return StepKey(key_parts.spec_parts(of.state, of.request.root, of.read))


def _skeleton_key(of: KeySources) -> StepKey:
    interface = key_parts.meaning_parts(of.state, of.request.root, "interface", of.read)
    return StepKey({**interface, **key_parts.toolkit_parts(of.context.toolkit), **key_parts.place_parts(of.request)})


def _operators_key(of: KeySources) -> StepKey:
    variables = key_parts.variable_parts(of.request.environ, key_parts.CMAKE_READS)
    outside = key_parts.outside_parts(of.state, of.request.root, "operators")
    files = {**of.hashes((*key_parts.source_folders(of.state), key_parts.TUNING)), **outside}
    return StepKey({**of.compilers(), **variables}, files)


def _adapter_key(of: KeySources) -> StepKey:
    files = {
        **of.hashes(key_parts.adapter_folders(key_parts.source_folders(of.state))),
        **key_parts.outside_parts(of.state, of.request.root, "adapter"),
    }
    return StepKey({**of.compilers(), **key_parts.torch_parts(of.state, of.context.env)}, files)


def _wheel_key(of: KeySources) -> StepKey:
    root = of.request.root
    names = key_parts.source_files(root, key_parts.package_folders(of.state)) + key_parts.pages(root)
    says = key_parts.meaning_parts(of.state, root, "says", of.read)
    return StepKey({**says, **key_parts.simulator_parts(of.state)}, key_parts.packed_hashes(of.state, root, names))


# The first step comes before all others, because it may rewrite their sources.
STEPS = (
    Step(
        name="spec",
        what="opforge.yaml is read; unedited files are rendered again",
        key=_spec_key,
        how=lambda work: work.read_spec(),
    ),
    Step(
        name="skeleton",
        what="msOpGen writes the CMake files into the build folder",
        after=("spec",),
        key=_skeleton_key,
        how=lambda work: work.skeleton(),
    ),
    Step(
        name="operators",
        what="op_host and op_kernel become the run package",
        after=("skeleton",),
        packs=("skeleton",),
        key=_operators_key,
        how=lambda work: work.operators(),
    ),
    Step(
        name="adapter",
        what="csrc/ becomes libadapter.so; libnpu_glue.so is compiled, with a narrow ATen/ATen.h if it suffices, or "
        "taken from the cache",
        after=("spec",),
        key=_adapter_key,
        how=lambda work: work.adapter(),
    ),
    Step(
        name="wheel",
        what="the Python package with both becomes the wheel",
        after=("operators", "adapter"),
        packs=("operators", "adapter"),
        key=_wheel_key,
        how=lambda work: work.wheel(),
    ),
)


@dataclass(frozen=True)
class Planned:
    """A step with its current key, and whether its last outputs are still valid."""

    name: str
    key: StepKey
    verdict: Hit | Miss


def plan_steps(of: KeySources) -> tuple[Planned, ...]:
    """Each step with its verdict, in the order of the table."""
    keys: dict[str, StepKey] = {}
    for step in STEPS:
        parts = [*(keys[name] for name in step.packs), step.key(of)]
        keys[step.name] = StepKey(_merged(key.settled for key in parts), _merged(key.files for key in parts))
    root, records = of.request.root, of.state.steps
    return tuple(Planned(name, key, verdict(records.get(name), key, root)) for name, key in keys.items())


def _merged(parts: Iterable[Hashes]) -> Hashes:
    return {fact: value for part in parts for fact, value in part.items()}


def plan_due(step: Step, of: KeySources) -> Planned:
    """The plan of one step in a running build, after the steps that it packs. It packs their outputs.

    A source that was edited since then belongs to the next build.
    """
    own = step.key(of)
    before = _merged(of.state.steps[name].key for name in step.packs)
    key = StepKey({**before, **own.settled}, own.files)
    return Planned(step.name, key, verdict(of.state.steps.get(step.name), key, of.request.root))


def verdict(record: StepRecord | None, key: StepKey, root: Path) -> Hit | Miss:
    """A hit requires an equal key and unchanged outputs."""
    found = compare(record.key if record else None, key.all)
    touched = record.outputs_untouched(root) if record and isinstance(found, Hit) else None
    return found if touched is None else Miss(f"{touched} is not as it was left")
