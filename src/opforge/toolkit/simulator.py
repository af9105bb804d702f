"""Makes the simulated toolkit, once per user: compiles it, or takes the prebuilt one of a platform wheel."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path

from opforge.toolkit.build_tools import find_cmake, find_ninja
from opforge.toolkit.digests import damage, note_files
from opforge.toolkit.process import Runner
from opforge.toolkit.simulator_key import SOURCES, STAMP, SimulatorKey, simulator_key

BUILD_SECONDS = 3600.0  # a loaded machine with one core takes a quarter of an hour and more; a longer build hangs
_FILES = "files.json"  # the built files with their digests


def ensure_simulator(
    cache_dir: Path,
    *,
    runner: Runner,
    environ: Mapping[str, str],
    progress: Callable[[str], None],
) -> Path:
    """The root of the simulated toolkit for these sources, this compiler and this CPU; made by the first call.

    It is ``<cache_dir>/toolkit/<key>``. An existing root is complete, because it is made beside that path and renamed.
    One process makes it, others wait. If the root exists, no process is started; its files are compared with their
    digests (``digests``), and a damaged toolkit is made again. The stamp says whether it was prebuilt.

    Raises:
        ToolkitError: no C++ compiler, CMake or Ninja; the build fails; the cache cannot be written.
    """
    key = simulator_key(environ, notes=cache_dir / "sources")
    root = cache_dir / "toolkit" / key.digest
    if (root / STAMP).is_file() and damage(root, root / _FILES) is None:
        return root
    from opforge.toolkit.prebuilt import take_prebuilt  # noqa: PLC0415  (shutil, tempfile: not if all is built)
    from opforge.toolkit.publish import published  # noqa: PLC0415
    from opforge.toolkit.simulator_layout import write_layout  # noqa: PLC0415

    with published(root, STAMP, progress, lambda: damage(root, root / _FILES)) as made:
        if made is None:
            return root
        install = made / "root"
        prebuilt = take_prebuilt(key, install, runner=runner, environ=environ, tell=progress)
        if not prebuilt:
            log = cache_dir / "logs" / f"toolkit-{key.digest}.log"
            _compile(key, made, log, runner=runner, environ=environ, progress=progress)
        write_layout(install, final_root=root, sources=key.sources)
        stamp = {**asdict(key), "prebuilt": prebuilt}
        (install / STAMP).write_text(json.dumps(stamp, indent=2) + "\n", encoding="utf-8")
        note_files(install, install / _FILES, without=["aten"])  # it has digests of its own
    return root


def _compile(
    key: SimulatorKey,
    folder: Path,
    log: Path,
    *,
    runner: Runner,
    environ: Mapping[str, str],
    progress: Callable[[str], None],
) -> None:
    """Compiles the toolkit in ``folder`` and installs it into its folder ``root``."""
    from opforge.toolkit.build_parts import parts_told  # noqa: PLC0415  (threading: not if all is built)

    cmake, ninja = find_cmake(environ), find_ninja(environ)
    progress(f"building the simulated toolkit with {key.compiler.path} (once; about a minute)")
    install = folder / "root"
    build = folder / "build"
    log.unlink(missing_ok=True)
    env = {**environ, "CXX": key.compiler.path}
    configure = (
        cmake, "-S", SOURCES, "-B", build, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={ninja}",
        f"-DCMAKE_INSTALL_PREFIX={install}", "-DCMAKE_BUILD_TYPE=Release", f"-DOPFORGE_MARCH={key.march}",
        "-DOPFORGE_WERROR=OFF",
    )  # fmt: skip
    commands = ((configure, "configuring"), ((ninja, "-C", build, "install"), "building"))
    with parts_told(log, progress):
        for command, step in commands:
            done = runner.run(command, cwd=folder, env=env, log=log, timeout=BUILD_SECONDS)
            done.require(f"{step} the simulated toolkit", hint=compiler_hint(key))
    log.rename(install / "build.log")


def compiler_hint(key: SimulatorKey) -> str:
    """The hint for a compilation that failed."""
    return f"it needs g++ 11 or later, or clang++ 14 or later; {key.compiler.path} was used (set CXX for another)"
