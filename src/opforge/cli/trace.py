"""``opforge trace``: writes each kernel's timeline by block and pipe, as the simulated device estimates it."""

from __future__ import annotations

from pathlib import Path

import click

from opforge.cli.shared.console import Json, current, jsonable, jsonable_fields
from opforge.cli.shared.measuring import chosen, find_installed, name_files
from opforge.cli.shared.options import chip_option, project_option, python_option, toolchain_option
from opforge.cli.shared.ready import no_build_option
from opforge.cli.shared.rules_option import rules_option, warning_rows
from opforge.errors import MeasureError
from opforge.toolkit.detect import Request


@click.command(short_help="Write an estimated timeline of each pipe.")
@click.option("--op", "ops", multiple=True, metavar="OP", help="Only this op, by type or function. Repeatable.")
@click.option("--dtype", "dtypes", multiple=True, metavar="DTYPE", help="Only this dtype. Repeatable.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="The folder to write; default: build/reports.",
)
@toolchain_option
@python_option("measure in")
@chip_option
@rules_option
@no_build_option
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
def command(
    *,
    ops: tuple[str, ...],
    dtypes: tuple[str, ...],
    out: Path | None,
    toolchain: Request,
    python: Path | None,
    soc: str | None,
    rules: str | None,
    no_build: bool,
    start: Path,
    as_json: bool,
) -> None:
    """Write an estimated timeline of each pipe of each core, for the smallest cases of benchmarks/cases.py.

    Each kernel gets a file that opens in Perfetto and chrome://tracing, and a picture. Nothing is measured: the order
    of instructions comes from the simulated device, and their lengths from constants; the files name their sources.
    """
    from opforge.measure.programs import run_program  # noqa: PLC0415
    from opforge.measure.time_model import error_text  # noqa: PLC0415
    from opforge.measure.timeline import VARIABLE, chrome_trace, first_of_each, picture, read_timelines  # noqa: PLC0415
    from opforge.toolkit.device_reports import CHECKS  # noqa: PLC0415

    arguments = [*chosen(start, ops, dtypes, quick=True), "--size", "small"]
    installed = find_installed(start, toolchain, python, soc, rules, no_build=no_build)
    lines = installed.reports / "trace.jsonl"
    lines.unlink(missing_ok=True)
    environ = {VARIABLE: str(lines), CHECKS: "full"}
    run_program(installed, "bench", arguments, report="trace", environ=environ)
    first = first_of_each(read_timelines(lines))
    for passing in (
        lines,
        installed.reports / "trace.json",
    ):  # the benchmark's times are meaningless with all checks on
        passing.unlink(missing_ok=True)
    if not first:
        raise MeasureError("no kernel ran on a simulated device", hint="opforge trace --toolchain simulator")
    folder = out if out is not None else installed.reports
    folder.mkdir(parents=True, exist_ok=True)
    files: list[Path] = []
    for timeline in first:
        words = (timeline.op, timeline.dtypes, timeline.tiling_key, timeline.block_dim)
        stem = "_".join(("trace", *(str(word) for word in words if word != "")))
        for name, text in ((f"{stem}.json", chrome_trace([timeline])), (f"{stem}.svg", picture(timeline))):
            (folder / name).write_text(text, encoding="utf-8")
            files.append(folder / name)
    console = current()
    if as_json:
        rows: list[Json] = [
            {
                "op": t.op,
                "dtypes": t.dtypes,
                "tiling_key": t.tiling_key,
                "block_dim": t.block_dim,
                "cycles": t.cycles,
                "us": t.time.microseconds,
                **jsonable_fields(t.time),
                "left_out": t.left_out,
            }
            for t in first
        ]
        warnings = warning_rows(installed.warnings)
        console.json({"estimated": True, "kernels": rows, "warnings": warnings, "files": jsonable(files)})
        return
    for t in first:
        if t.left_out:
            console.warning(
                f"{t.name}: {t.left_out} instructions are not shown: the trace has only the first ones of each core"
            )
        found = t.time
        console.result(
            f"{t.name}, tiling key {t.tiling_key}, {t.block_dim} blocks: {found.microseconds:.1f} us estimated"
            f" ({error_text(t.soc)}), bound by {found.bound}: {100 * found.roofline:.0f} % of it at the hardware's"
            f" peaks; launch {found.launch:.1f} us, slowest core {t.cycles} cycles"
        )
    name_files(files)
