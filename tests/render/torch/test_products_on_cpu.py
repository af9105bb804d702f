"""A package of ops with matrix products, imported: CPU implementation, Meta functions, derivatives, without any NPU."""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Sequence
from types import ModuleType

import pytest
import torch
from torch import Tensor
from torch_projects import PRODUCT_OPS, spec_of

from opforge.ir.evaluate import evaluate
from opforge.ir.op_graphs import build_graph
from opforge.naming import snake
from opforge.spec.model import OpSpec

pytestmark = [pytest.mark.torch, pytest.mark.compiler]

SPEC = spec_of(PRODUCT_OPS)
OPS = [op for op in SPEC.ops if op.type != "VectorAdd"]
ATTRS = {"negative_slope": 0.25, "scale": 1.5}
ROWS = [(5,), (), (2, 3), (1,), (0,), (2, 0)]
EVERY_OP = pytest.mark.parametrize("op", OPS, ids=lambda op: op.type)
DIFFERENTIABLE = pytest.mark.parametrize("op", [op for op in OPS if op.backward], ids=lambda op: op.type)
INT32_MAX = 2**31 - 1


def attrs(op: OpSpec) -> dict[str, float]:
    return {attr.name: ATTRS[attr.name] for attr in op.attrs}


def shapes(op: OpSpec, rows: Sequence[int], columns: int = 4, terms: int = 3) -> list[tuple[int, ...]]:
    known: dict[str, tuple[int, ...]] = dict.fromkeys("HK", (terms,)) | dict.fromkeys("IN", (columns,))
    known |= {"...": tuple(rows), "M": (math.prod(rows),)}
    return [tuple(size for dim in tensor.dims for size in known[dim]) for tensor in op.inputs]


def tensors(op: OpSpec, dtype: torch.dtype, *sizes: object) -> list[Tensor]:
    source = torch.Generator().manual_seed(11)
    return [torch.randn(s, generator=source, dtype=torch.float64).to(dtype) for s in shapes(op, *sizes)]  # type: ignore[arg-type]


def without_optional(op: OpSpec, values: Sequence[Tensor]) -> list[Tensor | None]:
    return [None if tensor.optional else value for tensor, value in zip(op.inputs, values, strict=True)]


def call(module: ModuleType, op: OpSpec, *values: Tensor | None) -> tuple[Tensor, ...]:
    result = getattr(module, snake(op.type))(*values, **attrs(op))
    return result if isinstance(result, tuple) else (result,)


def every_way(op: OpSpec, values: list[Tensor]) -> list[list[Tensor | None]]:
    """With what is optional, and without."""
    ways: list[list[Tensor | None]] = [[*values]]
    return [*ways, without_optional(op, values)] if any(tensor.optional for tensor in op.inputs) else ways


@pytest.mark.parametrize("rows", ROWS, ids=str)
@EVERY_OP
def test_it_means_what_the_graph_means(op: OpSpec, rows: tuple[int, ...], product_ops: ModuleType) -> None:
    graph = build_graph(op)
    for name, (columns, terms) in itertools.product(op.inputs[0].dtypes, [(4, 3), (17, 1), (3, 0), (0, 5)]):
        if op.type == "Square":
            columns = terms  # noqa: PLW2901  (its weight is square)
        for values in every_way(op, tensors(op, getattr(torch, name), rows, columns, terms)):
            given = {t.name: v for t, v in zip(op.inputs, values, strict=True) if v is not None}
            expected = evaluate(graph, given, attrs(op))
            for tensor, output in zip(op.outputs, call(product_ops, op, *values), strict=True):
                assert output.is_contiguous()
                rtol = 8 * torch.finfo(output.dtype).eps
                torch.testing.assert_close(output, expected[tensor.name], rtol=rtol, atol=1e-6)


def test_16_bits_are_rounded_once(product_ops: ModuleType) -> None:
    x = torch.ones(1, 2050, dtype=torch.float16)
    gate, up = torch.full((2050, 1), 0.5, dtype=torch.float16), torch.zeros(2050, 1, dtype=torch.float16)
    gate[0], up[0] = 0.75, 5
    # The first product is 1025.25. Rounded to float16 before it is multiplied it would be 1025, and the result 5124.
    assert product_ops.swi_glu(x, gate, up).item() == 5128


