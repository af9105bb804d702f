"""The generated package, imported: its CPU implementation, Meta functions and derivatives, without any NPU."""

from __future__ import annotations

import inspect
import itertools
from types import ModuleType

import pytest
import torch
from torch_projects import GATE_OPS, spec_of

from opforge.ir.evaluate import evaluate
from opforge.ir.op_graphs import build_graph
from opforge.naming import snake
from opforge.spec.model import OpSpec

pytestmark = [pytest.mark.torch, pytest.mark.compiler]

OPS = spec_of(GATE_OPS).ops
SHAPES = [((5,),), ((3, 4), (4,)), ((2, 1), (1, 3)), ((0,), (1,)), ((), (7,)), ((2, 1, 3), (4, 1))]
ATTRS = {"int": 3, "float": 0.75, "bool": False, "str": "it's"}
EVERY_OP = pytest.mark.parametrize("op", OPS, ids=lambda op: op.type)
EVERY_SHAPE = pytest.mark.parametrize("shapes", SHAPES, ids=str)


def attrs(op: OpSpec) -> dict[str, object]:
    return {attr.name: ATTRS[attr.type] for attr in op.attrs}


def tensors(op: OpSpec, dtype: torch.dtype, shapes: tuple[tuple[int, ...], ...]) -> list[torch.Tensor]:
    source = torch.Generator().manual_seed(7)
    made = []
    for i in range(len(op.inputs)):
        value = torch.randn(shapes[i % len(shapes)], generator=source, dtype=torch.float64)
        made.append((value.sign() * (0.5 + value.abs() / 2 + i / 8)).to(dtype))  # away from poles and kinks
    return made


def outputs(result: object) -> tuple[torch.Tensor, ...]:
    return result if isinstance(result, tuple) else (result,)


@EVERY_SHAPE
@EVERY_OP
def test_it_means_what_the_graph_means(op: OpSpec, shapes: tuple[tuple[int, ...], ...], gate_ops: ModuleType) -> None:
    graph = build_graph(op)
    for name in op.inputs[0].dtypes:
        values = tensors(op, getattr(torch, name), shapes)
        expected = evaluate(graph, dict(zip((t.name for t in op.inputs), values, strict=True)), attrs(op))
        actual = outputs(getattr(gate_ops, snake(op.type))(*values, **attrs(op)))
        for tensor, output in zip(op.outputs, actual, strict=True):
            assert output.is_contiguous()
            # Attributes are float32 in the graph and double in Python: units in the last place may differ.
            rtol = 8 * torch.finfo(output.dtype).eps
            torch.testing.assert_close(output, expected[tensor.name], rtol=rtol, atol=0)


@pytest.mark.usefixtures("gate_ops")
@pytest.mark.parametrize("shapes", SHAPES[1:4], ids=str)
@EVERY_OP
def test_opcheck(op: OpSpec, shapes: tuple[tuple[int, ...], ...]) -> None:
    overload = getattr(torch.ops.gate_ops, snake(op.type)).default
    for name in op.inputs[0].dtypes:
        values = [tensor.requires_grad_(op.backward) for tensor in tensors(op, getattr(torch, name), shapes)]
        torch.library.opcheck(overload, tuple(values), attrs(op))


