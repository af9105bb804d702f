"""The releases of torch_npu: the torch, CANN and Python that each goes with.

Source: COMPATIBILITY.en.md of github.com/Ascend/pytorch, August 2026. torch_npu 2.13.0 came later.
"""

from __future__ import annotations

from opforge.build.python_env import version_numbers
from opforge.frozen import dataclass


@dataclass(frozen=True)
class Release:
    """A release of torch_npu, and the torch and CANN that it is for."""

    torch_npu: str
    torch: str
    cann: str


RELEASES = tuple(
    Release(*row.split())
    for row in """\
2.12.0 2.12.0 9.1.0
2.11.0 2.11.0 9.1.0
2.10.0.post4 2.10.0 9.1.0
2.9.0.post6 2.9.0 9.1.0
2.7.1.post8 2.7.1 9.1.0
2.9.0.post2 2.9.0 9.0.0
2.8.0.post4 2.8.0 9.0.0
2.7.1.post4 2.7.1 9.0.0
2.9.0 2.9.0 8.5.0
2.8.0.post2 2.8.0 8.5.0
2.7.1.post2 2.7.1 8.5.0
2.6.0.post5 2.6.0 8.5.0
2.8.0 2.8.0 8.3.RC1
2.7.1 2.7.1 8.3.RC1
2.6.0.post3 2.6.0 8.3.RC1
2.1.0.post17 2.1.0 8.3.RC1
2.6.0 2.6.0 8.2.RC1
2.5.1.post1 2.5.1 8.2.RC1
2.1.0.post13 2.1.0 8.2.RC1
2.5.1 2.5.1 8.1.RC1
2.4.0.post4 2.4.0 8.1.RC1
2.3.1.post6 2.3.1 8.1.RC1
2.1.0.post12 2.1.0 8.1.RC1
2.4.0.post2 2.4.0 8.0.0
2.3.1.post4 2.3.1 8.0.0
2.1.0.post10 2.1.0 8.0.0
2.4.0 2.4.0 8.0.RC3
2.3.1.post2 2.3.1 8.0.RC3
2.1.0.post8 2.1.0 8.0.RC3
2.3.1 2.3.1 8.0.RC2
2.2.0.post2 2.2.0 8.0.RC2
2.1.0.post6 2.1.0 8.0.RC2
2.2.0 2.2.0 8.0.RC1
2.1.0.post4 2.1.0 8.0.RC1
2.1.0 2.1.0 7.0.0
""".splitlines()
)

# The Pythons for which a torch_npu exists, first and last, by the version of torch.
PYTHONS = {
    "2.13.0": ("3.10", "3.14"),
    "2.12.0": ("3.10", "3.14"),
    "2.11.0": ("3.10", "3.14"),
    "2.10.0": ("3.10", "3.13"),
    "2.9.0": ("3.10", "3.13"),
    "2.8.0": ("3.9", "3.13"),
    "2.7.1": ("3.9", "3.13"),
    "2.6.0": ("3.9", "3.11"),
    "2.5.1": ("3.9", "3.11"),
    "2.4.0": ("3.8", "3.11"),
    "2.3.1": ("3.8", "3.11"),
    "2.2.0": ("3.8", "3.10"),
    "2.1.0": ("3.8", "3.11"),
}


def release_of(torch_npu: str) -> Release | None:
    """The row of a version of torch_npu; a local part such as ``+git1234`` does not count."""
    return next((release for release in RELEASES if release.torch_npu == torch_npu.partition("+")[0]), None)


def release_for(torch: str, cann: str) -> Release | None:
    """The newest torch_npu for a torch and a CANN."""
    plain = torch.partition("+")[0]
    return next((row for row in RELEASES if row.torch == plain and same_cann(row.cann, cann)), None)


def same_cann(listed: str, found: str) -> bool:
    """Whether a CANN is the one of the table: ``8.5.0`` and ``8.5.0.1`` are the same, in any case."""
    return found.upper().startswith(listed.upper())


def fits_python(torch: str, python: str) -> bool:
    """Whether there is a torch_npu of this torch for a Python such as ``3.11``; True for an unknown torch."""
    first, last = PYTHONS.get(torch.partition("+")[0], ("3.0", "3.99"))
    return version_numbers(first) <= version_numbers(python)[:2] <= version_numbers(last)
