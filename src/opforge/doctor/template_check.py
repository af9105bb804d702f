"""Checks a team template: renders it for specs of every kind, builds one of the projects, and runs its tests."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from opforge.build.rendering import Rendered, lay
from opforge.build.request import BuildRequest
from opforge.errors import Location, OpforgeError, Problem, TemplateError
from opforge.fileset import File
from opforge.frozen import dataclass
from opforge.install.pytest_report import Report, read_report
from opforge.progress import step
from opforge.scaffold.lock import Answer
from opforge.scaffold.template_render import HEADER
from opforge.scaffold.template_source import Template
from opforge.spec.model import Spec

_PROJECT = "{name: %s, package: %s, vendor: %s, version: 0.1.0, soc: [ascend910b]%s}"
_KINDS = {
    "elementwise": (
        ", license: MIT",
        """\
  CheckedAdd:
    doc: A sum.
    inputs: {x: {dtype: [float32]}, y: {}}
    compute: z = x + y
""",
    ),
    "products": (
        "",
        """\
  CheckedLinear:
    inputs:
      x: {dtype: [float16, bfloat16], shape: ["...", K]}
      weight: {shape: [K, N]}
      bias: {shape: [N], optional: true}
    compute: y = x @ weight + where(present(bias), bias, 0.0)
""",
    ),
    "handwritten": (
        "",
        """\
  CheckedSort:
    inputs: {x: {dtype: [float32]}}
    attrs: {descending: {type: bool, default: false}}
    outputs: {y: {}}
""",
    ),
    "several": (
        "",
        """\
  CheckedAxpy:
    inputs: {x: {dtype: [float16, float32]}, y: {}}
    attrs: {alpha: {type: float}, beta: {type: float, default: 1.5}}
    compute: z = alpha * x + beta * y
  CheckedButterfly:
    inputs: {x: {dtype: [bfloat16]}, y: {}}
    outputs: {a: {}, b: {}}
    compute: |
      a = x + y
      b = x - y
    backward: false
""",
    ),
}
_BACKEND = "opforge_backend"
BUILT = "elementwise"  # the kind that is built and tested


@dataclass(frozen=True)
class Found:
    """One mistake of a template, and the kinds of specs that show it."""

    problem: Problem
    kinds: tuple[str, ...]


@dataclass(frozen=True)
class Check:
    """The result of a check. ``report`` is the built project's test report; None if it was not built."""

    template: Template
    kinds: tuple[str, ...]
    found: tuple[Found, ...]
    answers: Mapping[str, Answer]
    report: Report | None

    @property
    def passed(self) -> bool:
        """Whether the template has no mistakes."""
        return not self.found


def sample(kind: str) -> Spec:
    """The sample spec of one kind."""
    from opforge.spec.read.parse import parse_spec  # noqa: PLC0415

    more, ops = _KINDS[kind]
    name = f"checked_{kind}"
    return parse_spec(f"edition: 2\nproject: {_PROJECT % (name, name, name, more)}\nops:\n{ops}", None)


def check_template(
    template: Template, answers: Mapping[str, Answer], request: BuildRequest, *, trust: bool, render_only: bool
) -> Check:
    """Render ``template`` for each kind of spec, and build and test one project unless ``render_only``.

    ``request`` has the toolkit, environment and cache of the build; its root is not used. The result has the template's
    mistakes; problems of this machine raise ToolkitError or EnvironmentProblem.
    """
    wrong: list[tuple[Problem, str]] = []
    rendered: dict[str, Rendered] = {}
    with step(request.progress, "render", ", ".join(_KINDS)):
        for kind in _KINDS:
            try:
                rendered[kind] = _render(kind, template, answers, trust=trust)
            except TemplateError as error:
                wrong.append((error.problem or Problem(error.what, hint=error.hint), kind))
                continue
            wrong += [(problem, kind) for problem in _unreadable(rendered[kind], template)]
            wrong += [(problem, kind) for problem in _without_backend(rendered[kind], template)]
    report = None
    if not wrong and not render_only:
        report, problems = _build(sample(BUILT), rendered[BUILT], request)
        wrong += [(problem, BUILT) for problem in problems]
    known = rendered[BUILT].template.answers if BUILT in rendered else {}
    return Check(template, tuple(_KINDS), _gathered(wrong), known, report)


def _render(kind: str, template: Template, answers: Mapping[str, Answer], *, trust: bool) -> Rendered:
    from opforge.kinds import derive  # noqa: PLC0415
    from opforge.render.project import render_project  # noqa: PLC0415

    program = derive(sample(kind))
    return lay(render_project(program), program, template, answers, trust=trust)


def _gathered(wrong: list[tuple[Problem, str]]) -> tuple[Found, ...]:
    kinds: dict[Problem, list[str]] = {}
    for problem, kind in wrong:
        kinds.setdefault(problem, []).append(kind)
    return tuple(Found(problem, tuple(names)) for problem, names in kinds.items())


def _unreadable(rendered: Rendered, template: Template) -> Iterator[Problem]:
    """Problems of rendered files that are not valid Python, TOML, YAML or JSON, by their suffix."""
    for file in rendered.files:
        if file.origin.startswith("template/") and file.path != HEADER:
            for what, line, column in _syntax(file):
                lines = file.text.splitlines()
                text = lines[line - 1] if 0 < line <= len(lines) else None
                where = Location(_source(template, file), line, max(1, column))
                yield Problem(
                    f"{what} (in {file.path} as rendered)", where, text, "the line is that of the rendered file"
                )


