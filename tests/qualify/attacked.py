"""A project that is attacked: its commands as processes, its files as editors change them, and what is right then."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from tests.kept import CACHE

PACKAGE = "plain_abs"
_SPEC = ("opforge", "new", "PlainAbs", "--inputs", "x", "--compute", "y = abs(x)", "--dtype", "float16")
_SECONDS = 900.0
_BY_PIP = ("INSTALLER", "RECORD", "REQUESTED", "direct_url.json")  # in a .dist-info folder, besides the wheel's own
KINDS = ("build", "build anew", "install", "install what is built")
EDITED = {
    "opforge.yaml": "# {}\n",
    "op_host/plain_abs.cpp": "// {}\n",
    "op_kernel/plain_abs_kernel.h": "// {}\n",
    "csrc/opforge/npu_glue.h": "// {}\n",
    f"python/{PACKAGE}/_reference.py": "# {}\n",
}


@dataclass
class Site:
    """A project, and an environment that it is installed into."""

    folder: Path
    chance: random.Random
    environ: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)  # within which each kind of attack strikes
    known: dict[str, dict[str, str]] = field(default_factory=dict)  # artifacts' hashes by those of the sources

    @property
    def root(self) -> Path:
        return self.folder / PACKAGE

    @property
    def prefix(self) -> Path:
        return self.folder / "env"

    def command(self, *words: str, cwd: Path | None = None, **environ: str) -> subprocess.Popen[str]:
        """A command as it was typed, with the processes that it starts in a group of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=cwd or self.root,
            env={**self.environ, **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def completed(self, *words: str, cwd: Path | None = None, **environ: str) -> str:
        """What is wrong with a command that must end well; empty where nothing is."""
        process = self.command(*words, cwd=cwd, **environ)
        said, _ = process.communicate(timeout=_SECONDS)
        return "" if process.returncode == 0 else f"{' '.join(words)}: exit status {process.returncode}\n{said}"

    def _learn(self, kind: str, took: float | None) -> None:
        """From how long a command took that ended first; one that was struck shows that later ones could be too."""
        self.seconds[kind] = self.seconds[kind] * 1.15 if took is None else took

    def edit(self, count: int = 1, *, slowly: bool = False) -> None:
        """Changes that many files, each to one of two texts of its own; an editor writes, or replaces the file."""
        for name in self.chance.sample(sorted(EDITED), count):
            path = self.root / name
            mark = EDITED[name].format("edited")
            text = path.read_text()
            # A line more above all others: debug information of every object has other lines then.
            text = text.removeprefix(mark) if text.startswith(mark) else mark + text
            if self.chance.random() < 0.5:
                fresh = path.with_name(f".{path.name}.swp")
                fresh.write_text(text)
                fresh.replace(path)
            elif slowly:
                half = len(text) // 2
                with path.open("w") as file:
                    file.write(text[:half])
                    file.flush()
                    time.sleep(self.chance.random() * 0.2)
                    file.write(text[half:])
            else:
                path.write_text(text)

    def edits_during(self, process: subprocess.Popen[str], kind: str) -> int:
        """Edits at random moments while a command runs; how many were made before it ended."""
        made, start = 0, time.monotonic()
        for pause in sorted(self.chance.random() * self.seconds[kind] for _ in range(self.chance.randint(1, 3))):
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, pause - made * 0.01))
            if process.poll() is not None:
                break
            self.edit(slowly=True)
            made += 1
        self._learn(kind, None if made else time.monotonic() - start)
        return made

    def kill(self, process: subprocess.Popen[str], kind: str) -> str:
        """Ends a command by one of three signals, alone or with all that it started; "" where it had ended before."""
        drain = threading.Thread(target=process.stdout.read, daemon=True)  # type: ignore[union-attr]
        drain.start()
        start = time.monotonic()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(self.chance.random() * self.seconds[kind])
        number = self.chance.choice((signal.SIGKILL, signal.SIGTERM, signal.SIGINT))
        alone = self.chance.random() < 0.5
        aims = [process.pid] if alone else [process.pid, *descendants(process.pid)]
        in_time = process.poll() is None
        self._learn(kind, None if in_time else time.monotonic() - start)
        if not in_time:
            return ""
        for aim in aims:
            with contextlib.suppress(ProcessLookupError):
                os.kill(aim, number)
        process.wait(60)
        return f"{signal.Signals(number).name} {'alone' if alone else 'with children'}"

    def artifacts(self, root: Path) -> dict[str, str]:
        """SHA-256 of the run package and of the wheel in dist/."""
        return {path.name: _sha256(path.read_bytes()) for path in sorted((root / "dist").iterdir())}

    def clean(self) -> Path:
        """A build of what is on disk now in another, empty folder, with nothing kept: artifacts by the sources."""
        sources = _sources(self.root)
        place = self.folder / "clean" / sources / PACKAGE
        if not (place / "dist").is_dir():
            shutil.copytree(self.root, place, ignore=shutil.ignore_patterns("build", "dist"))
            wrong = self.completed(
                "opforge", "build", "-q", cwd=place, OPFORGE_SIM_KEEP_KERNELS="0", OPFORGE_CACHE=f"{self.folder}/cache"
            )
            assert not wrong, wrong
        return place

    def wrong(self, *, installed: bool) -> str:
        """How dist/, and what is installed, differ from a clean build of what is on disk; empty where they do not."""
        clean = self.clean()
        found, right = self.artifacts(self.root), self.artifacts(clean)
        if found != right:
            names = sorted({name for name, _ in found.items() ^ right.items()})
            return f"dist/ is not of what is on disk: {names}\n{_differences(self, clean)}"
        if not installed:
            return ""
        wanted = {}
        (wheel,) = (clean / "dist").glob("*.whl")
        with zipfile.ZipFile(wheel) as packed:
            wanted = {f"site/{name}": _sha256(packed.read(name)) for name in packed.namelist()}
        wanted |= _files(clean / "build" / "vendor" / "vendors", "vendors")
        site = Path(sysconfig.get_path("purelib", vars={"base": str(self.prefix), "platbase": str(self.prefix)}))
        there = {
            name: digest
            for name, digest in {**_files(site, "site"), **_files(self.prefix / "opp" / "vendors", "vendors")}.items()
            if name.startswith((f"site/{PACKAGE}", "vendors/")) and "/__pycache__/" not in name
        }
        by_pip = {name for name in there | wanted if ".dist-info/" in name and name.rpartition("/")[2] in _BY_PIP}
        by_installer = {name for name in there if name.endswith(("/bin/set_env.bash", "/simulator.json"))}
        ignored = by_pip | by_installer
        bad = sorted({name for name, _ in there.items() ^ wanted.items()} - ignored)
        return f"what is installed is not of what is on disk: {bad[:10]}" if bad else ""


