"""The facts that step keys are made of: sources, spec, toolkit, compiler, torch."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from opforge import __version__
from opforge.build.python_env import PythonEnv, version_file
from opforge.build.state import State, stat_of
from opforge.toolkit.protocol import Toolkit

SPEC = "opforge.yaml"
LOCK = ".opforge/lock.json"


def source_files(root: Path, folders: Iterable[str]) -> list[str]:
    """Every file below these folders, relative to ``root``, sorted; caches and editors' leavings are not sources."""
    found: list[str] = []
    pending = [folder for folder in folders if (root / folder).is_dir()]
    while pending:
        folder = pending.pop()
        with os.scandir(root / folder) as entries:
            for entry in entries:
                name = f"{folder}/{entry.name}"
                if entry.name.startswith(".") or entry.name == "__pycache__" or entry.name.endswith((".pyc", "~")):
                    continue
                if entry.is_dir():
                    pending.append(name)
                else:
                    found.append(name)
    return sorted(found)


def source_folders(state: State) -> list[str]:
    """The folders of op_host and op_kernel files, as the step that read the spec last found them."""
    record = state.steps.get("spec")
    return (record.facts.get("sources", "op_host\nop_kernel") if record else "op_host\nop_kernel").split("\n")


def hashes(state: State, root: Path, names: Iterable[str]) -> dict[str, str]:
    """``{"op_host/vector_add.cpp": "sha256 ..."}``; a file that is missing is a fact too."""
    return {name: state.file_hash(root / name) or "missing" for name in names}


def spec_facts(state: State, root: Path) -> dict[str, str]:
    """The spec's text, the lock, and the opforge that reads them."""
    return {**hashes(state, root, (SPEC, LOCK)), "opforge": __version__}


def meaning_facts(state: State, root: Path, part: str) -> dict[str, str]:
    """What the spec says, as the step that read it last understood it: a comment builds nothing again.

    ``part`` is ``says`` for all of it, ``interface`` for what op_host and the CMake files depend on: an expression
    reaches the kernels through the sources that are rendered from it.
    """
    record = state.steps.get("spec")
    if record is None or record.key != spec_facts(state, root):
        return {SPEC: "not read yet", "opforge": __version__}
    return {SPEC: record.facts[part], "opforge": __version__}


def toolkit_facts(toolkit: Toolkit) -> dict[str, str]:
    """Which toolkit, down to its content."""
    return {"toolkit": f"{toolkit.kind} {toolkit.root}", "toolkit content": toolkit.fingerprint}


def compiler_facts(compiler: Path) -> dict[str, str]:
    """The compiler by its file: path, size and time. Asking it for its version would cost a process."""
    real = compiler.resolve()
    return {"compiler": f"{compiler} {real} {stat_of(real)}"}


def torch_facts(state: State, env: PythonEnv) -> dict[str, str]:
    """PyTorch and torch_npu by the content of their version files, and where they are."""
    facts = {}
    for name, package in (("torch", env.torch), ("torch_npu", env.torch_npu)):
        version = state.file_hash(version_file(package)) if package else None
        facts[name] = f"{package} {version or 'missing'}"
    return facts
