"""Finds environment variables that contradict each other, the disk, or opforge's own settings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from opforge.frozen import dataclass
from opforge.soc import SOCS, soc_of_version
from opforge.toolkit.cann import is_cann, is_simulator

_OF_A_TOOLKIT = ("ASCEND_TOOLKIT_HOME", "ASCEND_OPP_PATH", "ASCEND_AICPU_PATH")  # set together with ASCEND_HOME_PATH
_UTF8 = {"utf8", "utf-8"}


@dataclass(frozen=True)
class Clash:
    """One contradiction, and the command that resolves it."""

    text: str
    mend: str


def check_variables(environ: Mapping[str, str]) -> Iterator[Clash]:
    """Contradictions among the variables that CANN, torch_npu, the loader and opforge read."""
    yield from _leftovers(environ)
    yield from _folders(environ)
    yield from _libraries(environ)
    if environ.get("TORCH_DEVICE_BACKEND_AUTOLOAD") == "0":
        yield Clash(
            "TORCH_DEVICE_BACKEND_AUTOLOAD=0: `import torch` does not load torch_npu, and there is no device npu",
            "unset TORCH_DEVICE_BACKEND_AUTOLOAD, or import torch_npu in your programs",
        )
    if environ.get("PYTHONHOME"):
        yield Clash(f"PYTHONHOME={environ['PYTHONHOME']}: every Python looks for its library there", "unset PYTHONHOME")
    soc = environ.get("OPFORGE_SOC", "")
    if soc and soc.lower() not in SOCS and soc_of_version(soc) is None:
        yield Clash(
            f"OPFORGE_SOC={soc} is not a chip that opforge can simulate", "unset OPFORGE_SOC, or see opforge run --help"
        )


def check_locale(environ: Mapping[str, str]) -> Iterator[Clash]:
    """A locale other than UTF-8. None, C and POSIX are fine: Python uses UTF-8 for them (PEP 538 and 540)."""
    name, value = next(
        ((name, environ[name]) for name in ("LC_ALL", "LC_CTYPE", "LANG") if environ.get(name)), ("LANG", "C")
    )
    charset = value.partition(".")[2].partition("@")[0]
    if charset and charset.lower() not in _UTF8:
        yield Clash(f"{name}={value}: file names and compilers' messages are not UTF-8", f"export {name}=C.UTF-8")


def _leftovers(environ: Mapping[str, str]) -> Iterator[Clash]:
    """Variables of a toolkit other than ASCEND_HOME_PATH."""
    home = environ.get("ASCEND_HOME_PATH", "")
    usable = bool(home) and (is_cann(Path(home)) or is_simulator(Path(home)))
    for name in _OF_A_TOOLKIT:
        value = environ.get(name, "")
        if not value:
            continue
        if not Path(value).is_dir():
            yield Clash(f"{name}={value}, which does not exist", f"unset {name}")
        elif not home:
            yield Clash(f"{name} is set and ASCEND_HOME_PATH is not: left over from another shell", f"unset {name}")
        elif usable and not _inside(Path(value), Path(home)):
            yield Clash(
                f"{name}={value} is not of the toolkit in ASCEND_HOME_PATH ({home})",
                f"unset {name}, and source the set_env.sh of one toolkit",
            )


def _folders(environ: Mapping[str, str]) -> Iterator[Clash]:
    for folder in _entries(environ, "ASCEND_CUSTOM_OPP_PATH"):
        if not folder:
            continue
        if not Path(folder).is_dir():
            yield Clash(
                f"ASCEND_CUSTOM_OPP_PATH names {folder}, which does not exist",
                _without(environ, "ASCEND_CUSTOM_OPP_PATH"),
            )
        elif not (Path(folder) / "op_api" / "lib" / "libcust_opapi.so").exists():
            yield Clash(
                f"ASCEND_CUSTOM_OPP_PATH names {folder}, which holds no op_api/lib/libcust_opapi.so",
                "name folders such as <environment>/opp/vendors/<vendor>",
            )


def _libraries(environ: Mapping[str, str]) -> Iterator[Clash]:
    entries = _entries(environ, "LD_LIBRARY_PATH")
    lost = [folder for folder in entries if folder and not Path(folder).is_dir()]
    for folder in lost:
        yield Clash(f"LD_LIBRARY_PATH names {folder}, which does not exist", _without(environ, "LD_LIBRARY_PATH"))
    if "" in entries and environ.get("LD_LIBRARY_PATH"):
        yield Clash(
            "LD_LIBRARY_PATH has an empty entry: libraries in the working directory are loaded first",
            _without(environ, "LD_LIBRARY_PATH"),
        )
    runtimes = [folder for folder in entries if folder and (Path(folder) / "libascendcl.so").exists()]
    places = dict.fromkeys(str((Path(folder) / "libascendcl.so").resolve()) for folder in runtimes)
    if len(places) > 1:
        yield Clash(
            f"LD_LIBRARY_PATH leads to several libascendcl.so, and the first wins: {', '.join(places)}",
            "start a new shell, and source the set_env.sh of one toolkit",
        )


def _entries(environ: Mapping[str, str], name: str) -> list[str]:
    return environ.get(name, "").split(":")


def _without(environ: Mapping[str, str], name: str) -> str:
    """The command that keeps only existing entries."""
    kept = ":".join(folder for folder in _entries(environ, name) if folder and Path(folder).is_dir())
    return f"export {name}={kept}" if kept else f"unset {name}"


def _inside(path: Path, root: Path) -> bool:
    """Whether the path is in the toolkit; CANN's opp/ may be beside its versioned folder, through links."""
    real, top = os.path.realpath(path), os.path.realpath(root)
    return real == top or real.startswith((f"{top}/", f"{os.path.dirname(top)}/"))  # noqa: PTH120
