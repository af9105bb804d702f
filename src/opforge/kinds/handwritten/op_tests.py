"""The test of an op whose kernel is written by hand."""

from __future__ import annotations

from opforge.frozen import dataclass
from opforge.render.layout import dims_literal, python_call, python_row
from opforge.render.torch.argument_types import kind_of
from opforge.render.torch.cases import module_field, names_field, other_value
from opforge.render.torch.parameters import is_module
from opforge.render.torch.signature import Signature, torch_dtype
from opforge.spec.combinations import combinations
from opforge.spec.model import TensorSpec


@dataclass(frozen=True)
class ByHandTest:
    """Context of ``code/torch/tests/test_by_hand.py``. Texts are Python source; empty ones say nothing."""

    package: str
    op_type: str
    function: str
    kernel: str
    compared: str
    checks: tuple[str, ...]
    module: str
    reference: str
    inputs: str
    attrs: str
    written: str
    lists: bool
    optional: bool
    is_module: bool
    as_module: str
    differentiable: bool
    shaped: bool


def by_hand_test(signature: Signature, soc: str) -> ByHandTest:
    """The context for one op; ``soc`` is the one whose combinations of dtypes are tried."""
    op = signature.op
    rows = combinations(op, soc)
    inputs = [_input(tensor, [row[place] for row in rows]) for place, tensor in enumerate(op.inputs)]
    attrs = [f'"{attr.name}": {other_value(attr)}' for attr in op.attrs]
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
        inputs="inputs={\n" + "".join(f"        {text},\n" for text in inputs) + "    }",
        attrs=f"attrs={{{', '.join(attrs)}}}" if attrs else "",
        written=names_field("written", signature.written),
        lists=any(tensor.dynamic for tensor in op.inputs),
        optional=bool(signature.optional),
        is_module=is_module(signature),
        as_module=module_field(signature, 4),
        differentiable=differentiable,
        shaped=any(tensor.shaped for tensor in op.outputs),
    )


def _input(tensor: TensorSpec, dtypes: list[str]) -> str:
    items = [f'"{kind_of(tensor).schema}"', python_row([torch_dtype(name) for name in dtypes], 12)]
    if tensor.dims != ("...",):
        items.append(f"dims={dims_literal(tensor.dims)}" if tensor.optional else dims_literal(tensor.dims))
    if tensor.optional:
        items.append("optional=True")
    return python_call(f'"{tensor.name}": Input(', items, ")", 8)
