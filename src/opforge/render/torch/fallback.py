"""_fallback.py: the package warns when PyTorch's own operators compute instead of kernels."""

from __future__ import annotations

import json
from collections.abc import Sequence

from opforge.frozen import dataclass
from opforge.render.torch.signature import Signature
from opforge.soc import SOCS


@dataclass(frozen=True)
class Fallback:
    """Context of ``code/torch/python/_fallback.py``; ``unreferenced``: at least one op has only its kernel."""

    package: str
    units: tuple[str, ...]
    unreferenced: bool


def fallback_context(package: str, signatures: Sequence[Signature]) -> Fallback:
    """The context for all operators of a project. opforge's own table lists the compute units."""
    units = tuple(json.dumps(unit) for unit in SOCS)
    unreferenced = any(not signature.kernel.computable for signature in signatures)
    return Fallback(package, units, unreferenced)
