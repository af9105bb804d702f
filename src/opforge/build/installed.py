"""Whether what is installed in an environment is what the project's sources say now."""

from __future__ import annotations

import hashlib

from opforge.build.ground import lay_ground
from opforge.build.keys import Miss
from opforge.build.pipeline import plan_steps
from opforge.build.receipts import Receipt, read_receipt, receipt_path
from opforge.build.request import BuildRequest
from opforge.build.state import load_state
from opforge.errors import EnvironmentProblem, InstallError

_HINT = "opforge build && opforge install"


def require_installed(request: BuildRequest, *, pytest: bool = True) -> Receipt:
    """The receipt of this project in the request's environment.

    Raises InstallError when the project was not built, has changed since, or another build of it is installed; and
    EnvironmentProblem when ``pytest`` is asked for and the environment has none.
    """
    state = load_state(request.state_file)
    ground = lay_ground(request, state)
    for step in plan_steps(request, state, ground):
        if isinstance(step.verdict, Miss):
            raise InstallError(f"the build is not up to date: {step.name}: {step.verdict.reason}", hint=_HINT)
    package = state.steps["spec"].facts["package"]
    path = receipt_path(ground.env.receipts, package)
    if not path.is_file():
        raise InstallError(f"{package} is not installed in {ground.env.prefix}", hint="opforge install")
    receipt = read_receipt(path)
    wheel = request.dist / state.steps["wheel"].facts["wheel"]
    if receipt.wheel_sha256 != hashlib.sha256(wheel.read_bytes()).hexdigest():
        raise InstallError(
            f"the {package} that is installed in {ground.env.prefix} is not the one in dist/", hint="opforge install"
        )
    if pytest and not ground.env.has_pytest:
        raise EnvironmentProblem(
            f"pytest is not installed in {ground.env.prefix}", hint=f"{ground.env.executable} -m pip install pytest"
        )
    return receipt