@EVERY_SHAPE
@pytest.mark.parametrize("op", [op for op in OPS if op.backward], ids=lambda op: op.type)
def test_derivatives(op: OpSpec, shapes: tuple[tuple[int, ...], ...], gate_ops: ModuleType) -> None:
    def call(*values: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return outputs(getattr(gate_ops, snake(op.type))(*values, **attrs(op)))

    values = [tensor.requires_grad_() for tensor in tensors(op, torch.float64, shapes)]
    assert torch.autograd.gradcheck(call, values)
    assert torch.autograd.gradgradcheck(call, values)


def test_each_gradient_alone(gate_ops: ModuleType) -> None:
    values = [torch.randn(3) for _ in range(3)]
    for wanted in itertools.product([False, True], repeat=3):
        if any(wanted):
            inputs = [value.clone().requires_grad_(want) for value, want in zip(values, wanted, strict=True)]
            gate_ops.arithmetic(*inputs).sum().backward()
            assert [tensor.grad is not None for tensor in inputs] == list(wanted)


def test_gradients_of_16_bits_are_summed_in_float32(gate_ops: ModuleType) -> None:
    x = torch.ones(4097, 1, dtype=torch.float16, requires_grad=True)
    y = torch.ones(1, dtype=torch.float16, requires_grad=True)
    gate_ops.vector_add(x, y).backward(torch.ones(4097, 1, dtype=torch.float16))
    assert y.grad is not None
    assert y.grad.item() == 4096  # 4097 rounded once; a float16 sum would have stopped at 2048


def test_no_derivative_is_an_error(gate_ops: ModuleType) -> None:
    x = torch.ones(3, requires_grad=True)
    y = gate_ops.one_way(x)
    with pytest.raises(RuntimeError, match=r"one_way has no derivative: opforge\.yaml says backward: false"):
        y.sum().backward()


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compile(backend: str, dynamic: bool, gate_ops: ModuleType) -> None:
    torch.compiler.reset()
    compiled = torch.compile(
        lambda x, y: gate_ops.gated_pair(x, y, 0.5)[0] * 2, backend=backend, dynamic=dynamic, fullgraph=True
    )
    for size in (3, 11):
        x, y = torch.randn(size, 2, requires_grad=True), torch.randn(2, requires_grad=True)
        torch.testing.assert_close(compiled(x, y), gate_ops.gated_pair(x, y, 0.5)[0] * 2)
        compiled(x, y).sum().backward()
        assert y.grad is not None
        assert y.grad.shape == (2,)


def test_signatures_and_docstrings(gate_ops: ModuleType) -> None:
    named = {name for op in OPS for name in (op.type, snake(op.type))}  # modules and functions
    assert gate_ops.__all__ == sorted({"FallbackWarning", "fuse", "register_sglang", "register_vllm", *named})
    shown = str(inspect.signature(gate_ops.long_names)).replace("'", "")
    assert shown.endswith('some_long_attribute_name: float = 0.1, text: str = say "so", flag: bool = True) -> Tensor')
    documented = inspect.getdoc(gate_ops.gated_pair)
    assert documented is not None
    assert "    act = silu(gate) * alpha\n" in documented
    assert "    gate: shape [...]; float16, bfloat16, float32.\n    alpha: float, 1.0 by default.\n" in documented


def ones(*shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    return torch.ones(shape, dtype=dtype)


BAD = {
    "None": ((None, ones(3)), TypeError, "vector_add: x must be a Tensor, but it is None"),
    "a number": ((ones(3), 1.0), TypeError, "vector_add: y must be a Tensor, but it is a float"),
    "a dtype": (
        (ones(3), ones(3, dtype=torch.int64)),
        TypeError,
        "vector_add: y has dtype int64; supported: float16, bfloat16, float32",
    ),
    "two dtypes": (
        (ones(3), ones(3, dtype=torch.float16)),
        TypeError,
        "vector_add: (x, y) have dtypes (float32, float16); supported together: (float16, float16), "
        "(bfloat16, bfloat16), (float32, float32)",
    ),
    "double and float": (
        (ones(3), ones(3, dtype=torch.float64)),
        TypeError,
        "vector_add: y has dtype float64; supported: float16, bfloat16, float32",
    ),
    "shapes": (
        (ones(2, 3), ones(4)),
        ValueError,
        "vector_add: x of shape [2, 3] and y of shape [4] do not broadcast: sizes 3 and 4 meet in dimension -1",
    ),
    "an empty shape": (
        (ones(2, 3), ones(0, 3)),
        ValueError,
        "vector_add: x of shape [2, 3] and y of shape [0, 3] do not broadcast: sizes 2 and 0 meet in dimension -2",
    ),
    "rank": (
        (ones(*[1] * 9), ones(3)),
        ValueError,
        "vector_add: x has 9 dimensions; at most 8 are supported",
    ),
    "devices": (
        (ones(3), torch.ones(3, device="meta")),
        RuntimeError,
        "vector_add: y is on meta and x is on cpu; all arguments must be on one device",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(case: str, gate_ops: ModuleType) -> None:
    arguments, kind, message = BAD[case]
    with pytest.raises(kind) as caught:
        gate_ops.vector_add(*arguments)
    assert str(caught.value) == message


def freed() -> torch.Tensor:
    tensor = ones(4, 5)
    tensor.untyped_storage().resize_(8)
    return tensor


NOT_DENSE = {
    "sparse": (
        lambda: ones(3).to_sparse(),
        "stored as torch.sparse_coo; give it as to_dense() or to_padded_tensor() does",
    ),
    "csr": (
        lambda: ones(3, 3).to_sparse_csr(),
        "stored as torch.sparse_csr; give it as to_dense() or to_padded_tensor() does",
    ),
    "quantized": (
        lambda: torch.quantize_per_tensor(ones(3), 0.1, 0, torch.qint8),
        "quantized; give it as dequantize() does",
    ),
    "nested": (
        lambda: torch.nested.nested_tensor([ones(3)], layout=torch.jagged),
        "nested; give it as to_dense() or to_padded_tensor() does",
    ),
}


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("case", NOT_DENSE)
def test_other_tensors_than_dense_ones(case: str, gate_ops: ModuleType) -> None:
    make, said = NOT_DENSE[case]
    with pytest.raises(TypeError) as caught:
        gate_ops.vector_add(ones(3), make())
    assert str(caught.value) == f"vector_add: y must be a dense Tensor, but it is {said}"


def test_storage_that_was_freed(gate_ops: ModuleType) -> None:
    for call in (gate_ops.vector_add, torch.ops.gate_ops.vector_add):
        with pytest.raises(RuntimeError) as caught:
            call(freed(), ones(5))
        assert str(caught.value) == "vector_add: x needs 80 bytes of its storage, which has 8: was it freed?"


def test_forward_mode_is_refused(gate_ops: ModuleType) -> None:
    x = ones(3)
    for transformed in (torch.func.jvp, lambda f, xs, _: torch.func.jacfwd(f)(*xs)):
        with pytest.raises(RuntimeError, match=r"vector_add has no derivative in forward mode .* x has a tan"):
            transformed(lambda value: gate_ops.vector_add(value, x), (x,), (x,))


@pytest.mark.usefixtures("gate_ops")
def test_the_dispatcher_takes_none_for_a_tensor() -> None:
    with pytest.raises(TypeError, match="vector_add: y must be a Tensor, but it is None"):
        torch.ops.gate_ops.vector_add(ones(3), None)


def test_double_is_for_the_cpu_alone(gate_ops: ModuleType) -> None:
    with pytest.raises(TypeError, match="x has dtype float64; supported: float16, bfloat16, float32"):
        gate_ops.vector_add(*(torch.ones(3, dtype=torch.float64, device="meta") for _ in range(2)))
