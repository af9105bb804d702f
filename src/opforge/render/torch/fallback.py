"""_fallback.py: what the package says where PyTorch's own operators compute instead of kernels."""

from __future__ import annotations

import json
from dataclasses import dataclass

from opforge.render.torch.layout import python_collection
from opforge.soc import SOCS


@dataclass(frozen=True)
class Fallback:
    """Context of ``code/torch/python/_fallback.py``."""

    package: str
    units: str


def fallback_context(package: str) -> Fallback:
    """The context for a project; the table of compute units is opforge's."""
    return Fallback(package, python_collection("COMPUTE_UNITS = (", [json.dumps(unit) for unit in SOCS], ")"))
