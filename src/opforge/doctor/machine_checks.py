"""Checks this machine for everything that a build needs, and gives a command for each missing part.

Nothing is built, installed or imported; all checks take less than a second. A check that fails to run is itself a
finding, and the other checks still run.
"""

from __future__ import annotations

import platform
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from opforge.build.kernel_compiler import find_kernel_compiler
from opforge.build.make import GROUPS, LEAST, make_version, shown
from opforge.build.python_env import read_version, require_torch
from opforge.doctor.cann_checks import (
    check_libraries,
    check_packages,
    check_toolkits,
    check_triton,
    check_versions,
)
from opforge.doctor.place import SECONDS, Finding, Place
from opforge.doctor.resource_checks import check_disks, check_memory
from opforge.doctor.sandbox_check import VARIABLE, without_sandbox
from opforge.doctor.variable_checks import check_locale, check_variables
from opforge.errors import OpforgeError
from opforge.install.activation import custom_path
from opforge.install.op_owners import HIDDEN_OP_HINT, hidden_ops, look_up
from opforge.release import __version__
from opforge.toolkit import cann, detect
from opforge.toolkit.build_tools import find_cmake, find_compiler, find_make, find_ninja
from opforge.toolkit.prebuilt import is_prebuilt, misfit
from opforge.toolkit.simulator_key import STAMP, simulator_key

LEAST_BYTES = 200_000_000  # for a build of the toolkit, including objects, and of one project
LOW_BYTES = 1_000_000_000
_COMPILERS = {
    "g++": (11, "apt install g++-12, and CXX=g++-12"),
    "clang": (14, "apt install clang-16, and CXX=clang++-16"),
}
_CMAKE = (3, 25)
_CXX17 = """\
#include <optional>
#include <string_view>
#if __cplusplus < 201703L
#error "older than C++17"
#endif
template <typename T> constexpr bool Wide() { if constexpr (sizeof(T) > 4) return true; else return false; }
static_assert(Wide<double>() && std::string_view("ab").size() == 2 && !std::optional<int>());
"""


def diagnose(place: Place) -> tuple[Finding, ...]:
    """Every finding, in the order of a build. Never raises: a failed check is a finding with its reason."""
    findings: list[Finding] = []
    for topic, check in _CHECKS.items():
        for finding in _guarded(topic, check, place):
            said = next((f.topic for f in findings if f.text == finding.text), None)
            findings.append(Finding(topic, finding.level, f"not checked: see {said}") if said else finding)
    return tuple(findings)


def can_build(findings: tuple[Finding, ...]) -> bool:
    """Whether nothing is missing."""
    return all(finding.level != "missing" for finding in findings)


def _guarded(topic: str, check: Callable[[Place], Iterator[Finding]], place: Place) -> Iterator[Finding]:
    try:
        yield from check(place)
    except OpforgeError as error:
        yield Finding(topic, "missing", "; ".join([error.what, *(error.detail or "").splitlines()[-1:]]), error.hint)
    except (OSError, ValueError) as error:
        yield Finding(topic, "missing", f"cannot be checked: {error}")


def _opforge(_: Place) -> Iterator[Finding]:
    system = f"{platform.system()} {platform.machine()}"
    text = f"{__version__}, with Python {platform.python_version()} ({sys.executable}) on {system}"
    if platform.system() != "Linux" or platform.machine() not in ("x86_64", "aarch64"):
        yield Finding(
            "opforge", "missing", text, "build on Linux, x86_64 or aarch64; elsewhere new, add and inspect work"
        )
    else:
        yield Finding("opforge", "ok", text)


