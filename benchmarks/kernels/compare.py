"""Counts generated kernels beside public handwritten ones: bytes, cycles, estimated time, errors.

    python benchmarks/kernels/compare.py CHECKOUTS [--only OP]... [--work DIR] [--write]

CHECKOUTS is a folder with checkouts named ``ops-nn``, ``cann-ops``, ``catlass`` and ``asc-devkit``: nothing is fetched,
nothing written there. Each public operator is adopted in a linked copy, built and called on the simulated device, and
each public program is built and run there; half an hour in all. The ops of ops.yaml, generated, get the same data.
``--write`` renews ``results.json`` and the page benchmarks/kernels.md; with ``--only``, the results of other ops stay.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import programs
import yaml
from launches import size_of, works_after
from pairs import Pair, inputs_of, worst_errors
from products import EVERY
from tables import report

from opforge.kinds import derive
from opforge.render.project import render_project
from opforge.scaffold.new_project import write_project
from opforge.spec.read.parse import parse_spec

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
PAGE = HERE.parent / "kernels.md"


class Site:
    """A scratch folder with an environment for each project, so that ops of one name do not meet."""

    def __init__(self, checkouts: Path, work: Path) -> None:
        self.checkouts, self.work = checkouts, work
        self.profile = work / "profile.jsonl"

    def counted(self, project: Path, side: str, module: str, ops: list[str]) -> list[dict[str, Any]]:
        """Builds and installs a project, and calls its ops."""
        environment = self.work / f"env_{module}"
        if not environment.is_dir():
            subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
            packages = next(environment.glob("lib/python3*/site-packages"))
            (packages / "outer.pth").write_text(f"{Path(yaml.__file__).parents[1]}\n", encoding="utf-8")
        python = environment / "bin" / "python"
        self.opforge(project, "build", "--toolchain", "simulator", "--python", environment, "-q")
        self.opforge(project, "install", "--python", environment, "-q")
        words = ("run", "--python", python, "--toolchain", "simulator", "--rules", "device", "--", python)
        told = self.opforge(project, *words, HERE / "counted.py", side, module, ",".join(ops))
        return [json.loads(line) for line in told.splitlines() if line.startswith('{"op"')]

    def opforge(self, cwd: Path, *words: str | Path) -> str:
        """Runs opforge and returns its stdout."""
        done = subprocess.run(
            [sys.executable, "-m", "opforge", *map(str, words)],
            cwd=cwd,
            env={**os.environ, "OPFORGE_SIM_PROFILE": str(self.profile), "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(map(str, words[:1]))} in {cwd}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def ours(self, ops: list[str]) -> list[dict[str, Any]]:
        """The counts of the generated kernels."""
        project, spec = self.work / "ours", parse_spec((HERE / "ops.yaml").read_text(encoding="utf-8"), None)
        write_project(render_project(derive(spec)), spec, project)
        return self.counted(project, "ours", "row_ops", ops)

    def theirs(self, pair: Pair) -> list[dict[str, Any]]:
        """The counts of a public operator."""
        repository, _, folder = pair.folder.partition("/")
        if pair.program:
            return [self.of_program(pair, pair.program, shape) for shape in pair.sizes]
        name = folder.split("/")[-1]
        project = self.work / name
        shutil.copytree(self.checkouts / repository, project, copy_function=os.link, symlinks=True)
        package = ("--package", f"public_{name}", "--vendor", f"public_{name}")
        self.opforge(project, "adopt", ".", "--only", folder, "--soc", "ascend910b", *package, "--keep-going", "-q")
        _state_shapes(project / "opforge.yaml", pair)
        return self.counted(project, "theirs", f"public_{name}", [pair.op])

    def of_program(self, pair: Pair, program: programs.Program, shape: tuple[int, ...]) -> dict[str, Any]:
        """The counts and the errors of a public program for M, K and N."""
        repository, _, folder = pair.folder.partition("/")
        work, [dtype] = self.work / pair.op, pair.dtypes
        work.mkdir(exist_ok=True)
        sizes = dict(zip("mkn", shape, strict=True))
        place = programs.Place(self.checkouts / repository, folder, work)
        programs.build(program, place, sizes, self.opforge)
        inputs, before = inputs_of(pair, shape, dtype), size_of(self.profile)
        made = programs.call(program, work, sizes, pair.theirs(inputs), self.opforge)
        row = {"op": pair.op, "dtype": dtype, "shape": shape}
        works = works_after(self.profile, before)
        if not works:
            return {**row, "failed": "no launch ended"}
        return {**row, "work": works, "errors": worst_errors(pair, inputs, {pair.their_names: made})}

    def commits(self) -> dict[str, str]:
        """The commit of each checkout."""
        found = {}
        for name in sorted({pair.folder.partition("/")[0] for pair in EVERY}):
            command = ["git", "-C", str(self.checkouts / name), "rev-parse", "HEAD"]
            found[name] = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
        return found


def _state_shapes(spec: Path, pair: Pair) -> None:
    """Writes the shapes of the pair's tensors, whose lines are those of `opforge adopt`."""
    lines = spec.read_text(encoding="utf-8").splitlines(keepends=True)
    for number, line in enumerate(lines):
        found = re.match(r"(\s+)(\w+):(\s+)\{shape: \[[^\]]*\](.*)", line)
        if found and found[2] in pair.shapes:
            lines[number] = f"{found[1]}{found[2]}:{found[3]}{{shape: {pair.shapes[found[2]]}{found[4]}\n"
    spec.write_text("".join(lines), encoding="utf-8")


def main() -> None:
    """Measures both sides and prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--only", action="append", default=[], metavar="OP", help="an op of ops.yaml: row_rms_norm")
    parser.add_argument("--work", type=Path, help="scratch folder on the file system of the checkouts")
    parser.add_argument("--write", action="store_true", help="renew results.json and benchmarks/kernels.md")
    args = parser.parse_args()
    pairs = [pair for pair in EVERY if not args.only or pair.op in args.only]
    kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {"rows": []}
    with tempfile.TemporaryDirectory(dir=args.work, prefix="opforge-kernels-") as work:
        site = Site(args.checkouts.absolute(), Path(work).absolute())
        ours = site.ours([pair.op for pair in pairs])
        rows = [row for row in kept["rows"] if args.only and row["op"] not in args.only]
        for pair in pairs:
            theirs = site.theirs(pair)
            mine = [row for row in ours if row["op"] == pair.op]
            for one, other in zip(mine, theirs, strict=True):
                case = {name: one[name] for name in ("op", "dtype", "shape")}
                sides = ({k: v for k, v in row.items() if k not in case} for row in (one, other))
                rows.append({**case, **dict(zip(("ours", "theirs"), sides, strict=True))})
            print(f"{pair.op}: {len(mine)} cases", file=sys.stderr, flush=True)
        order = [pair.op for pair in EVERY]
        document = {"commits": site.commits(), "rows": sorted(rows, key=lambda row: order.index(row["op"]))}
    text = report(document)
    print(text)
    if args.write:
        lines = ",\n".join(json.dumps(row) for row in document["rows"])
        RESULTS.write_text(
            f'{{"commits": {json.dumps(document["commits"])}, "rows": [\n{lines}\n]}}\n', encoding="utf-8"
        )
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
