"""Building the simulated toolkit: once, whole, for the right key. Most builds here are of a tiny stand-in."""

from __future__ import annotations

import fcntl
import functools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from opforge.errors import EnvironmentProblem, ToolkitError
from opforge.toolkit import build_tools, simulator, torch_location
from opforge.toolkit.aten_library import ensure_aten
from opforge.toolkit.digests import damage, note_files
from opforge.toolkit.process import Runner
from opforge.toolkit.simulator import ensure_simulator
from opforge.toolkit.simulator_key import SimulatorKey, simulator_key

CMAKE_LISTS = """\
cmake_minimum_required(VERSION 3.16)
project(tiny LANGUAGES CXX)
add_library(tiny SHARED tiny.cpp)
install(TARGETS tiny LIBRARY DESTINATION lib64)
"""


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Sources that build in a second, in place of the simulator's."""
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "CMakeLists.txt").write_text(CMAKE_LISTS)
    (sources / "tiny.cpp").write_text("int tiny() { return 1; }\n")
    monkeypatch.setattr(simulator, "SOURCES", sources)
    monkeypatch.setattr(simulator, "simulator_key", functools.partial(simulator_key, sources=sources))
    return sources


class Steps(list[str]):
    def __call__(self, text: str) -> None:
        self.append(text)


class NoProcess(Runner):
    def run(self, *_args: object, **_named: object) -> None:  # type: ignore[override]
        raise AssertionError("a process was started")


def ensure(cache: Path, runner: Runner | None = None, progress: Steps | None = None, **env: str) -> Path:
    environ = {**os.environ, **env}
    return ensure_simulator(
        cache, runner=runner or Runner(), environ=environ, progress=Steps() if progress is None else progress
    )


@pytest.mark.compiler
def test_it_is_built_once_and_again_when_a_source_changes(tiny: Path, tmp_path: Path) -> None:
    cache, steps = tmp_path / "cache with a space", Steps()
    root = ensure(cache, progress=steps)
    assert "building the simulated toolkit" in steps[0]
    assert any(re.fullmatch(r"    \d of \d steps: libtiny\.so is built", line) for line in steps[1:])
    assert root.parent == cache / "toolkit"
    assert {p.name for p in root.parent.iterdir()} == {root.name, f".{root.name}-lock"}
    for part in ("lib64/libtiny.so", "build.log", "set_env.sh", "version.cfg", "runtime", "compiler", "opp/vendors"):
        assert (root / part).exists(), part
    assert ensure(cache, runner=NoProcess()) == root
    (tiny / "tiny.cpp").write_text("int tiny() { return 2; }\n")
    again = ensure(cache)
    assert again != root
    assert again.is_dir()
    assert root.is_dir()


@pytest.mark.compiler
def test_a_failed_build_shows_the_compilers_words_and_leaves_nothing(tiny: Path, tmp_path: Path) -> None:
    (tiny / "tiny.cpp").write_text("int tiny() { return no_such_name; }\n")
    with pytest.raises(ToolkitError, match="building the simulated toolkit: ninja exited with status 1") as error:
        ensure(tmp_path / "cache")
    assert "no_such_name" in error.value.render()
    (log,) = (tmp_path / "cache" / "logs").iterdir()
    assert str(log) in error.value.render()
    assert "no_such_name" in log.read_text()
    assert "g++ 11 or later" in error.value.render()
    assert [p.name for p in (tmp_path / "cache" / "toolkit").iterdir() if not p.name.endswith("lock")] == []


