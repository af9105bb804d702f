"""What every benchmark here is made of: commands, medians, and the rows of the table."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

OPFORGE = [shutil.which("opforge") or "opforge"]

BESIDE = [sys.executable, "-c", "import click, jinja2, yaml"]
BESIDE_SHOWN = 'python -c "import click, jinja2, yaml"'


def run_beside() -> None:
    """The process that ratios are of."""
    subprocess.run(BESIDE, check=True)


@dataclass(frozen=True)
class Row:
    """One line of the table: what was measured, the median, the budget (None: for information), in ``unit``."""

    what: str
    value: float
    budget: float | None
    runs: int
    unit: str = "s"


def sh(command: list[str], cwd: Path, environment: dict[str, str]) -> str:
    """Run one command and return its stdout and stderr, one after the other; both are shown when it fails."""
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        raise SystemExit(f"{' '.join(command)} failed with exit code {done.returncode}")
    return done.stdout + done.stderr


def median(action: Callable[[], object], runs: int, prepare: Callable[[], object] = lambda: None) -> float:
    """Median wall time in seconds of ``runs`` calls, each after ``prepare``, which is not counted."""
    times = []
    for _ in range(runs):
        prepare()
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def row_of_ratio(
    what: str,
    action: Callable[[], object],
    budget: float,
    runs: int,
    prepare: Callable[[], object] = lambda: None,
    *,
    beside: tuple[str, Callable[[], object]] = (BESIDE_SHOWN, run_beside),
) -> Row:
    """The wall time of ``action`` divided by that of ``beside`` (its name and a call), which take turns; the median.

    Machines differ by a factor of two, and other work comes and goes: a ratio of one run says more than seconds do.
    """
    name, other = beside
    ratios = []
    for _ in range(runs):
        prepare()
        times = []
        for call in (action, other):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
        ratios.append(times[0] / times[1])
    return Row(f"{what}, times {name}", statistics.median(ratios), budget, runs, "x")


def gen_arguments(folder: Path, op: str, inputs: tuple[str, ...], output: str) -> list[str]:
    """What ``msopgen`` is given to make a skeleton of an op in three dtypes, in ``folder / "generated"``."""
    tensor = {"param_type": "required", "format": ["ND"] * 3, "type": ["float16", "bf16", "float"]}
    described = [
        {"op": op, "input_desc": [{"name": x, **tensor} for x in inputs], "output_desc": [{"name": output, **tensor}]}
    ]
    file = folder / f"{op}.json"
    file.write_text(json.dumps(described))
    file.chmod(0o640)  # the real msOpGen refuses files that others can write
    out = str(folder / "generated")
    return ["gen", "-i", str(file), "-f", "pytorch", "-c", "ai_core-Ascend910B1", "-lan", "cpp", "-out", out]


@contextmanager
def scratch() -> Iterator[Path]:
    """An empty folder, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="opforge-benchmark-") as name:
        yield Path(name)


def cache(environment: dict[str, str]) -> Path:
    """opforge's cache folder, by its own rule."""
    base = environment.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(environment.get("OPFORGE_CACHE") or Path(base) / "opforge")


def forget(project: Path, environment: dict[str, str]) -> None:
    """Makes the next build of ``project`` a cold one: no build/, no dist/, no cached glue. The toolkit stays."""
    for name in ("build", "dist"):
        shutil.rmtree(project / name, ignore_errors=True)
    for name in ("glue", "adapter"):
        shutil.rmtree(cache(environment) / name, ignore_errors=True)


def editor(file: Path) -> Callable[[], None]:
    """A function that changes ``file`` each time it is called, by a comment at its end."""
    numbers = iter(range(1_000_000))

    def edit() -> None:
        text = file.read_text(encoding="utf-8")
        file.write_text(f"{text}// edit {next(numbers)}\n", encoding="utf-8")

    return edit
