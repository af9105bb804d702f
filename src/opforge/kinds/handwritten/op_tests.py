"""The test of a handwritten op."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.render.layout import python_strings
from opforge.render.torch.cases import module_arguments, other_value
from opforge.render.torch.drawn_literals import drawing_names, input_literal, size_items
from opforge.render.torch.parameters import is_module
from opforge.render.torch.signature import Signature, dtype_row
from opforge.spec.combinations import torch_combinations


@dataclass(frozen=True)
class ByHandTest:
    """Context of ``code/torch/tests/test_by_hand.py``; items of lists are expressions in Python."""

    package: str
    op_type: str
    function: str
    kernel: str
    compared: str
    checks: tuple[str, ...]
    drawing: tuple[str, ...]
    module: str
    imported: str
    reference: str
    inputs: tuple[str, ...]
    columns: tuple[str, ...]
    outputs: tuple[str, ...]
    attrs: tuple[str, ...]
    sizes: tuple[str, ...]
    written: tuple[str, ...]
    lists: bool
    optional: bool
    is_module: bool
    as_module: tuple[str, ...]
    differentiable: bool
    shaped: bool


def by_hand_test(signature: Signature, soc: str) -> ByHandTest:
    """The context for one op. ``soc`` decides which combinations of dtypes are tested."""
    op = signature.op
    module, _, name = (op.reference or "").partition(":")
    reference = f"{name}_reference" if name == signature.package else name
    differentiable = op.backward and bool(reference) and not signature.placed
    lists = any(tensor.dynamic for tensor in op.inputs)
    checks = [
        "ByHand",
        *(["check_as_module"] if is_module(signature) else []),
        *(["check_gradients"] if differentiable else []),
        *(["check_lists"] if lists else []),
        "check_registration",
        "check_sizes",
        *(["check_without_optional"] if signature.optional else []),
    ]
    return ByHandTest(
        package=signature.package,
        op_type=op.type,
        function=signature.function,
        kernel=signature.kernel.skeleton,
        compared=f"Then its results are compared with those of {op.reference}."
        if reference
        else "Then its shapes and dtypes are compared with what opforge.yaml says; compare its values here, too.",
        checks=tuple(checks),
        drawing=tuple(sorted(["Input", *drawing_names([op])])),
        module=module,
        imported=f"{name} as {reference}" if name != reference else name,
        reference=reference,
        inputs=tuple(f'"{tensor.name}": {input_literal(tensor)}' for tensor in op.inputs),
        columns=tuple(
            dtype_row(row) for row in dict.fromkeys(row[: len(op.inputs)] for row in torch_combinations(op, soc))
        ),
        outputs=python_strings(signature.outputs),
        attrs=tuple(f'"{attr.name}": {other_value(attr)}' for attr in op.attrs),
        sizes=size_items(op),
        written=python_strings(signature.written),
        lists=lists,
        optional=bool(signature.optional),
        is_module=is_module(signature),
        as_module=module_arguments(signature),
        differentiable=differentiable,
        shaped=any(tensor.shaped for tensor in op.outputs),
    )