def make_site(folder: Path, seed: str) -> Site:
    """A project that was built and installed, in an environment over this one."""
    folder.mkdir(parents=True, exist_ok=True)
    hidden = ("ASCEND", "OPFORGE", "LD_LIBRARY", "PYTEST", "TORCH_DEVICE", "PYTHONPATH", "TASK_QUEUE")
    environ = {name: value for name, value in os.environ.items() if not name.startswith(hidden)}
    site = Site(folder, random.Random(seed))
    environ |= {
        "VIRTUAL_ENV": str(site.prefix),
        "PATH": f"{site.prefix / 'bin'}:{Path(sys.executable).parent}:{environ['PATH']}",
        "OPFORGE_CACHE": str(folder / "attacked_cache"),
    }
    site.environ = environ
    for name in ("cache", "attacked_cache"):  # each with libraries of its own, and the toolkit that all tests share
        (folder / name).mkdir()
        (folder / name / "toolkit").symlink_to(CACHE / "toolkit")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(site.prefix)], check=True)
    purelib = sysconfig.get_path("purelib", vars={"base": str(site.prefix), "platbase": str(site.prefix)})
    (Path(purelib) / "overlay.pth").write_text(sysconfig.get_path("purelib") + "\n")
    made = site.completed(*_SPEC, "--soc", "ascend910b", "-q", cwd=folder)
    assert not made, made
    (site.root / "opforge.yaml").write_text((site.root / "opforge.yaml").read_text() + "    backward: false\n")
    for words in (("opforge", "update"), ("opforge", "install")):
        wrong = site.completed(*words)
        assert not wrong, wrong
    site.edit(2)
    start = time.monotonic()
    wrong = site.completed("opforge", "install") or site.wrong(installed=True)
    assert not wrong, wrong
    site.seconds = dict.fromkeys(KINDS, time.monotonic() - start)
    return site


def descendants(pid: int) -> list[int]:
    """All processes below one."""
    found = []
    try:
        children = [
            int(child)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for child in (task / "children").read_text().split()
        ]
    except OSError:
        return []
    for child in children:
        found += [child, *descendants(child)]
    return found


def _sources(root: Path) -> str:
    """A name for what a project's files are now."""
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root)
        if name.parts[0] not in ("build", "dist") and path.is_file():
            digest.update(f"{name}\0{_sha256(path.read_bytes())}\n".encode())
    return digest.hexdigest()[:12]


def _files(folder: Path, name: str) -> dict[str, str]:
    """SHA-256 of all files below a folder, by their paths from it behind ``name``."""
    return {
        f"{name}/{path.relative_to(folder)}": _sha256(path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def _differences(site: Site, clean: Path) -> str:
    """The files of the two vendor trees that differ."""
    one, other = (_files(root / "build" / "vendor", "") for root in (site.root, clean))
    return "\n".join(sorted({name for name, _ in one.items() ^ other.items()}))


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
