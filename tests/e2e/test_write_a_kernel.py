"""docs/write_a_kernel.md: its commands are run, its changes made, and the lines that it shows are printed.

The page begins with an empty virtual environment and ends with the record of one run: each command, what it ended with
and how long it took. ``pytest --update-golden`` writes the record; other runs compare all of it except the times.
"""

from __future__ import annotations

import fnmatch
import itertools
import os
import re
import resource
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "write_a_kernel.md"
# A file or a change of a file, or a command with the lines after it.
BLOCK = re.compile(r"^```(\w+) (\S+)\n((?:(?!```).*\n)*)```$|^    \$ (.*)\n((?:    (?!\$ ).*\n)*)", re.MULTILINE)
RECORD = "## On record\n"
# pip finds each requirement in the environment of the tests, and the repository's build backend as well.
WITHOUT_DOWNLOADS = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0"}


def steps(text: str) -> Iterator[tuple[str, str, str]]:
    """The language, the file and its content; or an empty language, the command and the lines that it prints."""
    for language, name, content, command, printed in BLOCK.findall(text):
        yield (language, name, content) if language else ("", command, printed)


def changed(project: Path, name: str, diff: str) -> None:
    header = f"--- a/{name}\n+++ b/{name}\n"
    words = ["patch", "-p1", "--fuzz=0"]
    done = subprocess.run(words, input=header + diff, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def printed_lines(command: str, shown: str, said: str) -> list[str]:
    """The line of ``said`` that fits each line of the page."""
    found = []
    for line in map(str.strip, shown.splitlines()):
        pattern = re.sub(r"\[(?=[^*])", "[[]", line)
        fitting = [each.strip() for each in said.splitlines() if fnmatch.fnmatchcase(each.strip(), pattern)]
        assert fitting, f"$ {command}\n{line}\n{said}"
        found.append(fitting[0])
    return found


@dataclass(frozen=True)
class Row:
    """A step of the record. ``seconds`` are those that passed, and those of processors; None for an edit."""

    step: str
    ended: str = ""
    seconds: tuple[float, float] | None = None

    def text(self) -> str:
        times = ("", "") if self.seconds is None else (f"{value:.1f}" for value in self.seconds)
        return f"| {' | '.join((self.step, self.ended, *times))} |"


def edit_of(language: str, name: str) -> str:
    return f"{'edit' if language == 'diff' else 'write'} `{name}`"


@dataclass
class Hour:
    """A shell in an empty folder, and what was done there."""

    folder: Path
    environment: Environment
    variables: dict[str, str]
    rows: list[Row] = field(default_factory=list)

    def edit(self, language: str, name: str, content: str) -> None:
        if language == "diff":
            changed(self.folder, name, content)
        else:
            (self.folder / name).write_text(content, encoding="utf-8")
        row = Row(edit_of(language, name))
        if self.rows[-1:] != [row]:  # several changes of one file are one step
            self.rows.append(row)

    def run(self, command: str, shown: str) -> None:
        if command.startswith("cd "):
            self.folder /= command.removeprefix("cd ")
            return
        if command == "source .venv/bin/activate":
            self.environment = Environment(self.folder / ".venv")
            provide_packages(self.environment)
            return
        typed = command.replace("path/to/this/repository", str(ROOT))
        before, start = processor_seconds(), time.monotonic()
        done = self.environment.sh(typed, self.folder, check=False, **self.variables)
        seconds = (time.monotonic() - start, processor_seconds() - before)
        said = done.stdout + done.stderr
        assert (done.returncode != 0) == (" failed" in shown), f"$ {command}\n{said}"
        ended = ["", *printed_lines(command, shown, said)][-1]
        self.rows.append(Row(f"`{command}`", stable(ended), seconds))


def provide_packages(environment: Environment) -> None:
    """Replaces the downloads: pip finds torch, torch_npu and opforge's other requirements, but not opforge itself.

    They are packages of the environment of the tests. Its opforge is an editable installation, which a path in a .pth
    file does not import. The old setuptools that Python 3.11 and earlier put into a new environment would hide the one
    that torch needs, and pip would download that.
    """
    assert not (environment.prefix / "bin" / "opforge").exists()
    (site,) = environment.prefix.glob("lib/python3*/site-packages")
    for old in site.glob("setuptools*"):
        shutil.rmtree(old)
    (site / "overlay.pth").write_text(sysconfig.get_path("purelib") + "\n")


def processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def stable(line: str) -> str:
    """Without times, versions and how many files a project has."""
    line = re.sub(r" in \d+(\.\d+)?s( \(\d+:\d+:\d+\))?$", "", line)
    line = re.sub(r": \d+ files, for .*", "", line)
    return re.sub(r".*(opforge)-\d\S*.*", r"installed \1", line).replace("|", "\\|")


def record(rows: list[Row]) -> str:
    passed, used = (sum(row.seconds[i] for row in rows if row.seconds) / 60 for i in (0, 1))
    lines = [
        RECORD,
        f"The commands of this run took {passed:.0f} minutes on {os.cpu_count()} cores, and {used:.0f} of processor",
        "time. The first `opforge test` built the simulated toolkit, too. `pip` took torch and the other requirements",
        "from another environment instead of downloading them. `pytest --update-golden` writes this section.\n",
        "| step | ended with | seconds | processor |",
        "|---|---|---|---|",
        *(row.text() for row in rows),
    ]
    return "\n".join((*lines, ""))


def rows_of(section: str) -> list[tuple[str, str]]:
    """Step and end of each row of the record."""
    cells = [re.split(r"(?<!\\)\|", line) for line in section.splitlines() if line.startswith("| ")]
    return [(step.strip(), ended.strip()) for _, step, ended, *_ in cells[1:]]


@pytest.mark.qualify
def test_all_of_the_page(toolkit_root: Path, tmp_path: Path, pytestconfig: pytest.Config) -> None:
    assert toolkit_root.is_dir()
    tutorial, _, recorded = PAGE.read_text(encoding="utf-8").partition(RECORD)
    recording = pytestconfig.getoption("--update-golden")
    # A stranger's machine has no toolkit yet; other runs use that of the tests.
    variables = {**WITHOUT_DOWNLOADS, **({"OPFORGE_CACHE": str(tmp_path / "cache")} if recording else {})}
    hour = Hour(tmp_path, Environment(Path(sys.prefix)), variables)
    for language, name, content in steps(tutorial):
        if language:
            hour.edit(language, name, content)
        else:
            hour.run(name, content)
    text = record(hour.rows)
    if recording:
        PAGE.write_text(tutorial + text, encoding="utf-8")
    else:
        assert rows_of(recorded) == rows_of(text), "the record is another run's: --update-golden"


def test_the_page_is_read_whole() -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = list(steps(text))
    assert text.count("```") == 2 * sum(bool(language) for language, _, _ in found)
    assert text.count("    $ ") == sum(not language for language, _, _ in found)


def test_the_record_has_each_step_of_the_page() -> None:
    tutorial, _, recorded = PAGE.read_text(encoding="utf-8").partition(RECORD)
    wanted = [
        edit_of(language, name) if language else f"`{name}`"
        for language, name, _ in steps(tutorial)
        if not name.startswith(("cd ", "source "))
    ]
    assert [step for step, _ in rows_of(recorded)] == [step for step, _ in itertools.groupby(wanted)]
