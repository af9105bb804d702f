"""A table of requests with CANN's answers, and what the simulator's tiling library answers to them.

A request is a line of name=value; a program, built with either library, reads the lines and answers each with one.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(1, str(Path(__file__).parents[1]))

from kept_results import RESULTS, keep_result

HERE = Path(__file__).parent
Answer = dict[str, str]
Row = dict[str, str]  # request, answer, and what else a table says of it


def ask(program: Path, lines: list[str], left_out: Iterable[str] = ()) -> list[Answer]:
    """The program's answers, each by its words."""
    done = subprocess.run([str(program)], input="\n".join(lines) + "\n", capture_output=True, text=True, check=True)
    answers = [words_of(each) for each in done.stdout.splitlines()]
    if len(answers) != len(lines):
        raise SystemExit(f"{program} answered {len(answers)} of {len(lines)} requests: {done.stderr[-400:]}")
    return [{name: value for name, value in answer.items() if name not in left_out} for answer in answers]


def words_of(answer: str) -> Answer:
    return dict(word.split("=", 1) for word in answer.split())


def build_probe(source: Path, toolkit: Path, folder: Path) -> Path:
    """The program, built with the simulated toolkit."""
    program = folder / source.stem
    library = toolkit / "lib64"
    command = ["g++", "-std=c++17", "-O0", f"-I{toolkit / 'include'}", str(source), "-o", str(program)]
    subprocess.run([*command, f"-L{library}", "-lregister", "-ltiling_api", f"-Wl,-rpath,{library}"], check=True)
    return program


@dataclass(frozen=True)
class Comparison:
    """The simulator's answers beside CANN's: a table, the known differences, and the result for docs/fidelity.md."""

    result: str
    probe: Path
    table: Path
    known: Path
    asked: Callable[[], Iterable[Row]]  # the rows without their answers
    what_differs: Callable[[Answer, Answer], str]  # CANN's and ours; empty where both say the same
    summary: Callable[[list[Row], dict[str, str]], dict[str, Any]]  # the rows, and by request what differs
    left_out: tuple[str, ...] = ()  # words that are not compared

    def rows(self) -> list[Row]:
        return [json.loads(row) for row in self.table.read_text(encoding="utf-8").splitlines()]

    def differences(self, program: Path) -> dict[str, str]:
        """By request, what differs."""
        rows = self.rows()
        answers = ask(program, [row["request"] for row in rows], self.left_out)
        found = {
            row["request"]: self.what_differs(words_of(row["answer"]), ours)
            for row, ours in zip(rows, answers, strict=True)
        }
        return {request: what for request, what in found.items() if what}

    def write_table(self, program: Path) -> None:
        rows = list(self.asked())
        answers = ask(program, [row["request"] for row in rows], self.left_out)
        with self.table.open("w", encoding="utf-8") as out:
            for row, answer in zip(rows, answers, strict=True):
                said = " ".join(f"{name}={value}" for name, value in answer.items())
                out.write(json.dumps({**row, "answer": said}) + "\n")

    def write_result(self, program: Path) -> None:
        found = self.differences(program)
        self.known.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        keep_result(self.result, self.summary(self.rows(), found))

    def main(self, description: str | None) -> None:
        parser = argparse.ArgumentParser(description=description)
        parser.add_argument("program", type=Path, help=f"{self.probe.name}, built")
        parser.add_argument("--write", action="store_true", help="the program is the public library's: write the table")
        parser.add_argument("--result", action="store_true", help="the program is the simulator's: write what differs")
        options = parser.parse_args()
        if options.write:
            self.write_table(options.program)
        if options.result:
            self.write_result(options.program)
        if not options.write and not options.result:
            found = self.differences(options.program)
            print("\n".join(f"{what}: {request}" for request, what in found.items()))

    def assert_known(self, program: Path) -> None:
        """No difference is new, and none has gone without the list of known ones saying so."""
        found = self.differences(program)
        known = json.loads(self.known.read_text(encoding="utf-8"))
        assert {request: what for request, what in found.items() if known.get(request) != what} == {}, "new differences"
        assert {request: what for request, what in known.items() if request not in found} == {}, "these agree now"

    def assert_counted(self) -> None:
        """The result file counts this table and these differences."""
        counts = json.loads((RESULTS / f"{self.result}.json").read_text(encoding="utf-8"))["counts"]
        known = json.loads(self.known.read_text(encoding="utf-8"))
        assert counts["requests"] == len(self.rows())
        assert counts["answered alike"] == counts["requests"] - len(known)
