"""``opforge tune``: looks for a faster split of an op's work at given sizes, and keeps it in tuning/."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from opforge.cli.shared.console import Json, current
from opforge.cli.shared.options import chip_option, make_request, project_option, python_option, toolchain_option
from opforge.errors import EnvironmentProblem

if TYPE_CHECKING:
    from opforge.toolkit.detect import Request
    from opforge.tune.search import Found


@click.command(short_help="Look for a faster split of an op's work at given sizes.")
@click.argument("ops", nargs=-1, metavar="[OP]...")
@click.option(
    "--at", "sizes", multiple=True, metavar="SIZE", help='The extents of dimensions: "...=2048,H=4096". Repeatable.'
)
@click.option("--dtype", "dtypes", multiple=True, metavar="DTYPE", help="Only this dtype. Repeatable.")
@click.option(
    "--storage",
    metavar="ADDRESS",
    help="Where workers of several machines share trials: a database that Optuna takes, or a file on a shared disk.",
)
@click.option("--jobs", type=click.IntRange(1), help="Worker processes; default: 1 on an NPU, else all processors.")
@toolchain_option
@python_option("use")
@chip_option
@project_option
@click.option("--json", "as_json", is_flag=True, help="Print what was found as JSON.")
def command(
    *,
    ops: tuple[str, ...],
    sizes: tuple[str, ...],
    dtypes: tuple[str, ...],
    storage: str | None,
    jobs: int | None,
    toolchain: Request,
    python: Path | None,
    soc: str | None,
    start: Path,
    as_json: bool,
) -> None:
    """Look for a faster split of the work of ops at given sizes: cores, tiles, and of products, parts of K.

    All plans are ranked, and the best 5 % tried: on an NPU they are measured against the tiling's own choice, in turns;
    on the simulated device the model of time estimates them. A plan is kept if it gains more than the noise and its
    results have the same bits. tuning/<soc>.json has the plans; the next build puts them into op_host's tiling.
    """
    from opforge.build.project_lock import project_lock  # noqa: PLC0415
    from opforge.tune.tuning import Choice, tune  # noqa: PLC0415

    try:
        import optuna  # noqa: F401, PLC0415
    except ImportError as error:
        raise EnvironmentProblem("Optuna, which keeps the trials, is missing", hint="pip install optuna") from error
    request = make_request(start, toolchain, python, jobs)
    click.get_current_context().with_resource(project_lock(request.folder, "tuning"))
    done = tune(request, Choice(ops, dtypes, sizes, soc, storage, jobs))
    if as_json:
        current().json({"files": [str(file) for file in done.files], "found": [_row(each) for each in done.found]})
        return
    for each in done.found:
        current().result(_text(each))
    if done.files:
        names = ", ".join(str(file.relative_to(request.root)) for file in done.files)
        current().note(f"written: {names}; `opforge build` uses it")


def _row(each: Found) -> Json:
    plan = each.plan
    return {
        "op": each.job.kernel.op.type,
        "dtypes": list(each.job.row),
        "shapes": {name: None if shape is None else list(shape) for name, shape in each.job.shapes.items()},
        "plan": None if plan is None else plan.plan.chosen,
        "rows": None if plan is None else list(plan.rows),
        "default_us": each.default_us,
        "us": each.best_us,
        "by": each.job.by,
        "plans": each.plans,
        "tried": each.tried,
        "wrong": each.wrong,
    }


def _text(each: Found) -> str:
    from opforge.tune.trial_program import plan_text  # noqa: PLC0415

    by, head = each.job.by, each.job.title
    counts = f"{each.tried} of {each.plans} plans tried"
    if each.plan is None:
        return f"{head}: the tiling's own choice stays, {each.default_us:.1f} us ({by}; {counts})"
    gain = 1 - each.plan.us / each.plan.default_us
    times = f"{each.plan.default_us:.1f} -> {each.plan.us:.1f} us"
    rows = f"{each.plan.rows[0]} to {each.plan.rows[1]} rows" if len(set(each.plan.rows)) > 1 else "these sizes alone"
    return f"{head}: {plan_text(each.plan.plan)}: {times}, -{100 * gain:.0f} % ({by}; {counts}), for {rows}"