def test_views_are_read_as_they_are(product_ops: ModuleType) -> None:
    x, w_gate, w_up = torch.randn(3, 5).t(), torch.randn(4, 3).t(), torch.randn(3, 8)[:, ::2]
    dense = product_ops.swi_glu(x.contiguous(), w_gate.contiguous(), w_up.contiguous())
    torch.testing.assert_close(product_ops.swi_glu(x, w_gate, w_up), dense)


@pytest.mark.slow
@pytest.mark.usefixtures("product_ops")
@EVERY_OP
def test_opcheck(op: OpSpec) -> None:
    overload = getattr(torch.ops.product_ops, snake(op.type)).default
    square = op.type == "Square"
    for name in op.inputs[0].dtypes:
        for rows, columns, terms in (((5,), 4, 3), ((2, 3), 7, 2), ((), 3, 3), ((0,), 2, 3), ((3,), 2, 0)):
            made = tensors(op, getattr(torch, name), rows, terms if square else columns, terms)
            for values in every_way(op, made):
                given = [None if value is None else value.requires_grad_(op.backward) for value in values]
                torch.library.opcheck(overload, tuple(given), attrs(op))


@pytest.mark.usefixtures("product_ops")
def test_opcheck_of_the_kernels_of_derivatives() -> None:
    values = [torch.randn(3, 5) for _ in range(3)]
    torch.library.opcheck(torch.ops.product_ops.swi_glu_grad.default, tuple(values))
    bias = torch.randn(5)
    torch.library.opcheck(torch.ops.product_ops.matmul_leaky_relu_grad.default, (*values[:2], bias, 0.5))


@pytest.mark.parametrize("rows", [(3,), (), (2, 1, 2), (1,)], ids=str)
@DIFFERENTIABLE
def test_derivatives(op: OpSpec, rows: tuple[int, ...], product_ops: ModuleType) -> None:
    made = tensors(op, torch.float64, rows, 3 if op.type == "Square" else 4, 3)
    for values in every_way(op, made):
        given = [None if value is None else value.requires_grad_() for value in values]
        assert torch.autograd.gradcheck(lambda *v: call(product_ops, op, *v), given)


@pytest.mark.parametrize("sizes", [((0,), 4, 3), ((3,), 0, 3), ((3,), 4, 0), ((2, 0), 4, 3)], ids=str)
@DIFFERENTIABLE
def test_gradients_of_nothing(op: OpSpec, sizes: tuple[tuple[int, ...], int, int], product_ops: ModuleType) -> None:
    rows, columns, terms = sizes
    made = tensors(op, torch.float32, rows, terms if op.type == "Square" else columns, terms)
    values = [value.requires_grad_() for value in made]
    sum(output.sum() for output in call(product_ops, op, *values)).backward()
    exact = [value.detach().double().requires_grad_() for value in values]
    sum(output.sum() for output in call(product_ops, op, *exact)).backward()
    for value, other in zip(values, exact, strict=True):
        assert value.grad is not None
        assert other.grad is not None
        torch.testing.assert_close(value.grad, other.grad.float(), rtol=1e-4, atol=1e-5)


@DIFFERENTIABLE
def test_each_gradient_alone(op: OpSpec, product_ops: ModuleType) -> None:
    made = tensors(op, torch.float32, (5,), 3, 3)
    everything = [value.clone().requires_grad_() for value in made]
    sum(output.sum() for output in call(product_ops, op, *everything)).backward()
    for wanted in itertools.product([False, True], repeat=len(made)):
        if any(wanted):
            inputs = [value.clone().requires_grad_(want) for value, want in zip(made, wanted, strict=True)]
            sum(output.sum() for output in call(product_ops, op, *inputs)).backward()
            assert [tensor.grad is not None for tensor in inputs] == list(wanted)
            for one, other in zip(inputs, everything, strict=True):
                if one.grad is not None:
                    torch.testing.assert_close(one.grad, other.grad)