def _compiler(place: Place) -> Iterator[Finding]:
    compiler = find_compiler(place.environ)
    said = place.ask(compiler, "--version")
    kind = "clang" if "clang" in said else "g++"
    version = _version(said)
    least, mend = _COMPILERS[kind]
    name = f"{compiler}: {said}"
    if version and version[0] < least:
        yield Finding("compiler", "missing", f"{name}; {least} or later is needed", mend)
        return
    with tempfile.TemporaryDirectory(prefix="opforge-doctor-") as scratch:
        source = Path(scratch) / "cxx17.cpp"
        source.write_text(_CXX17, encoding="utf-8")
        command = (compiler, "-std=c++17", "-fsyntax-only", source)
        done = place.runner.run(command, cwd=Path(scratch), env=place.environ, timeout=SECONDS)
    if done.ok:
        yield Finding("compiler", "ok", f"{name}, C++17")
    else:
        first = next((line for line in done.output.splitlines() if "error" in line), done.output.strip()[:200])
        yield Finding("compiler", "missing", f"{name} does not compile C++17: {first}", mend)


def _cmake(place: Place) -> Iterator[Finding]:
    program = find_cmake(place.environ)
    said = place.ask(program, "--version")
    if _version(said)[:2] < _CMAKE:
        least = ".".join(map(str, _CMAKE))
        yield Finding("cmake", "missing", f"{program}: {said}; {least} or later is needed", _pip("cmake>=" + least))
    else:
        yield Finding("cmake", "ok", f"{program}: {said}")


def _make(place: Place) -> Iterator[Finding]:
    program = find_make(place.environ)
    version = make_version(place.runner, program, place.environ)
    mend = "put GNU make on PATH (Debian, Ubuntu: apt install make)"
    if version < LEAST:
        yield Finding("make", "missing", f"{program} is not GNU make {shown(LEAST)} or later", mend)
    elif version < GROUPS:
        text = f"{program}: GNU Make {shown(version)}; before {shown(GROUPS)} the errors of several kernels are mixed"
        yield Finding("make", "warning", text, mend)
    else:
        yield Finding("make", "ok", f"{program}: GNU Make {shown(version)}")


def _ninja(place: Place) -> Iterator[Finding]:
    program = find_ninja(place.environ)
    yield Finding("ninja", "ok", f"{program}: {place.ask(program, '--version')}")


def _python(place: Place) -> Iterator[Finding]:
    env = place.env
    yield Finding("python", "ok", f"Python {env.version} in {env.prefix} ({env.reason})")
    if not env.has_pytest:
        yield Finding("python", "warning", "`opforge test` needs pytest", f"{env.executable} -m pip install pytest")
    custom = {**place.environ, "ASCEND_CUSTOM_OPP_PATH": ":".join(custom_path(env, place.environ))}
    for hidden in hidden_ops(look_up(custom)):
        yield Finding("python", "warning", str(hidden), HIDDEN_OP_HINT)


def _torch(place: Place) -> Iterator[Finding]:
    torch, torch_npu = require_torch(place.env)
    yield Finding("torch", "ok", f"torch {read_version(torch)} and torch_npu {read_version(torch_npu)} match")


def _toolkit(place: Place) -> Iterator[Finding]:
    choice = detect.choose(place.toolchain, place.environ, place.project, place.top)
    if choice.kind == "cann" and choice.root is not None:
        found = cann.load_cann(choice.root, place.environ, choice.reason)
        yield Finding("toolkit", "ok", f"CANN {found.version} at {found.root} ({found.reason})")
        if not found.msopgen and found.asc_dir is not None:  # the project template of CANN 8.x needs none
            yield Finding("toolkit", "warning", "it has no msOpGen: opforge's own CMake files are used")
        if not any((choice.root / name).exists() for name in ("bin/bisheng", "compiler/ccec_compiler/bin/bisheng")):
            yield Finding(
                "toolkit", "missing", "it has no bisheng, which compiles kernels", "install the whole CANN toolkit"
            )
        if find_kernel_compiler(found.activation(place.environ)) is None:
            mend = f"source {choice.root}/set_env.sh"
            yield Finding("toolkit", "missing", "asc_opc, which compiles kernels, is not on PATH", mend)
        return
    if place.environ.get("ASCEND_HOME_PATH") and "simulated" not in choice.reason and place.toolchain == "auto":
        mend = "unset ASCEND_HOME_PATH, or source the set_env.sh of an existing CANN toolkit"
        yield Finding("toolkit", "warning", f"{choice.reason}: the simulator is used instead", mend)
    key = simulator_key(place.environ)
    root = place.cache / "toolkit" / key.digest
    if (root / STAMP).is_file():
        how = "prebuilt" if is_prebuilt(root) else "compiled"
        yield Finding("toolkit", "ok", f"simulated, CANN {cann.read_version(root)}, {how}, at {root} ({choice.reason})")
    else:
        how = "makes it, in about a minute" if misfit(key) else "takes the prebuilt one"
        yield Finding("toolkit", "ok", f"simulated; the next build {how} ({choice.reason})")
    other = place.environ.get("ASCEND_HOME_PATH")
    if other and cann.is_simulator(Path(other)) and Path(other).resolve() != root.resolve():
        yield Finding(
            "toolkit",
            "warning",
            f"this shell has an older simulated toolkit activated: {other}",
            "opforge run and opforge test still work; start a new shell for plain python",
        )


