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

if TYPE_CHECKING:  # most projects are from no git template: no process starts
    from opforge.program import Program
    from opforge.toolkit.process import Completed, Runner

_FETCH_SECONDS = 300.0
_COMMIT_DIGITS = 40


@dataclass(frozen=True)
class Rendered:
    """A project's files, and what its lock has to say of the template they are from."""

    files: FileSet
    template: TemplateRecord


def choose(wanted: str, root: Path, fetch: Fetch, here: Path) -> TemplateRecord:
    """The lock's record of the template that ``--template`` names. Raises TemplateError."""
    from opforge.render.forms import templates_root  # noqa: PLC0415  (Jinja)

    return _record(find_template(wanted, root, templates_root(), fetch, here), {})


def template_features(record: TemplateRecord, root: Path, fetch: Fetch) -> tuple[str, ...] | None:
    """The features that a template gives to new projects; None where it does not say. Raises TemplateError."""
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
    """The files of the project at ``root`` as they have to be now, its team template's over opforge's own.

    With ``newest`` a template from git is looked up again, else it stays at the commit in ``record``. Answers that the
    template does not ask for any more are dropped. Raises PlanError, TemplateError.
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
    """The files of a team template over those that opforge rendered for ``program``. Raises TemplateError."""
    from opforge.render.template_context import template_context  # noqa: PLC0415
    from opforge.scaffold.template_render import render_template  # noqa: PLC0415  (copier)

    laid = render_template(template, template_context(program), answers, files, trust=trust, ask=ask)
    return Rendered(laid.files, _record(template, laid.answers))


def _record(template: Template, answers: Mapping[str, Answer]) -> TemplateRecord:
    return BUILT_IN if template.ours else TemplateRecord(template.name, template.source, template.ref, answers)


def git_fetch(cache: Path, environ: Mapping[str, str], runner: Runner, note: Callable[[str], None]) -> Fetch:
    """Brings git templates below ``cache``, one folder a commit. What is there of a commit is not fetched again.

    One whose files have changed in the cache is, and ``note`` is told so.
    The result raises TemplateError where git or the address does not answer.
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
    """Whether a template of the cache is there, as it was fetched."""
    return folder.is_dir() and damage(folder, _note(folder)) is None


def _put_in_place(work: Path, folder: Path, note: Callable[[str], None]) -> None:
    """Makes ``work`` the template of the cache, instead of a damaged one; its files are noted beside it."""
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
    """git in one folder: never asks for a password, runs no hooks, and fetches over known transports alone."""

    runner: Runner
    environ: Mapping[str, str]
    folder: Path
    address: str

    def __call__(self, *words: str) -> Completed:
        env = {**self.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_ALLOW_PROTOCOL": "https:http:ssh:git:file"}
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):  # of a hook that opforge may run in
            env.pop(name, None)
        command = ("git", "-c", "core.hooksPath=/dev/null", *words)
        done = self.runner.run(command, cwd=self.folder, env=env, timeout=_FETCH_SECONDS)
        return done.require(
            f"the template {self.address} cannot be fetched",
            TemplateError,
            "check the address and your access to it; git's message above has the reason",
        )


def with_answers(record: TemplateRecord, answers: Mapping[str, Answer]) -> TemplateRecord:
    """``record`` with further answers, which win over those it has."""
    return replace(record, answers={**record.answers, **answers})
