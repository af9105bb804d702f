# Owned by opforge: `opforge update` replaces this file.
# SPDX-License-Identifier: Apache-2.0
"""The operators of swiglu that can replace expressions in models, and the functions that graphs call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch

from ... import _ops
from .. import _native
from .places import Fusible

_SWIGLU = Fusible(
    operator=torch.ops.swiglu.swiglu,
    native=_native.swiglu,
    columns=_ops.SWIGLU_COLUMNS,
    dims={"x": ("...", "H"), "w_gate": ("H", "I"), "w_up": ("H", "I")},
    products=True,
)


def swiglu(*arguments: Any) -> Any:
    """The operator if it accepts these arguments, otherwise PyTorch's own operators."""
    return _SWIGLU(swiglu, arguments)


FUSIBLE: Mapping[Fusible, Callable[..., Any]] = {_SWIGLU: swiglu}
