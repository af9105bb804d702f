"""Finds the Python environment that a project is built for and installed into, and its torch.

Nothing is imported from the environment. Its interpreter reports the layout once; later builds use the remembered
layout while the interpreter's stat is unchanged. Versions are read from files.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from opforge.build.state import Interpreter, State
from opforge.errors import EnvironmentProblem, ToolkitError
from opforge.file_stats import stat_of
from opforge.frozen import dataclass
from opforge.toolkit.process import Runner, find_program

_ASK = (
    "import json, sys, sysconfig; print(json.dumps({"
    "'executable': sys.executable, 'prefix': sys.prefix, 'version': '%d.%d' % sys.version_info[:2], "
    "'purelib': sysconfig.get_path('purelib'), 'path': [p for p in sys.path if p]}))"
)
_VERSION = re.compile(r"""^__version__\s*(?::\s*\w+\s*)?=\s*['"]([^'"]+)['"]""", re.MULTILINE)
SUPPORTED = (3, 10)
# The last torch_npu that works beside a CUDA build of torch, which x86_64 has from PyPI: seen with those of
# tests/qualify/test_torch_versions.py. Later ones register settings of the allocator under the names that CUDA's has.
_LAST_BESIDE_CUDA = (2, 10, 0, 4)


@dataclass(frozen=True)
class PythonEnv:
    """One environment. ``torch`` and ``torch_npu`` are the folders of the installed packages, or None."""

    executable: Path
    prefix: Path
    version: str
    purelib: Path
    torch: Path | None
    torch_npu: Path | None
    has_pip: bool
    has_pytest: bool
    reason: str

    @property
    def opp(self) -> Path:
        """The default folder for run packages."""
        return self.prefix / "opp"

    @property
    def receipts(self) -> Path:
        """The folder of the receipts of ``opforge install``."""
        return self.prefix / "opp" / "opforge"


def find_env(
    option: Path | None, environ: Mapping[str, str], state: State, runner: Runner, name: str = "--python"
) -> PythonEnv:
    """The option of this name, else $VIRTUAL_ENV, else the first python3 on PATH.

    Raises EnvironmentProblem if there is none.
    """
    interpreter, reason = _interpreter(option, environ, name)
    marks = [
        str(stat_of(interpreter)),
        str(stat_of(interpreter.parent.parent / "pyvenv.cfg")),
        environ.get("PYENV_VERSION", ""),
    ]
    asked = f"{interpreter} {' '.join(marks)} {environ.get('PYTHONPATH', '')}"
    layout = state.interpreter
    if layout is None or layout.asked != asked:
        layout = state.interpreter = _ask(interpreter, asked, environ, runner)
    folders = [Path(folder) for folder in layout.path]
    return PythonEnv(
        executable=Path(layout.executable),
        prefix=Path(layout.prefix),
        version=layout.version,
        purelib=Path(layout.purelib),
        torch=_package(folders, "torch"),
        torch_npu=_package(folders, "torch_npu"),
        has_pip=_package(folders, "pip") is not None,
        has_pytest=_package(folders, "pytest") is not None,
        reason=reason,
    )


def version_file(package: Path) -> Path:
    """The file in which torch and torch_npu store their version."""
    return package / "version.py"


def read_version(package: Path) -> str:
    """The version, such as ``2.13.0+cpu``. Raises EnvironmentProblem if the package does not contain it."""
    found = _VERSION.search(version_file(package).read_text(encoding="utf-8"))
    if found is None:
        raise EnvironmentProblem(f"{version_file(package)} does not state its version")
    return found[1]


def require_torch(env: PythonEnv, version: str = "2.13.0") -> tuple[Path, Path]:
    """The folders of torch and torch_npu. Raises EnvironmentProblem if one is missing or the versions do not match.

    ``version`` is the one that hints propose.
    """
    install = f"{env.executable} -m pip install torch=={version} torch-npu=={version}"
    for name, package in (("torch", env.torch), ("torch_npu", env.torch_npu)):
        if package is None:
            raise EnvironmentProblem(f"{name} is not installed in {env.prefix} ({env.reason})", hint=install)
    assert env.torch is not None  # noqa: S101  (just checked)
    assert env.torch_npu is not None  # noqa: S101
    torch, torch_npu = read_version(env.torch), read_version(env.torch_npu)
    if torch_series(torch) != torch_series(torch_npu):
        raise EnvironmentProblem(
            f"torch {torch} and torch_npu {torch_npu} in {env.prefix} do not match",
            hint=f"torch_npu needs the torch of its own version: {install}",
        )
    if "+cu" in torch and version_numbers(torch_npu) > _LAST_BESIDE_CUDA:
        raise EnvironmentProblem(
            f"torch {torch} in {env.prefix} is a CUDA build, and importing torch_npu {torch_npu} beside one ends "
            "Python",
            hint="install the CPU build of the same version, from an index that has PyTorch's CPU wheels",
        )
    return env.torch, env.torch_npu


def torch_series(version: str) -> str:
    """The releases of PyTorch with one C++ interface: ``2.13`` for ``2.13.0+cpu``."""
    return ".".join(version.partition("+")[0].split(".")[:2])


def version_numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version, for comparisons: 2, 10, 0, 4 for ``2.10.0.post4+cpu``."""
    return tuple(map(int, re.findall(r"\d+", version.partition("+")[0])))