@pytest.mark.compiler
def test_what_a_killed_build_left_is_neither_believed_nor_kept(tiny: Path, tmp_path: Path) -> None:
    key = simulator_key(os.environ, tiny).digest
    folder = tmp_path / "cache" / "toolkit"
    half = folder / f".{key}-build-abc" / "root"
    half.mkdir(parents=True)
    (folder / key / "lib64").mkdir(parents=True)  # no stamp: not from us
    older, underway = folder / ".older-build-def", folder / ".underway-build-ghi"
    for scratch in (older, underway):
        scratch.mkdir()
    with (folder / ".underway-lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        root = ensure(tmp_path / "cache")
    assert (root / "lib64" / "libtiny.so").is_file()
    assert [path.exists() for path in (half, older, underway)] == [False, False, True]


@pytest.mark.compiler
def test_two_processes_build_one_toolkit(tiny: Path, tmp_path: Path) -> None:
    code = f"""
import json
import os
import re
from functools import partial
from pathlib import Path
from opforge.toolkit import simulator
from opforge.toolkit.process import Runner
from opforge.toolkit.simulator_key import simulator_key
tiny = Path({str(tiny)!r})
simulator.SOURCES = tiny
simulator.simulator_key = partial(simulator_key, sources=tiny)
cache = Path({str(tmp_path)!r}) / "cache"
print(simulator.ensure_simulator(cache, runner=Runner(), environ=os.environ, progress=lambda s: print("::", s)))
"""
    both = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    texts = [process.communicate(timeout=120)[0] for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert texts[0].splitlines()[-1] == texts[1].splitlines()[-1]
    assert sum("building the simulated toolkit" in text for text in texts) == 1


@pytest.mark.usefixtures("tiny")
def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(ToolkitError, match=f"cannot write to {blocked}/toolkit: Not a directory") as error:
        ensure(blocked)
    assert "OPFORGE_CACHE" in error.value.render()


def test_the_key_holds_what_matters(tiny: Path, tmp_path: Path) -> None:
    def key(**env: str) -> SimulatorKey:
        return simulator_key({**os.environ, **env}, tiny, cpuinfo)

    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("flags\t\t: fpu sse2\n")
    before = key()
    assert before.digest == key().digest
    cpuinfo.write_text("flags\t\t: abm avx avx2 bmi1 bmi2 f16c fma movbe xsave sse2\n")
    changed = [key().digest]
    compiler = tmp_path / "my-g++"
    compiler.write_text('#!/bin/sh\nexec g++ "$@"\n')
    compiler.chmod(0o755)
    changed.append(key(CXX=str(compiler)).digest)
    compiler.write_text('#!/bin/sh\nexec g++  "$@"\n')
    changed.append(key(CXX=str(compiler)).digest)
    (tiny / "tiny.cpp").chmod(0o755)
    changed.append(key().digest)
    (tiny / "new.h").write_text("")
    changed.append(key().digest)
    assert len({before.digest, *changed}) == 6
    (tiny / "__pycache__").mkdir()
    (tiny / "__pycache__" / "x.pyc").write_text("")
    assert key().digest == changed[-1]


def test_without_a_compiler_it_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(ToolkitError, match=r"there is no C\+\+ compiler"):
        build_tools.find_compiler({"PATH": str(tmp_path)})
    with pytest.raises(ToolkitError, match=r"the C\+\+ compiler no-such-cxx \(from CXX\) does not exist"):
        build_tools.find_compiler({"PATH": os.environ["PATH"], "CXX": "no-such-cxx -O2"})


def test_pytorch_is_found_by_its_files(tmp_path: Path) -> None:
    site = tmp_path / "lib" / "python3.12" / "site-packages" / "torch"
    (site / "include" / "ATen").mkdir(parents=True)
    (tmp_path / "pyvenv.cfg").write_text("")
    (site / "version.py").write_text("from typing import Optional\n__version__ = '2.13.0+cpu'\ndebug = False\n")
    config = site / "share" / "cmake" / "Torch"
    config.mkdir(parents=True)
    (config / "TorchConfig.cmake").write_text('set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")\n')
    found = torch_location.torch_of(tmp_path / "bin" / "python", runner=NoProcess(), environ={})
    assert found == torch_location.TorchLocation(site, "2.13.0+cpu", 0)


def test_an_environment_without_pytorch_is_told_what_to_install(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    with pytest.raises(EnvironmentProblem, match="has no PyTorch") as error:
        ensure_aten(
            tmp_path, tmp_path / "env" / "bin" / "python", runner=Runner(), environ=os.environ, progress=Steps()
        )
    assert "pip install 'opforge[npu]'" in error.value.render()


@pytest.mark.torch
def test_pytorch_of_an_overlay_environment_is_found(tmp_path: Path) -> None:
    """A virtual environment that borrows another's packages through a .pth file."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "env")], check=True)
    site = next((tmp_path / "env" / "lib").glob("python3*/site-packages"))
    ours = torch_location.torch_of(Path(sys.executable), runner=Runner(), environ=os.environ)
    (site / "base.pth").write_text(f"{ours.package.parent}\n")
    assert torch_location.torch_of(site.parents[2] / "bin" / "python", runner=Runner(), environ=os.environ) == ours


def test_the_simulator_compiles_without_a_warning(toolkit_root: Path) -> None:
    """A user's compiler may warn of what ours does not know; ours may warn of nothing."""
    log = (toolkit_root / "build.log").read_text()
    assert "libascendcl.so" in log
    assert [line for line in log.splitlines() if "warning:" in line] == []


def test_damage_is_seen_by_stats_and_content(tmp_path: Path) -> None:
    folder, note = tmp_path / "made", tmp_path / "files.json"
    (folder / "inner").mkdir(parents=True)
    (folder / "inner" / "file").write_bytes(b"content")
    (folder / "link").symlink_to("inner/file")
    (folder / "later").mkdir()
    (folder / "later" / "passed over").write_bytes(b"")
    note_files(folder, note, ["later"])
    (folder / "later" / "passed over").write_bytes(b"more")
    assert damage(folder, note) is None

    file = folder / "inner" / "file"
    for content, bad in ((b"CONTENT", "inner/file"), (b"content", None), (b"", "inner/file"), (b"content", None)):
        before = file.stat()
        file.write_bytes(content)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        assert damage(folder, note) == bad
    assert json.loads(note.read_bytes())["inner/file"][2] == file.stat().st_ctime_ns  # noted for the next time
    file.unlink()
    assert damage(folder, note) == "inner/file"
    file.mkdir()
    assert damage(folder, note) == "inner/file"
    file.rmdir()
    os.mkfifo(file)
    assert damage(folder, note) == "inner/file"
    file.unlink()
    file.write_bytes(b"content")
    (folder / "link").unlink()
    (folder / "link").symlink_to("elsewhere")
    assert damage(folder, note) == "link"
    note.write_bytes(note.read_bytes()[:-1])
    assert damage(folder, note) == "files.json"


@pytest.mark.compiler
def test_a_damaged_toolkit_is_built_again(tiny: Path, tmp_path: Path) -> None:  # noqa: ARG001
    cache, steps = tmp_path / "cache", Steps()
    root = ensure(cache)
    whole = (root / "lib64" / "libtiny.so").read_bytes()
    (root / "lib64" / "libtiny.so").write_bytes(whole[:-1])
    assert ensure(cache, progress=steps) == root
    assert steps[0] == f"{root}/lib64/libtiny.so is damaged: {root.name} is made again"
    assert (root / "lib64" / "libtiny.so").read_bytes() == whole
    assert ensure(cache, runner=NoProcess()) == root
    assert {p.name for p in root.parent.iterdir()} == {root.name, f".{root.name}-lock"}