def test_only_what_is_wanted_is_computed(product_ops: ModuleType) -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    class Calls(TorchDispatchMode):
        def __init__(self) -> None:
            super().__init__()
            self.names: list[str] = []

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            self.names.append(func.name())
            return func(*args, **(kwargs or {}))

    def calls(*wanted: bool) -> list[str]:
        values = [torch.randn(s) for s in ((5, 3), (3, 4), (5, 4), (4,))]
        inputs = [value.requires_grad_(want) for value, want in zip(values, wanted, strict=True)]
        outputs = product_ops.two_gates(*inputs, 1.5)
        with Calls() as recorded:
            torch.autograd.backward(outputs, [torch.ones_like(output) for output in outputs])
        return recorded.names

    alone = calls(False, False, True, False)
    assert not [name for name in alone if "two_gates_grad" in name or "mm" in name]
    weight = calls(False, True, False, False)
    assert sum("two_gates_grad" in name for name in weight) == 1
    assert sum(name.startswith("aten::mm") for name in weight) == 2  # the product again, and the weight's gradient
    assert not [name for name in weight if name.startswith("aten::sum")]


def test_sums_over_rows_of_16_bits_are_rounded_once(product_ops: ModuleType) -> None:
    x, weight = torch.zeros(4097, 1, dtype=torch.bfloat16), torch.zeros(1, 1, dtype=torch.bfloat16)
    bias = torch.zeros(1, dtype=torch.bfloat16, requires_grad=True)
    product_ops.linear(x, weight, bias).backward(torch.ones(4097, 1, dtype=torch.bfloat16))
    assert bias.grad is not None
    assert bias.grad.item() == 4096  # a bfloat16 sum would have stopped at 256


def test_there_is_no_second_derivative(product_ops: ModuleType) -> None:
    inputs = [torch.randn(s, requires_grad=True) for s in ((5, 3), (3, 4), (3, 4))]
    (first,) = torch.autograd.grad(product_ops.swi_glu(*inputs).sum(), inputs[:1], create_graph=True)
    with pytest.raises(RuntimeError, match="swi_glu_grad has no derivative: swi_glu can be differentiated once"):
        first.sum().backward()


def test_no_derivative_is_an_error(product_ops: ModuleType) -> None:
    a, b = torch.ones(3, 2, requires_grad=True), torch.ones(2, 4)
    with pytest.raises(RuntimeError, match=r"plain has no derivative: opforge\.yaml says backward: false"):
        product_ops.plain(a, b).sum().backward()


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
def test_compile(backend: str, dynamic: bool, product_ops: ModuleType) -> None:
    torch.compiler.reset()
    compiled = torch.compile(
        lambda *tensors: product_ops.swi_glu(*tensors) * 2, backend=backend, dynamic=dynamic, fullgraph=True
    )
    for rows in (3, 11):
        inputs = [torch.randn(s, requires_grad=True) for s in ((rows, 3), (3, 4), (3, 4))]
        torch.testing.assert_close(compiled(*inputs), product_ops.swi_glu(*inputs) * 2)
        compiled(*inputs).sum().backward()
        assert inputs[1].grad is not None
        assert inputs[1].grad.shape == (3, 4)


def test_dynamic_shapes_are_compiled_once(product_ops: ModuleType) -> None:
    torch.compiler.reset()
    counter = torch._dynamo.testing.CompileCounter()
    compiled = torch.compile(product_ops.linear, backend=counter, dynamic=True, fullgraph=True)
    for rows, columns, terms in ((3, 4, 5), (7, 9, 11), (1024, 6, 70000), (13, 17, 2)):
        x, weight, bias = (torch.randn(s) for s in ((2, rows, terms), (columns, terms), (columns,)))
        torch.testing.assert_close(compiled(x, weight, bias), x @ weight.T + bias, rtol=1e-3, atol=1e-3)
    assert counter.frame_count == 1


