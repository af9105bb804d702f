"""Draws the plot of ``opforge bench``: time, global memory traffic and core balance. Only this uses matplotlib.

It needs no window. The same numbers give the same bytes: no date, a fixed salt for ids, text as text.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from opforge.errors import MeasureError, UsageError
from opforge.measure import quantities as q
from opforge.measure.bench_results import BenchReport
from opforge.measure.transfer import Transfer, transfer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SUFFIXES = (".svg", ".png")

_BLUE, _GREY, _ORANGE = "#0072b2", "#999999", "#e69f00"  # by Okabe and Ito, for colour-blind readers and print
_HIGHEST = 400.0  # inches; a PNG has at most 65,536 dots
_ROOM = 0.8  # the share of a case's height for its bars

Bars = tuple[str, str, Sequence[float | None]]  # name, colour, a value or None for each case


def check_name(file: Path) -> None:
    """Raises UsageError if the file name does not end in .svg or .png."""
    if file.suffix not in SUFFIXES:
        raise UsageError(f"--plot {file}: a name that ends in {' or '.join(SUFFIXES)} is expected")


def check_place(file: Path) -> None:
    """Raises UsageError if the file cannot be written. Creates missing folders, and leaves no new file."""
    new = not os.path.lexists(file)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("ab"):
            pass
        if new:
            file.unlink()
    except OSError as error:
        where = "" if error.filename in (None, str(file)) else f" {error.filename}"
        raise UsageError(
            f"--plot {file}: it cannot be written:{where} {error.strerror}",
            hint="choose a file in a folder that you may write to",
        ) from None


def check_library() -> None:
    """Raises MeasureError if matplotlib is missing, or refuses $MPLBACKEND or its settings."""
    try:
        import matplotlib  # noqa: F401, ICN001, PLC0415
    except (ImportError, ValueError) as error:
        raise MeasureError(
            f"the plot needs matplotlib, which cannot be imported: {error}",
            hint="pip install matplotlib, which comes with opforge; if it is there, look at $MPLBACKEND",
        ) from None


def draw(report: BenchReport, file: Path) -> None:
    """Writes the plot as SVG or PNG, by the file's name. Raises UsageError for another name, and OSError."""
    check_name(file)
    logging.getLogger("matplotlib").setLevel(logging.CRITICAL)  # suppresses its message about the font cache
    from matplotlib import style  # noqa: PLC0415  (half a second)
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: PLC0415
    from matplotlib.figure import Figure  # noqa: PLC0415

    simulated, rows = report.device.simulated, report.rows
    transfers = [transfer(row, report.device.soc) for row in rows]
    file.parent.mkdir(parents=True, exist_ok=True)
    settings = {"svg.hashsalt": "opforge", "svg.fonttype": "none", "font.size": 8.0, "text.parse_math": False}
    with style.context(["default", settings]):
        figure = Figure(figsize=(14.0, min(1.6 + 0.6 * len(rows), _HIGHEST)), layout="constrained")
        FigureCanvasAgg(figure)
        times, traffic, balance = figure.subplots(1, 3, sharey=True)
        times.set_title("simulated time of one call" if simulated else "time of one call")
        bars: list[Bars] = [
            ("custom", _BLUE, [None if row.custom is None else row.custom.times.median for row in rows]),
            ("native", _GREY, [None if row.native is None else row.native.times.median for row in rows]),
        ]
        _draw_bars(times, bars, lambda value: q.marked(q.microseconds(value), simulated=simulated))
        traffic.set_title("global memory traffic of one call")
        bars = [
            ("moved, as counted", _BLUE, [found.measured for found in transfers]),
            ("fused: the least", _ORANGE, [found.fused for found in transfers]),
            ("unfused: PyTorch's operators", _GREY, [found.unfused for found in transfers]),
        ]
        _draw_bars(traffic, bars, lambda value: q.size(round(value)))
        _draw_balance(balance, transfers)
        times.set_yticks(range(len(rows)), [f"{row.op} {row.dtype}\n{row.label}" for row in rows])
        times.invert_yaxis()  # the first case on top, like in the tables
        figure.suptitle(f"{q.marked(report.device.soc, simulated=simulated)}, PyTorch {report.device.torch}")
        figure.savefig(file, dpi=120, metadata={"Date": None} if file.suffix == ".svg" else {"Software": None})


def _draw_bars(axes: Axes, groups: Sequence[Bars], shown: Callable[[float], str]) -> None:
    """Bars side by side for each case, each with its number; logarithmic, because sizes differ by thousands."""
    height = _ROOM / len(groups)
    values = [value for _, _, group in groups for value in group if value]
    for index, (name, colour, group) in enumerate(groups):
        places = [case + (index - (len(groups) - 1) / 2) * height for case in range(len(group))]
        there = [(place, value) for place, value in zip(places, group, strict=True) if value]
        if there:
            axes.barh([place for place, _ in there], [value for _, value in there], height, color=colour, label=name)
        for place, value in there:
            axes.annotate(shown(value), (value, place), (3, 0), textcoords="offset points", va="center", fontsize=6.5)
    if values:
        axes.set_xscale("log")
        axes.set_xlim(min(values) / 3, max(values) * (max(values) / min(values)) ** 0.5 * 3)  # room for the numbers
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.02), ncols=len(groups), fontsize=7)
    axes.set_xticks([], minor=True)
    axes.set_xticks([])


def _draw_balance(axes: Axes, transfers: Sequence[Transfer]) -> None:
    """A bar for each kind of core: the most work of a core over the mean."""
    axes.set_title("core balance: most work of a core / mean")
    axes.axvline(1.0, color="black", linewidth=0.8)
    kinds = sorted({balance.kind for found in transfers for balance in found.balance})
    most = max((balance.ratio for found in transfers for balance in found.balance), default=1.0)
    for index, kind in enumerate(kinds):
        height = _ROOM / len(kinds)
        for case, found in enumerate(transfers):
            place = case + (index - (len(kinds) - 1) / 2) * height
            for balance in (balance for balance in found.balance if balance.kind == kind):
                axes.barh(place, balance.ratio, height, color=(_BLUE, _ORANGE, _GREY)[index % 3])
                text = f"{q.times(balance.ratio)} of {balance.cores} {kind}"
                axes.annotate(
                    text, (balance.ratio, place), (3, 0), textcoords="offset points", va="center", fontsize=6.5
                )
    if not kinds:
        axes.text(0.5, 0.5, "not counted", transform=axes.transAxes, ha="center")
    axes.set_xlim(0.0, most * 1.5)
