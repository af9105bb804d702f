"""Which mistakes are planted where, and what became of them."""

from __future__ import annotations

import json
import random
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.mutation.mistakes import Mistake, mistakes

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

HERE = Path(__file__).parent
RESULTS = HERE / "results"


# Reasons, each with places: an op (empty: any), the right line, and the line with the mistake.
HARMLESS: dict[str, list[list[str]]] = json.loads((HERE / "harmless.json").read_text(encoding="utf-8"))
# The same for mistakes that change results and that no test catches yet.
SURVIVORS: dict[str, list[list[str]]] = json.loads((HERE / "survivors.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Subject:
    """A file below op_kernel of a project, and the op whose tests judge it."""

    op: str
    file: str
    columns: int = 1  # combinations of dtypes

    @property
    def name(self) -> str:
        return f"{self.op} {self.file}"


def chosen(text: str, count: int) -> list[Mistake]:
    """So many mistakes, the same for the same text, in turn from each class."""
    every = list(mistakes(text))
    random.Random(zlib.crc32(text.encode())).shuffle(every)
    by_class: dict[str, list[Mistake]] = {}
    for mistake in every:
        by_class.setdefault(mistake.kind, []).append(mistake)
    found: list[Mistake] = []
    while len(found) < count and any(by_class.values()):
        for waiting in by_class.values():
            if waiting and len(found) < count:
                found.append(waiting.pop())
    return found


def jobs(subject: Subject, root: Path, planted: Sequence[Mistake]) -> Iterator[str]:
    """The lines of judge.py's input."""
    text = (root / "op_kernel" / subject.file).read_text(encoding="utf-8")
    for number, mistake in enumerate(planted):
        columns = [(number + i) % subject.columns for i in range(subject.columns)]
        job = {"id": number, "op": subject.op, "file": subject.file, "text": mistake.planted(text), "columns": columns}
        yield json.dumps(job)


@dataclass(frozen=True)
class Installed:
    """A project, built and installed into an environment of its own."""

    environment: Environment
    root: Path
    package: str

    def planted(self, subject: Subject, count: int) -> list[Mistake]:
        """The mistakes to plant."""
        return chosen((self.root / "op_kernel" / subject.file).read_text(encoding="utf-8"), count)


def judged(project: Installed, subject: Subject, planted: Sequence[Mistake], scratch: Path) -> list[dict[str, Any]]:
    """Each mistake with its verdict, as the project's tests give it."""
    root = project.root
    scratch.mkdir(parents=True, exist_ok=True)
    asked, said = scratch / "jobs", scratch / "verdicts"
    asked.write_text("\n".join(jobs(subject, root, planted)) + "\n", encoding="utf-8")
    words = f"opforge run -- python '{HERE / 'judge.py'}' . {project.package} '{scratch}' < '{asked}' > '{said}'"
    project.environment.sh(words, root, PYTHONPATH=str(HERE.parents[1] / "src"))  # for opforge.testing
    verdicts = [json.loads(line) for line in said.read_text(encoding="utf-8").splitlines()]
    assert len(verdicts) == len(planted)
    assert [verdict for verdict in verdicts if verdict["verdict"] == "failed"] == []
    return [{**asdict(mistake), **verdict} for mistake, verdict in zip(planted, verdicts, strict=True)]


def why(reasons: dict[str, list[list[str]]], subject: Subject, row: dict[str, Any]) -> str | None:
    """The reason that names this mistake; None if none does."""
    places = ([op, row["old"], row["new"]] for op in (subject.op, ""))
    return next((why for place in places for why, known in reasons.items() if place in known), None)


def keep(subject: Subject, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Writes the results of a subject. Returns the survivors that no file names."""
    compiled = [row for row in rows if row["verdict"] != "does not compile"]
    alive = [row for row in compiled if row["verdict"] != "caught"]
    harmless = [row for row in alive if why(HARMLESS, subject, row)]
    survived = [row for row in alive if row not in harmless]
    found = {
        "op": subject.op,
        "file": subject.file,
        "planted": Counter(row["kind"] for row in compiled),
        "caught": Counter(row["kind"] for row in compiled if row["verdict"] == "caught"),
        "by": Counter(row["by"] for row in compiled if row["verdict"] == "caught"),
        "harmless": [_line(row) | {"why": why(HARMLESS, subject, row)} for row in harmless],
        "survived": [_line(row) | {"why": why(SURVIVORS, subject, row)} for row in survived],
    }
    RESULTS.mkdir(exist_ok=True)
    name = f"{subject.op}_{Path(subject.file).stem}.json"
    (RESULTS / name).write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return [row for row in survived if why(SURVIVORS, subject, row) is None]


def _line(row: dict[str, Any]) -> dict[str, Any]:
    return {name: row[name] for name in ("kind", "line", "old", "new")}
