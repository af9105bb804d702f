"""Makes a project ready for commands that use its ops: builds and installs what changed, and activates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from opforge.build.request import BuildRequest
from opforge.cli.shared.activating import activate, activate_for
from opforge.cli.shared.options import make_request
from opforge.frozen import dataclass
from opforge.toolkit.detect import Request

no_build_option = click.option(
    "--no-build",
    is_flag=True,
    help="Do not build and install; stop if the installed package is not up to date.",
)


@dataclass(frozen=True)
class Ready:
    """A project whose current build is installed in an activated environment."""

    request: BuildRequest
    vendor_dir: Path
    python: Path
    environ: Mapping[str, str]


def make_ready(
    start: Path, toolchain: Request, python: Path | None, soc: str | None, *, no_build: bool, pytest: bool = False
) -> Ready:
    """Builds the project and installs the build; if neither has anything to do, no process starts.

    With ``no_build``, raises InstallError if one of them has something to do. Raises EnvironmentProblem if ``pytest``
    is required and missing.
    """
    from opforge.install.activation import chip  # noqa: PLC0415

    soc_version = chip(soc)
    request = make_request(start, toolchain, python, None)
    if no_build:
        from opforge.install.up_to_date import require_installed  # noqa: PLC0415

        receipt = require_installed(request, pytest=pytest)
        active = activate(toolchain, python, soc, start)
        return Ready(request, Path(receipt.vendor_dir), active.python, active.environ)
    from opforge.build.pipeline import build  # noqa: PLC0415
    from opforge.build.python_env import require_pytest  # noqa: PLC0415
    from opforge.install.renewal import renew_installation  # noqa: PLC0415

    built = build(request)
    if pytest:
        require_pytest(built.env)
    vendor_dir = renew_installation(request, built)
    active = activate_for(built.toolkit, built.env, request.environ, request.runner, soc_version)
    return Ready(request, vendor_dir, active.python, active.environ)
