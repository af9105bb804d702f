"""Takes the chosen public operators through adopt, build, install and calls from PyTorch, and keeps what happened.

    python tests/fidelity/operators/run.py CHECKOUTS [--only NAME]... [--work DIR] [--result] [--untimed]

CHECKOUTS is a folder with checkouts named as in ``chosen.json``; nothing is fetched. A repository is linked, file by
file, into a scratch folder, and each operator is adopted there alone, as a user would, with ``--only``. The rules are
those of adopted operators: what a device accepts is a warning. Headers of other packages that its entry names are
linked into the project and passed with ``--include`` (*added* in its row).

Steps: *adopted* (opforge.yaml is written; shapes that the file of cases adds are listed), *built*, *run* (every case
ends without an error), *right* (those with a golden). Each failure has the first line of its message. ``--result``
writes these into ``results/operators/<repository>.json``, row by row. ``--untimed`` is for a machine whose times say
nothing: no step has a limit, and a row keeps the earlier times of steps that ended well.
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
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE.parent))

from added_packages import added  # noqa: E402
from entries import entries_of  # noqa: E402
from kept_results import RESULTS, keep_result  # noqa: E402
from selection import Chosen, chosen  # noqa: E402

from opforge.naming import torch_function  # noqa: E402
from opforge.spec.combinations import combinations  # noqa: E402
from opforge.spec.model import OpSpec  # noqa: E402
from opforge.spec.read.parse import load_spec  # noqa: E402

SOC = "ascend910b"
SECONDS = {"adopt": 120, "build": 900, "install": 120, "run": 600}
PACKAGE = "tried"
# Of what opforge prints, the lines that tell nothing about the operator.
_NOISE = re.compile(r"^(warning: CANN has|  |note: |\[W|\s*$|\d+ of \d+|toolkit:|device:|next:)")


def main() -> int:
    """Tries the operators and prints one line for each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path)
    parser.add_argument(
        "--only", action="append", default=[], metavar="NAME", help="a repository, or repository/folder"
    )
    parser.add_argument("--work", type=Path, help="scratch folder on the file system of the checkouts")
    parser.add_argument("--result", nargs="?", const="operators", metavar="FOLDER", help="keep rows in results/FOLDER")
    parser.add_argument("--untimed", action="store_true", help="no limits, and no times in the rows")
    args = parser.parse_args()
    wanted = [one for one in chosen() if not args.only or any(_is_named(one, name) for name in args.only)]
    with _scratch(args.work) as work:
        site = Site(args.checkouts.absolute(), work, limits={} if args.untimed else SECONDS)
        for one in wanted:
            row = site.tried(one)
            print(_told(one, row), flush=True)
            if args.result:
                _keep({one.name: row}, args.result, timed=not args.untimed)
    return 0


def _is_named(one: Chosen, name: str) -> bool:
    return f"{one.name}/".startswith(f"{name.rstrip('/')}/")


