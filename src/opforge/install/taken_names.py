"""Names of a new project that an environment has given away: a package that is not ours, a vendor too much alike.

A vendor must be no part of another's name: CANN's own installer finds vendors in its configuration by searching for the
name as a piece of text. opforge installs each vendor into a place of its own, so that is worth a warning and no more.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from opforge.errors import EnvironmentProblem
from opforge.install.receipts import receipt_path
from opforge.spec.model import ProjectSpec


def environment_prefix(environ: Mapping[str, str]) -> Path | None:
    """The virtual environment that a build would be for, found without starting a process; None outside of any."""
    if environ.get("VIRTUAL_ENV"):
        return Path(environ["VIRTUAL_ENV"])
    from opforge.toolkit.process import find_program  # noqa: PLC0415

    python = find_program("python3", environ.get("PATH"))
    prefix = python.parent.parent if python is not None else None
    return prefix if prefix is not None and (prefix / "pyvenv.cfg").is_file() else None


def check_package(project: ProjectSpec, prefix: Path) -> None:
    """Raise EnvironmentProblem where the environment has a package of that name that opforge did not install."""
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
    """What is to be said of the vendor's name beside those that are installed; empty where there is nothing."""
    vendors = prefix / "opp" / "vendors"
    installed = sorted(path.name for path in vendors.iterdir() if path.is_dir()) if vendors.is_dir() else []
    alike = [
        name for name in installed if name != project.vendor and (name in project.vendor or project.vendor in name)
    ]
    if not alike:
        return ""
    return (
        f"the vendor `{project.vendor}` and the installed {', '.join(f'`{name}`' for name in alike)} are parts of one "
        "another's names, which CANN's own installer mistakes for each other\n"
        "  opforge keeps them apart; to install the run package by hand, change `vendor` in opforge.yaml"
    )
