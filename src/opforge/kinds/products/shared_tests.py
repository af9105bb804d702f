"""The parts of ops with matrix products in the tests that all kinds share. Their table is product_cases.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from opforge.program import Program, TestPart
from opforge.render.torch.fusion import fusible
from opforge.render.torch.parameters import is_module
from opforge.render.torch.signature import signature_of
from opforge.render.torch.torch_files import fragment

if TYPE_CHECKING:
    from opforge.kinds.products.product_kernel import ProductKernel

# For test_training.py, in the process of one rank.
_COLUMN_PARALLEL = """\
        if isinstance(op, ProductCase) and op.symbols[1] != op.symbols[2]:
            check_column_parallel(op, exact(values), rank)"""


def test_parts(program: Program, kernels: Sequence[ProductKernel]) -> Mapping[str, TestPart]:
    """The parts by the tests' names."""
    signatures = [signature_of(program, kernel) for kernel in kernels]
    data = {"precision": ("product_inputs",)}
    every = {"product_cases": ("PRODUCTS", "ProductCase"), **data}
    cases = "SAMPLES += [(op, product_inputs(op, -1, ((5,), 7, 3))) for op in PRODUCTS if op.differentiable]"
    parts = {
        "precision.py": TestPart(
            {"product_cases": ("GradientKernel", "ProductCase", "Sizes")},
            {
                "notes": _fragment("precision_note"),
                "constants": _fragment("precision_constants"),
                "judges": _fragment("precision_judge"),
                "inputs": _fragment("precision_inputs"),
            },
        ),
        "test_converter.py": TestPart(
            {"product_cases": ("PRODUCTS",), **data},
            {"cases": "CALLS += [(op, op.arguments(*product_inputs(op, 0, ((5,), 7, 3)))) for op in PRODUCTS]"},
        ),
        "test_autocast.py": TestPart(every, {"cases": cases, "tests": _fragment("autocast_tests")}),
    }
    if any(map(is_module, signatures)):
        parts["test_module.py"] = TestPart(
            {"product_cases": ("PRODUCT_COMBINATIONS", "ProductCase"), **data}, {"cases": _fragment("module_cases")}
        )
    if fusible(signatures):
        parts["test_fusion.py"] = TestPart(every, {"cases": _fragment("fusion_cases")})
    if any(signature.op.backward for signature in signatures):
        parts["test_training.py"] = TestPart(
            every,
            {
                "cases": _fragment("training_cases"),
                "samples": "*product_samples()",
                "checks": _COLUMN_PARALLEL,
                "tests": _fragment("training_tests"),
            },
        )
    if any(signature.op.reference is not None for signature in signatures):
        parts["test_references.py"] = TestPart(
            {
                "precision": ("assert_product_close", "product_inputs"),
                "product_cases": ("PRODUCT_COMBINATIONS", "ProductCase"),
            },
            {"tests": _fragment("reference_tests")},
        )
    return parts


def _fragment(name: str) -> str:
    return fragment("products", name)