@contextmanager
def _scratch(given: Path | None) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="opforge-operators-", dir=given))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class Site:
    """Where operators are tried: linked repositories, and an environment to install into."""

    def __init__(self, checkouts: Path, work: Path, limits: Mapping[str, int] = SECONDS) -> None:
        self.checkouts, self.work, self.limits = checkouts, work, limits
        self.environment = work / "env"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(self.environment)], check=True)
        packages = next(self.environment.glob("lib/python3*/site-packages"))
        outer = Path(yaml.__file__).parents[1]
        (packages / "torch.pth").write_text(f"{outer}\n", encoding="utf-8")
        # The toolkit is built here, if at all: no operator's time contains that.
        command = _opforge("run", "--toolchain", "simulator", "--python", self.environment / "bin/python", "--", "true")
        subprocess.run(command, cwd=work, env=_environ(), capture_output=True, check=True)

    def tried(self, one: Chosen) -> dict[str, Any]:
        """The row of an operator."""
        row: dict[str, Any] = {"golden": one.golden, "reached": "nothing", "seconds": {}}
        root = self.linked(one.repository)
        entry = entries_of(one.repository).get(one.folder)
        folders = [] if entry is None else list(entry.include)
        row |= {"added": folders} if folders else {}
        with added(self.checkouts, root, folders) as options:
            self._taken_through(row, root, one, options)
        plain: dict[str, Any] = json.loads(json.dumps(row).replace(f"{self.work}/", ""))
        return plain

    def _taken_through(self, row: dict[str, Any], root: Path, one: Chosen, options: Sequence[str]) -> None:
        written: list[str] = []
        try:
            adopted = json.loads(self._step(row, "adopt", root, *self._adoption(root, one), *options))
            written = adopted["files"]
            _state_shapes(root, one)
            row["shapes by hand"] = sorted(_stated(one))
            row["ops"] = adopted["ops"]
            row["reached"] = "adopted"
            self._step(row, "build", root, "build", "--toolchain", "simulator", "--python", self.environment, "-q")
            row["reached"] = "built"
            self._step(row, "install", root, "install", "--python", self.environment, "-q")
            row |= self._called(row, root, one)
        except FailedError as failed:
            row["why"] = failed.why
        finally:
            self._cleaned(root, written)

    def linked(self, repository: str) -> Path:
        """The repository's files as hard links, so that adopting writes no file of the checkout."""
        target = self.work / repository
        if not target.is_dir():
            shutil.copytree(self.checkouts / repository, target, copy_function=os.link, symlinks=True)
        return target

    def _adoption(self, root: Path, one: Chosen) -> Sequence[str | Path]:
        options = ("--soc", SOC, "--package", PACKAGE, "--vendor", PACKAGE, "--keep-going", "--json")
        return ("adopt", root, "--only", one.folder, *options)

    def _called(self, row: dict[str, Any], root: Path, one: Chosen) -> dict[str, Any]:
        ops = [_description(op) for op in load_spec(root / "opforge.yaml").ops]
        given, report = self.work / "ops.json", self.work / "report.json"
        report.unlink(missing_ok=True)
        given.write_text(json.dumps({"repository": one.repository, "folder": one.folder, "ops": ops}), encoding="utf-8")
        python = self.environment / "bin" / "python"
        activated = ("run", "--python", python, "--toolchain", "simulator", "--rules", "device", "--")
        cases: list[dict[str, Any]] = []
        calls = 1
        while len(cases) < calls:
            report.unlink(missing_ok=True)
            told = self._step(row, "run", root, *activated, python, HERE / "call.py", given, report, str(len(cases)))
            document = json.loads(report.read_text(encoding="utf-8"))
            calls = document["calls"]
            cases += document["rows"]
            if calls:
                cases[-1]["error"] = cases[-1]["error"] and _shortened(cases[-1]["error"], told)
        return _counted(cases)

    def _step(self, row: dict[str, Any], step: str, cwd: Path, *words: str | Path) -> str:
        begin = time.monotonic()
        command = _opforge(*words)
        with subprocess.Popen(
            command,
            cwd=cwd,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=_environ(),
            errors="replace",
        ) as child:
            try:
                out, told = child.communicate(timeout=self.limits.get(step))
            except subprocess.TimeoutExpired:
                child.terminate()
                child.communicate()
                raise FailedError(f"{step}: more than {self.limits[step]} s") from None
        row["seconds"][step] = round(row["seconds"].get(step, 0) + time.monotonic() - begin, 1)
        if child.returncode != 0 and not (step == "run" and (self.work / "report.json").is_file()):
            raise FailedError(_first(step, f"{told}\n{out}"))
        return told if step == "run" else out

    def _cleaned(self, root: Path, written: Sequence[str]) -> None:
        command = _opforge("uninstall", "--python", self.environment, "--project", root, "-q")
        subprocess.run(command, capture_output=True, check=False)
        for name in written:
            (root / name).unlink(missing_ok=True)
        for folder in ("build", "dist", ".opforge", f"python/{PACKAGE}"):
            if not (self.checkouts / root.name / folder).is_dir():
                shutil.rmtree(root / folder, ignore_errors=True)


class FailedError(Exception):
    """A step that did not end well, with the first line of its message."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def _opforge(*words: str | Path) -> list[str]:
    return [sys.executable, "-m", "opforge", *map(str, words)]


def _environ() -> dict[str, str]:
    return {**os.environ, "NO_COLOR": "1", "PYTHONPATH": str(HERE.parents[2] / "src")}


def _first(step: str, text: str) -> str:
    """The message's first lines that say something."""
    said = re.search(r'"message": (".*")', text)
    text = json.loads(said[1]) if said else text
    lines = [line for line in text.splitlines() if not _NOISE.match(line)] or ["no message"]
    wrong = [line for line in text.splitlines() if re.search(r"\berror\b", line)]
    if len(wrong) == 1:  # what follows says why
        wrong = [line.strip() for line in text[text.index(wrong[0]) :].splitlines()]
    return f"{step}: {' | '.join((wrong or lines)[:3])}".replace(str(Path.home()), "~")[:600]


