"""A place to build projects with a toolkit that somebody has laid out: commands, and looks at what they left."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

_HIDDEN = ("ASCEND", "OPFORGE", "LD_LIBRARY", "PYTEST", "PYTHONPATH", "MAKE", "OPS_", "VIRTUAL_ENV")


class WrongError(AssertionError):
    """What a case found, in a sentence."""


def expect(condition: object, text: str) -> None:
    """Ends the case with ``text`` unless the condition holds."""
    if not condition:
        raise WrongError(text)


@dataclass(frozen=True)
class Bench:
    """The toolkit, a folder to work in, and the environment as the toolkit's set_env.sh leaves it."""

    toolkit: Path
    work: Path
    environ: dict[str, str]
    as_user: tuple[str, ...] = ()  # in front of each command: setpriv and its options
    shown: list[str] = field(default_factory=list)

    def sh(self, *words: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        """Runs a command in this environment and ``variables``; whatever its status."""
        command = [*self.as_user, *map(str, words)]
        return subprocess.run(
            command,
            cwd=cwd,
            env={**self.environ, **variables},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )

    def opforge(self, *words: str | Path, cwd: Path, ok: bool = True, **variables: str) -> str:
        """Runs opforge under this Python; returns what it said on both streams. Wrong where it ends otherwise."""
        done = self.sh(self.environ.get("BENCH_PYTHON", sys.executable), "-m", "opforge", *words, cwd=cwd, **variables)
        said = done.stdout + done.stderr
        expect((done.returncode == 0) == ok, f"opforge {' '.join(map(str, words))}: status {done.returncode}\n{said}")
        expect("internal error" not in said and "Traceback" not in said, said)
        return said

    def variant(self, **variables: str) -> Bench:
        """The same with other variables."""
        return replace(self, environ={**self.environ, **variables})


def activated(toolkit: Path, work: Path) -> Bench:
    """Sources the toolkit's set_env.sh, as a user would."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(_HIDDEN)}
    script = f'. "{toolkit}/set_env.sh" >&2 && env -0'
    done = subprocess.run(["bash", "-c", script], env=clean, capture_output=True, check=True)
    lines = os.fsdecode(done.stdout).split("\0")
    environ: Mapping[str, str] = dict(line.split("=", 1) for line in lines if "=" in line)
    own = {"OPFORGE_CACHE": str(work / "cache"), "VIRTUAL_ENV": sys.prefix, "HOME": str(work)}
    return Bench(toolkit, work, {**environ, **own})


def packed(project: Path) -> Path:
    """The vendor folder that the build has unpacked."""
    vendors = [path for path in (project / "build" / "vendor" / "vendors").glob("*") if path.is_dir()]
    expect(len(vendors) == 1, f"{len(vendors)} vendor folders in {project}/build/vendor")
    return vendors[0]


def binaries(project: Path) -> dict[str, list[Path]]:
    """The kernel objects in the package, by SoC and op file."""
    kernels = packed(project) / "op_impl" / "ai_core" / "tbe" / "kernel"
    found: dict[str, list[Path]] = {}
    for path in sorted(kernels.rglob("*.o")):
        found.setdefault(str(path.parent.relative_to(kernels)), []).append(path)
    return found


def check_package(project: Path, began: float) -> int:
    """Everything that a package has is there, is new, and the sources in it are the project's; returns its kernels."""
    tree = packed(project)
    made = sorted((project / "dist").glob("*.run"))
    expect(len(made) == 1 and made[0].stat().st_mtime >= began, f"no new run package in {project}/dist")
    for name in ("op_api/lib/libcust_opapi.so", "op_impl/ai_core/tbe/op_tiling/liboptiling.so"):
        expect((tree / name).is_file(), f"the package has no {name}")
    every = [path for paths in binaries(project).values() for path in paths]
    expect(every, "the package has no kernels")
    for path in every:
        expect(path.with_suffix(".json").is_file(), f"{path.name} has no JSON")
    (dynamic,) = (tree / "op_impl" / "ai_core" / "tbe").glob("*_impl/dynamic")
    for source in (project / "op_kernel").rglob("*.h"):
        copy = dynamic / source.relative_to(project / "op_kernel")
        expect(
            copy.is_file() and copy.read_bytes() == source.read_bytes(), f"the packed {copy.name} is not the project's"
        )
    return len(every)


def packed_ops(project: Path) -> dict[str, dict[str, dict[str, str]]]:
    """What op_build read of the ops, for the first SoC."""
    (first, *_) = sorted(packed(project).glob("op_impl/ai_core/tbe/config/*/aic-*-ops-info.json"))
    ops: dict[str, dict[str, dict[str, str]]] = json.loads(first.read_text())
    return ops


def copied(project: Path, target: Path) -> Path:
    """The project with what was built, in another folder, where the operators are due again."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(project, target, symlinks=True)
    shutil.rmtree(target / "dist", ignore_errors=True)
    return target


def edit(path: Path, old: str, new: str) -> None:
    """Replaces one place of a file."""
    text = path.read_text()
    expect(text.count(old) == 1, f"{path} has {text.count(old)} times {old!r}")
    path.write_text(text.replace(old, new))


def lines_with(text: str, pattern: str) -> list[str]:
    """The lines in which a pattern is found."""
    return [line for line in text.splitlines() if re.search(pattern, line)]
