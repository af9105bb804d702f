"""Reads and writes ``.opforge/lock.json``: the files that opforge wrote, to find later what people changed.

The file is committed. It is sorted, with one line per file, so that branches that add ops merge line by line.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Literal, Union, get_args

from opforge.errors import ProjectError
from opforge.fileset import FileSet
from opforge.frozen import dataclass
from opforge.release import __version__

if TYPE_CHECKING:
    from opforge.spec.model import Spec

LOCK_FILE = PurePosixPath(".opforge/lock.json")
OWN = "own"  # origin of an adopted project's own file, which opforge does not change

SCHEMA = 1

Answer = Union[str, int, float, bool, None, list["Answer"]]  # noqa: UP007  (a recursive type)
TemplateSource = Literal["built-in", "repository", "path", "git"]
_SOURCES: tuple[TemplateSource, ...] = get_args(TemplateSource)


@dataclass(frozen=True)
class TemplateRecord:
    """A project's template, and the answers to its questions."""

    name: str
    source: TemplateSource
    ref: str  # the rendered version; empty if it has none
    answers: Mapping[str, Answer] = field(default_factory=dict)


TEMPLATE_ORIGIN = "template/"  # begins the origin of files that a team's template renders
BUILT_IN = TemplateRecord("project", "built-in", "")


@dataclass(frozen=True)
class LockedFile:
    """One rendered file. ``sha256`` is the hash of its text with line feeds; ``origin`` names its form."""

    sha256: str
    origin: str
    executable: bool = False


@dataclass(frozen=True)
class Lock:
    """The contents of lock.json. ``spec_sha256`` is the hash of the printed spec, without comments and layout."""

    edition: int
    template: TemplateRecord
    opforge: str  # version that rendered the files
    spec_sha256: str
    files: Mapping[PurePosixPath, LockedFile]

    @property
    def own(self) -> Mapping[PurePosixPath, LockedFile]:
        """Files that opforge renders but never writes: the project had its own when it was adopted."""
        return {path: file for path, file in self.files.items() if file.origin == OWN}

    def is_of(self, spec: Spec) -> bool:
        """Whether the files were rendered from this spec; one that only came to a later edition is the same."""
        return self.spec_sha256 == spec_sha256(dataclasses.replace(spec, edition=self.edition))


