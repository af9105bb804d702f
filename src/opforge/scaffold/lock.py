"""``.opforge/lock.json``: what opforge wrote into a project, so that it later knows what people changed.

The file is committed. It is sorted, one line a file, so that two branches that add ops merge line by line.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from opforge import __version__
from opforge.errors import ProjectError
from opforge.fileset import FileSet

if TYPE_CHECKING:
    from opforge.spec.model import Spec

SPEC_FILE = PurePosixPath("opforge.yaml")
LOCK_FILE = PurePosixPath(".opforge/lock.json")
BASE_FOLDER = PurePosixPath(".opforge/base")

SCHEMA = 1

Answer = str | int | float | bool


@dataclass(frozen=True)
class LockedFile:
    """One file as it was rendered. ``sha256`` is of its text with line feeds; ``origin`` names its form."""

    sha256: str
    origin: str
    executable: bool = False


@dataclass(frozen=True)
class TemplateUse:
    """Which template a project was made from. ``source`` "" is opforge's own, and then there is nothing more to say."""

    name: str = "project"
    source: str = ""  # a folder relative to the project, or a git address
    ref: str = ""  # the version that was rendered
    answers: Mapping[str, Answer] = field(default_factory=dict)


@dataclass(frozen=True)
class Lock:
    """All of lock.json. ``spec_sha256`` is of the spec as opforge prints it: comments and layout do not count."""

    edition: int
    template: TemplateUse
    opforge: str  # version that rendered the files
    spec_sha256: str
    files: Mapping[PurePosixPath, LockedFile]


def text_sha256(data: bytes) -> str:
    """Hex digest of a text file's bytes; a checkout with CRLF counts as the same text."""
    return hashlib.sha256(data.replace(b"\r\n", b"\n")).hexdigest()


def spec_sha256(spec: Spec) -> str:
    """Hex digest of what a spec says, whatever its file looks like."""
    from opforge.spec.printer import print_spec  # noqa: PLC0415  (a build with nothing to do asks for no spec)

    return text_sha256(print_spec(spec).encode())


def lock_of(rendered: FileSet, spec: Spec, template: TemplateUse | None = None) -> Lock:
    """The lock of a project whose every file is as rendered."""
    return Lock(
        edition=spec.edition,
        template=template or TemplateUse(),
        opforge=__version__,
        spec_sha256=spec_sha256(spec),
        files={f.path: LockedFile(text_sha256(f.text.encode()), f.origin, f.executable) for f in rendered},
    )


def dump_lock(lock: Lock) -> str:
    """The text of lock.json."""
    used = lock.template
    template: dict[str, str | Mapping[str, Answer]] = {"name": used.name, "version": lock.opforge}
    if used.source:
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
    """Read lock.json back. Raises ProjectError for a file that is no lock, or one of a later opforge."""
    try:
        fields = json.loads(text)
        schema = fields["schema"]
        if schema == SCHEMA:
            return Lock(
                edition=fields["edition"],
                template=_template(fields["template"]),
                opforge=fields["template"]["version"],
                spec_sha256=fields["spec_sha256"],
                files={
                    PurePosixPath(path): LockedFile(row["sha256"], row["origin"], row.get("executable", False))
                    for path, row in fields["files"].items()
                },
            )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ProjectError(
            f"{file} is damaged: {error}",
            hint="take the file from your version control; after a merge conflict, take either side",
        ) from error
    raise ProjectError(
        f"{file} has schema {schema}, and this opforge {__version__} reads {SCHEMA}",
        hint="use the opforge that the project was made with, or a later one",
    )


def _template(fields: Mapping[str, str | Mapping[str, Answer]]) -> TemplateUse:
    name, source, ref, answers = (fields.get(key, "") for key in ("name", "source", "ref", "answers"))
    if not name or not all(isinstance(word, str) for word in (name, source, ref)):
        raise ValueError("the template has no name, source or version")
    return TemplateUse(str(name), str(source), str(ref), answers if isinstance(answers, Mapping) else {})


def read_lock(root: Path) -> Lock | None:
    """The lock of the project at ``root``; None where there is none: a project that opforge did not lay out."""
    path = root / LOCK_FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    return parse_lock(text, path)
