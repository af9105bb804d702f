"""Records which toolkit a project, or a user, builds with: one line of text, as `opforge toolkit use` was given it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from opforge.errors import ToolkitError
from opforge.frozen import dataclass

PROJECT_FILE = ".opforge/toolkit"
AUTO = "auto"  # removes a record


@dataclass(frozen=True)
class Record:
    """The recorded toolkit (a path, a version or ``simulator``) and the file that has it."""

    named: str
    file: Path


def read_record(project: Path | None, environ: Mapping[str, str]) -> Record | None:
    """The project's record, else the user's, else None. An empty file counts as none.

    So does a home folder that this user may not read, as in containers that run with another user's HOME.
    """
    ours, mine = project_file(project), user_file(environ)
    if ours and (named := _read(ours)):
        return Record(named, ours)
    if mine and _may_read(mine) and (named := _read(mine)):
        return Record(named, mine)
    return None


def write_record(file: Path, named: str) -> None:
    """Records ``named``; AUTO removes the record."""
    if named == AUTO:
        file.unlink(missing_ok=True)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    scratch = file.with_name(f".{file.name}.new")
    scratch.write_text(f"{named}\n", encoding="utf-8")
    scratch.replace(file)


def project_file(project: Path | None) -> Path | None:
    """The file of a project's record."""
    return project / PROJECT_FILE if project else None


def user_file(environ: Mapping[str, str]) -> Path | None:
    """The file of the user's record: below $XDG_CONFIG_HOME, else ~/.config; None without a home folder."""
    config = Path(environ.get("XDG_CONFIG_HOME", ""))
    if config.is_absolute():
        return config / "opforge" / "toolkit"
    home = environ.get("HOME")
    return Path(home).absolute() / ".config" / "opforge" / "toolkit" if home else None


def _may_read(file: Path) -> bool:
    try:
        return file.exists()
    except PermissionError:
        return False


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise ToolkitError(
            f"{file}, which names the toolkit, cannot be read: {error}", hint="remove it, or run `opforge toolkit use`"
        ) from error
