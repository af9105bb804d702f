# Owned by opforge: `opforge update` replaces this file.
# SPDX-License-Identifier: Apache-2.0
"""The operators of swiglu as a model would write them: PyTorch's own operators, no kernel of this package.

Every step rounds in the tensors' own dtype. Benchmarks compare with these, and `fuse`, where a project has it, looks for them in models.
"""

from __future__ import annotations

import torch
from torch import Tensor


def swiglu(x: Tensor, w_gate: Tensor, w_up: Tensor) -> Tensor:
    """y = silu(x @ w_gate) * (x @ w_up)"""
    return torch.nn.functional.silu(x @ w_gate) * (x @ w_up)
