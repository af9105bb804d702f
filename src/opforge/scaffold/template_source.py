"""Finds a project's template: opforge's own, one of its repository, a folder, or a git address."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from opforge.errors import TemplateError
from opforge.frozen import dataclass
from opforge.plain_files import kind_of
from opforge.scaffold.lock import BUILT_IN, TemplateRecord, TemplateSource

FOLDER = "templates"  # the folder of a repository with its team's templates
QUESTIONS = ("copier.yml", "copier.yaml")

# The form that copier and pip use: an address, then @ and a branch, tag or commit.
_ADDRESS = re.compile(
    r"(?P<address>(?:git\+)?(?:https?|ssh|git|file)://\S+?|gh:\S+?|gl:\S+?|[\w.-]+@[\w.-]+:\S+?|\S+\.git)"
    r"(?:@(?P<ref>(?<=\.git@)[^@:\s]+|[^@:/\s]+))?"  # a slash only behind .git: otherwise it is user@host/...
)
_SHORT = {"gh:": "https://github.com/", "gl:": "https://gitlab.com/"}
_SKIPPED = {".git", "__pycache__", ".DS_Store"}


@dataclass(frozen=True)
class Fetched:
    """A git template on this disk: its files, without .git, and their commit."""

    folder: Path
    commit: str


# From an address and a branch, tag or commit; None means the address's HEAD.
Fetch = Callable[[str, str | None], Fetched]


@dataclass(frozen=True)
class Template:
    """A template. ``name`` finds it again from the project: a name, a path relative to the project, or an address.

    ``ref`` is its version: a commit, or the first digits of a hash of its files.
    """

    name: str
    source: TemplateSource
    ref: str
    folder: Path

    @property
    def ours(self) -> bool:
        """Whether it is opforge's own template, which does not need copier."""
        return self.source == "built-in"


def find_template(wanted: str, root: Path, builtin: Path, fetch: Fetch, here: Path | None = None) -> Template:
    """The template that ``--template`` names for a project at ``root``, which need not exist yet.

    A NAME is looked up in ``templates/`` of the folders around the project, the nearest first, up to the top of its git
    repository; then in ``builtin``, opforge's own. A word with a ``/`` or a leading dot is a PATH, relative to ``here``
    (the working directory), else to the project. ``fetch`` fetches an address; ``ADDRESS@REF`` names a branch, a tag or
    a commit. Raises TemplateError.
    """
    path = (here or root) / Path(wanted).expanduser()
    if is_address(wanted) and not path.is_dir():
        return _git(wanted, fetch, None)
    if "/" in wanted or wanted.startswith((".", "~")):
        return _path(wanted, path, root)
    for folder in _repository_folders(root):
        if _is_template(folder / wanted) and not _same(folder / wanted, builtin / wanted):
            return _folder(wanted, "repository", folder / wanted)
    if wanted == BUILT_IN.name:
        return _ours(builtin)
    raise TemplateError(
        f"there is no template {wanted}",
        hint=f"known here: {', '.join(t.name for t in list_templates(root, builtin))}. A team's templates are folders "
        f"with a copier.yml in {FOLDER}/ of its repository; a folder elsewhere is given as ./{wanted}",
    )


def again(record: TemplateRecord, root: Path, builtin: Path, fetch: Fetch, *, newest: bool) -> Template:
    """The template of an existing project, from its lock. For a git address without @REF, the newest commit.

    ``newest=False`` keeps the commit in the lock. Raises TemplateError if the template no longer exists.
    """
    if record.source == "built-in":
        return _ours(builtin)
    if record.source == "git":
        return _git(record.name, fetch, None if newest else record.ref)
    try:
        return find_template(record.name, root, builtin, fetch)
    except TemplateError as error:
        raise TemplateError(
            f"the project was made from the template {record.name}, which no longer exists: {error.what}",
            hint="restore it, or correct `template` in .opforge/lock.json",
        ) from error


