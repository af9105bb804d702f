"""Finds the PyTorch of a Python environment by its files, since an import takes a second and needs a device."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from opforge.errors import EnvironmentProblem
from opforge.frozen import dataclass
from opforge.toolkit.process import Runner

_FIND = "import importlib.util as u; s = u.find_spec('torch'); print(s.origin if s else '')"
_VERSION = re.compile(r"""^__version__(?:\s*:\s*\w+)?\s*=\s*['"]([^'"]+)['"]""", re.MULTILINE)
_ABI = re.compile(r"_GLIBCXX_USE_CXX11_ABI=([01])")


@dataclass(frozen=True)
class TorchLocation:
    """An installed PyTorch: its package folder, ``torch.__version__``, and its C++ string ABI."""

    package: Path
    version: str
    cxx11_abi: int


def torch_of(python: Path, *, runner: Runner, environ: Mapping[str, str]) -> TorchLocation:
    """The PyTorch that ``python`` would import.

    Looks into the environment's site-packages first; starts the interpreter only for an unusual layout.

    Raises:
        EnvironmentProblem: the environment has no PyTorch, or one without headers.
    """
    for package in _candidates(python):
        if (package / "version.py").is_file():
            return _read(package, python)
    done = runner.run([python, "-I", "-c", _FIND], cwd=Path("/"), env=environ, timeout=60)
    origin = done.output.strip().splitlines()[-1:] if done.ok else []
    if not origin or not origin[0].endswith("__init__.py"):
        raise EnvironmentProblem(
            f"the environment of {python} has no PyTorch",
            hint=f"{python} -m pip install 'opforge[npu]'",
        )
    return _read(Path(origin[0]).parent, python)


def _candidates(python: Path) -> Iterator[Path]:
    prefix = python.parent.parent
    if (prefix / "pyvenv.cfg").is_file():  # in a system prefix, several Pythons share lib/
        for pattern in ("lib/python3.*/site-packages/torch", "lib64/python3.*/site-packages/torch"):
            yield from sorted(prefix.glob(pattern))


def _read(package: Path, python: Path) -> TorchLocation:
    version = _VERSION.search((package / "version.py").read_text(encoding="utf-8"))
    if version is None or not (package / "include" / "ATen").is_dir():
        raise EnvironmentProblem(
            f"the PyTorch of {python} in {package} is not a complete installation",
            hint=f"{python} -m pip install --force-reinstall 'torch==2.13.0'",
        )
    config = package / "share" / "cmake" / "Torch" / "TorchConfig.cmake"
    abi = _ABI.search(config.read_text(encoding="utf-8")) if config.is_file() else None
    return TorchLocation(package, version.group(1), int(abi.group(1)) if abi else 1)
