"""Checks a new project's names against an environment: foreign packages of that name, vendors with similar names.

A vendor's name must not be part of another's, because CANN's installer searches for the name as a substring in its
configuration. opforge installs each vendor into its own folder, so this is only a warning.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from opforge.errors import EnvironmentProblem
from opforge.install.receipts import receipt_path
from opforge.spec.model import ProjectSpec


def environment_prefix(environ: Mapping[str, str]) -> Path | None:
    """The virtual environment that a build would use, found without starting a process; None without one."""
    if environ.get("VIRTUAL_ENV"):
        return Path(environ["VIRTUAL_ENV"])
    from opforge.toolkit.process import find_program  # noqa: PLC0415

    python = find_program("python3", environ.get("PATH"))
    prefix = python.parent.parent if python is not None else None
    return prefix if prefix is not None and (prefix / "pyvenv.cfg").is_file() else None


def check_package(project: ProjectSpec, prefix: Path) -> None:
    """Raise EnvironmentProblem if the environment has a package of that name that opforge did not install."""
    receipts = prefix / "opp" / "opforge"
    if receipt_path(receipts, project.package).is_file():
        return
    for site in sorted(prefix.glob("lib/python3*/site-packages")):
        for found in (site / project.package, site / f"{project.package}.py"):
            if found.is_file() or (found / "__init__.py").is_file():
                raise EnvironmentProblem(
                    f"{prefix} has a package `{project.package}` already, which opforge did not install: {found}",
                    hint="Python would import only one of the two: choose another name with --package",
                )


def vendor_warning(project: ProjectSpec, prefix: Path) -> str:
    """A warning if the vendor's name is part of an installed one's or the reverse; empty otherwise."""
    vendors = prefix / "opp" / "vendors"
    installed = sorted(path.name for path in vendors.iterdir() if path.is_dir()) if vendors.is_dir() else []
    alike = [
        name for name in installed if name != project.vendor and (name in project.vendor or project.vendor in name)
    ]
    if not alike:
        return ""
    return (
        f"the vendor `{project.vendor}` and the installed {', '.join(f'`{name}`' for name in alike)} contain each "
        "other's names, which CANN's own installer confuses\n"
        "  opforge keeps them apart; to install the run package by hand, change `vendor` in opforge.yaml"
    )
