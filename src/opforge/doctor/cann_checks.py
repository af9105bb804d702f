"""Checks versions, toolkits, libraries and operator packages against each other."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from opforge.build.python_env import read_version
from opforge.doctor.place import SECONDS, Finding, Place
from opforge.doctor.release_table import RELEASES, fits_python, release_for, release_of, same_cann
from opforge.errors import OpforgeError
from opforge.explain.libraries import is_stub_folder, library_package, not_found
from opforge.install.activation import custom_path
from opforge.install.op_owners import look_up
from opforge.toolkit import cann, detect
from opforge.toolkit.installed_cann import INSTALL_INFO, install_info, installed_cann
from opforge.toolkit.process import find_program
from opforge.toolkit.set_env import with_cann
from opforge.toolkit.simulator_key import STAMP, simulator_key

_TRITON = "triton/_C/libtriton.so"
_LIBRARY = Path("op_api/lib/libcust_opapi.so")


def check_versions(place: Place) -> Iterator[Finding]:
    """Whether Python, torch, torch_npu and CANN were released for each other."""
    env = place.env
    if env.torch is None or env.torch_npu is None:
        return  # the line about torch says so
    torch, torch_npu = read_version(env.torch), read_version(env.torch_npu)
    release = release_of(torch_npu)
    choice = _choice(place)
    if not fits_python(torch, env.version):
        text = f"there is no torch_npu {torch_npu} for Python {env.version}"
        yield Finding("versions", "warning", text, "use a Python from 3.10 to 3.13")
    elif release is None:
        text = f"torch_npu {torch_npu} is not in doctor's table of releases, which ends with {RELEASES[0].torch_npu}"
        yield Finding("versions", "ok", text)
    elif release.torch != torch.partition("+")[0]:
        text = f"torch_npu {torch_npu} is for torch {release.torch}; this is {torch}"
        yield Finding("versions", "warning", text, f"{env.executable} -m pip install torch=={release.torch}")
    elif choice and choice.kind == "cann" and choice.root is not None:
        yield _fits_cann(cann.read_version(choice.root), torch, torch_npu, release.cann)
    else:
        yield Finding("versions", "ok", f"torch_npu {torch_npu} is for torch {release.torch} and CANN {release.cann}")


def _fits_cann(found: str, torch: str, torch_npu: str, wanted: str) -> Finding:
    if same_cann(wanted, found):
        return Finding("versions", "ok", f"torch_npu {torch_npu} is for torch {torch} and CANN {found}")
    better = release_for(torch, found)
    mend = f"pip install torch-npu=={better.torch_npu}" if better else f"install CANN {wanted}"
    return Finding("versions", "warning", f"torch_npu {torch_npu} is for CANN {wanted}; this is CANN {found}", mend)


def check_triton(place: Place) -> Iterator[Finding]:
    """Whether another package has overwritten the compiler of triton-ascend: triton installs to the same folder."""
    packages = place.env.purelib
    for record in packages.glob("triton_ascend-*.dist-info/RECORD"):
        version = record.parent.name.removesuffix(".dist-info").partition("-")[2]
        sizes = (line.split(",") for line in record.read_text(encoding="utf-8").splitlines())
        size = next((words[-1] for words in sizes if words[0] == _TRITON), None)
        library = packages / _TRITON
        if size is None or (library.is_file() and str(library.stat().st_size) == size):
            continue
        pip = f"{place.env.executable} -m pip"
        mend = f"{pip} uninstall -y triton && {pip} install --force-reinstall --no-deps triton-ascend=={version}"
        text = f"triton-ascend {version} does not work: another package, such as triton, has replaced {library}"
        yield Finding("triton", "warning", text, mend)


def check_toolkits(place: Place) -> Iterator[Finding]:
    """The CANN toolkits of the machine, and the one that a build takes."""
    found = installed_cann(place.environ, place.top)
    choice = _choice(place)
    if choice is None:
        return
    if choice.kind == "simulator":
        for one in found[:1]:
            mend = f"opforge toolkit use {one.root}, or source its set_env.sh"
            text = f"CANN {one.version} at {one.root} is installed, and builds do not take it: {choice.reason}"
            yield Finding("cann", "ok", text, mend)
        return
    used = choice.root.resolve() if choice.root else None
    others = [one for one in found if used is None or cann.identity(one.root) != cann.identity(used)]
    if others:
        listed = ", ".join(f"{one.version} at {one.root}" for one in others)
        yield Finding("cann", "ok", f"builds take {used}: {choice.reason}; others: {listed}")
    noted = install_info(place.top)
    if noted is not None and used is not None and noted.resolve() not in (used, *used.parents):
        text = f"{INSTALL_INFO} names {noted}, and builds take another toolkit: {used}"
        yield Finding("cann", "warning", text, "some build scripts source the former: check ASCEND_HOME_PATH there")


def check_libraries(place: Place) -> Iterator[Finding]:
    """Libraries that would not load, and folders of LD_LIBRARY_PATH in a wrong order."""
    yield from _order(place)
    env, ldd = place.env, find_program("ldd", place.environ.get("PATH"))
    if env.torch is None or env.torch_npu is None or ldd is None:
        return
    ours = [env.torch / "lib", env.torch_npu / "lib"]
    choice = _choice(place)
    if choice is None:
        return
    if choice.kind == "simulator":
        root = _simulator(place)
        if root is None:
            return  # nothing can be said before the first build
        ours.append(root / "lib64")
    library = env.torch_npu / "lib" / "libtorch_npu.so"
    programs = [library] if library.is_file() else []
    environ = place.environ
    if choice.root is not None and choice.kind == "cann":
        programs.append(choice.root / "tools" / "opbuild" / "op_build")
        with contextlib.suppress(OpforgeError):  # the line about the toolkit says so
            environ = with_cann(choice.root, environ)
    for program in programs:
        for name in not_found(place.runner, ldd, program, environ, SECONDS):
            if not any((folder / name).exists() for folder in ours):
                package = library_package(name)
                owner = f": it belongs to {package.package}" if package else ""
                text = f"{program.name} needs {name}, which the loader does not find{owner}"
                yield Finding("libraries", "warning", text, package.command if package else None)


def _choice(place: Place) -> detect.Choice | None:
    """The toolkit of a build; None if the requested one does not exist, which the line about it says."""
    try:
        return detect.choose(place.toolchain, place.environ, place.project, place.top)
    except OpforgeError:
        return None


def _simulator(place: Place) -> Path | None:
    try:
        root = place.cache / "toolkit" / simulator_key(place.environ).digest
    except OpforgeError:  # the lines about the compiler and the toolkit say so
        return None
    return root if (root / STAMP).is_file() else None


def _order(place: Place) -> Iterator[Finding]:
    folders = [Path(part) for part in place.environ.get("LD_LIBRARY_PATH", "").split(":") if part]
    stubs = [n for n, folder in enumerate(folders) if is_stub_folder(folder)]
    real = [n for n, folder in enumerate(folders) if n not in stubs and (folder / "libascendcl.so").exists()]
    if stubs and real and stubs[0] < real[-1]:
        text = f"LD_LIBRARY_PATH has the stubs {folders[stubs[0]]} before the real libraries {folders[real[-1]]}"
        yield Finding("libraries", "warning", text, "put the folder of stubs at the end, or remove it")
    apis = dict.fromkeys(str((folder / "libopapi.so").resolve()) for folder in folders if _has_api(folder))
    if len(apis) > 1:
        text = f"LD_LIBRARY_PATH leads to several libopapi.so, and the first hides CANN's operators: {', '.join(apis)}"
        yield Finding("libraries", "warning", text, "a library of your own operators is called libcust_opapi.so")


def _has_api(folder: Path) -> bool:
    return (folder / "libopapi.so").exists()


def check_packages(place: Place) -> Iterator[Finding]:
    """Installed operator packages: vendors that are gone, files that may not be read, libraries of other owners."""
    custom = {**place.environ, "ASCEND_CUSTOM_OPP_PATH": ":".join(custom_path(place.env, place.environ))}
    vendors = Path(place.environ["ASCEND_OPP_PATH"]) / "vendors" if place.environ.get("ASCEND_OPP_PATH") else None
    ini = vendors / "config.ini" if vendors else None
    if ini is not None and ini.exists() and not os.access(ini, os.R_OK):
        text = f"{ini} cannot be read by this user, so its operator packages are not found"
        yield Finding("packages", "warning", text, f"chmod 644 {ini} (as its owner)")
    found = look_up(custom)
    usable = []
    for folder in found:
        if vendors is not None and folder.parent == vendors and not folder.is_dir():
            text = f"{ini} names the vendor {folder.name}, which does not exist"
            yield Finding("packages", "warning", text, f"remove {folder.name} from load_priority in {ini}")
        elif (folder / _LIBRARY).is_file():
            usable.append(folder)
            yield from _owner(folder / _LIBRARY)
    if usable:
        named = ", ".join(map(str, usable))
        yield Finding("packages", "ok", f"operator packages, in the order of the search: {named}")


def torch_npu_skips(owner: int, user: int) -> bool:
    """Whether torch_npu does not load the libcust_opapi.so of a user (op-plugin's checkOwner); root's is loaded."""
    return owner != user and (owner != 0 or user == 0)


def _owner(library: Path) -> Iterator[Finding]:
    owner, user = library.stat().st_uid, os.geteuid()
    if torch_npu_skips(owner, user):
        text = f"torch_npu skips {library}: it belongs to user {owner}, and this is user {user}"
        yield Finding("packages", "warning", text, f"chown {user} {library}, or install the package as this user")
