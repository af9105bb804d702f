"""The tests that op-plugin asks for beside an op: with data on an NPU, and with fake tensors."""

from __future__ import annotations

from collections.abc import Sequence

from opforge.dtypes import DTYPES
from opforge.frozen import dataclass
from opforge.naming import upper_camel
from opforge.render.torch.native import by_expression
from opforge.render.torch.op_plugin.output_expressions import python_dtype, python_size
from opforge.render.torch.signature import Signature, python_literal, torch_dtype
from opforge.spec.arguments import ArgumentKind, input_kind
from opforge.spec.dimensions import is_dots
from opforge.spec.model import AttrSpec, TensorSpec

_LEADING = (4, 3)
_SIZES = (5, 7, 3, 2)  # of symbols, in the order in which they occur
_SAMPLES: dict[ArgumentKind, str] = {
    "number": "1.5",
    "numbers": "[1.5, 0.5]",
    "int": "2",
    "float": "0.5",
    "bool": "True",
    "str": '"a"',
    "list_int": "[1, 2]",
    "list_float": "[0.5, 1.5]",
    "list_bool": "[1, 0]",
}


@dataclass(frozen=True)
class FakeTest:
    """A class of test_fake_tensor.py."""

    name: str
    camel: str
    arguments: tuple[str, ...]
    call: str
    checks: tuple[str, ...]


@dataclass(frozen=True)
class OpTest:
    """Context of ``code/op_plugin/test_npu_op.py``: ``golden`` is what the op should compute, where that is known."""

    name: str
    camel: str
    golden_signature: str
    golden: tuple[str, ...]
    arguments: tuple[str, ...]
    call: str
    checks: tuple[str, ...]
    expected: str
    compared: tuple[str, ...]
    gradients: tuple[str, ...]


def fake_test(signature: Signature, name: str) -> FakeTest:
    """Shapes and dtypes without data."""
    call = f"result = torch.ops.npu.{name}({', '.join(_on_npu(signature))})"
    return FakeTest(name, upper_camel(name), tuple(sample_arguments(signature)), call, tuple(_checks(signature)))


def op_test(signature: Signature, name: str, differentiable: Sequence[str]) -> OpTest:
    """Values against the expression on the CPU, and gradients for the inputs that have some."""
    golden = by_expression(signature).lines if signature.kernel.expressed else ()
    if any(f"{module}." in line for line in golden for module in ("_scalars", "_reference")):
        golden = ()  # beyond torch's own operators
    arguments = ", ".join((*signature.inputs, *signature.attrs))
    several = len(signature.outputs) > 1
    names = [f"result[{place}]" if several else "result" for place in range(len(signature.outputs))]
    compare = "self.assertRtolEqual({}.detach().numpy(), {}.detach().cpu().numpy(), prec=1e-3)"
    if signature.written:
        names, golden = [], ()
    compared = [compare.format(one.replace("result", "expected"), one) for one in names] if golden else []
    gradients: list[str] = []
    if differentiable and golden:
        gradients += [f"on_npu_{given} = {given}.npu().requires_grad_()" for given in differentiable]
        gradients += [f"{given}.requires_grad_()" for given in differentiable]
        on_npu = [
            f"on_npu_{given}" if given in differentiable else text
            for given, text in zip((*signature.inputs, *signature.attrs), _on_npu(signature), strict=True)
        ]
        total = "sum(each.sum() for each in {})" if several else "{}.sum()"
        called = f"torch.ops.npu.{name}({', '.join(on_npu)})"
        gradients.append(f"{total.format(called)}.backward()")
        gradients.append(f"{total.format(f'self.golden({arguments})')}.backward()")
        gradients += [compare.format(f"{given}.grad", f"on_npu_{given}.grad") for given in differentiable]
    return OpTest(
        name=name,
        camel=upper_camel(name),
        golden_signature=f"golden({arguments}):",
        golden=golden,
        arguments=tuple(sample_arguments(signature)),
        call=f"result = torch.ops.npu.{name}({', '.join(_on_npu(signature))})",
        checks=tuple(_checks(signature)),
        expected=f"expected = self.golden({arguments})",
        compared=tuple(compared),
        gradients=tuple(gradients),
    )


def _row(signature: Signature) -> int:
    """The combination of dtypes that is tried: the most accurate."""
    rows = signature.input_columns
    return max(range(len(rows)), key=lambda i: (sum(name == "float32" for name in rows[i]), -i))


def sample_arguments(signature: Signature) -> list[str]:
    """Statements that give each input and attribute a value on the CPU."""
    row = signature.input_columns[_row(signature)]
    symbols = [dim for tensor in signature.op.inputs for dim in tensor.dims if not is_dots(dim) and not dim.isdigit()]
    sizes = {name: _SIZES[i % len(_SIZES)] for i, name in enumerate(dict.fromkeys(symbols))}
    made = [f"{t.name} = {_value(t, dtype, sizes)}" for t, dtype in zip(signature.op.inputs, row, strict=True)]
    return [*made, *(f"{attr.name} = {_attr(attr)}" for attr in signature.op.attrs)]


def _value(tensor: TensorSpec, dtype: str, sizes: dict[str, int]) -> str:
    kind = input_kind(tensor)
    rest = [sizes[dim] if dim in sizes else int(dim) for dim in tensor.dims if not is_dots(dim)]
    shape = (*(_LEADING if len(rest) < len(tensor.dims) else ()), *rest)
    if kind in ("tensor", "tensors"):
        one = _random(shape, dtype)
        return one if kind == "tensor" else f"[{one}, {one}]"
    if kind in ("number", "numbers"):
        return _SAMPLES[kind]
    item = "1" if kind != "list_float" else "0.5"
    return f"[{', '.join([item] * (shape[0] if shape else 1))}]"


def _random(shape: tuple[int, ...], dtype: str) -> str:
    size = ", ".join(map(str, shape))
    if dtype == "bool":
        return f"torch.rand({size}) > 0.5"
    if DTYPES[dtype].floating:
        return f"torch.randn({size}, dtype={torch_dtype(dtype)})"
    return f"torch.randint(0, 5, ({size},), dtype={torch_dtype(dtype)})"


def _attr(attr: AttrSpec) -> str:
    if attr.default is None:
        return _SAMPLES[attr.type]
    if attr.type == "list_bool" and isinstance(attr.default, tuple):
        return f"[{', '.join(str(int(item)) for item in attr.default)}]"
    return python_literal(attr.type, attr.default)


def _on_npu(signature: Signature) -> list[str]:
    made = []
    for tensor in signature.op.inputs:
        kind = input_kind(tensor)
        on_npu = {"tensor": f"{tensor.name}.npu()", "tensors": f"[each.npu() for each in {tensor.name}]"}
        made.append(on_npu.get(kind, tensor.name))
    return [*made, *signature.attrs]


def _checks(signature: Signature) -> list[str]:
    lines = []
    for place, tensor in enumerate(signature.op.outputs):
        if tensor.inplace is not None:
            continue
        at = signature.made.index(tensor)
        result = f"result[{at}]" if len(signature.made) > 1 else "result"
        lines.append(f"self.assertEqual(tuple({result}.shape), tuple({python_size(signature, tensor)}))")
        lines.append(f"self.assertEqual({result}.dtype, {python_dtype(signature, place)})")
    return lines
