"""Renders a team template with copier over a project's files. The only module that imports copier."""

from __future__ import annotations

import dataclasses
import difflib
import re
import shutil
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from types import FrameType
from typing import TYPE_CHECKING

from opforge.errors import Location, OpforgeError, Problem, TemplateError
from opforge.fileset import File, FileSet, is_owned, with_comment
from opforge.scaffold.lock import TEMPLATE_ORIGIN, Answer
from opforge.scaffold.template_source import QUESTIONS, Template
from opforge.spec.features import read_features
from opforge.spec.source import option_token

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from copier._main import Worker

HEADER = PurePosixPath("SOURCE_HEADER")  # its text becomes a comment on top of each rendered source
FEATURES_KEY = "opforge_features"  # in copier.yml with a leading underscore, like all keys that are not questions
_REPLACEABLE = "project/"  # the origin of files that a template may replace
_SECONDS = 20.0  # processor time for a whole template; waiting for answers does not count
_AGAIN = 1.0  # seconds until the next try: Python drops exceptions raised in a destructor or a weakref's callback
_LARGEST = 32 * 2**20  # bytes that a template may render
_KEPT = ("opforge.yaml", ".opforge", "build", "dist")


@dataclasses.dataclass(frozen=True)
class Laid:
    """A project's files with the template's, and all answers: the user's and the template's defaults."""

    files: FileSet
    answers: Mapping[str, Answer]


def render_template(
    template: Template,
    context: DataclassInstance,
    answers: Mapping[str, Answer],
    rendered: FileSet,
    *,
    trust: bool = False,
    ask: bool = False,
) -> Laid:
    """The project ``rendered``, extended and overwritten by the files of ``template``.

    ``context`` has opforge's variables as fields; a template can use them like its own answers. Questions without an
    answer get their default or, with ``ask``, are asked on the terminal. The template's code (tasks, Jinja extensions)
    runs only with ``trust``. Raises TemplateError, with file and line if known.
    """
    variables = {field.name: getattr(context, field.name) for field in dataclasses.fields(context)}
    with tempfile.TemporaryDirectory(prefix="opforge-template-") as scratch, _without_git(template.folder) as source:
        target = Path(scratch) / "rendered"
        if trust:  # its tasks may need the whole project
            for file in rendered:
                (target / file.path).parent.mkdir(parents=True, exist_ok=True)
                (target / file.path).write_text(file.text, encoding="utf-8", newline="\n")
        with _told(template, source), _limited():
            given = _copy(source, target, {**variables, **answers}, answers, trust=trust, ask=ask, taken=set(variables))
        files = list(_read(target, template))
    known = {file.path: file for file in rendered}
    ours = [file for file in files if file.path not in known or known[file.path].text != file.text]
    header = _header(files)
    return Laid(_over(rendered, [file for file in ours if file.path != HEADER], header, template, trust=trust), given)


def questions(template: Template) -> Mapping[str, str]:
    """The names of a template's questions and their texts. Raises TemplateError for an unreadable copier.yml."""
    from copier._template import Template as Read  # noqa: PLC0415

    with _without_git(template.folder) as source, _told(template, source):
        data = Read(str(source)).questions_data
    return {name: str(details.get("help") or name) for name, details in data.items()}


def default_features(template: Template) -> tuple[str, ...] | None:
    """The default features of projects: ``_opforge_features`` of the template's copier.yml. Raises TemplateError."""
    from copier._template import Template as Read  # noqa: PLC0415

    with _without_git(template.folder) as source, _told(template, source):
        named = Read(str(source)).config_data.get(FEATURES_KEY)
    if named is None:
        return None
    problems: list[Problem] = []
    listed = ", ".join(map(str, named)) if isinstance(named, list) else str(named)
    whole = option_token(f"_{FEATURES_KEY}", listed)
    words = [whole.part(match.start(), match.end()) for match in re.finditer(r"[^, ]+", listed)]
    features = read_features(words, problems)
    if problems:
        what = f"the template {template.name} names unknown features"
        raise TemplateError(what, detail="\n".join(f"  {p.what}" for p in problems), hint=problems[0].hint)
    return features


def _copy(
    source: Path,
    target: Path,
    data: Mapping[str, object],
    answers: Mapping[str, Answer],
    *,
    trust: bool,
    ask: bool,
    taken: set[str],
) -> Mapping[str, Answer]:
    from copier._main import Worker  # noqa: PLC0415  (run_copy cannot refuse undefined names)
    from copier._settings import SettingsModel  # noqa: PLC0415
    from jinja2 import StrictUndefined  # noqa: PLC0415

    with Worker(
        src_path=str(source),
        dst_path=target,
        data=dict(data),
        settings=SettingsModel(),  # not the user's copier settings, which may trust templates for other purposes
        defaults=not ask,
        unsafe=trust,
        overwrite=True,
        quiet=True,
    ) as worker:
        asked = worker.template.questions_data
        _check_questions(asked, answers, taken, source)
        worker._check_unsafe("copy")  # noqa: SLF001  (before the next line imports its Jinja extensions)
        worker.jinja_env.undefined = StrictUndefined  # by default a mistyped name becomes an empty text
        worker.run_copy()
        _forget_answers_file(worker, target)
        secret = worker.template.secret_questions
        found = worker.answers.combined
        return {
            name: found[name]
            for name in asked
            if name in found and name not in secret and name not in worker.answers.hidden
        }


