"""Writes what a bug report needs: doctor's lines, versions, and the variables that matter, without secrets."""

from __future__ import annotations

import platform
import re
from collections.abc import Iterator, Mapping

from opforge.doctor.place import Finding, Place
from opforge.explain.local_checks import run_check
from opforge.explain.machine import Machine
from opforge.release import __version__

_PREFIXES = (
    *("ASCEND", "ATB_", "HCCL_", "NPU_", "OPFORGE_", "PYTORCH_", "TORCH", "TASK_QUEUE", "ACL", "SOC_VERSION", "LC_"),
    *("CMAKE", "MAKE", "CXX", "CFLAGS", "LDFLAGS", "PYTHON", "CONDA_PREFIX", "VIRTUAL_ENV", "LD_", "OMP_", "MAX_JOBS"),
)
_NAMES = ("PATH", "CC", "LANG", "SHELL", "TMPDIR", "TERM")
_SECRET = re.compile(r"TOKEN|SECRET|PASS|CREDENTIAL|AUTH|COOKIE|PRIVATE|(?:^|_)(?:API_?)?KEY(?:_|$)", re.IGNORECASE)
_IN_AN_ADDRESS = re.compile(r"(\w+://)[^/\s@]+@")
_IN_A_QUERY = re.compile(r"([?&](?:token|key|secret|password|sig)\w*=)[^&\s]+", re.IGNORECASE)
_CHECKS = (("driver",), ("devices",), ("toolkits",), ("vendors",), ("memory",))


def bug_report(place: Place, findings: tuple[Finding, ...]) -> str:
    """The text of a report. The user's home folder is written as ~, and values that may be secret are left out."""
    machine = Machine(place.environ, place.top, place.runner)
    lines = [
        "# opforge doctor",
        "",
        f"opforge {__version__}, Python {platform.python_version()}, {platform.platform()}",
        f"libc {' '.join(platform.libc_ver()) or 'unknown'}",
        "",
        "## Findings",
        "",
    ]
    for finding in findings:
        lines.append(f"{finding.level:8} {finding.topic:12} {finding.text}")
        lines += [f"{'':21} help: {finding.mend}"] if finding.mend else []
    lines += ["", "## Machine", ""]
    lines += [f"{check[0]:12} {said}" for check in _CHECKS for said in run_check(machine, check)]
    lines += ["", "## Environment", "", *_variables(place.environ), ""]
    text = _IN_AN_ADDRESS.sub(r"\1(not shown)@", "\n".join(lines))
    return _without_home(_IN_A_QUERY.sub(r"\1(not shown)", text), place.environ)


def _variables(environ: Mapping[str, str]) -> Iterator[str]:
    for name, value in sorted(environ.items()):
        if name in _NAMES or name.startswith(_PREFIXES):
            yield f"{name}={'(not shown)' if _SECRET.search(name) else value}"


def _without_home(text: str, environ: Mapping[str, str]) -> str:
    home = environ.get("HOME", "").rstrip("/")
    return re.sub(rf"{re.escape(home)}(?=[/:\s]|$)", "~", text) if home else text
