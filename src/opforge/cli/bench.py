"""``opforge bench``: compares each op with PyTorch's own operators, and shows the numbers that hold on hardware."""

from __future__ import annotations

from pathlib import Path

import click

from opforge.cli.shared.console import current, jsonable, jsonable_fields
from opforge.cli.shared.elsewhere import on_option, run_elsewhere
from opforge.cli.shared.measuring import choice_options, chosen, find_installed, name_files, show_report, write_report
from opforge.cli.shared.options import chip_option, project_option, python_option, toolchain_option
from opforge.cli.shared.ready import no_build_option
from opforge.cli.shared.rules_option import rules_option, warning_rows
from opforge.errors import UsageError
from opforge.toolkit.detect import Request


@click.command(short_help="Compare the time of every op with PyTorch's own operators.")
@choice_options
@click.option("--size", type=click.Choice(("small", "full")), default="small", help="full is meant for hardware.")
@click.option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Also write a plot: .svg or .png."
)
@toolchain_option
@python_option("measure in")
@chip_option
@rules_option
@no_build_option
@on_option("Measure on this machine, then fetch the reports")
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    ops: tuple[str, ...],
    dtypes: tuple[str, ...],
    quick: bool,
    size: str,
    plot: Path | None,
    toolchain: Request,
    python: Path | None,
    soc: str | None,
    rules: str | None,
    no_build: bool,
    on: str | None,
    start: Path,
    as_json: bool,
) -> None:
    """Compare the installed ops with PyTorch's own operators: time, error, memory, bytes moved (opforge.testing).

    The exit code is 1 if a result is wrong. Reports are written to build/reports: bench.json, bench.md and bench.svg.
    Simulated times are labelled.
    """
    from opforge.measure.bench_report import estimated, markdown, summary, tables  # noqa: PLC0415
    from opforge.measure.bench_results import bench  # noqa: PLC0415
    from opforge.measure.plot import check_library, check_name, check_place, draw  # noqa: PLC0415
    from opforge.measure.transfer import transfer  # noqa: PLC0415

    if on is not None:
        if plot is not None:
            raise UsageError("--on and --plot exclude each other", hint="build/reports/bench.svg comes back")
        ctx.exit(run_elsewhere(ctx, on, start, python))
    if plot is not None:
        check_name(plot)
        check_place(plot)
    check_library()  # fail before minutes of measuring
    arguments = [*chosen(start, ops, dtypes, quick=quick), "--size", size]
    installed = find_installed(start, toolchain, python, soc, rules, no_build=no_build)
    report = bench(installed, arguments)
    picture = installed.reports / "bench.svg"
    draw(report, picture)
    page = write_report(installed.reports / "bench.md", markdown(report, picture.name))
    files = [installed.reports / "bench.json", page, picture]
    if plot is not None:
        draw(report, plot)
        files.append(plot)
    console = current()
    code = 0 if report.passed else 1
    if as_json:
        chip = report.device.soc
        rows = []
        for row in report.rows:
            found = estimated(row, chip)
            time = None if found is None else {**jsonable_fields(found[0]), "unfused": found[1]}
            rows.append({**jsonable_fields(row), "transfers": jsonable(transfer(row, chip)), "estimate": time})
        fields = {"passed": report.passed, **jsonable_fields(report.device), "rows": rows}
        fields |= {"left_out": report.left_out, "warnings": warning_rows(installed.warnings)}
        console.json({**fields, "files": jsonable(files)})
        ctx.exit(code)
    show_report(tables(report), report.left_out)
    name_files(files)
    console.result(summary(report))
    ctx.exit(code)