def require_pytest(env: PythonEnv) -> None:
    """Raises EnvironmentProblem if pytest is missing."""
    if not env.has_pytest:
        raise EnvironmentProblem(
            f"pytest is not installed in {env.prefix}", hint=f"{env.executable} -m pip install pytest"
        )


def _interpreter(option: Path | None, environ: Mapping[str, str], name: str) -> tuple[Path, str]:
    if option is not None:
        found = option if option.is_file() else option / "bin" / "python"
        if not found.is_file():
            raise EnvironmentProblem(f"{name} {option}: this interpreter or environment does not exist")
        return found.absolute(), f"{name} {option}"
    if environ.get("VIRTUAL_ENV"):
        found = Path(environ["VIRTUAL_ENV"]) / "bin" / "python"
        if not found.is_file():
            raise EnvironmentProblem(
                f"VIRTUAL_ENV is {environ['VIRTUAL_ENV']}, but {found} does not exist",
                hint="activate an environment that exists",
            )
        return found, f"VIRTUAL_ENV is {environ['VIRTUAL_ENV']}"
    on_path = find_program("python3", environ.get("PATH"))
    if on_path is None:
        raise EnvironmentProblem("python3 is not on PATH", hint="activate an environment, or give --python")
    return on_path, "the first python3 on PATH"


def _ask(interpreter: Path, asked: str, environ: Mapping[str, str], runner: Runner) -> Interpreter:
    try:
        answer = runner.run([interpreter, "-c", _ASK], cwd=Path("/"), env=environ, timeout=60)
    except ToolkitError as e:
        raise EnvironmentProblem(e.what, hint="give --python with an interpreter that runs") from e
    answer.require(f"{interpreter} does not run", EnvironmentProblem)
    try:
        fields = json.loads(answer.output.strip().splitlines()[-1])
        layout = Interpreter(**{**fields, "asked": asked, "path": tuple(fields["path"])})
        version = tuple(int(part) for part in layout.version.split("."))
    except (IndexError, ValueError, KeyError, TypeError, AttributeError):
        raise EnvironmentProblem(
            f"{interpreter} is not a Python interpreter", hint="use --python with a Python interpreter"
        ) from None
    if version < SUPPORTED:
        raise EnvironmentProblem(
            f"{interpreter} is Python {layout.version}; Python 3.10 or later is needed",
            hint="give another with --python",
        )
    return layout


def _package(folders: list[Path], name: str) -> Path | None:
    return next((folder / name for folder in folders if (folder / name / "__init__.py").is_file()), None)
