"""Runs our side against a toolkit that somebody has laid out: CANN, or its public parts with stand-ins for the rest.

    python tests/fidelity/toolkit/run.py <toolkit> [--work DIR] [--only CASE]... [--user UID] [--result]

The folder must look like CANN: a set_env.sh that activates it, tools/opbuild/op_build, a CMake package ASC, msOpGen in
it or on PATH, asc_opc on its PATH. What of it is real and what stands in, its ``components.json`` says: a list of
``{"part": ..., "real": true, "source": ...}``. Nothing is fetched and no part of a toolkit is made here.

With ``--result`` the outcome is kept as results/toolkit.json, for docs/fidelity.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from bench import Bench, WrongError, activated
from cases import CASES
from kept_results import keep_result


def main() -> int:
    """Every case in order; the exit status is the number of cases that found something wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("toolkit", type=Path)
    parser.add_argument("--work", type=Path, help="kept afterwards; a temporary folder unless given")
    parser.add_argument("--only", action="append", default=[], metavar="CASE")
    parser.add_argument("--user", type=int, metavar="UID", help="as this user (by setpriv, as root)")
    parser.add_argument("--python", help="the Python of that user, where it is not this one")
    parser.add_argument("--result", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="opforge-toolkit-") as scratch:
        work = (args.work or Path(scratch)).absolute()
        work.mkdir(parents=True, exist_ok=True)
        bench = activated(args.toolkit.absolute(), work)
        if args.user is not None:
            bench = _as_user(bench, args.user, args.python)
        rows = [_row(case, bench) for case in CASES if not args.only or case.__name__ in args.only]
    if args.result:
        keep_result("toolkit", _report(args, rows))
    return sum(not row["passed"] for row in rows)


def _row(case: object, bench: Bench) -> dict[str, object]:
    assert callable(case)
    name = case.__name__
    try:
        outcome, passed = case(bench), True
    except (WrongError, OSError, subprocess.CalledProcessError, ValueError, StopIteration) as error:
        outcome, passed = f"{type(error).__name__}: {error}", False
    sys.stdout.write(f"{'ok   ' if passed else 'WRONG'} {name}: {outcome}\n")
    sys.stdout.flush()
    return {"case": name, "about": (case.__doc__ or "").strip(), "passed": passed, "outcome": outcome.splitlines()[0]}


def _as_user(bench: Bench, uid: int, python: str | None) -> Bench:
    setpriv = shutil.which("setpriv")
    if setpriv is None or os.getuid() != 0:
        sys.exit("--user needs setpriv and root")
    for folder in (bench.work, *bench.work.rglob("*")):
        os.chown(folder, uid, uid, follow_symlinks=False)
    words = (setpriv, f"--reuid={uid}", f"--regid={uid}", "--clear-groups")
    environ = {**bench.environ, **({"BENCH_PYTHON": python} if python else {})}
    return replace(bench, as_user=words, environ=environ)


def _report(args: argparse.Namespace, rows: list[dict[str, object]]) -> dict[str, object]:
    components = args.toolkit / "components.json"
    make = subprocess.run(["make", "--version"], capture_output=True, text=True, check=False).stdout.splitlines()
    return {
        "machine": f"{platform.machine()}, Python {platform.python_version()}, {make[0] if make else 'no make'}",
        "user": "root" if (args.user or os.getuid()) == 0 else "another user",
        "components": json.loads(components.read_text(encoding="utf-8")) if components.is_file() else [],
        "passed": sum(bool(row["passed"]) for row in rows),
        "cases": rows,
    }


if __name__ == "__main__":
    sys.exit(main())
