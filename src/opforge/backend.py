"""The build backend of projects: pip and other frontends call these functions (PEP 517, PEP 660).

A project's ``.opforge/opforge_backend.py`` calls them. They run in the project's folder and build for the interpreter
that runs them, with the same steps as ``opforge build``. ``config_settings`` accepts ``toolchain`` and ``jobs``:
``pip install . --no-build-isolation --config-settings toolchain=simulator``.

Source: https://packaging.python.org/en/latest/specifications/ (pyproject.toml, build backend hooks, editable installs).
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from opforge.errors import OpforgeError, UsageError

if TYPE_CHECKING:
    from opforge.build.pipeline import Built
    from opforge.build.request import BuildRequest

__all__ = [
    "build_editable",
    "build_sdist",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_sdist",
    "get_requires_for_build_wheel",
]

Settings = Mapping[str, object] | None

_SETTINGS = ("toolchain", "jobs")
_Made = TypeVar("_Made")


def get_requires_for_build_wheel(config_settings: Settings = None) -> list[str]:  # noqa: ARG001
    """Nothing. The libraries are linked with the PyTorch of the environment, so a build must use that one."""
    return []


get_requires_for_build_editable = get_requires_for_build_sdist = get_requires_for_build_wheel


def build_wheel(
    wheel_directory: str,
    config_settings: Settings = None,
    metadata_directory: str | None = None,  # noqa: ARG001
) -> str:
    """Brings ``dist/`` up to date, copies the wheel to ``wheel_directory``, and returns its name."""

    def make() -> str:
        built = _build(_request(config_settings))
        return Path(shutil.copy2(built.wheel, wheel_directory)).name

    return _reported(make)


def build_editable(
    wheel_directory: str,
    config_settings: Settings = None,
    metadata_directory: str | None = None,  # noqa: ARG001
) -> str:
    """A wheel that points to ``build/editable``: it uses the project's Python files and the libraries last built.

    Returns its name.
    """
    from opforge.build.editable import editable_wheel  # noqa: PLC0415

    def make() -> str:
        request = _request(config_settings)
        built = _build(request)
        return editable_wheel(built.wheel, request.root, Path(wheel_directory)).name

    return _reported(make)


def build_sdist(sdist_directory: str, config_settings: Settings = None) -> str:
    """An archive of the project's sources, without build outputs. Returns its name."""
    from opforge.build.source_archive import source_archive  # noqa: PLC0415

    return _reported(lambda: source_archive(_request(config_settings).root, Path(sdist_directory)).name)


def _build(request: BuildRequest) -> Built:
    from opforge.build.pipeline import build  # noqa: PLC0415

    return build(request)


def _request(settings: Settings) -> BuildRequest:
    """A build of the project in the current folder. Raises UsageError for settings that do not exist."""
    from opforge.cli.shared.options import TOOLCHAINS, make_request  # noqa: PLC0415

    given = dict(settings or {})
    unknown = sorted(given.keys() - set(_SETTINGS))
    if unknown:
        raise UsageError(f"opforge has no config setting {', '.join(unknown)}", hint=f"it has: {', '.join(_SETTINGS)}")
    asked = given.get("toolchain", "auto")
    toolchain = next((name for name in TOOLCHAINS if name == asked), None)
    if toolchain is None:
        raise UsageError(f"`{asked}` is not a valid toolchain", hint=f"expected one of {', '.join(TOOLCHAINS)}")
    jobs = str(given.get("jobs", "") or "0")
    if not jobs.isdecimal():
        raise UsageError(f"`{jobs}` is not a valid number of jobs", hint="for example `jobs=4`")
    return make_request(Path.cwd(), toolchain, Path(sys.executable), int(jobs) or None)


def _reported(make: Callable[[], _Made]) -> _Made:
    """The result of ``make``. An error of opforge ends the process with its message, without a traceback."""
    try:
        return make()
    except OpforgeError as error:
        sys.stdout.flush()
        sys.stderr.write(error.render() + "\n")
        raise SystemExit(error.exit_code) from None