def _check_questions(asked: Mapping[str, object], answers: Mapping[str, Answer], taken: set[str], source: Path) -> None:
    for name in asked:
        if name in taken:
            raise TemplateError(
                f"the template asks for {name}, which opforge already provides",
                problem=_in_questions(source, name, f"the question `{name}` hides opforge's own variable"),
            )
    for name in answers:
        if name not in asked:
            near = difflib.get_close_matches(name, asked, n=1)
            hint = f"did you mean {near[0]}?" if near else f"it asks: {', '.join(asked) or 'nothing'}"
            raise TemplateError(f"the template has no question {name}", hint=hint)


def _in_questions(source: Path, name: str, what: str) -> Problem:
    """A problem at a question's place in copier.yml."""
    file = next((source / known for known in QUESTIONS if (source / known).is_file()), source / QUESTIONS[0])
    for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        if line.startswith(f"{name}:"):
            return Problem(what, Location(file, number, 1, len(name)), line, "give it another name")
    return Problem(what, Location(file, 1, 1), None, "give it another name")


def _forget_answers_file(worker: Worker, target: Path) -> None:
    """Removes copier's answers file: opforge's lock has the answers, and the file has paths of this machine."""
    (target / worker.answers_relpath).unlink(missing_ok=True)


@contextmanager
def _limited() -> Iterator[None]:
    """Stops a template after ``_SECONDS``, since Jinja does not limit nested loops."""
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread can handle signals
        return

    def stop(_number: int, frame: FrameType | None) -> None:
        what = f"rendering takes more than {_SECONDS:g} s of processor time"
        while frame is not None and "__jinja_template__" not in frame.f_globals:
            frame = frame.f_back
        if frame is None:
            raise TemplateError(what)
        if frame.f_lineno is None:  # between two lines, Jinja could not report the place: the next line comes
            frame.f_trace = stop_at_line
            sys.settrace(stop_at_line)
            return
        rendered = frame.f_globals["__jinja_template__"]
        where = Location(Path(rendered.filename or ""), rendered.get_corresponding_lineno(frame.f_lineno), 1)
        hint = "a loop runs too long, here or in a called macro"
        raise TemplateError(what, problem=Problem(what, where, hint=hint))

    def stop_at_line(frame: FrameType, _event: str, _argument: object) -> None:
        sys.settrace(traced)
        stop(0, frame)

    traced = sys.gettrace()
    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _SECONDS, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        sys.settrace(traced)


def _read(target: Path, template: Template) -> Iterator[File]:
    total = 0
    for path in sorted(target.rglob("*")):
        if path.is_dir() and not path.is_symlink():
            continue
        name = PurePosixPath(path.relative_to(target).as_posix())
        if path.is_symlink():
            raise TemplateError(
                f"the template {template.name} makes the link {name}", hint="a project holds files only"
            )
        total += path.stat().st_size
        if total > _LARGEST:
            raise TemplateError(
                f"the template {template.name} renders more than {_LARGEST // 2**20} MiB, at {name}",
                hint="check its loops",
            )
        try:
            text = path.read_bytes().decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise TemplateError(
                f"{name} of the template {template.name} is not UTF-8 text",
                hint="a project's rendered files are merged line by line; keep binary files out of the template",
            ) from error
        yield File(name, text, f"{TEMPLATE_ORIGIN}{name}", bool(path.stat().st_mode & 0o111))


def _over(rendered: FileSet, ours: list[File], header: str, template: Template, *, trust: bool) -> FileSet:
    for file in ours:
        base = rendered.files.get(file.path)
        if file.path.parts[0] in _KEPT:
            raise TemplateError(
                f"the template {template.name} has a file {file.path}, which is opforge's own",
                hint="templates cannot contain the spec, the lock or build outputs: remove it",
            )
        if base is not None and not base.origin.startswith(_REPLACEABLE) and not trust:
            replaceable = ", ".join(str(f.path) for f in rendered if f.origin.startswith(_REPLACEABLE))
            raise TemplateError(
                f"the template {template.name} would replace {file.path}, which is generated from the spec",
                hint=f"a template may replace {replaceable}, add files under other names, and put a {HEADER} on top "
                "of every source",
            )
    table = {file.path: _headed(file, header) for file in rendered}
    table |= {file.path: file for file in ours}
    return FileSet.of(*table.values())


