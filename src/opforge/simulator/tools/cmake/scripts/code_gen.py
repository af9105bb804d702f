"""Compiles op_host into one library and lets op_build write the aclnn, proto and ini files.

Only what is out of date is compiled, and only generated files whose text changed are touched, so that configuring again
does not compile the aclnn library again. Prints the files that were read, one a line. Any failure leaves the generated
files as they were, and an exit status of 1.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from awkward import awkward


def dependencies(depfile: Path) -> list[Path]:
    """The prerequisites that a compiler wrote as a make rule."""
    text = os.fsdecode(depfile.read_bytes()).replace("\\\n", " ").partition(":")[2]
    # One name for each: CMake takes `a/../b` and `b` for two files, and the rule that makes both for an error.
    return [Path(os.path.normpath(word.replace("\0", " "))) for word in text.replace("\\ ", "\0").split()]


def newest(paths: Iterable[Path]) -> int:
    """The latest modification time in nanoseconds; later than any when one of the files is gone."""
    try:
        return max(path.stat().st_mtime_ns for path in paths)
    except FileNotFoundError:
        return sys.maxsize


def run(words: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a tool and keep what it says."""
    return subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace", check=False
    )


def compile_one(source: Path, target: Path, command: list[str]) -> str:
    """Empty when up to date or compiled, else what the compiler said."""
    depfile = target.with_suffix(".d")
    stamp = target.with_suffix(".cmd")
    words = [*command, "-MMD", "-MF", str(depfile), "-c", str(source), "-o", str(target)]
    asked = os.fsencode("\n".join(words))
    same = target.is_file() and depfile.is_file() and stamp.is_file() and stamp.read_bytes() == asked
    if same and newest(dependencies(depfile)) < target.stat().st_mtime_ns:
        return ""
    target.unlink(missing_ok=True)
    done = run(words)
    if done.returncode:
        target.unlink(missing_ok=True)
        return done.stdout or f"{command[0]} exited with status {done.returncode}"
    stamp.write_bytes(asked)
    return ""


def synchronise(fresh: Path, out: Path) -> None:
    """Makes ``out`` hold what ``fresh`` holds, touching only what differs."""
    wanted = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
    for path in out.rglob("*"):
        if path.is_file() and path.relative_to(out) not in wanted:
            path.unlink()
    for name in sorted(wanted):
        target = out / name
        data = (fresh / name).read_bytes()
        if target.is_file() and target.read_bytes() == data:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_name(target.name + ".tmp")
        temporary.write_bytes(data)
        temporary.replace(target)


def split(options: str) -> list[str]:
    """A CMake list as words."""
    return [option for option in options.split(";") if option]


def compile_all(args: argparse.Namespace, objects: list[Path]) -> None:
    """The objects of op_host, and on stdout the files that were read."""
    command = [args.compiler, "-std=c++11", "-fPIC", "-O0", "-D_GLIBCXX_USE_CXX11_ABI=0"]
    command += ["-isystem", str(args.root / "include"), *split(args.options)]
    with ThreadPoolExecutor(max_workers=args.jobs) as pool:
        said = pool.map(lambda source, target: compile_one(source, target, command), args.sources, objects)
        errors = [error for error in said if error]
    for depfile in (target.with_suffix(".d") for target in objects):
        if depfile.is_file():
            for path in dependencies(depfile):
                if args.root not in path.parents:
                    print(path)
    if errors:
        sys.exit("\n".join(errors))


def link_all(args: argparse.Namespace, objects: list[Path]) -> Path:
    """The library that op_build loads."""
    library = args.work / "libascend_all_ops.so"
    if library.is_file() and newest(objects) < library.stat().st_mtime_ns:
        return library
    lib64 = args.root / "lib64"
    link = [args.compiler, "-shared", "-o", str(library), *map(str, objects), f"-L{lib64}", f"-Wl,-rpath,{lib64}"]
    done = run([*link, "-lexe_graph", "-lregister", "-ltiling_api", *split(args.link_options)])
    if done.returncode:
        library.unlink(missing_ok=True)
        sys.exit(done.stdout)
    return library


def generate(args: argparse.Namespace, library: Path) -> None:
    """What op_build writes of the library, into the output folder."""
    fresh = args.work / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir()
    command = [str(args.root / "tools" / "opbuild" / "op_build"), str(library), str(fresh)]
    if args.units:
        command.append(f"--compute_unit={args.units}")
    try:
        done = run(command)
    except OSError as e:
        sys.exit(f"cannot start {command[0]}: {e.strerror}")
    if done.returncode and awkward("partial-codegen"):
        shutil.copytree(fresh, args.out, dirs_exist_ok=True)
    if awkward("silent-op-build") and os.environ.get("ASCEND_SLOG_PRINT_TO_STDOUT") != "1":
        done.stdout = ""  # CANN's writes to its log alone
    if done.returncode:
        sys.exit(f"op_build exited with status {done.returncode}\n{done.stdout}")
    if awkward("environment-orders") and os.environ.get("OPS_ACLNN_GEN") == "0":
        for path in fresh.glob("aclnn_*"):
            path.unlink()
    args.out.mkdir(parents=True, exist_ok=True)
    synchronise(fresh, args.out)
    shutil.rmtree(fresh)
    if done.stdout.strip():
        print(done.stdout.strip(), file=sys.stderr)


def main() -> None:
    """Compile, link, generate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--units", default="")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--options", default="")
    parser.add_argument("--link-options", default="")
    parser.add_argument("sources", nargs="+", type=Path)
    args = parser.parse_args()
    args.work.mkdir(parents=True, exist_ok=True)
    objects = [args.work / f"{index}_{source.stem}.o" for index, source in enumerate(args.sources)]
    compile_all(args, objects)
    generate(args, link_all(args, objects))


main()
