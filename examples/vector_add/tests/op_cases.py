"""The operators under test, as in the spec. The tests use this table; extend it as you like."""

from __future__ import annotations

import torch
import torch_npu  # noqa: F401  (device "npu")
from opforge.testing.checks.module_case import ModuleCase
from opforge.testing.checks.op_case import OpCase

import vector_add
from vector_add import _reference

OPS = (
    OpCase(
        function=vector_add.vector_add,
        reference=_reference.vector_add,
        inputs=("x", "y"),
        columns=(
            (torch.float16, torch.float16),
            (torch.bfloat16, torch.bfloat16),
            (torch.float32, torch.float32),
        ),
        tiles=(9728, 9728, 7936),
        module=ModuleCase(vector_add.VectorAdd),
    ),
)

# Every operator with each combination of dtypes.
COMBINATIONS = [(op, column) for op in OPS for column in range(len(op.columns))]
