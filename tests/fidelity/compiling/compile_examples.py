"""Compiles other people's examples against our headers: ``compile_examples.py EXAMPLES [--json FILE] [--result]``.

EXAMPLES is the folder examples/01_simd_cpp_api of an asc-devkit checkout. Each .asc source for Atlas A2
(dav-2201) is checked no further than the syntax; a launch ``f<<<a, b, c>>>(x)`` becomes a call. What is
refused is sorted by what the compiler says first.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "declarations"))

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from kept_results import keep_result
from parts import assembled

LAUNCH = re.compile(r"<<<(?:[^<>]|<[^<>]*>|->)*>>>")
OPTIONS = (
    "-std=c++17", "-w", "-D__NPU_ARCH__=2201", "-DSCENARIO_NUM=1",
    "-D__cube__=", "-D__mix__(...)=", "-D__kfc_workspace__=",  # bisheng takes them out of the source
)  # fmt: skip
CLASSES = (  # what is said first, and what that means
    ("a part of the example's own build",
     r"(torch|pybind11)/\S+: No such file|SCENARIO_\w+|was not declared in this scope$"),
    ("refused in words", r"static assertion failed: .*(not simulated|not there on|of other products|is not one of)"),
    ("refused in words", r"static assertion failed"),
    ("a header that ours lack", r"No such file"),
    ("a name that ours lack", r"was not declared|has not been declared|is not a member of|does not name a type"
     r"|has no member|undeclared|no type named"),
    ("a form that ours lack", r"no matching function|cannot bind|too many|could not convert|invalid conversion"),
)  # fmt: skip


def supports(source: Path) -> bool:
    """By the products of its README.md, or else by the architectures of its CMakeLists.txt."""
    readme, build = (source.parent / name for name in ("README.md", "CMakeLists.txt"))
    if readme.is_file():
        return "Atlas A2" in readme.read_text(encoding="utf-8", errors="replace")
    said = build.read_text(encoding="utf-8", errors="replace") if build.is_file() else ""
    return "dav-2201" in said or "dav" not in said


def first_error(source: Path, search: list[str]) -> str:
    text = LAUNCH.sub("", source.read_text(encoding="utf-8", errors="replace"))
    command = ["g++", *OPTIONS, *search, f"-I{source.parent}", "-fsyntax-only", "-x", "c++", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    found = re.search(r"error: .*", done.stderr)
    return found[0] if found else ""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("examples", type=Path)
    parser.add_argument("--result", action="store_true", help="keep results/compile_examples.json")
    parser.add_argument("--json", type=Path, help="write every source with its class and what was said")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    every = sorted(asked.examples.rglob("*.asc"))
    sources = [each for each in every if supports(each)]
    with tempfile.TemporaryDirectory() as folder:
        include = assembled(Path(folder) / "include")
        header = Path(folder) / "ours.h"
        header.write_text('#include "kernel_operator.h"\n', encoding="utf-8")
        search = [f"-I{include / 'ascendc'}", f"-I{include}"]
        subprocess.run(["g++", *OPTIONS, *search, "-x", "c++-header", str(header)], check=True)
        search += ["-include", str(header)]
        with ThreadPoolExecutor(asked.jobs) as pool:
            said = dict(zip(sources, pool.map(lambda each: first_error(each, search), sources), strict=True))
    rows = {}
    for source, error in said.items():
        kind = next((name for name, pattern in CLASSES if re.search(pattern, error)), "something else")
        rows[str(source.relative_to(asked.examples))] = {"class": kind if error else "compiled", "said": error}
    counts = Counter(row["class"] for row in rows.values())
    if asked.json:
        asked.json.write_text(json.dumps(rows, indent=1, ensure_ascii=False), encoding="utf-8")
    found = {"examples": len(every), "for_dav_2201": len(sources), "by_class": dict(counts.most_common())}
    print(json.dumps(found, indent=2))
    if asked.result:
        keep_result("compile_examples", found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