def _without_backend(rendered: Rendered, template: Template) -> Iterator[Problem]:
    """A problem if pip would not build the project with opforge."""
    file = rendered.files.files.get(PurePosixPath("pyproject.toml"))
    if file is None or not re.search(rf'^build-backend = "{_BACKEND}"$', file.text, re.MULTILINE):
        where = None if file is None else Location(_source(template, file), 1, 1)
        yield Problem(
            "pyproject.toml does not name opforge's build backend: pip cannot build the project",
            where,
            hint=f'add [build-system] with requires = [], build-backend = "{_BACKEND}", backend-path = [".opforge"]',
        )


def _syntax(file: File) -> Iterator[tuple[str, int, int]]:
    """Syntax errors of a file of a known type: text, line and column."""
    if file.path.suffix == ".py":
        try:
            compile(file.text, str(file.path), "exec", dont_inherit=True)
        except SyntaxError as error:
            yield f"Python: {error.msg}", error.lineno or 1, error.offset or 1
    elif file.path.suffix == ".json":
        try:
            json.loads(file.text)
        except json.JSONDecodeError as error:
            yield f"JSON: {error.msg}", error.lineno, error.colno
    elif file.path.suffix in (".yml", ".yaml"):
        yield from _yaml_syntax(file.text)
    elif file.path.suffix == ".toml":
        yield from _toml_syntax(file.text)


def _yaml_syntax(text: str) -> Iterator[tuple[str, int, int]]:
    import yaml  # noqa: PLC0415

    try:
        list(yaml.compose_all(text))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        yield f"YAML: {error.problem}", mark.line + 1 if mark else 1, mark.column + 1 if mark else 1


def _toml_syntax(text: str) -> Iterator[tuple[str, int, int]]:
    import importlib  # noqa: PLC0415

    try:
        toml = importlib.import_module("tomllib")
    except ModuleNotFoundError:  # Python 3.10 has no TOML parser
        return
    try:
        toml.loads(text)
    except ValueError as error:
        place = re.search(r"at line (\d+), column (\d+)", str(error))
        line, column = (int(place[1]), int(place[2])) if place else (max(1, text.count("\n")), 1)
        yield f"TOML: {error}", line, column


def _source(template: Template, file: File) -> Path:
    """The template's file of a rendered file, found by name; otherwise the path that it would have."""
    plain = template.folder / file.path
    suffixed = plain.with_name(plain.name + ".jinja")
    return suffixed if suffixed.is_file() else plain


def _build(spec: Spec, rendered: Rendered, request: BuildRequest) -> tuple[Report | None, list[Problem]]:
    """Build the project, install it into a new environment, and run its tests."""
    from opforge.build.pipeline import build  # noqa: PLC0415
    from opforge.build.python_env import find_env, require_torch  # noqa: PLC0415
    from opforge.build.state import State  # noqa: PLC0415
    from opforge.install.activation import activated  # noqa: PLC0415
    from opforge.install.installing import install  # noqa: PLC0415
    from opforge.scaffold.new_project import write_project  # noqa: PLC0415
    from opforge.scaffold.vendoring import with_testing  # noqa: PLC0415

    env = find_env(request.python, request.environ, State(), request.runner)
    require_torch(env)
    with tempfile.TemporaryDirectory(prefix="opforge-template-") as scratch:
        root, overlay, progress = Path(scratch) / spec.project.package, Path(scratch) / "env", request.progress
        write_project(rendered.files, spec, root, rendered.template)
        venv: list[str | Path] = [env.executable, "-m", "venv", "--without-pip", overlay]
        request.runner.run(venv, cwd=root, env=request.environ).require("no environment for the template's project")
        _see(overlay, env.purelib)
        environ = {**request.environ, "VIRTUAL_ENV": str(overlay)}
        inner = replace(request, root=root, environ=environ, python=overlay)
        try:
            built = build(inner)
            with step(progress, "install", built.wheel.name):
                install(inner, built, prefix=None, activate=False, soc_version=None)
        except OpforgeError as error:
            return None, [Problem(f"its project does not build: {error.render()}")]
        result = root / "build" / "tests.xml"
        with step(progress, "test", "the tests of the project"):
            words: list[str | Path] = [built.env.executable, "-m", "pytest", "-q", f"--junitxml={result}"]
            active = with_testing(activated(built.toolkit, built.env, environ), root, inner.folder)
            done = request.runner.run(words, cwd=root, env=active, log=inner.log("test"))
        report = read_report(result)
    problems = [Problem(f"a test of its project fails: {f.test}: {f.message}") for f in report.failures]
    if not done.ok and not problems:
        problems = [Problem(f"the tests of its project do not run: pytest exited with {done.code}", hint=done.tail(8))]
    return report, problems


def _see(overlay: Path, packages: Path) -> None:
    """Let the environment import another environment's packages."""
    folder = next((overlay / "lib").glob("python3.*")) / "site-packages"
    (folder / "overlay.pth").write_text(f"{packages}\n", encoding="utf-8")
