"""docs/write_a_kernel.md: its commands are run, its changes made, and the lines that it shows are printed."""

from __future__ import annotations

import fnmatch
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import Environment

pytestmark = [pytest.mark.e2e, pytest.mark.npu, pytest.mark.compiler, pytest.mark.slow]

PAGE = Path(__file__).parents[2] / "docs" / "write_a_kernel.md"
# A file or a change of a file, or a command with the lines after it.
BLOCK = re.compile(r"^```(\w+) (\S+)\n((?:(?!```).*\n)*)```$|^    \$ (.*)\n((?:    (?!\$ ).*\n)*)", re.MULTILINE)


def steps(text: str) -> Iterator[tuple[str, str, str]]:
    """The language, the file and its content; or an empty language, the command and the lines that it prints."""
    for language, name, content, command, printed in BLOCK.findall(text):
        yield (language, name, content) if language else ("", command, printed)


def changed(project: Path, name: str, diff: str) -> None:
    header = f"--- a/{name}\n+++ b/{name}\n"
    words = ["patch", "-p1", "--fuzz=0"]
    done = subprocess.run(words, input=header + diff, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_all_of_the_page(environment: Environment, toolkit_root: Path, tmp_path: Path) -> None:
    assert toolkit_root.is_dir()
    folder = tmp_path
    for language, name, content in steps(PAGE.read_text(encoding="utf-8")):
        if language == "diff":
            changed(folder, name, content)
        elif language:
            (folder / name).write_text(content, encoding="utf-8")
        elif name.startswith("cd "):
            folder /= name.removeprefix("cd ")
        else:
            done = environment.sh(name, folder, check=False)
            said = done.stdout + done.stderr
            assert (done.returncode != 0) == (" failed" in content), f"$ {name}\n{said}"
            for line in map(str.strip, content.splitlines()):
                pattern = re.sub(r"\[(?=[^*])", "[[]", line)
                assert any(fnmatch.fnmatchcase(each.strip(), pattern) for each in said.splitlines()), f"{line}\n{said}"


def test_the_page_is_read_whole() -> None:
    text = PAGE.read_text(encoding="utf-8")
    found = list(steps(text))
    assert text.count("```") == 2 * sum(bool(language) for language, _, _ in found)
    assert text.count("    $ ") == sum(not language for language, _, _ in found)