def list_templates(start: Path, builtin: Path) -> tuple[Template, ...]:
    """The templates that a NAME can mean in ``start``: the repository's, the nearest first, then opforge's."""
    found: dict[str, Template] = {}
    for folder in _repository_folders(start):
        for child in sorted(folder.iterdir()):
            if child.name not in found and _is_template(child) and not _same(child, builtin / child.name):
                found[child.name] = _folder(child.name, "repository", child)
    found.setdefault(BUILT_IN.name, _ours(builtin))
    return tuple(found.values())


def is_address(text: str) -> bool:
    """Whether this is a git address, not a name or a path."""
    return _ADDRESS.fullmatch(text) is not None


def files_of(folder: Path) -> Iterator[Path]:
    """Every file of a template, sorted, without files of git, Python and editors."""
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED)
        yield from (Path(here, name) for name in sorted(files) if not name.endswith((".pyc", "~")))


def _git(wanted: str, fetch: Fetch, ref: str | None) -> Template:
    parsed = _ADDRESS.fullmatch(wanted)
    if parsed is None:
        raise TemplateError(f"{wanted} is not a git address")
    address = parsed["address"].removeprefix("git+")
    short = next((name for name in _SHORT if address.startswith(name)), "")
    address = _SHORT.get(short, "") + address.removeprefix(short)
    fetched = fetch(address, ref or parsed["ref"])
    if not _is_template(fetched.folder):
        raise TemplateError(f"the repository {address} is not a template", hint="it has no copier.yml at its top")
    return Template(wanted, "git", fetched.commit, fetched.folder)


def _path(wanted: str, folder: Path, root: Path) -> Template:
    folder = Path(os.path.normpath(folder))  # not resolve(): the path may go through the project, which need not exist
    if not folder.is_dir():
        raise TemplateError(f"the template {wanted} does not exist", hint=f"the folder {folder} does not exist")
    if not _is_template(folder):
        raise TemplateError(
            f"the folder {folder} is not a template", hint="a template has a copier.yml; it may be empty"
        )
    relative = os.path.relpath(folder, root)
    return _folder(relative if relative.startswith("..") else f"./{relative}", "path", folder)


def _folder(name: str, source: TemplateSource, folder: Path) -> Template:
    return Template(name, source, _content(folder), folder)


def _ours(builtin: Path) -> Template:
    return Template(BUILT_IN.name, BUILT_IN.source, BUILT_IN.ref, builtin / BUILT_IN.name)


def _repository_folders(start: Path) -> Iterator[Path]:
    """``templates/`` of each folder from ``start`` up to the top of its git repository, or to the root without one."""
    start = start.absolute()
    for folder in (start, *start.parents):
        if (folder / FOLDER).is_dir():
            yield folder / FOLDER
        if (folder / ".git").exists():
            return


def _is_template(folder: Path) -> bool:
    return any((folder / name).is_file() for name in QUESTIONS)


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)


def _check_files(folder: Path) -> None:
    """Raises TemplateError for a link that leads out of a template, and for special files."""
    top = os.path.realpath(folder)
    for here, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _SKIPPED]
        for path in (Path(here, name) for name in (*folders, *files)):
            real = os.path.realpath(path)
            if path.is_symlink() and not real.startswith(f"{top}/"):
                raise TemplateError(
                    f"{path} is a link that leads out of the template, to {real}", hint="replace it by a copy"
                )
            try:
                mode = path.stat().st_mode
            except OSError as error:
                raise TemplateError(f"{path} cannot be read: {error.strerror}", hint="remove it") from None
            kind = kind_of(mode)
            if kind is not None and not stat.S_ISDIR(mode):
                raise TemplateError(f"{path} is {kind}, not a file", hint="remove it from the template")


def _content(folder: Path) -> str:
    """The first digits of a SHA-256 over names, contents and executable bits. Raises TemplateError for odd files."""
    _check_files(folder)
    digest = hashlib.sha256()
    for path in files_of(folder):
        runs = os.access(path, os.X_OK)
        data = path.read_bytes() if path.is_file() else b""
        digest.update(f"{path.relative_to(folder).as_posix()}\0{len(data)}\0{runs}\0".encode())
        digest.update(data)
    return digest.hexdigest()[:12]
