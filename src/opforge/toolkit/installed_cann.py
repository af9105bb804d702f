"""Finds the CANN toolkits of a machine. Every command that lists or names toolkits uses this search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from opforge.frozen import dataclass
from opforge.toolkit.cann import identity, is_cann, read_version

INSTALL_INFO = "/etc/Ascend/ascend_cann_install.info"  # written by CANN's installer; some build scripts read it
_PATTERNS = ("ascend-toolkit/*", "cann*", "latest", "*/cann*", "nnae/*")


@dataclass(frozen=True)
class CannChoice:
    """A CANN toolkit: its root without links, its version, and how it was found."""

    root: Path
    version: str
    reason: str


def installed_cann(environ: Mapping[str, str], top: Path = Path("/")) -> list[CannChoice]:
    """Every CANN toolkit; the first one is that of ASCEND_HOME_PATH, if it names one."""
    found: dict[Path, CannChoice] = {}
    for root, reason in _candidates(environ, top):
        try:
            real = root.resolve()
            usable = is_cann(real)
        except (OSError, RuntimeError):  # not readable, or links in a circle
            continue
        if usable:
            found.setdefault(identity(real), CannChoice(real, read_version(real), reason))
    return list(found.values())


def of_version(found: Sequence[CannChoice], version: str) -> list[CannChoice]:
    """Those of a version: of exactly this one if there are any, else those that begin with it, as 8.1 for 8.1.RC1."""
    exact = [one for one in found if one.version == version]
    return exact or [one for one in found if one.version.startswith(f"{version}.")]


def install_info(top: Path = Path("/")) -> Path | None:
    """The folder that CANN's installer has noted for the machine."""
    try:
        lines = (top / INSTALL_INFO.lstrip("/")).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    values = [line.partition("=")[2].strip() for line in lines]
    return next((top / value.lstrip("/") for value in values if value.startswith("/")), None)


def _candidates(environ: Mapping[str, str], top: Path) -> Iterator[tuple[Path, str]]:
    for name in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        if environ.get(name):
            yield Path(environ[name]), f"{name} names it"
    noted = install_info(top)
    if noted is not None:
        for place in (noted, *_below(noted)):
            yield place, f"{INSTALL_INFO} names it"
    homes = [top / "usr/local/Ascend"]
    if environ.get("HOME"):
        homes.append(Path(environ["HOME"]) / "Ascend")
    for home in homes:
        for place in _below(home):
            yield place, f"it is in {home}"


def _below(home: Path) -> list[Path]:
    return [place for pattern in _PATTERNS for place in sorted(home.glob(pattern))]
