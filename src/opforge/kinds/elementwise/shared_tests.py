"""The parts of elementwise ops in the tests that all kinds share. Their table of cases is op_cases.py."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from opforge.program import Program, TestPart
from opforge.render.torch.autocast import autocast_rule
from opforge.render.torch.fusion import fusible
from opforge.render.torch.parameters import is_module
from opforge.render.torch.signature import signature_of
from opforge.render.torch.torch_files import fragment

if TYPE_CHECKING:
    from opforge.kinds.expression_kernel import ExpressionKernel


def test_parts(program: Program, kernels: Sequence[ExpressionKernel]) -> Mapping[str, TestPart]:
    """The parts by the tests' names."""
    signatures = [signature_of(program, kernel) for kernel in kernels]
    new = [signature for signature in signatures if not signature.written]
    trained = any(signature.op.backward for signature in new)
    promoted = any(autocast_rule(signature) for signature in new)
    data = {"precision": ("random_inputs",)}
    parts = {
        "precision.py": TestPart({"op_cases": ("OpCase",)}, {"inputs": _fragment("precision_inputs")}),
        "test_converter.py": TestPart(
            {"op_cases": ("OPS",), **data},
            {"cases": "CALLS += [(op, op.arguments(*random_inputs(op, 0, (5, 3)))) for op in OPS]"},
        ),
    }
    if any(map(is_module, signatures)):
        parts["test_module.py"] = TestPart(
            {"op_cases": ("COMBINATIONS", "OpCase"), **data}, {"cases": _fragment("module_cases")}
        )
    if promoted or trained:
        table = ("OPS", "OpCase") if promoted else ("OPS",)
        cases = "[(op, random_inputs(op, -1, (5, 3))) for op in OPS if op.differentiable and not op.written]"
        texts = {"cases": f"SAMPLES += {cases}"} | ({"tests": _fragment("autocast_tests")} if promoted else {})
        parts["test_autocast.py"] = TestPart({"op_cases": table, **data}, texts)
    if fusible(signatures):
        parts["test_fusion.py"] = TestPart(
            {"op_cases": ("OPS", "OpCase"), **data}, {"cases": _fragment("fusion_cases")}
        )
    if trained:
        parts["test_training.py"] = TestPart(
            {"op_cases": ("OPS",), **data},
            {"cases": _fragment("training_cases"), "samples": "*elementwise_samples()"},
        )
    if any(signature.op.reference is not None for signature in signatures):
        parts["test_references.py"] = TestPart(
            {"op_cases": ("COMBINATIONS", "OpCase"), "precision": ("assert_close", "random_inputs")},
            {"tests": _fragment("reference_tests")},
        )
    return parts


def _fragment(name: str) -> str:
    return fragment("elementwise", name)
