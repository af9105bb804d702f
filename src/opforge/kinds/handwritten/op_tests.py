"""The test of a handwritten op."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.render.layout import dims_literal, python_strings
from opforge.render.torch.argument_types import kind_of
from opforge.render.torch.cases import module_arguments, other_value
from opforge.render.torch.parameters import is_module
from opforge.render.torch.signature import Signature, dtype_row
from opforge.spec.combinations import combinations
from opforge.spec.model import TensorSpec


@dataclass(frozen=True)
class ByHandInput:
    """An input and the arguments of its ``Input``."""

    name: str
    arguments: tuple[str, ...]


@dataclass(frozen=True)
class ByHandTest:
    """Context of ``code/torch/tests/test_by_hand.py``; items of lists are expressions in Python."""

    package: str
    op_type: str
    function: str
    kernel: str
    compared: str
    checks: tuple[str, ...]
    module: str
    reference: str
    inputs: tuple[ByHandInput, ...]
    attrs: tuple[str, ...]
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
    rows = combinations(op, soc)
    module, _, reference = (op.reference or "").partition(":")
    differentiable = op.backward and bool(reference)
    checks = [
        "ByHand",
        "Input",
        *(["check_as_module"] if is_module(signature) else []),
        *(["check_gradients"] if differentiable else []),
        "check_registration",
        "check_results",
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
        module=module,
        reference=reference,
        inputs=tuple(_input(tensor, [row[place] for row in rows]) for place, tensor in enumerate(op.inputs)),
        attrs=tuple(f'"{attr.name}": {other_value(attr)}' for attr in op.attrs),
        written=python_strings(signature.written),
        lists=any(tensor.dynamic for tensor in op.inputs),
        optional=bool(signature.optional),
        is_module=is_module(signature),
        as_module=module_arguments(signature),
        differentiable=differentiable,
        shaped=any(tensor.shaped for tensor in op.outputs),
    )


def _input(tensor: TensorSpec, dtypes: list[str]) -> ByHandInput:
    items = [f'"{kind_of(tensor).schema}"', dtype_row(dtypes)]
    if tensor.dims != ("...",):
        items.append(f"dims={dims_literal(tensor.dims)}" if tensor.optional else dims_literal(tensor.dims))
    if tensor.optional:
        items.append("optional=True")
    return ByHandInput(tensor.name, tuple(items))