def text_sha256(data: bytes) -> str:
    """Hex digest of a text file's bytes, the same for line feeds and CRLF."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def spec_sha256(spec: Spec) -> str:
    """Hex digest of a spec's contents, independent of the file's layout."""
    from opforge.spec.yaml_printer import print_spec  # noqa: PLC0415  (a build with nothing to do does not need it)

    return text_sha256(print_spec(spec).encode())


def lock_of(
    rendered: FileSet,
    spec: Spec,
    template: TemplateRecord = BUILT_IN,
    own: Mapping[PurePosixPath, LockedFile] | None = None,
) -> Lock:
    """The lock of a project in which all files except its ``own`` are as rendered."""
    return Lock(
        edition=spec.edition,
        template=template,
        opforge=__version__,
        spec_sha256=spec_sha256(spec),
        files={
            **{f.path: LockedFile(text_sha256(f.text.encode()), f.origin, f.executable) for f in rendered},
            **(own or {}),
        },
    )


def dump_lock(lock: Lock) -> str:
    """The text of lock.json."""
    used = lock.template
    template: dict[str, Answer | Mapping[str, Answer]] = {"name": used.name, "version": lock.opforge}
    if used != BUILT_IN:
        template |= {"source": used.source, "ref": used.ref, "answers": used.answers}
    head = {
        "schema": SCHEMA,
        "edition": lock.edition,
        "template": template,
        "spec_sha256": lock.spec_sha256,
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}," for key, value in head.items()]
    rows = []
    for path, file in sorted(lock.files.items()):
        row: dict[str, str | bool] = {"sha256": file.sha256, "origin": file.origin}
        if file.executable:
            row["executable"] = True
        rows.append(f"    {json.dumps(str(path))}: {json.dumps(row)}")
    return "\n".join(["{", *lines, '  "files": {', ",\n".join(rows), "  }", "}", ""])


def parse_lock(text: str, file: Path) -> Lock:
    """Parse lock.json. Raises ProjectError for a file that is not a lock, or one of a later opforge."""
    try:
        fields = json.loads(text)
        schema = fields["schema"]
        if schema == SCHEMA:
            return Lock(
                edition=int(fields["edition"]),
                template=_template(fields["template"]),
                opforge=_text(fields["template"]["version"]),
                spec_sha256=_text(fields["spec_sha256"]),
                files={
                    _path(path): LockedFile(_text(row["sha256"]), _text(row["origin"]), bool(row.get("executable")))
                    for path, row in fields["files"].items()
                },
            )
    except KeyError as error:
        raise _damaged(file, f"it has no {error}") from error
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise _damaged(file, str(error)) from error
    raise ProjectError(
        f"{file} has schema {schema}, and this opforge {__version__} reads {SCHEMA}",
        hint="use the opforge that the project was made with, or a later one",
    )


def _damaged(file: Path, why: str) -> ProjectError:
    return ProjectError(
        f"{file} is damaged: {why}",
        hint="take the file from your version control. After a merge with conflicts: resolve opforge.yaml, take one "
        "side of .opforge and of the other files that opforge wrote (`git checkout --ours -- .opforge ...`), then "
        "`opforge update`",
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{json.dumps(value)} is not text")
    return value


def _path(text: str) -> PurePosixPath:
    """A path below the project. Refuses other paths, since an update writes and removes these files."""
    path = PurePosixPath(text)
    if path.is_absolute() or ".." in path.parts or not path.parts or "\0" in text:
        raise ValueError(f"{json.dumps(text)} is not a valid path in a project")
    return path


def _template(fields: Mapping[str, str | Mapping[str, Answer]]) -> TemplateRecord:
    """The template's record; one without a source means opforge's own template."""
    name, ref, answers = fields["name"], fields.get("ref", ""), fields.get("answers", {})
    source = next((known for known in _SOURCES if known == fields.get("source", "built-in")), None)
    if source is None or not isinstance(name, str) or not isinstance(ref, str) or not isinstance(answers, Mapping):
        raise ValueError("its template has no name, source, version or answers that could be read")
    return TemplateRecord(name, source, ref, answers)


def lock_missing(root: Path) -> ProjectError:
    """The error for a project without a lock. A build can go on, and shows it as a warning."""
    if not any((root / folder).is_dir() for folder in ("op_host", "op_kernel", ".opforge")):
        return ProjectError(
            f"{root} has a spec, but none of a project's other files",
            hint="create a project with `opforge new NAME --inputs x --path FOLDER`, put this opforge.yaml in place of "
            "its own, and type `opforge update` there",
        )
    return ProjectError(
        f"there is no {LOCK_FILE} in {root}, so opforge does not know what it wrote",
        hint="type `git checkout -- .opforge`, or copy the folder .opforge from where the project came from; projects "
        "that opforge did not create have none",
    )


def check_not_newer(lock: Lock) -> None:
    """Raise ProjectError for a project that a later opforge rendered: this one would revert its files."""
    theirs, ours = (tuple(map(int, re.findall(r"\d+", text)[:3])) for text in (lock.opforge, __version__))
    if theirs > ours:
        raise ProjectError(
            f"the project was rendered with opforge {lock.opforge}; {__version__} would revert its files",
            hint=f"install opforge {lock.opforge} or a later one",
        )


def read_lock(root: Path) -> Lock | None:
    """The lock of the project at ``root``; None if opforge did not create the project."""
    path = root / LOCK_FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except PermissionError:
        raise
    except (OSError, UnicodeDecodeError) as error:
        raise _damaged(path, (isinstance(error, OSError) and error.strerror) or str(error)) from error
    return parse_lock(text, path)
