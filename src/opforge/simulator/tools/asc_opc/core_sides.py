"""Kernels of cube and vector cores whose source is not the same for both: compiled once for each kind of core.

The device compiler compiles such a kernel twice, with the macro of cube cores and with that of vector cores. Where the
source asks for neither, and needs no constant of g_coreType, there is nothing to tell apart, and one compilation serves
both: ASCEND_IS_AIC, ASCEND_IS_AIV and g_coreType are asked at run time.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Side:
    """One kind of core: its macro, and the macro that it must not see."""

    name: str
    macro: str
    without: str
    core: str


_SIDES = tuple(
    (Side("aic", cube, vector, "Cube"), Side("aiv", vector, cube, "Vector"))
    for cube, vector in (("__DAV_C220_CUBE__", "__DAV_C220_VEC__"), ("__DAV_CUBE__", "__DAV_VEC__"))
)
NAMES = tuple(side.name for side in _SIDES[0])
# g_coreType as a template's argument or in a constant.
_CONSTANT = re.compile(r"(?:\bconstexpr\b|<)[^;{}]{0,400}\bg_coreType\b")
ENTRY = "sim_kernel_entry"
# Chooses the side on the core that runs.
DISPATCHER = f"""
namespace sim {{ bool OnCubeCore(); }}
extern "C" void {ENTRY}_aic(const unsigned long* args);
extern "C" void {ENTRY}_aiv(const unsigned long* args);
extern "C" __attribute__((visibility("default"))) void {ENTRY}(const unsigned long* args) {{
    if (sim::OnCubeCore()) {{
        {ENTRY}_aic(args);
    }} else {{
        {ENTRY}_aiv(args);
    }}
}}
"""


def sources_of(rule: str) -> list[Path]:
    """The files that a rule of a depfile names as prerequisites."""
    _, _, files = rule.replace("\\\n", " ").partition(": ")
    return [Path(name.replace("\0", " ")) for name in files.replace("\\ ", "\0").split()]


def joined(rules: Sequence[str]) -> str:
    """One rule of all prerequisites of several rules for one target."""
    sources = dict.fromkeys(path for rule in rules for path in sources_of(rule))
    target = rules[0].partition(": ")[0]
    return f"{target}: {' '.join(str(path).replace(' ', chr(92) + ' ') for path in sources)}\n"


def sides(macros: Sequence[str]) -> tuple[Side, ...]:
    """Both kinds of core as the macros of the kernel name them: Atlas A2 and A3 by C220, Ascend950 without a number."""
    return next((both for both in _SIDES if any(side.macro in macros for side in both)), _SIDES[0])


def differ(sources: Sequence[Path], macros: Sequence[str], toolkit: Path) -> bool:
    """Whether a source that is not the toolkit's must know its kind of core, in a kernel that has both."""
    if not all(side.macro in macros for side in sides(macros)):
        return False
    own = (path for path in sources if not path.is_relative_to(toolkit) and path.is_file())
    texts = (path.read_text(encoding="utf-8", errors="replace") for path in own)
    return any(_CONSTANT.search(text) or any(side.macro in text for side in sides(macros)) for text in texts)


def constant(macros: Sequence[str], without: str) -> str:
    """The line that makes g_coreType a constant, where the kernel is compiled for one kind of core."""
    seen = [side for side in sides(macros) if side.macro in macros and side.macro != without]
    return f"#define g_coreType g_coreType{seen[0].core}" if len(seen) == 1 else ""


def private(whole: Path, kept: Sequence[str]) -> str:
    """Makes an object file's symbols its own but for ``kept``; returns "" or what the tool said.

    Functions of both sides have the same names and are not the same: the linker must not take one for the other.
    """
    command = ["objcopy", *(f"--keep-global-symbol={name}" for name in kept), str(whole)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
    return "" if done.returncode == 0 else done.stderr or f"objcopy exited with status {done.returncode}"
