"""Checks that the installed package matches the project's current sources."""

from __future__ import annotations

import hashlib
from pathlib import Path

from opforge.build import key_parts
from opforge.build.keys import Hit, Miss, compare
from opforge.build.project_lock import project_lock
from opforge.build.python_env import require_pytest
from opforge.build.request import BuildRequest
from opforge.build.simulator_note import write_simulator_note
from opforge.build.state import State, load_state
from opforge.build.step_context import StepContext, find_context
from opforge.build.step_table import KeySources, Planned, plan_steps
from opforge.errors import InstallError, InternalError
from opforge.install.receipts import Receipt, read_receipt, receipt_path
from opforge.spec.read.parse import load_spec

_HINT = "leave out --no-build: the command then builds and installs what changed"


def reread_simulator(request: BuildRequest, state: State, context: StepContext) -> None:
    """Reads a changed opforge.yaml again if only its ``simulator`` block differs."""
    planned, meaning = plan_steps(KeySources(request, state, context))[0], state.meaning
    if meaning is None or isinstance(planned.verdict, Hit):
        return
    from opforge.build.running import Run  # noqa: PLC0415  (all that only a build with work needs)
    from opforge.build.step_actions import without_simulator  # noqa: PLC0415

    if without_simulator(load_spec(request.root / key_parts.SPEC)) == meaning.says:
        with project_lock(request.folder):
            Run(request, context, state).reread_spec()


def _judged_otherwise(step: Planned, state: State, root: Path) -> bool:
    """Whether only the ``simulator`` block of the spec changed since the step ran."""
    record = state.steps.get(step.name)
    if record is None or key_parts.SIMULATOR not in step.key.all:
        return False
    old, new = ({k: v for k, v in key.items() if k != key_parts.SIMULATOR} for key in (record.key, step.key.all))
    return isinstance(compare(old, new), Hit) and record.outputs_untouched(root) is None


def require_installed(request: BuildRequest, *, pytest: bool = True) -> Receipt:
    """The receipt of this project in the request's environment; updates its rules for the simulated device.

    Raises InstallError if the project was not built, changed since, or another build of it is installed; and
    EnvironmentProblem if ``pytest`` is required and missing.
    """
    state = load_state(request.state_file)
    context = find_context(request, state)
    reread_simulator(request, state, context)
    for step in plan_steps(KeySources(request, state, context)):
        if isinstance(step.verdict, Miss) and not _judged_otherwise(step, state, request.root):
            raise InstallError(f"the build is not up to date: {step.name}: {step.verdict.reason}", hint=_HINT)
    if state.meaning is None:
        raise InternalError("the step that reads the spec left no record")
    package = state.meaning.package
    path = receipt_path(context.env.receipts, package)
    if not path.is_file():
        raise InstallError(f"{package} is not installed in {context.env.prefix}", hint=_HINT)
    receipt = read_receipt(path)
    wheel = request.root / state.artifact("wheel")
    if receipt.wheel_sha256 != hashlib.sha256(wheel.read_bytes()).hexdigest():
        raise InstallError(
            f"the {package} that is installed in {context.env.prefix} is not the one in dist/", hint=_HINT
        )
    if context.toolkit.simulated and Path(receipt.vendor_dir).is_dir():
        write_simulator_note(Path(receipt.vendor_dir), state.meaning.simulator)
    if pytest:
        require_pytest(context.env)
    return receipt