def _sandbox(place: Place) -> Iterator[Finding]:
    if detect.choose(place.toolchain, place.environ, place.project, place.top).kind == "cann":
        return
    why = without_sandbox(place.environ)
    if why is None:
        yield Finding("sandbox", "ok", "the simulated device runs kernels in a sandbox (seccomp)")
        return
    mend = f"unset {VARIABLE}" if VARIABLE in why else "run only kernels that you trust, or build on Linux with seccomp"
    yield Finding("sandbox", "warning", f"the worker runs kernels without a sandbox: {why}", mend)


def _cache(place: Place) -> Iterator[Finding]:
    here = next(folder for folder in (place.cache, *place.cache.parents) if folder.exists())
    mend = "export OPFORGE_CACHE=<a folder that you may write to>"
    try:
        with tempfile.TemporaryFile(dir=here):
            pass
        list(here.iterdir())
    except OSError as error:
        if any((place.cache / "toolkit").glob(f"*/{STAMP}")):
            text = f"{place.cache}: {error.strerror}: existing toolkits work, but no other can be built"
            yield Finding("cache", "warning", text, mend)
            return
        yield Finding("cache", "missing", f"{place.cache} cannot be used: {here}: {error.strerror}", mend)
        return
    free = shutil.disk_usage(here).free
    text = f"{place.cache}, {free / 1e9:.1f} GB free"
    if free < LEAST_BYTES:
        yield Finding(
            "cache", "missing", f"{text}; {LEAST_BYTES / 1e9:.1f} GB are needed", f"free some space, or {mend}"
        )
    elif free < LOW_BYTES:
        yield Finding("cache", "warning", f"{text}: little space is left", f"free some space, or {mend}")
    else:
        yield Finding("cache", "ok", text)


def _environment(place: Place) -> Iterator[Finding]:
    found = [*check_variables(place.environ), *check_locale(place.environ)]
    for clash in found:
        yield Finding("environment", "warning", clash.text, clash.mend)
    if not found:
        yield Finding("environment", "ok", "no contradictory variables; the locale is UTF-8")


_CHECKS: Mapping[str, Callable[[Place], Iterator[Finding]]] = {
    "opforge": _opforge,
    "compiler": _compiler,
    "cmake": _cmake,
    "make": _make,
    "ninja": _ninja,
    "python": _python,
    "torch": _torch,
    "toolkit": _toolkit,
    "versions": check_versions,
    "triton": check_triton,
    "cann": check_toolkits,
    "libraries": check_libraries,
    "packages": check_packages,
    "sandbox": _sandbox,
    "cache": _cache,
    "memory": check_memory,
    "disk": check_disks,
    "environment": _environment,
}


def _version(text: str) -> tuple[int, ...]:
    """The last dotted number in a line: ``g++ (Debian 12.2.0-14) 12.2.0`` is (12, 2, 0); () if there is none."""
    found = re.findall(r"\d+(?:\.\d+)+", text)
    return tuple(int(part) for part in found[-1].split(".")) if found else ()


def _pip(package: str) -> str:
    return f"{sys.executable} -m pip install '{package}'"
