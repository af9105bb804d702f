"""``opforge template``: lists the available templates, and checks a team's template."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import click

from opforge.build.request import BuildRequest, cache_folder
from opforge.cli.shared.console import Json, current, jsonable, problem_fields
from opforge.cli.shared.groups import SuggestingGroup
from opforge.cli.shared.options import python_option, toolchain_option
from opforge.cli.shared.template_options import answers_of
from opforge.errors import TemplateError
from opforge.toolkit.detect import Request


@click.group(cls=SuggestingGroup, short_help="List and check templates.")
def command() -> None:
    """List the templates that `opforge new --template` knows; check a team's template."""


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def list_command(*, as_json: bool) -> None:
    """Print the names that --template accepts here: from the repository's templates/ folders, and opforge's own."""
    from opforge.render.forms import templates_root  # noqa: PLC0415
    from opforge.scaffold.template_source import list_templates  # noqa: PLC0415

    found = list_templates(Path.cwd(), templates_root())
    console = current()
    if as_json:
        rows = [{"name": t.name, "source": t.source, "ref": t.ref, "folder": str(t.folder)} for t in found]
        console.json({"templates": rows})
        return
    width = max(len(template.name) for template in found)
    for template in found:
        where = "opforge's own" if template.ours else os.path.relpath(template.folder)
        console.result(f"{template.name:{width}}  {where}")


@command.command("check")
@click.argument("wanted", metavar="PATH|NAME|GIT")
@click.option("--render-only", is_flag=True, help="Render and parse the files; do not build.")
@click.option(
    "--answer",
    "answers",
    multiple=True,
    callback=answers_of,
    metavar="NAME=VALUE",
    help="Answer a question of the template. Repeatable.",
)
@click.option("--trust", is_flag=True, help="Let the template run its own code.")
@toolchain_option
@python_option("build for")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check_command(
    ctx: click.Context,
    *,
    wanted: str,
    render_only: bool,
    answers: Mapping[str, str],
    trust: bool,
    toolchain: Request,
    python: Path | None,
    as_json: bool,
) -> None:
    """Render a template for every kind of spec, then build one of the projects and run its tests.

    The exit code is 10 if the template has an error.
    """
    from opforge.build.rendering import git_fetch  # noqa: PLC0415
    from opforge.doctor.template_check import check_template  # noqa: PLC0415
    from opforge.render.forms import templates_root  # noqa: PLC0415
    from opforge.scaffold.template_source import find_template  # noqa: PLC0415

    environ = dict(os.environ)
    console = current()
    jobs = os.cpu_count() or 2
    request = BuildRequest(Path.cwd(), environ, cache_folder(environ), toolchain, python, jobs, console)
    fetch = git_fetch(request.cache, environ, request.runner, console.note)
    here = Path.cwd()
    named = f"./{wanted}" if (here / wanted / "copier.yml").is_file() and not Path(wanted).is_absolute() else wanted
    template = find_template(named, here, templates_root(), fetch, here)
    check = check_template(template, answers, request, trust=trust, render_only=render_only)
    if as_json:
        problems: list[Json] = [{**problem_fields(f.problem), "kinds": list(f.kinds)} for f in check.found]
        fields: dict[str, Json] = {"template": template.name, "folder": str(template.folder), "passed": check.passed}
        rendered: dict[str, Json] = {
            "rendered": list(check.kinds),
            "answers": jsonable(check.answers),
            "tests": jsonable(check.report),
        }
        console.json({**fields, **rendered, "problems": problems})
        ctx.exit(0 if check.passed else TemplateError.exit_code)
    for found in check.found:
        everywhere = len(found.kinds) == len(check.kinds)
        console.error(f"error: {found.problem.render()}" + ("" if everywhere else f"\n  for: {', '.join(found.kinds)}"))
    if check.passed:
        tests = "" if check.report is None else f"; one was built, and its {check.report.passed} tests pass"
        console.note(f"{template.name} is fine: rendered for {', '.join(check.kinds)}{tests}")
    ctx.exit(0 if check.passed else TemplateError.exit_code)