def _counted(cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The fields of a row that tell its calls: counts, and the calls that failed or gave wrong results."""
    failed = [case for case in cases if case["error"]]
    judged = [case["right"] for case in cases if case["right"] is not None]
    made: dict[str, Any] = {"reached": "built" if failed or not cases else "run"}
    made |= {"calls": len(cases), "judged": len(judged), "right": sum(judged)}
    made["not right"] = [case for case in cases if case["error"] or case["right"] is False]
    return made | ({"why": failed[0]["error"]} if failed else {})


def _shortened(error: str, told: str) -> str:
    """A call's error without what torch_npu and the runtime say of every error."""
    if error == "ended":
        return f"call: ended its process: {' | '.join(told.splitlines()[:4])}"[:600]
    lines = [line.strip() for line in error.splitlines() if line.strip()]
    place = next((at + 1 for at, line in enumerate(lines) if "Rectify the fault" in line), 0)
    return f"call: {' | '.join(lines[place : place + 3] or lines[:1]).removeprefix('call: ')}"[:600]


def _stated(one: Chosen) -> dict[str, str]:
    entry = entries_of(one.repository).get(one.folder)
    return {} if entry is None else dict(entry.shapes)


def _state_shapes(root: Path, one: Chosen) -> None:
    """Writes shapes into opforge.yaml that only an author knows."""
    stated = _stated(one)
    if not stated:
        return
    path = root / "opforge.yaml"
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    for op in document["ops"].values():
        for tensors in (op["inputs"], op["outputs"]):
            for name, tensor in tensors.items():
                if name in stated and "inplace" not in tensor:  # which has its input's shape
                    value = yaml.safe_load(stated[name])
                    tensor.update(value if isinstance(value, dict) else {"shape": value})
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")


def _description(op: OpSpec) -> dict[str, Any]:
    """What a caller needs to know of an op, as JSON."""
    return {
        "type": op.type,
        "function": torch_function(op.type, PACKAGE),
        "inputs": [
            {
                "name": tensor.name,
                "shape": list(tensor.dims),
                "optional": tensor.optional,
                "dynamic": tensor.dynamic,
                "value_depend": bool(tensor.value_depend),
                "scalar": tensor.scalar,
            }
            for tensor in op.inputs
        ],
        "outputs": [tensor.name for tensor in op.outputs],
        "attrs": [{"name": attr.name, "type": attr.type, "required": attr.required} for attr in op.attrs],
        "columns": [
            dict(zip((t.name for t in (*op.inputs, *op.outputs)), row, strict=True)) for row in combinations(op, SOC)
        ],
    }


def _told(one: Chosen, row: dict[str, Any]) -> str:
    seconds = " ".join(f"{name} {time_:.0f}" for name, time_ in row["seconds"].items())
    right = f", right {row['right']} of {row['judged']}" if row.get("judged") else ""
    return f"{one.name}: {row['reached']}{right} ({seconds}) {row.get('why', '')}"


def _keep(rows: dict[str, Any], name: str, *, timed: bool) -> None:
    """Merges the rows into the results of their repositories."""
    for repository in dict.fromkeys(row.partition("/")[0] for row in rows):
        path = RESULTS / name / f"{repository}.json"
        before = json.loads(path.read_text(encoding="utf-8"))["operators"] if path.is_file() else {}
        for folder, row in () if timed else ((one.folder, rows[one.name]) for one in chosen() if one.name in rows):
            row["seconds"] = _measured_before(before.get(folder))
        every = {
            one.folder: rows.get(one.name, before.get(one.folder)) for one in chosen() if one.repository == repository
        }
        path.parent.mkdir(parents=True, exist_ok=True)
        keep_result(
            f"{name}/{repository}", {"operators": {name: row for name, row in every.items() if row is not None}}
        )


def _measured_before(row: Mapping[str, Any] | None) -> dict[str, float]:
    """The times of a row's steps that ended well."""
    seconds: dict[str, float] = {} if row is None else row["seconds"]
    well = {"nothing": (), "adopted": ("adopt",)}.get(row["reached"] if row else "nothing", tuple(SECONDS))
    return {step: time_ for step, time_ in seconds.items() if step in well}


if __name__ == "__main__":
    sys.exit(main())