def _header(files: list[File]) -> str:
    """The text above every source. Raises TemplateError for a line that would continue into the next one."""
    text = next((file.text for file in files if file.path == HEADER), "")
    if any(line.rstrip().endswith("\\") for line in text.splitlines()):
        raise TemplateError(
            f"a line of {HEADER} ends with a backslash, which continues a C++ comment on the next line",
            hint="remove the backslash",
        )
    return text


def _headed(file: File, header: str) -> File:
    own = file.origin.startswith(_REPLACEABLE) or is_owned(file.path)
    return file if own else with_comment(file, header)


@contextmanager
def _without_git(folder: Path) -> Iterator[Path]:
    """The template as a plain folder: from a git repository, copier would use the last tag, not the files on disk."""
    if not (folder / ".git").exists():
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="opforge-template-") as scratch:
        plain = Path(scratch) / folder.name
        shutil.copytree(folder, plain, symlinks=True, ignore=shutil.ignore_patterns(".git", "__pycache__"))
        yield plain


@contextmanager
def _told(template: Template, source: Path) -> Iterator[None]:
    """Turns exceptions of copier and Jinja into TemplateError with file and line."""
    try:
        yield
    except TemplateError as error:
        raise _relocated(error, template, source) from None
    except OpforgeError:
        raise
    except KeyboardInterrupt:
        raise
    except Exception as error:
        raise _explained(error, template, source) from error


def _relocated(error: TemplateError, template: Template, source: Path) -> TemplateError:
    where = error.problem.where if error.problem else None
    if error.problem is None or where is None or where.file is None:
        return error
    file = template.folder / where.file.relative_to(source)
    return TemplateError(
        error.what,
        hint=error.hint,
        problem=dataclasses.replace(error.problem, where=dataclasses.replace(where, file=file)),
    )


def _explained(error: Exception, template: Template, source: Path) -> TemplateError:
    from copier import errors as copier  # noqa: PLC0415
    from jinja2 import TemplateSyntaxError, UndefinedError  # noqa: PLC0415

    if isinstance(error, copier.UnsafeTemplateError):
        return TemplateError(
            f"the template {template.name} runs its own code",
            detail=f"  {error}",
            hint="read its copier.yml, and use --trust if you trust it",
        )
    what = str(error).strip() or type(error).__name__
    place = _place(error, source)
    if isinstance(error, TemplateSyntaxError):
        what = error.message or what
    hint = None
    if isinstance(error, UndefinedError):
        hint = "docs/templates.md lists opforge's variables; the others are the questions in copier.yml"
    elif isinstance(error, ValueError) and what.startswith("Question ") and what.endswith("is required"):
        name = what.split('"')[1]
        return TemplateError(
            f"the template {template.name} asks {name}, and it has no default", hint=f"answer it: --answer {name}=VALUE"
        )
    if place is None:
        return TemplateError(f"the template {template.name} cannot be rendered: {what}", hint=hint)
    file, number = place
    lines = file.read_text(encoding="utf-8", errors="replace").splitlines() if file.is_file() else []
    line = lines[number - 1] if 0 < number <= len(lines) else None
    column, length = _caret(line or "", what)
    where = Location(template.folder / file.relative_to(source), number, column, length)
    return TemplateError(what, problem=Problem(what, where, line, hint))


def _caret(line: str, what: str) -> tuple[int, int]:
    """Column and length of the last name quoted in a message if the line has it, else of the whole line."""
    quoted = re.findall(r"'(\w+)'", what)
    found = re.search(rf"\b{quoted[-1]}\b", line) if quoted else None
    if found is not None:
        return found.start() + 1, len(found[0])
    return len(line) - len(line.lstrip()) + 1, max(1, len(line.strip()))


def _place(error: BaseException, source: Path) -> tuple[Path, int] | None:
    """The innermost line of the template in an error's traceback."""
    from jinja2 import TemplateSyntaxError  # noqa: PLC0415
    from yaml import MarkedYAMLError  # noqa: PLC0415

    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, TemplateSyntaxError) and (seen.filename or seen.name):
            return _inside(seen.filename or str(seen.name), source), seen.lineno
        if isinstance(seen, MarkedYAMLError) and seen.problem_mark is not None:
            return _inside(seen.problem_mark.name, source), seen.problem_mark.line + 1
        for frame in reversed(traceback.extract_tb(seen.__traceback__)):
            path = Path(frame.filename)
            if path.is_relative_to(source) and path.is_file():
                return path, frame.lineno or 1
        seen = seen.__cause__ or seen.__context__
    return None


def _inside(name: str, source: Path) -> Path:
    path = Path(name)
    return path if path.is_absolute() else source / path
