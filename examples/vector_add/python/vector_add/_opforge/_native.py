# Owned by opforge: `opforge update` replaces this file.
# SPDX-License-Identifier: Apache-2.0
"""The operators of vector_add as a model would write them: PyTorch's own operators, no kernel of this package.

Every step rounds in the tensors' own dtype. Benchmarks compare with these, and `fuse`, where a project has it, looks for them in models.
"""

from __future__ import annotations

from torch import Tensor


def vector_add(x: Tensor, y: Tensor) -> Tensor:
    """z = x + y"""
    return x + y
