"""Builds the simulated device's ATen library, once per PyTorch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from opforge.toolkit.digests import damage, note_files
from opforge.toolkit.process import Runner
from opforge.toolkit.publish import published
from opforge.toolkit.simulator import BUILD_SECONDS, compiler_hint
from opforge.toolkit.simulator_key import SOURCES, simulator_key
from opforge.toolkit.torch_location import TorchLocation, torch_of

_SOURCES = ("reroute.cpp", "cpu_view.cpp", "recording.cpp", "settle.cpp")
_FILES = "files.json"  # the built files with their digests


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
    with published(folder, library.name, progress, lambda: damage(folder, folder / _FILES)) as made:
        if made is None:
            return library
        progress(f"building the simulated device's ATen operators for PyTorch {torch.version} (once; about 10 s)")
        output = made / "root" / library.name
        output.parent.mkdir()
        log.unlink(missing_ok=True)
        command = _aten_command(key.compiler.path, torch, output)
        done = runner.run(command, cwd=made, env=environ, log=log, timeout=BUILD_SECONDS)
        done.require(f"compiling the ATen operators for PyTorch {torch.version}", hint=compiler_hint(key))
        if output.is_file():
            note_files(output.parent, output.with_name(_FILES))
    return library


def _aten_command(compiler: str, torch: TorchLocation, output: Path) -> list[str | Path]:
    sources = SOURCES / "device" / "aten"
    minor = torch.version.split(".")[1]
    return [
        compiler, "-std=c++20", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-isystem", torch.package / "include",
        "-I", SOURCES / "interfaces",
        f"-D_GLIBCXX_USE_CXX11_ABI={torch.cxx11_abi}", f"-DSIM_TORCH_MINOR={minor}",
        *(sources / name for name in _SOURCES),
        "-L", torch.package / "lib", "-lc10", "-ltorch_cpu", "-o", output,
    ]  # fmt: skip
