"""The prebuilt toolkit: when it is copied, and each reason to compile instead. A few scripts stand in for it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest

from opforge.toolkit import prebuilt
from opforge.toolkit.digests import damage
from opforge.toolkit.prebuilt import is_prebuilt, misfit, take_prebuilt
from opforge.toolkit.process import Completed, Runner
from opforge.toolkit.simulator import ensure_simulator
from opforge.toolkit.simulator_key import SimulatorKey, simulator_key

pytestmark = pytest.mark.compiler  # the key names one; none is started

LOADER = "libstdc++.so.6: version `GLIBCXX_3.4.99' not found (required by bin/op_build)"


class CompilesError(Exception):
    pass


class NoCompiler(Runner):
    def run(self, command: object, **named: object) -> Completed:  # type: ignore[override]
        if Path(str(command[0])).name == "cmake":  # type: ignore[index]
            raise CompilesError
        return super().run(command, **named)  # type: ignore[arg-type]


def program(path: Path, says: str, status: int) -> None:
    path.write_text(f"#!/bin/sh\ncat <<'.'\n{says}\n.\nexit {status}\n")
    path.chmod(0o755)


@pytest.fixture
def key() -> SimulatorKey:
    return simulator_key(os.environ)


@pytest.fixture
def folder(tmp_path: Path, key: SimulatorKey, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a platform wheel of this machine would have."""
    folder = tmp_path / "prebuilt with a space"
    for name in ("bin", "lib64", "aten/torch-2"):
        (folder / name).mkdir(parents=True)
    program(folder / "bin/op_build", "usage: op_build <op shared library>", 1)
    program(folder / "bin/sim_device_worker", "sim_device_worker is started by the runtime", 2)
    (folder / "set_env.sh").write_text("another root")
    (folder / "aten/torch-2/files.json").write_text("{}")
    built_by = {"path": "/opt/other-g++", "file": "/opt/other-g++", "size": 1, "mtime_ns": 1}
    (folder / "toolkit.json").write_text(json.dumps({**asdict(key), "compiler": built_by}))
    monkeypatch.setattr(prebuilt, "PREBUILT", folder)
    return folder


def rewritten(folder: Path, **fields: str) -> None:
    stamp = folder / "toolkit.json"
    stamp.write_text(json.dumps(json.loads(stamp.read_text()) | fields))


def ensure(cache: Path, told: list[str]) -> Path:
    return ensure_simulator(cache, runner=NoCompiler(), environ=os.environ, progress=told.append)


def test_it_is_copied_and_nothing_is_compiled(folder: Path, tmp_path: Path, key: SimulatorKey) -> None:
    told: list[str] = []
    root = ensure(tmp_path / "cache", told)
    assert told == ["copying the prebuilt simulated toolkit"]
    assert root == tmp_path / "cache" / "toolkit" / key.digest
    assert is_prebuilt(root)
    assert f"_opforge_root={root}" in (root / "set_env.sh").read_text()
    stamp = json.loads((root / "toolkit.json").read_text())
    assert stamp == {**asdict(key), "prebuilt": True}
    (root / "aten/torch-2/files.json").write_text("its first use notes other stats")
    assert damage(root, root / "files.json") is None
    assert ensure(tmp_path / "cache", told) == root
    assert len(told) == 1
    (root / "bin/op_build").write_text("")
    assert ensure(tmp_path / "cache", told) == root
    assert (root / "bin/op_build").read_bytes() == (folder / "bin/op_build").read_bytes()


MISFITS: dict[str, tuple[Callable[[Path], object], str]] = {
    "sources": (lambda f: rewritten(f, sources="0" * 64), "the simulator's sources are others"),
    "machine": (lambda f: rewritten(f, machine="riscv64", march=""), "it is for riscv64; this CPU is {cpu}"),
    "old CPU": (lambda f: rewritten(f, march="x86-64-v4"), "it is for x86-64-v4; this CPU is {cpu}"),
}
FAILURES: dict[str, tuple[Callable[[Path], object], str]] = {
    "libstdc++": (lambda f: program(f / "bin/op_build", LOADER, 1), LOADER),
    "crash": (lambda f: (f / "bin/op_build").write_text("#!/bin/sh\nkill -ILL $$\n"), "op_build ended with status -4"),
    "mode": (lambda f: (f / "bin/sim_device_worker").chmod(0o644), "sim_device_worker: Permission denied"),
    "library": (lambda f: (f / "lib64/libregister.so").write_text("no library"), "'./libregister.so' from LD_PRELOAD"),
}


@pytest.mark.parametrize("name", MISFITS)
def test_one_for_something_else_is_not_copied(name: str, folder: Path, tmp_path: Path, key: SimulatorKey) -> None:
    change, why = MISFITS[name]
    assert misfit(key) is None
    change(folder)
    told: list[str] = []
    with pytest.raises(CompilesError):
        ensure(tmp_path / "cache", told)
    reason = why.format(cpu=key.march or key.machine)
    assert misfit(key) == reason
    assert told[0] == f"the prebuilt simulated toolkit is not used: {reason}"
    assert told[1].startswith("building the simulated toolkit with ")


@pytest.mark.parametrize("name", FAILURES)
def test_one_that_does_not_load_is_removed_again(name: str, folder: Path, tmp_path: Path, key: SimulatorKey) -> None:
    change, why = FAILURES[name]
    change(folder)
    told: list[str] = []
    root = tmp_path / "root"
    assert not take_prebuilt(key, root, runner=Runner(), environ=os.environ, tell=told.append)
    assert told[0] == "copying the prebuilt simulated toolkit"
    assert told[1].startswith("the prebuilt simulated toolkit is not used: ")
    assert why in told[1]
    assert not root.exists()


def test_without_one_nothing_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    with pytest.raises(CompilesError):
        ensure(tmp_path / "cache", told)
    assert [text.split(" with ")[0] for text in told] == ["building the simulated toolkit"]
