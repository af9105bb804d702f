"""The tests that op-plugin requires for an op: with data on an NPU, and with fake tensors."""

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
class Sample:
    """An argument and its value on the CPU."""

    name: str
    value: str


@dataclass(frozen=True)
class CheckedResult:
    """A result and the shape and dtype that it must have."""

    result: str
    shape: str
    dtype: str


@dataclass(frozen=True)
class ComparedValues:
    """Two tensors that must be almost equal."""

    expected: str
    result: str


@dataclass(frozen=True)
class FakeTest:
    """A class of test_fake_tensor.py."""

    name: str
    camel: str
    samples: tuple[Sample, ...]
    passed: tuple[str, ...]
    checks: tuple[CheckedResult, ...]


@dataclass(frozen=True)
class OpTest:
    """Context of ``code/op_plugin/test_npu_op.py``.

    ``golden`` is the body of a function that computes the results with torch's own operators. It is empty if there is
    no such function; then nothing is ``compared``. ``differentiable`` are the inputs whose gradients are compared.
    """

    name: str
    camel: str
    parameters: tuple[str, ...]
    golden: tuple[str, ...]
    samples: tuple[Sample, ...]
    passed: tuple[str, ...]
    checks: tuple[CheckedResult, ...]
    compared: tuple[ComparedValues, ...]
    differentiable: tuple[str, ...]
    differentiated: tuple[str, ...]
    several: bool


def fake_test(signature: Signature, name: str) -> FakeTest:
    """The test of shapes and dtypes without data."""
    return FakeTest(name, upper_camel(name), samples(signature), _on_npu(signature), _checks(signature))


def op_test(signature: Signature, name: str, differentiable: Sequence[str]) -> OpTest:
    """The test of values against the expression on the CPU, and of the gradients of ``differentiable`` inputs."""
    golden = by_expression(signature).lines if signature.kernel.expressed and not signature.written else ()
    if any(f"{module}." in line for line in golden for module in ("_scalars", "_reference")):
        golden = ()  # not expressible in torch's own operators
    parameters = (*signature.inputs, *signature.attrs)
    passed = _on_npu(signature)
    several = len(signature.outputs) > 1
    places = [f"[{place}]" for place in range(len(signature.outputs))] if several else [""]
    return OpTest(
        name=name,
        camel=upper_camel(name),
        parameters=parameters,
        golden=golden,
        samples=samples(signature),
        passed=passed,
        checks=_checks(signature),
        compared=tuple(ComparedValues(f"expected{place}", f"result{place}") for place in places) if golden else (),
        differentiable=tuple(differentiable) if golden else (),
        differentiated=tuple(
            f"on_npu_{given}" if given in differentiable else text
            for given, text in zip(parameters, passed, strict=True)
        ),
        several=several,
    )


def _row(signature: Signature) -> int:
    """The index of the most accurate combination of dtypes, which the test uses."""
    rows = signature.input_columns
    return max(range(len(rows)), key=lambda i: (sum(name == "float32" for name in rows[i]), -i))


def samples(signature: Signature) -> tuple[Sample, ...]:
    """A value on the CPU for each input and attribute."""
    row = signature.input_columns[_row(signature)]
    symbols = [dim for tensor in signature.op.inputs for dim in tensor.dims if not is_dots(dim) and not dim.isdigit()]
    sizes = {name: _SIZES[i % len(_SIZES)] for i, name in enumerate(dict.fromkeys(symbols))}
    made = [Sample(t.name, _value(t, dtype, sizes)) for t, dtype in zip(signature.op.inputs, row, strict=True)]
    return (*made, *(Sample(attr.name, _attr(attr)) for attr in signature.op.attrs))


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


def _on_npu(signature: Signature) -> tuple[str, ...]:
    """The arguments of a call with tensors on the NPU."""
    made = []
    for tensor in signature.op.inputs:
        kind = input_kind(tensor)
        on_npu = {"tensor": f"{tensor.name}.npu()", "tensors": f"[each.npu() for each in {tensor.name}]"}
        made.append(on_npu.get(kind, tensor.name))
    return (*made, *signature.attrs)


def _checks(signature: Signature) -> tuple[CheckedResult, ...]:
    made = []
    for place, tensor in enumerate(signature.op.outputs):
        if tensor.inplace is not None:
            continue
        at = signature.made.index(tensor)
        result = f"result[{at}]" if len(signature.made) > 1 else "result"
        made.append(CheckedResult(result, python_size(signature, tensor), python_dtype(signature, place)))
    return tuple(made)
