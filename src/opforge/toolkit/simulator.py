"""Builds the simulated toolkit, once per user, and its ATen library, once per PyTorch."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from opforge.toolkit.build_tools import find_cmake, find_ninja
from opforge.toolkit.digests import damage, note_files
from opforge.toolkit.process import Runner
from opforge.toolkit.simulator_key import SOURCES, SimulatorKey, simulator_key
from opforge.toolkit.simulator_layout import write_layout
from opforge.toolkit.torch_location import TorchLocation, torch_of

_BUILD_SECONDS = 900.0  # a loaded machine with one core takes minutes; a longer build hangs
_ATEN_SOURCES = ("reroute.cpp", "cpu_view.cpp", "settle.cpp")
_STAMP = "toolkit.json"
_FILES = "files.json"  # the built files with their digests


def ensure_simulator(
    cache_dir: Path,
    *,
    runner: Runner,
    environ: Mapping[str, str],
    progress: Callable[[str], None],
) -> Path:
    """The root of the simulated toolkit for these sources, this compiler and this CPU; built by the first call.

    It is ``<cache_dir>/toolkit/<key>``. An existing root is complete, because it is built beside that path and renamed.
    One process builds, others wait. If the root exists, no process is started; its files are compared with their
    digests (``digests``), and a damaged toolkit is built again.

    Raises:
        ToolkitError: no C++ compiler, CMake or Ninja; the build fails; the cache cannot be written.
    """
    key = simulator_key(environ, notes=cache_dir / "sources")
    root = cache_dir / "toolkit" / key.digest
    if (root / _STAMP).is_file() and damage(root, root / _FILES) is None:
        return root
    cmake, ninja = find_cmake(environ), find_ninja(environ)
    log = cache_dir / "logs" / f"toolkit-{key.digest}.log"
    from opforge.toolkit.publish import published  # noqa: PLC0415  (shutil, tempfile: not if all is built)

    with published(root, _STAMP, progress, lambda: damage(root, root / _FILES)) as made:
        if made is None:
            return root
        progress(f"building the simulated toolkit with {key.compiler.path} (once; about a minute)")
        install = made / "root"
        build = made / "build"
        log.unlink(missing_ok=True)
        env = {**environ, "CXX": key.compiler.path}
        configure = (
            cmake, "-S", SOURCES, "-B", build, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}",
            f"-DCMAKE_INSTALL_PREFIX={install}", "-DCMAKE_BUILD_TYPE=Release", f"-DOPFORGE_MARCH={key.march}",
            "-DOPFORGE_WERROR=OFF",
        )  # fmt: skip
        commands = ((configure, "configuring"), ((ninja, "-C", build, "install"), "building"))
        for command, step in commands:
            done = runner.run(command, cwd=made, env=env, log=log, timeout=_BUILD_SECONDS)
            done.require(f"{step} the simulated toolkit", hint=_compiler_hint(key))
        write_layout(install, final_root=root, sources=key.sources)
        log.rename(install / "build.log")
        (install / _STAMP).write_text(json.dumps(asdict(key), indent=2) + "\n", encoding="utf-8")
        note_files(install, install / _FILES)
    return root


def ensure_aten(
    toolkit_root: Path,
    python: Path,
    *,
    runner: Runner,
    environ: Mapping[str, str],
    progress: Callable[[str], None],
) -> Path:
    """The library that runs the simulated device's ATen operators on the CPU, for the PyTorch of ``python``.

    ``python`` is the environment's interpreter. PyTorch is located by its files, without an import. The result is
    ``<toolkit_root>/aten/torch-<version>/libopforge_aten.so``, where libascendcl looks for it.

    Raises:
        EnvironmentProblem: the environment has no PyTorch.
        ToolkitError: the library does not compile, or the toolkit cannot be written.
    """
    torch = torch_of(python, runner=runner, environ=environ)
    folder = toolkit_root / "aten" / f"torch-{torch.version}"
    library = folder / "libopforge_aten.so"
    if library.is_file() and damage(folder, folder / _FILES) is None:
        return library
    key = simulator_key(environ)
    log = toolkit_root / "aten" / f"torch-{torch.version}.log"
    from opforge.toolkit.publish import published  # noqa: PLC0415  (shutil, tempfile: not if all is built)

    with published(folder, library.name, progress, lambda: damage(folder, folder / _FILES)) as made:
        if made is None:
            return library
        progress(f"building the simulated device's ATen operators for PyTorch {torch.version} (once; about 10 s)")
        output = made / "root" / library.name
        output.parent.mkdir()
        log.unlink(missing_ok=True)
        command = _aten_command(key.compiler.path, torch, output)
        done = runner.run(command, cwd=made, env=environ, log=log, timeout=_BUILD_SECONDS)
        done.require(f"compiling the ATen operators for PyTorch {torch.version}", hint=_compiler_hint(key))
        if output.is_file():
            note_files(output.parent, output.with_name(_FILES))
    return library


def _aten_command(compiler: str, torch: TorchLocation, output: Path) -> list[str | Path]:
    sources = SOURCES / "device" / "aten"
    return [
        compiler, "-std=c++20", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-isystem", torch.package / "include",
        f"-D_GLIBCXX_USE_CXX11_ABI={torch.cxx11_abi}", *(sources / name for name in _ATEN_SOURCES),
        "-L", torch.package / "lib", "-lc10", "-ltorch_cpu", "-o", output,
    ]  # fmt: skip


def _compiler_hint(key: SimulatorKey) -> str:
    return f"it needs g++ 11 or later, or clang++ 14 or later; {key.compiler.path} was used (set CXX for another)"