def test_export_with_dynamic_shapes(product_ops: ModuleType) -> None:
    class Layer(torch.nn.Module):
        def forward(self, x: Tensor, gate: Tensor, up: Tensor) -> Tensor:
            result = product_ops.swi_glu(x, gate, up)
            assert isinstance(result, Tensor)
            return result

    batch, rows, hidden, columns = (torch.export.Dim(name) for name in ("batch", "rows", "hidden", "columns"))
    weight = {0: hidden, 1: columns}
    shapes_of = {"x": {0: batch, 1: rows, 2: hidden}, "gate": weight, "up": weight}
    inputs = (torch.randn(2, 3, 5), torch.randn(5, 7), torch.randn(5, 7))
    exported = torch.export.export(Layer(), inputs, dynamic_shapes=shapes_of)
    for batches, tokens in ((2, 3), (11, 1024)):
        x = torch.randn(batches, tokens, 5)
        torch.testing.assert_close(exported.module()(x, *inputs[1:]), product_ops.swi_glu(x, *inputs[1:]))


def test_autocast(product_ops: ModuleType) -> None:
    x, weight = torch.randn(5, 3, dtype=torch.bfloat16), torch.randn(4, 3, requires_grad=True)
    bias = torch.randn(4, dtype=torch.float16)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y = product_ops.linear(x, weight, bias)
        without = product_ops.linear(x, weight)
    expected = product_ops.linear(x, weight.bfloat16(), bias.bfloat16())
    assert torch.equal(y, expected)
    assert without.dtype == torch.bfloat16
    y.float().sum().backward()
    assert weight.grad is not None
    assert weight.grad.dtype == torch.float32
    with torch.autocast("cpu", dtype=torch.float16):  # it has no float16: all go to the widest dtype that is given
        widest = product_ops.linear(x, weight, bias.float())
    assert torch.equal(widest, product_ops.linear(x.float(), weight, bias.float()))
    with pytest.raises(TypeError, match=r"\(x, weight\) have dtypes \(bfloat16, float32\)"):
        product_ops.linear(x, weight)


def test_signatures_and_docstrings(product_ops: ModuleType) -> None:
    modules = {op.type for op in SPEC.ops} - {
        "TurnedLeft",
        "TurnedBoth",
        "TurnedSum",
    }  # these have no leading dimensions
    always = {"FallbackWarning", "fuse", "register_sglang", "register_vllm"}
    assert set(product_ops.__all__) == always | modules | {snake(op.type) for op in SPEC.ops}
    assert "bias: 'Tensor | None' = None" in str(inspect.signature(product_ops.linear))
    assert "shift: 'Tensor | None', scale: 'float')" in str(inspect.signature(product_ops.two_gates))
    documented = inspect.getdoc(product_ops.linear)
    assert documented is not None
    assert documented.startswith("Linear, matrix products and the rest of the expression in one kernel.\n")
    assert "    weight: shape [N, K]; float32, bfloat16.\n" in documented
    assert "    bias: shape [N]; float32, bfloat16, None by default.\n" in documented
    assert "ValueError: a symbol has two sizes, or more than int32 holds, or a rank is wrong." in documented
    schemas = {name: str(getattr(torch.ops.product_ops, name).default._schema) for name in ("linear", "two_gates")}
    assert schemas["linear"] == "product_ops::linear(Tensor x, Tensor weight, Tensor? bias=None) -> Tensor"
    assert schemas["two_gates"].startswith(
        "product_ops::two_gates(Tensor x, Tensor w_first, Tensor rest, Tensor? shift, float scale) -> "
    )


