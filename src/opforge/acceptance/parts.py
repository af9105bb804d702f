"""The projects of an acceptance run: ops of the catalog, several in a project, and the commands that try them.

Each command is opforge itself, as a person would type it; its output is a log of the report. A part that is done is
not done again: its record has the toolkit, the versions and the ops that it is of.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from opforge.errors import UsageError
from opforge.frozen import dataclass
from opforge.kinds import derive
from opforge.progress import step
from opforge.render.project import render_project
from opforge.scaffold.new_project import write_project
from opforge.spec import catalog
from opforge.spec.model import ProjectSpec, Spec

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from opforge.progress import Progress
    from opforge.spec.model import OpSpec
    from opforge.toolkit.process import Completed, Runner

_OPS_IN_A_PART = 8
_RECORD = "record.json"
_HOUR = 3600.0

Entry = Mapping[str, Any]  # an object of JSON, as opforge prints it


@dataclass(frozen=True)
class Place:
    """The command that is opforge, the folder of the run, and the options of each command."""

    opforge: tuple[str, ...]
    folder: Path
    environ: Mapping[str, str]
    toolchain: str
    soc: str
    python: Path | None
    progress: Progress
    runner: Runner


@dataclass(frozen=True)
class Part:
    """A project with some ops of the catalog."""

    name: str
    ops: tuple[OpSpec, ...]


@dataclass(frozen=True)
class Ran:
    """One command of a part: its name, its exit status, its seconds, and the last line of its output."""

    name: str
    code: int
    seconds: float
    last: str


@dataclass(frozen=True)
class Outcome:
    """The result of a part. ``estimates``, ``timed`` and ``verified`` are rows that bench and verify print."""

    name: str
    ops: tuple[str, ...]
    ran: tuple[Ran, ...]
    estimates: tuple[Entry, ...]
    timed: tuple[Entry, ...]
    verified: tuple[Entry, ...]

    @property
    def passed(self) -> bool:
        """Whether every command ended with 0."""
        return all(ran.code == 0 for ran in self.ran)


def parts_of(names: Sequence[str]) -> tuple[Part, ...]:
    """The parts with these ops of the catalog; all that are generated, without any. Raises UsageError."""
    entries = {name: catalog.entry(name) for name in names or catalog.names()}
    unknown = next((name for name in names if entries[name] is None), None)
    if unknown is not None:
        raise UsageError(f"the catalog has no op {unknown}", hint="`opforge list` prints its ops")
    known = [op for op in entries.values() if op is not None]
    cut = [known[begin : begin + _OPS_IN_A_PART] for begin in range(0, len(known), _OPS_IN_A_PART)]
    return tuple(Part(f"part{number:02}", tuple(ops)) for number, ops in enumerate(cut, 1))


def try_part(part: Part, place: Place, made_with: Mapping[str, str]) -> Outcome:
    """Makes the part's project and runs each command on it; a command that fails ends the part.

    ``made_with`` says what the results depend on beside the ops: versions, toolkit, chip. A record of the same is
    taken as it is, if all its commands ended well.
    """
    record = place.folder / part.name / _RECORD
    stated = {**made_with, "ops": [op.type for op in part.ops]}
    kept = _kept(record, stated)
    if kept is not None and kept.passed:
        place.progress.note(f"{part.name}: its record is of the same toolkit and versions")
        return kept
    project = place.folder / part.name / "project"
    if not project.is_dir():
        settings = ProjectSpec(part.name, part.name, part.name, "0.1.0", (place.soc,))
        spec = Spec(settings, tuple(dataclasses.replace(op, source=None) for op in part.ops))
        project.parent.mkdir(parents=True, exist_ok=True)
        write_project(render_project(derive(spec)), spec, project)
    with step(place.progress, part.name, ", ".join(op.type for op in part.ops)):
        outcome = _run(part, place, project)
    text = json.dumps({"of": stated, "outcome": dataclasses.asdict(outcome)}, indent=1)
    record.write_text(text + "\n", encoding="utf-8")
    return outcome


def _kept(record: Path, stated: Mapping[str, object]) -> Outcome | None:
    if not record.is_file():
        return None
    told = json.loads(record.read_text(encoding="utf-8"))
    return _outcome(told["outcome"]) if told["of"] == stated else None


def _outcome(told: Entry) -> Outcome:
    ran = tuple(Ran(**each) for each in told["ran"])
    rows = (tuple(told[name]) for name in ("estimates", "timed", "verified"))
    return Outcome(told["name"], tuple(told["ops"]), ran, *rows)


def _run(part: Part, place: Place, project: Path) -> Outcome:
    device = ("--toolchain", place.toolchain)
    simulated = ("--toolchain", "simulator", "--soc", place.soc)
    commands = {
        "build": ("build", *device),
        "install": ("install", *device),
        "test": ("test", *device),
        "verify": ("verify", *device, "--quick", "--json"),
        "bench": ("bench", *device, "--quick", "--json"),
        "estimate": ("bench", *simulated, "--quick", "--json"),
    }
    if place.toolchain == "simulator":
        del commands["estimate"]  # bench has them
    ran: list[Ran] = []
    rows: dict[str, tuple[Entry, ...]] = {}
    for name, words in commands.items():
        done = _opforge(place, project, name, words)
        if "--json" in words:
            rows[name] = _rows(done)
        ran.append(Ran(name, done.code, round(done.seconds, 1), done.output.strip().rpartition("\n")[2][:200]))
        if not done.ok:
            break
    _opforge(place, project, "uninstall", ("uninstall",))
    timed = rows.get("bench", ())
    estimates = rows.get("estimate", timed if place.toolchain == "simulator" else ())
    return Outcome(part.name, tuple(op.type for op in part.ops), tuple(ran), estimates, timed, rows.get("verify", ()))


def _opforge(place: Place, project: Path, name: str, words: tuple[str, ...]) -> Completed:
    python = () if place.python is None else ("--python", str(place.python))
    log = project.parent / f"{name}.log"
    done = place.runner.run([*place.opforge, *words, *python], cwd=project, env=place.environ, log=log, timeout=_HOUR)
    place.progress.note(f"{project.parent.name} {name}: {'ok' if done.ok else 'failed'}, {done.seconds:.0f} s")
    return done


def _rows(done: Completed) -> tuple[Entry, ...]:
    """The rows that a command printed as JSON, behind its progress; none if it ended before."""
    begin = done.output.find("\n{\n") + 1
    try:
        told, _ = json.JSONDecoder().raw_decode(done.output, done.output.index("{", begin))
    except ValueError:
        return ()
    return tuple(told.get("rows", ()))
