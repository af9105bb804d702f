"""Checks of this machine that causes name: each returns sentences about what it found."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from pwd import getpwuid

from opforge.errors import OpforgeError
from opforge.explain.libraries import is_stub_folder, library_package, not_found
from opforge.explain.machine import Machine
from opforge.install.op_owners import look_up
from opforge.toolkit.installed_cann import CannChoice, installed_cann
from opforge.toolkit.process import find_program

_SECONDS = 2.0
_MOST_LISTED = 4


def variable(machine: Machine, *names: str) -> Iterator[str]:
    """The values of variables, and whether folders in them exist."""
    for name in names:
        value = machine.environ.get(name)
        if not value:
            yield f"{name} is not set"
            continue
        lost = [part for part in value.split(":") if part.startswith("/") and not Path(part).exists()]
        yield f"{name}={value}" + (f"; {lost[0]} does not exist" if lost else "")


def variables(machine: Machine, prefix: str) -> Iterator[str]:
    """The variables that begin with a prefix."""
    found = sorted(f"{name}={value}" for name, value in machine.environ.items() if name.startswith(prefix))
    yield ", ".join(found) if found else f"no variable begins with {prefix}"


def file(machine: Machine, path: str) -> Iterator[str]:
    """Whether a file exists, its owner, its mode, and whether this user may read and write it."""
    place = machine.path(path) if path.startswith("/") else Path(path)
    try:
        stat = place.stat()
    except OSError as error:
        yield f"{place}: {error.strerror}"
        return
    try:
        owner = getpwuid(stat.st_uid).pw_name
    except KeyError:
        owner = str(stat.st_uid)
    rights = [word for word, flag in (("read", os.R_OK), ("write", os.W_OK)) if os.access(place, flag)]
    may = f"this user may {' and '.join(rights)} it" if rights else "this user may not read it"
    yield f"{place} belongs to {owner}, mode {stat.st_mode & 0o7777:o}; {may}"


def library(machine: Machine, name: str) -> Iterator[str]:
    """The place of a shared library, and whether the loader finds it."""
    name = Path(name).name
    found = [folder for folder in machine.library_folders() if (folder / name).exists()]
    if found:
        yield f"the loader finds {found[0] / name}"
        yield from _unresolved(machine, found[0] / name)
        return
    yield f"{name} is not in LD_LIBRARY_PATH or a folder of the system"
    roots = [choice.root for choice in installed_cann(machine.environ, machine.root)]
    roots += [machine.path("/usr/local/Ascend/driver"), machine.path("/usr/local/Ascend/nnal")]
    places = [place for root in roots for place in _in_libraries(root, name)]
    if places:
        yield f"but it is in {places[0].parent}"
    owner = library_package(name)
    if owner is not None:
        yield f"it belongs to {owner.package}: {owner.command}"


def devices(machine: Machine) -> Iterator[str]:
    """The NPUs that Linux shows, and whether this user may open them."""
    found = sorted(machine.path("/dev").glob("davinci[0-9]*"))
    if not found:
        yield "this machine or container has no /dev/davinci*: it has no NPU"
    else:
        refused = [place.name for place in found if not os.access(place, os.R_OK | os.W_OK)]
        also = f"; this user may not open {', '.join(refused)}" if refused else ""
        yield f"{len(found)} NPUs: {', '.join(place.name for place in found[:_MOST_LISTED])}{also}"
        for name in ("davinci_manager", "devmm_svm", "hisi_hdc"):
            if not (machine.path("/dev") / name).exists():
                yield f"/dev/{name} is missing: give it to the container"
    yield from variable(machine, "ASCEND_RT_VISIBLE_DEVICES")


def driver(machine: Machine) -> Iterator[str]:
    """The version of the driver."""
    place = machine.path("/usr/local/Ascend/driver/version.info")
    try:
        lines = place.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        yield f"{place} does not exist: there is no NPU driver here"
        return
    yield "driver " + next((line.partition("=")[2] for line in lines if line.lower().startswith("version")), "unknown")


def toolkits(machine: Machine) -> Iterator[str]:
    """The CANN toolkits of this machine."""
    found: list[CannChoice] = installed_cann(machine.environ, machine.root)
    if not found:
        yield "no CANN toolkit was found (ASCEND_HOME_PATH, /etc/Ascend, /usr/local/Ascend)"
    for choice in found[:_MOST_LISTED]:
        yield f"CANN {choice.version} at {choice.root} ({choice.reason})"


def vendors(machine: Machine) -> Iterator[str]:
    """The installed operator packages in the order of the search, and the chips of their kernels."""
    found = look_up(machine.environ)
    if not found:
        yield "ASCEND_CUSTOM_OPP_PATH and opp/vendors/config.ini name no operator package"
    for folder in found[:_MOST_LISTED]:
        if not folder.is_dir():
            yield f"{folder} does not exist"
            continue
        chips = sorted(place.name for place in (folder / "op_impl/ai_core/tbe/kernel").glob("*") if place.is_dir())
        chips = [name for name in chips if name != "config"]
        has = f"has kernels for {', '.join(chips)}" if chips else "has no kernels"
        yield f"{folder} {has}"


def symbol(machine: Machine, name: str) -> Iterator[str]:
    """Whether each libcust_opapi.so, in the order of the search, has a function."""
    found = look_up(machine.environ)
    places = [folder / "op_api/lib/libcust_opapi.so" for folder in found]
    present = [place for place in places if place.is_file()]
    if not present:
        yield "no operator package with op_api/lib/libcust_opapi.so is on the search path"
        yield from variable(machine, "ASCEND_CUSTOM_OPP_PATH")
    for place in present[:_MOST_LISTED]:
        has = f"\0{name}\0".encode() in place.read_bytes()
        yield f"{place} {'has' if has else 'does not have'} {name}"


def program(machine: Machine, name: str) -> Iterator[str]:
    """The place of a program on PATH."""
    found = find_program(Path(name).name, machine.environ.get("PATH"))
    yield f"{found} is on PATH" if found else f"{name} is not on PATH"


def version(machine: Machine, name: str) -> Iterator[str]:
    """A program's version."""
    found = find_program(name, machine.environ.get("PATH"))
    if found is None:
        yield f"{name} is not on PATH"
        return
    try:
        done = machine.runner.run([found, "--version"], cwd=Path("/"), env=machine.environ, timeout=_SECONDS)
    except OpforgeError as error:
        yield error.what
        return
    yield f"{found}: {next(iter(done.output.splitlines()), 'says no version')}"


