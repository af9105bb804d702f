"""``opforge verify``: compares each op with its golden by three precision standards."""

from __future__ import annotations

from pathlib import Path

import click

from opforge.cli.shared.console import current, jsonable, jsonable_fields
from opforge.cli.shared.elsewhere import on_option, run_elsewhere
from opforge.cli.shared.measuring import choice_options, chosen, find_installed, name_files, show_report, write_report
from opforge.cli.shared.options import chip_option, project_option, python_option, toolchain_option
from opforge.cli.shared.ready import no_build_option
from opforge.cli.shared.rules_option import rules_option, warning_rows
from opforge.toolkit.detect import Request


@click.command(short_help="Compare every op with its golden.")
@choice_options
@click.option(
    "--standard",
    "standards",
    multiple=True,
    type=click.Choice(("A", "B", "C")),
    help="Only this standard decides, instead of those that suit a result. Repeatable.",
)
@toolchain_option
@python_option("measure in")
@chip_option
@rules_option
@no_build_option
@on_option("Measure on this machine, then fetch the reports")
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    ops: tuple[str, ...],
    dtypes: tuple[str, ...],
    quick: bool,
    standards: tuple[str, ...],
    toolchain: Request,
    python: Path | None,
    soc: str | None,
    rules: str | None,
    no_build: bool,
    on: str | None,
    start: Path,
    as_json: bool,
) -> None:
    """Compare every output and gradient of the installed ops with a golden of higher precision (opforge.testing).

    Three standards judge the results; docs/measuring.md describes them. The exit code is 1 if a standard that decides
    fails. Reports are written to build/reports: verify.json and verify.md.
    """
    from opforge.measure.verify_report import markdown, summary, tables  # noqa: PLC0415
    from opforge.measure.verify_results import verify  # noqa: PLC0415

    if on is not None:
        ctx.exit(run_elsewhere(ctx, on, start, python))
    arguments = chosen(start, ops, dtypes, quick=quick)
    installed = find_installed(start, toolchain, python, soc, rules, no_build=no_build)
    report = verify(installed, [*arguments, *(word for standard in standards for word in ("--standard", standard))])
    files = [installed.reports / "verify.json", write_report(installed.reports / "verify.md", markdown(report))]
    console = current()
    code = 0 if report.passed else 1
    if as_json:
        fields = {"passed": report.passed, **jsonable_fields(report.device), "rows": jsonable(report.rows)}
        fields |= {"left_out": report.left_out, "warnings": warning_rows(installed.warnings)}
        console.json({**fields, "files": jsonable(files)})
        ctx.exit(code)
    show_report(tables(report), report.left_out)
    name_files(files)
    console.result(summary(report))
    ctx.exit(code)
