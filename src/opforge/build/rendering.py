"""Renders a project's files from its spec and its template; connects render and scaffold."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from opforge.errors import TemplateError
from opforge.fileset import FileSet
from opforge.frozen import dataclass
from opforge.scaffold.lock import BUILT_IN, Answer, TemplateRecord
from opforge.scaffold.project_state import edited_texts
from opforge.scaffold.template_source import Fetch, Fetched, Template, again, find_template
from opforge.toolkit.digests import damage, note_files

if TYPE_CHECKING:  # most projects use no git template, and then no process starts
    from opforge.program import Program
    from opforge.toolkit.process import Completed, Runner

_FETCH_SECONDS = 300.0
_COMMIT_DIGITS = 40


@dataclass(frozen=True)
class Rendered:
    """A project's files, and the record of its template for the lock."""

    files: FileSet
    template: TemplateRecord


def choose(wanted: str, root: Path, fetch: Fetch, here: Path) -> TemplateRecord:
    """The lock's record of the template that ``--template`` names. Raises TemplateError."""
    from opforge.render.forms import templates_root  # noqa: PLC0415  (Jinja)

    return _record(find_template(wanted, root, templates_root(), fetch, here), {})


def template_features(record: TemplateRecord, root: Path, fetch: Fetch) -> tuple[str, ...] | None:
    """The features that a template selects for new projects; None if it selects none. Raises TemplateError."""
    from opforge.render.forms import templates_root  # noqa: PLC0415
    from opforge.scaffold.template_render import default_features  # noqa: PLC0415  (copier)

    template = again(record, root, templates_root(), fetch, newest=True)
    return None if template.ours else default_features(template)


def render_for(
    program: Program,
    root: Path,
    record: TemplateRecord,
    fetch: Fetch,
    *,
    trust: bool = False,
    ask: bool = False,
    newest: bool = True,
) -> Rendered:
    """The current files of the project at ``root``. Files of its team template replace those of opforge.

    With ``newest``, a git template is looked up again; otherwise it stays at the commit in ``record``. Answers to
    questions that the template no longer asks are dropped. Raises PlanError, TemplateError.
    """
    from opforge.render.forms import templates_root  # noqa: PLC0415
    from opforge.render.project import render_project  # noqa: PLC0415

    program = program.in_project(edited_texts(root))
    files = render_project(program)
    template = again(record, root, templates_root(), fetch, newest=newest)
    if template.ours:
        return Rendered(files, BUILT_IN)
    return lay(files, program, template, record.answers, trust=trust, ask=ask)


def lay(
    files: FileSet,
    program: Program,
    template: Template,
    answers: Mapping[str, Answer],
    *,
    trust: bool = False,
    ask: bool = False,
) -> Rendered:
    """Adds the files of a team template to those rendered for ``program`` or replaces them. Raises TemplateError."""
    from opforge.render.template_context import template_context  # noqa: PLC0415
    from opforge.scaffold.template_render import render_template  # noqa: PLC0415  (copier)

    laid = render_template(template, template_context(program), answers, files, trust=trust, ask=ask)
    return Rendered(laid.files, _record(template, laid.answers))


def _record(template: Template, answers: Mapping[str, Answer]) -> TemplateRecord:
    return BUILT_IN if template.ours else TemplateRecord(template.name, template.source, template.ref, answers)


def git_fetch(cache: Path, environ: Mapping[str, str], runner: Runner, note: Callable[[str], None]) -> Fetch:
    """Fetches git templates into ``cache``, one folder per commit. A commit in the cache is not fetched again.

    If cached files have changed, the commit is fetched again and ``note`` is called. The returned function raises
    TemplateError if git or the address does not respond.
    """

    def fetch(address: str, ref: str | None) -> Fetched:
        place = cache / "templates" / hashlib.sha256(address.encode()).hexdigest()[:16]
        exact = ref is not None and len(ref) == _COMMIT_DIGITS and set(ref) <= set("0123456789abcdef")
        if ref is not None and exact and _kept(place / ref):
            return Fetched(place / ref, ref)
        work = place / f".{os.urandom(4).hex()}"
        git = _Git(runner, environ, work, address)
        try:
            try:
                work.mkdir(parents=True)
            except OSError as error:
                raise TemplateError(
                    f"cannot write to {place.parent}: {error.strerror}",
                    hint="choose a cache folder of your own with OPFORGE_CACHE",
                ) from error
            git("init", "--quiet")
            git("fetch", "--quiet", "--depth", "1", "--no-tags", "--", address, ref or "HEAD")
            commit = git("rev-parse", "--verify", "FETCH_HEAD^{commit}").output.strip()
            if not _kept(place / commit):
                git("checkout", "--quiet", "--detach", commit)
                shutil.rmtree(work / ".git")
                _put_in_place(work, place / commit, note)
            return Fetched(place / commit, commit)
        finally:
            shutil.rmtree(work, ignore_errors=True)

    return fetch


def _kept(folder: Path) -> bool:
    """Whether the cache has the template with unchanged files."""
    return folder.is_dir() and damage(folder, _note(folder)) is None


def _put_in_place(work: Path, folder: Path, note: Callable[[str], None]) -> None:
    """Moves ``work`` into the cache, where it replaces a damaged template, and records its files beside it."""
    if os.path.lexists(folder):
        note(f"{folder} is not as it was fetched: the template was fetched again")
        old = folder.rename(folder.with_name(f".{os.urandom(4).hex()}"))
        shutil.rmtree(old, ignore_errors=True)
    note_files(work, _note(folder))
    work.replace(folder)


def _note(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.json")


@dataclass(frozen=True)
class _Git:
    """Runs git in one folder: never asks for a password, runs no hooks, and allows only known transports."""

    runner: Runner
    environ: Mapping[str, str]
    folder: Path
    address: str

    def __call__(self, *words: str) -> Completed:
        env = {**self.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "https:http:ssh:git:file"}
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):  # set by a git hook that runs opforge
            env.pop(name, None)
        command = ("git", "-c", "core.hooksPath=/dev/null", *words)
        done = self.runner.run(command, cwd=self.folder, env=env, timeout=_FETCH_SECONDS)
        return done.require(
            f"the template {self.address} cannot be fetched",
            TemplateError,
            "check the address and your access to it; git's message above has the reason",
        )


def with_answers(record: TemplateRecord, answers: Mapping[str, Answer]) -> TemplateRecord:
    """``record`` with further answers, which replace existing ones."""
    return replace(record, answers={**record.answers, **answers})