def modules(machine: Machine, *names: str) -> Iterator[str]:
    """The Python modules that are not installed, and the versions of the others."""
    folders = [*machine.site_packages(), *machine.entries("PYTHONPATH")]
    missing = [name for name in names if not any(_has_module(folder, name) for folder in folders)]
    for name in names:
        known = _distribution(folders, name)
        if known:
            yield known
    if missing:
        yield f"not installed: {', '.join(missing)}"
    elif len(names) > 1:
        yield "all of them are installed"


def library_path(machine: Machine) -> Iterator[str]:
    """The order of folders in LD_LIBRARY_PATH that belong to CANN or hold stubs."""
    stubs = [str(f) for f in machine.entries("LD_LIBRARY_PATH") if is_stub_folder(f)]
    if stubs:
        yield f"LD_LIBRARY_PATH has folders of stubs: {', '.join(stubs)}"
    yield from variable(machine, "LD_LIBRARY_PATH")


def disk(machine: Machine, *paths: str) -> Iterator[str]:
    """The free space of this folder, of /tmp and of /dev/shm."""
    for path in paths or (".", "/tmp", "/dev/shm"):  # noqa: S108  (only asked for its space)
        place = Path(path) if path == "." else machine.path(path)
        if place.exists():
            yield f"{path}: {shutil.disk_usage(place).free / 1e9:.1f} GB free"


