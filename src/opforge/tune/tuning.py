"""Runs a search: finds toolkit and chip, builds the programs, lets workers try plans, and writes what was found."""

from __future__ import annotations

import threading
from pathlib import Path

from opforge.build.python_env import find_env
from opforge.build.request import BuildRequest
from opforge.build.state import State
from opforge.build.toolkits import find_toolkit
from opforge.build.tuned_table import TunedPlan, plan_key, write_plans
from opforge.errors import ProjectError, UsageError
from opforge.frozen import dataclass
from opforge.install.activation import activated, chip
from opforge.kinds import derive
from opforge.measure.choice import Choice as OpChoice
from opforge.measure.choice import check_choice
from opforge.naming import torch_function
from opforge.program import Kernel, Program
from opforge.soc import SOCS, SocVersion, soc_of_version, version_named
from opforge.spec.combinations import Row, combinations
from opforge.spec.model import Spec
from opforge.spec.read.parse import load_spec
from opforge.tune.search import Found, Job, begin, found, open_storage, work
from opforge.tune.trial_program import Builder, build_program
from opforge.tune.tuned_sizes import Size, example


@dataclass(frozen=True)
class Choice:
    """The ops, dtypes and sizes, the storage of trials, and the number of workers; None: as suits the device."""

    ops: tuple[str, ...]
    dtypes: tuple[str, ...]
    sizes: tuple[str, ...]
    soc: str | None
    storage: str | None
    jobs: int | None


@dataclass(frozen=True)
class Tuned:
    """The result of each job, and the files that were written."""

    found: tuple[Found, ...]
    files: tuple[Path, ...]


def tune(request: BuildRequest, choice: Choice) -> Tuned:
    """Looks for plans of the chosen ops at the chosen sizes.

    Raises UsageError for an op that has no choice, and for sizes that do not fit; BuildError and MeasureError.
    """
    spec = load_spec(request.root / "opforge.yaml")
    program = derive(spec)
    gradients = {kernel.op.type for kernel in program.kernels if kernel.gradient_of is not None}
    check_choice(OpChoice(tuple(name for name in choice.ops if name not in gradients), choice.dtypes), spec)
    kernels = _kernels(program, choice.ops)
    if not choice.sizes:
        raise UsageError("at which sizes?", hint=f'for example --at "{example(kernels[0].op)}"')
    wanted = [Size.parse(text) for text in choice.sizes]
    sized = [(kernel, size.shapes(kernel)) for kernel in kernels for size in wanted]
    toolkit = find_toolkit(
        request.toolchain, request.environ, request.cache, request.runner, request.progress, project=request.root
    )
    env = find_env(request.python, request.environ, State(), request.runner)
    soc, version = _chip(spec, choice.soc)
    environ = activated(toolkit, env, request.environ, version.name if toolkit.simulated else None)
    folder = request.folder / "tune"
    builder = Builder(request.root, folder, version, toolkit.simulated, environ, request.runner)
    jobs = [
        Job(kernel, row, shapes, version, build_program(builder, kernel, row))
        for kernel, shapes in sized
        for row in _rows(kernel, choice.dtypes, soc)
    ]
    address = choice.storage or str(folder / "trials.log")
    workers = choice.jobs or (request.jobs if toolkit.simulated else 1)
    results = _search(request, jobs, address, workers, alone=choice.storage is None)
    plans: list[TunedPlan] = [each.plan for each in results if each.plan is not None]
    keys = [plan_key(job.kernel.op.type, job.chip.name, job.row, job.shapes) for job in jobs]
    file = write_plans(request.root, soc, plans, tried=keys)
    return Tuned(results, () if file is None else (file,))


def _search(request: BuildRequest, jobs: list[Job], address: str, workers: int, *, alone: bool) -> tuple[Found, ...]:
    """Lets threads take trials. A trial is a process of its own, and its thread waits for it."""
    storage = open_storage(address)
    for job in jobs:
        new = begin(job, storage, alone=alone)
        if new:
            request.progress.note(f"{job.title}: trying {new} of {len(job.ranked)} plans")
    errors: list[BaseException] = []

    def run() -> None:
        try:
            for job in jobs:
                work(job, storage, request.runner, request.progress.note)
        except BaseException as error:  # noqa: BLE001  (raised again below)
            errors.append(error)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return tuple(found(job, storage, request.runner) for job in jobs)


def _kernels(program: Program, names: tuple[str, ...]) -> list[Kernel]:
    """The kernels of these ops, by type or function; without names, all of the spec's ops that have a choice."""
    project = program.spec.project
    if names:
        named = set(names)
        chosen = [k for k in program.kernels if {k.op.type, torch_function(k.op.type, project.package)} & named]
    else:
        chosen = [kernel for kernel in program.public if kernel.plan_members]
    fixed = [kernel.op.type for kernel in chosen if not kernel.plan_members]
    if fixed or not chosen:
        raise UsageError(
            f"{', '.join(fixed) or project.name}: nothing to tune",
            hint="`opforge tune` is for elementwise ops, rows, and products with what follows them",
        )
    return chosen


def _rows(kernel: Kernel, dtypes: tuple[str, ...], soc: str) -> list[Row]:
    rows = combinations(kernel.op, soc)
    return [row for row in rows if not dtypes or row[0] in dtypes or "/".join(row) in dtypes]


def _chip(spec: Spec, wanted: str | None) -> tuple[str, SocVersion]:
    """A SoC of the project, and the chip."""
    name = chip(wanted) or SOCS[spec.project.soc[0]].default_version.name
    version, soc = version_named(name), soc_of_version(name)
    if version is None or soc is None or soc.name not in spec.project.soc:
        raise ProjectError(f"{spec.project.name} is not for {name}", hint=f"its `soc`: {', '.join(spec.project.soc)}")
    return soc.name, version
