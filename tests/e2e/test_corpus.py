"""Operators written by hand, in the styles of real ones: adopted, built, run, compared; and each once broken.

``--corpus OP``, repeatable, leaves all others out.
"""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.conftest import Environment, make_environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

CORPUS = Path(__file__).parents[1] / "corpus"
RUN = Path(__file__).parent / "corpus_run.py"
NAMES = tuple(sorted(path.parent.name for path in CORPUS.glob("*/twin.json")))


@dataclass(frozen=True)
class Twin:
    """An operator with one mistake, and what must be said of it."""

    file: str
    old: str
    new: str
    case: str
    says: str
    rule: str

    @staticmethod
    def of(name: str) -> Twin:
        return Twin(**json.loads((CORPUS / name / "twin.json").read_text(encoding="utf-8")))


@dataclass(frozen=True)
class Adopted:
    """A folder of operators that has been adopted, built and installed."""

    folder: Path
    environment: Environment
    names: tuple[str, ...]

    def run(self, *wanted: str, check: bool = True, **variables: str) -> list[dict[str, str]]:
        command = f"opforge run -- python {RUN} {self.folder.name} {CORPUS} " + " ".join(f"'{each}'" for each in wanted)
        done = self.environment.sh(command, self.folder, check=check, **variables)
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def adopt(folder: Path, names: tuple[str, ...]) -> Adopted:
    """The sources are copied, as ``opforge adopt`` writes beside them."""
    environment = make_environment(folder.parent / "env")
    environment.sh(f"opforge adopt . --package {folder.name}", folder)
    environment.sh("opforge build && opforge install", folder)
    return Adopted(folder, environment, names)


def copied(folder: Path, names: tuple[str, ...]) -> Path:
    for name in names:
        ignored = shutil.ignore_patterns("cases.py", "twin.json", "__pycache__")
        shutil.copytree(CORPUS / name, folder / name, ignore=ignored)
    return folder


@pytest.fixture(scope="module")
def names(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return tuple(request.config.getoption("--corpus")) or NAMES


@pytest.fixture(scope="module")
def corpus(names: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Adopted:
    return adopt(copied(tmp_path_factory.mktemp("right") / "corpus", names), names)


@pytest.fixture(scope="module")
def twins(names: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Adopted:
    folder = copied(tmp_path_factory.mktemp("wrong") / "twins", names)
    for name in names:
        twin = Twin.of(name)
        path = folder / name / twin.file
        text = path.read_text(encoding="utf-8")
        assert text.count(twin.old) == 1, f"{name}: the twin's text stands {text.count(twin.old)} times in {twin.file}"
        path.write_text(text.replace(twin.old, twin.new), encoding="utf-8")
    return adopt(folder, names)


def test_sources_stay_as_they_are(corpus: Adopted) -> None:
    for name in corpus.names:
        for path in filter(Path.is_file, (CORPUS / name).glob("op_*/**/*")):
            assert (corpus.folder / path.relative_to(CORPUS)).read_bytes() == path.read_bytes()


def test_results_are_those_of_the_references(corpus: Adopted) -> None:
    rows = corpus.run(*corpus.names)
    assert {row["op"] for row in rows} == set(corpus.names)
    assert not [row for row in rows if row["said"] or "raised" in row]


def test_twins_are_refused_for_the_right_reason(twins: Adopted) -> None:
    def said(name: str) -> str:
        (row,) = twins.run(f"{name}={Twin.of(name).case}")
        return row.get("raised", f"nothing was raised; {row['said'] or 'the results are right'}")

    with ThreadPoolExecutor(2) as pool:
        messages = dict(zip(twins.names, pool.map(said, twins.names), strict=True))
    wrong = {
        name: message
        for name, message in messages.items()
        if not (twin := Twin.of(name)).says or twin.says not in message or twin.rule not in message
    }
    assert not wrong


def test_there_are_forty_of_them() -> None:
    assert len(NAMES) >= 40
    rules = [(Twin.of(name).says, Twin.of(name).rule) for name in NAMES]
    assert len(set(rules)) >= 25, "twins break too few different rules"
