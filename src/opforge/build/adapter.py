"""Compiles the torch side: the adapter, and the glue to torch_npu that all projects of one environment share."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from opforge.build.request import BuildRequest
from opforge.errors import BuildError
from opforge.toolkit.process import Completed

ADAPTER = "libadapter.so"
GLUE = "libnpu_glue.so"
GLUE_SOURCES = ("npu_glue.cpp", "npu_glue.h")

_ABI = re.compile(r"_GLIBCXX_USE_CXX11_ABI=([01])")
# -O1: the adapter's own code is a few checks and calls; more costs compile time and gains nothing.
_FLAGS = ("-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror")


def adapter_sources(root: Path) -> list[Path]:
    """Every unit of csrc/ but the glue; the first build of a project has one."""
    return [path for path in sorted((root / "csrc").glob("*.cpp")) if path.name not in GLUE_SOURCES]


def build_adapter(request: BuildRequest, compiler: Path, torch: Path) -> Path:
    """Compiles csrc/ into build/torch/libadapter.so, which links torch alone."""
    sources = adapter_sources(request.root)
    if not sources:
        raise BuildError(
            f"{request.root / 'csrc'} has no .cpp file", hint="restore the folder from your version control"
        )
    target = request.folder / "torch" / ADAPTER
    libraries = ("-L", torch / "lib", "-ltorch", "-ltorch_cpu", "-lc10", "-ldl")
    command = [
        compiler,
        *_FLAGS,
        *_torch_flags(torch),
        "-I",
        request.root / "csrc",
        *sources,
        "-o",
        _scratch(target),
        *libraries,
    ]
    log = request.log("adapter")
    log.unlink(missing_ok=True)
    done = _compile(request, command, log)
    _require(done, "csrc/ does not compile")
    return _publish(target)


def glue_key(hashes: Mapping[str, str]) -> str:
    """The cache folder's name for these sources, versions and compiler."""
    return hashlib.sha256(json.dumps(hashes, sort_keys=True).encode()).hexdigest()[:16]


def build_glue(request: BuildRequest, compiler: Path, torch: Path, torch_npu: Path, key: str) -> Path:
    """The glue from the cache, compiled at the first project that needs it, as build/torch/libnpu_glue.so."""
    target = request.folder / "torch" / GLUE
    cached = request.cache / "glue" / key / GLUE
    if not cached.is_file():
        _compile_glue(request, compiler, torch, torch_npu, cached)
    scratch = _scratch(target)
    shutil.copyfile(cached, scratch)
    scratch.chmod(0o755)
    return _publish(target)


def _compile_glue(request: BuildRequest, compiler: Path, torch: Path, torch_npu: Path, cached: Path) -> None:
    cached.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(prefix=".glue-", suffix=".so", dir=cached.parent)
    os.close(descriptor)
    scratch = Path(name)
    includes = ("-isystem", torch_npu / "include", "-isystem", torch_npu / "include" / "third_party" / "acl" / "inc")
    command = [
        compiler,
        *_FLAGS,
        *_torch_flags(torch),
        *includes,
        "-I",
        request.root / "csrc",
        request.root / "csrc" / "npu_glue.cpp",
        "-o",
        scratch,
        "-L",
        torch_npu / "lib",
        "-ltorch_npu",
        "-L",
        torch / "lib",
        "-ltorch",
        "-ltorch_cpu",
        "-lc10",
        # torch_npu's own needs are met by the activated toolkit, not by this machine's linker.
        "-Wl,--allow-shlib-undefined",
    ]
    log = request.log("glue")
    log.unlink(missing_ok=True)
    try:
        done = _compile(request, command, log)
        _require(done, "csrc/npu_glue.cpp does not compile")
        scratch.chmod(0o755)
        scratch.replace(cached)  # two projects at once make the same file; the last one stays
    finally:
        scratch.unlink(missing_ok=True)


def _torch_flags(torch: Path) -> list[str | Path]:
    config = torch / "share" / "cmake" / "Torch" / "TorchConfig.cmake"
    found = _ABI.search(config.read_text(encoding="utf-8")) if config.is_file() else None
    abi = found[1] if found else "1"
    return ["-isystem", torch / "include", f"-D_GLIBCXX_USE_CXX11_ABI={abi}"]


def _compile(request: BuildRequest, command: list[str | Path], log: Path) -> Completed:
    (request.folder / "torch").mkdir(parents=True, exist_ok=True)
    # Run below the project, so that diagnostics name csrc/adapter.cpp.
    words = [os.path.relpath(w, request.root) if _below(w, request.root) else w for w in command]
    return request.runner.run(words, cwd=request.root, env=request.environ, log=log)


def _below(word: str | Path, root: Path) -> bool:
    return isinstance(word, Path) and root in word.parents


def _require(done: Completed, what: str) -> None:
    if done.ok:
        return
    lines = done.output.splitlines()
    first = next((i for i, line in enumerate(lines) if ": error:" in line or ": fatal error:" in line), 0)
    shown = "\n".join(lines[max(0, first - 2) : first + 30])
    raise BuildError(what, detail=shown or done.tail(), hint=done.advice(f"the whole output is in {done.log}"))


def _scratch(target: Path) -> Path:
    return target.with_name(f".{target.name}.new")


def _publish(target: Path) -> Path:
    scratch = _scratch(target)
    if not scratch.is_file():
        raise BuildError(f"the compiler ended well but left no {target.name}")
    scratch.replace(target)
    return target
