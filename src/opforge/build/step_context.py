"""The context of a build's steps (toolkit, environment, compiler) and the type of their results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from opforge.build.python_env import PythonEnv, find_env
from opforge.build.request import BuildRequest
from opforge.build.state import SpecMeaning, State
from opforge.build.toolkits import find_toolkit
from opforge.frozen import dataclass
from opforge.toolkit.build_tools import find_compiler
from opforge.toolkit.protocol import Toolkit


@dataclass(frozen=True)
class StepContext:
    """The toolkit, environment and compiler, which every step uses and every key contains."""

    toolkit: Toolkit
    env: PythonEnv
    compiler: Path


def find_context(request: BuildRequest, state: State) -> StepContext:
    """Finds toolkit, environment and compiler. Starts a process only the first time, or if one of them changed."""
    env = find_env(request.python, request.environ, state, request.runner)
    compiler = find_compiler(request.environ)
    toolkit = find_toolkit(
        request.toolchain, request.environ, request.cache, request.runner, request.progress, project=request.root
    )
    return StepContext(toolkit, env, compiler)


@dataclass(frozen=True)
class StepResult:
    """The result of a step. ``fresh``: outputs that it must have rewritten. ``artifact``: the output in dist/.

    ``read`` has the hashes of the project's files as the step read them. ``outside`` has absolute paths of other files
    that its compilers read, and of folders that they searched, which end with a slash.
    """

    outputs: list[Path]
    fresh: frozenset[Path] = frozenset()
    read: Mapping[str, str] = field(default_factory=dict)
    outside: tuple[str, ...] = ()
    artifact: Path | None = None
    meaning: SpecMeaning | None = None  # set by the step that reads the spec
