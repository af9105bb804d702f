"""Builds and runs the program that tries a plan: it launches the kernel itself, from a copy of its sources."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from opforge.build.aclnn_programs import Programs, configure, simulated_chip
from opforge.build.run_package import SOURCE_FOLDERS, synchronise
from opforge.build.tuned_table import Shapes, kernel_digest
from opforge.errors import BuildError, MeasureError, UsageError
from opforge.frozen import dataclass
from opforge.measure.programs import COUNTERS
from opforge.measure.time_model import TimeEstimate, estimate, launch_work
from opforge.naming import snake
from opforge.plan.split_plan import SplitPlan
from opforge.program import Kernel
from opforge.soc import SocVersion
from opforge.spec.combinations import Row
from opforge.toolkit.build_tools import find_ninja
from opforge.toolkit.device_reports import CHECKS
from opforge.toolkit.process import Runner


@dataclass(frozen=True)
class Answer:
    """The result of a trial: a hash of what was computed, and microseconds of each round, or the estimate."""

    results: int
    default_us: tuple[float, ...]
    us: tuple[float, ...]
    estimated: TimeEstimate | None


@dataclass(frozen=True)
class TrialProgram:
    """A built program for one op and one combination of dtypes. ``kernel`` is the digest of its sources."""

    program: Path
    kernel: str
    chip: str
    simulated: bool
    environ: Mapping[str, str]

    def run(self, runner: Runner, plan: SplitPlan, shapes: Shapes, rounds: int, scratch: Path) -> Answer:
        """Launches with a plan. ``scratch`` is a folder of this run alone.

        Raises MeasureError if the launch fails, and UsageError on another chip than the one that the plan is for.
        """
        profile = scratch / "profile.jsonl"
        profile.unlink(missing_ok=True)
        words = [str(number) for number in (*vars(plan).values(), rounds)]
        command = [str(self.program), *words, *map(shape_text, shapes.values())]
        environ = {**self.environ, COUNTERS: str(profile), CHECKS: "full"}  # which the time of the slowest core needs
        done = runner.run(command, cwd=scratch, env=environ)
        done.require(f"{plan_text(plan)} at {', '.join(map(shape_text, shapes.values()))}", MeasureError)
        said = json.loads(done.output.strip().splitlines()[-1])
        if said["soc"].lower() != self.chip.lower():
            raise UsageError(f"the device is {said['soc']}, not {self.chip}", hint=f"--soc {said['soc']}")
        estimated = None
        if self.simulated:
            line = json.loads(profile.read_text(encoding="utf-8").splitlines()[0])
            estimated = estimate([launch_work(line)], self.chip)
        return Answer(said["results"], tuple(said["default_us"]), tuple(said["us"]), estimated)


def shape_text(shape: tuple[int, ...] | None) -> str:
    """A shape as the program takes it."""
    return "none" if shape is None else "x".join(map(str, shape)) or "number"


def plan_text(plan: SplitPlan) -> str:
    """A plan for people: ``tile_rows 128, tile_columns 192``."""
    return ", ".join(f"{name} {value}" for name, value in plan.chosen.items()) or "the tiling's own choice"


@dataclass(frozen=True)
class Builder:
    """The project, the chip and the activated environment for which programs are built."""

    root: Path
    build: Path
    chip: SocVersion
    simulated: bool
    environ: Mapping[str, str]
    runner: Runner


def build_program(builder: Builder, kernel: Kernel, row: Row) -> TrialProgram:
    """Builds the program for one combination of dtypes, from the project's sources as they are now.

    Raises BuildError.
    """
    stem, chip, environ, runner = snake(kernel.op.type), builder.chip.name, builder.environ, builder.runner
    folder = builder.build / f"{stem}_{'_'.join(dict.fromkeys(row))}"
    out = folder / "out"
    sources = [file for name in SOURCE_FOLDERS for file in sorted((builder.root / name).rglob("*")) if file.is_file()]
    texts = {file.relative_to(builder.root): file.read_bytes() for file in sources}
    synchronise(folder, {**texts, **{Path(file.path): file.text.encode() for file in kernel.trial_files(row)}})
    what = f"the program that tries plans of {kernel.op.type}"
    definitions = simulated_chip(chip) if builder.simulated else (f"-DSOC_VERSION={chip}",)
    configure(Programs(what, folder / "aclnn", out, definitions), runner, environ, folder / "configure.log")
    done = runner.run([find_ninja(environ), "-C", out], cwd=folder, env=environ, log=folder / "build.log")
    done.require(f"{what} did not build", BuildError)
    return TrialProgram(out / "try_op", kernel_digest(folder, kernel.op.type), chip, builder.simulated, environ)