def ones(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.ones(shape, dtype=dtype)


def empty(*shape: int) -> Tensor:
    return torch.empty(shape, device="meta")


SWIGLU_DTYPES = "supported together: (float32, float32, float32), (float16, float16, float16)"
BAD = {
    "None": ("swi_glu", (None, ones(3, 4), ones(3, 4)), TypeError, "x must be a Tensor, but it is None"),
    "a number": ("linear", (ones(2, 3), ones(4, 3), 1.0), TypeError, "bias must be a Tensor, but it is a float"),
    "an integer dtype": (
        "swi_glu",
        (ones(2, 3), ones(3, 4, dtype=torch.int64), ones(3, 4)),
        TypeError,
        "w_gate has dtype int64; supported: float32, float16",
    ),
    "mixed dtypes": (
        "swi_glu",
        (ones(2, 3), ones(3, 4, dtype=torch.float16), ones(3, 4)),
        TypeError,
        f"(x, w_gate, w_up) have dtypes (float32, float16, float32); {SWIGLU_DTYPES}",
    ),
    "mixed dtypes without what is optional": (
        "linear",
        (ones(2, 3), ones(4, 3, dtype=torch.bfloat16)),
        TypeError,
        "(x, weight) have dtypes (float32, bfloat16); supported together: (float32, float32), (bfloat16, bfloat16)",
    ),
    "another inner size": (
        "swi_glu",
        (ones(2, 3), ones(5, 4), ones(5, 4)),
        ValueError,
        "H is 3 in x of shape [2, 3] and 5 in w_gate of shape [5, 4]",
    ),
    "weights of different shape": (
        "swi_glu",
        (ones(2, 3), ones(3, 4), ones(3, 1)),
        ValueError,
        "I is 4 in w_gate of shape [3, 4] and 1 in w_up of shape [3, 1]",
    ),
    "a bias of another size": (
        "linear",
        (ones(2, 3), ones(4, 3), ones(1)),
        ValueError,
        "N is 4 in weight of shape [4, 3] and 1 in bias of shape [1]",
    ),
    "leading dimensions": (
        "two_gates",
        (ones(2, 3, 5), ones(5, 4), ones(3, 4), None, 1.0),
        ValueError,
        "the leading dimensions of x of shape [2, 3, 5] and rest of shape [3, 4] differ: [2, 3] and [3]",
    ),
    "a leading dimension of 1": (
        "two_gates",
        (ones(2, 5), ones(5, 4), ones(1, 4), None, 1.0),
        ValueError,
        "the leading dimensions of x of shape [2, 5] and rest of shape [1, 4] differ: [2] and [1]",
    ),
    "no dimension": (
        "swi_glu",
        (ones(), ones(3, 4), ones(3, 4)),
        ValueError,
        "x has 0 dimensions; [..., H] has at least 1",
    ),
    "three dimensions": (
        "swi_glu",
        (ones(2, 3), ones(1, 3, 4), ones(3, 4)),
        ValueError,
        "w_gate has 3 dimensions; [H, I] has 2",
    ),
    "rows in two dimensions": (
        "turned_left",
        (ones(2, 3, 4), ones(3, 4)),
        ValueError,
        "x has 3 dimensions; [K, M] has 2",
    ),
    "nine dimensions": (
        "linear",
        (ones(*[1] * 9), ones(1, 1)),
        ValueError,
        "x has 9 dimensions; at most 8 are supported",
    ),
    "terms beyond int32": (
        "swi_glu",
        (empty(2, INT32_MAX + 1), empty(INT32_MAX + 1, 4), empty(INT32_MAX + 1, 4)),
        ValueError,
        f"H is {INT32_MAX + 1} in x of shape [2, {INT32_MAX + 1}]; at most {INT32_MAX} is supported",
    ),
    "rows beyond int32": (
        "swi_glu",
        (empty(65536, 32768, 3), empty(3, 4), empty(3, 4)),
        ValueError,
        f"x of shape [65536, 32768, 3] has {INT32_MAX + 1} rows; at most {INT32_MAX} are supported",
    ),
    "devices": (
        "linear",
        (ones(2, 3), ones(4, 3), torch.ones(4, device="meta")),
        RuntimeError,
        "bias is on meta and x is on cpu; all arguments must be on one device",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(case: str, product_ops: ModuleType) -> None:
    name, arguments, kind, message = BAD[case]
    with pytest.raises(kind) as caught:
        getattr(product_ops, name)(*arguments)
    assert str(caught.value) == f"{name}: {message}"


def test_as_large_as_int32_is_fine(product_ops: ModuleType) -> None:
    made = product_ops.swi_glu(empty(INT32_MAX, 3), empty(3, 4), empty(3, 4))
    assert made.shape == (INT32_MAX, 4)


def test_double_is_for_the_cpu_alone(product_ops: ModuleType) -> None:
    with pytest.raises(TypeError, match="x has dtype float64; supported: float32, bfloat16"):
        product_ops.linear(*(torch.ones(3, 3, dtype=torch.float64, device="meta") for _ in range(2)))
