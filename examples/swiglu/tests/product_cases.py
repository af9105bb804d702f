"""The operators with matrix products, as in the spec, and the kernels of their derivatives.

The tests use these tables; extend them as you like.
"""

from __future__ import annotations

import torch
import torch_npu  # noqa: F401  (device "npu")
from opforge.testing.checks.module_case import ModuleCase
from opforge.testing.checks.product_case import GradientKernel, ProductCase

import swiglu
from swiglu import _reference

PRODUCTS = (
    ProductCase(
        function=swiglu.swiglu,
        reference=_reference.swiglu,
        inputs={"x": ("...", "H"), "w_gate": ("H", "I"), "w_up": ("H", "I")},
        left=("x",),
        right=("w_gate", "w_up"),
        columns=(
            (torch.float16, torch.float16, torch.float16),
            (torch.bfloat16, torch.bfloat16, torch.bfloat16),
            (torch.float32, torch.float32, torch.float32),
        ),
        symbols=("...", "I", "H"),
        tile=(128, 256),
        module=ModuleCase(
            swiglu.SwiGLU, sizes={"hidden": ("x", -1), "intermediate": ("w_gate", -1)}, held=("w_gate", "w_up")
        ),
    ),
)

GRADIENT_KERNELS = (
    GradientKernel(
        function=torch.ops.swiglu.swiglu_grad,
        reference=_reference.swiglu_grad,
        inputs=("grad_y", "gate", "up"),
        columns=(
            (torch.float16, torch.float16, torch.float16),
            (torch.bfloat16, torch.bfloat16, torch.bfloat16),
            (torch.float32, torch.float32, torch.float32),
        ),
        tiles=(4864, 4864, 4352),
    ),
)

# Every operator with each combination of dtypes.
PRODUCT_COMBINATIONS = [(op, column) for op in PRODUCTS for column in range(len(op.columns))]
