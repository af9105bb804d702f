"""What CANN's tools do and these do not, where OPFORGE_SIM_AWKWARD asks for it: names with commas, or ``all``.

docs/toolkit_differences.md has the names, what each turns on, and where CANN does it.
"""

from __future__ import annotations

import os


def awkward(name: str) -> bool:
    """Whether the tools shall be as awkward as CANN's in this respect."""
    asked = os.environ.get("OPFORGE_SIM_AWKWARD", "").split(",")
    return name in asked or "all" in asked