def memory(machine: Machine) -> Iterator[str]:
    """The free memory of the machine, and the number of cores."""
    fields = memory_fields(machine)
    free, total = fields.get("MemAvailable", 0), fields.get("MemTotal", 0)
    yield f"{free / 1e9:.1f} of {total / 1e9:.1f} GB of memory are available; {os.cpu_count()} cores"


def memory_fields(machine: Machine) -> dict[str, int]:
    """The fields of /proc/meminfo, in bytes; empty if it cannot be read."""
    try:
        lines = machine.path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    rows = [line.replace(":", " ").split() for line in lines]
    return {row[0]: int(row[1]) * 1024 for row in rows if len(row) > 1 and row[1].isdigit()}


CHECKS: Mapping[str, Callable[..., Iterator[str]]] = {
    check.__name__: check
    for check in (
        *(variable, variables, file, library, devices, driver, toolkits, vendors, symbol, program, version),
        *(modules, library_path, disk, memory),
    )
}

# How a person does the same check.
OWN_LOOK: Mapping[str, str] = {
    "variable": "echo ${0}",
    "variables": "env | grep {0}",
    "file": "ls -ld {0}",
    "library": "ldconfig -p | grep {0}; echo $LD_LIBRARY_PATH",
    "devices": "ls -l /dev/davinci*; npu-smi info",
    "driver": "cat /usr/local/Ascend/driver/version.info",
    "toolkits": "ls -d /usr/local/Ascend/*; echo $ASCEND_HOME_PATH",
    "vendors": "echo $ASCEND_CUSTOM_OPP_PATH; cat $ASCEND_OPP_PATH/vendors/config.ini",
    "symbol": "nm -D <vendor>/op_api/lib/libcust_opapi.so | grep {0}",
    "program": "command -v {0}",
    "version": "{0} --version",
    "modules": "python3 -m pip list | grep {0}",
    "library_path": "echo $LD_LIBRARY_PATH | tr : '\\n'",
    "disk": "df -h . /tmp /dev/shm",
    "memory": "free -h; nproc",
}


def run_check(machine: Machine, check: tuple[str, ...]) -> list[str]:
    """The sentences of a check; a check that fails says why."""
    try:
        return list(CHECKS[check[0]](machine, *check[1:]))
    except (OSError, ValueError) as error:
        return [f"this could not be checked: {error}"]


def own_look(check: tuple[str, ...]) -> str:
    """The command with which a person does the check."""
    return OWN_LOOK[check[0]].replace("{0}", check[1] if len(check) > 1 else "")


def _unresolved(machine: Machine, place: Path) -> Iterator[str]:
    """The libraries that this one needs and the loader does not find, by ldd."""
    ldd = find_program("ldd", machine.environ.get("PATH"))
    if ldd is None:
        return
    try:
        lost = not_found(machine.runner, ldd, place, machine.environ, _SECONDS)
    except OpforgeError:
        return
    if lost:
        yield f"it needs {', '.join(lost)}, which the loader does not find"


def _in_libraries(root: Path, name: str) -> Iterator[Path]:
    for pattern in ("lib64", "lib", "*/lib64", "lib64/*", "*-linux/lib64", "*-linux/devlib", "atb/*/atb/*/lib"):
        yield from root.glob(f"{pattern}/{name}")


def _has_module(folder: Path, name: str) -> bool:
    place = folder.joinpath(*name.split("."))
    return place.is_dir() or place.with_suffix(".py").is_file() or any(folder.glob(f"{name}.*.so"))


def _distribution(folders: list[Path], name: str) -> str | None:
    """``numpy 2.1.0`` if a folder has the metadata of the package."""
    for folder in folders:
        for place in folder.glob(f"{name.replace('-', '_')}-*.dist-info"):
            return place.name.removesuffix(".dist-info").replace("-", " ", 1)
    return None
