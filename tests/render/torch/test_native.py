"""_native.py: the operators in torch's own, as a model would write them, mean what the graph means."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

torch = pytest.importorskip("torch")

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "ir"))

from random_ops import ATTRS, random_op  # noqa: E402
from torch_projects import GATE_OPS, KINDS, PRODUCT_OPS, render, spec_of  # noqa: E402

from opforge.ir.evaluate import evaluate  # noqa: E402
from opforge.ir.op_graphs import build_graph  # noqa: E402
from opforge.kinds import kernel_alone  # noqa: E402
from opforge.naming import snake  # noqa: E402
from opforge.render.forms import render_form, templates_root  # noqa: E402
from opforge.render.torch.native import native_context  # noqa: E402
from opforge.render.torch.signature import Signature  # noqa: E402
from opforge.spec import catalog  # noqa: E402
from opforge.spec.model import OpSpec  # noqa: E402
from opforge.spec.read.parse import parse_ops  # noqa: E402

pytestmark = pytest.mark.torch

CATALOG = [name for name in catalog.names() if (op := catalog.entry(name)) is not None and op.compute]
SIZES = {"G": 3, "C": 2, "L": 5, "K": 3, "H": 3, "I": 4, "N": 4, "M": 5}
SHAPES = [(3, 1, 2), (5, 1), (2,), (1,), (1, 1), ()]

# What the catalog has not: optional inputs that are neutral and not, on either side; casts; numbers in int32; an
# output that meets one input alone; a number and a name of the author's that the writer could take itself.
ODD = """\
Optional:
  inputs:
    x: {shape: [...], dtype: [float32, float16]}
    a: {shape: [...], optional: true}
    b: {shape: [...], optional: true}
    c: {shape: [...], optional: true}
  compute: |
    t = where(present(a), a, 1.0) * (x - where(present(b), b, 0.0))
    y = t + silu(where(present(c), c, 0.5)) / (1 + abs(where(present(b), b, 0.0)))
Whole:
  inputs:
    i: {shape: [...], dtype: [int32]}
    x: {shape: [...], dtype: [float32]}
    m: {shape: [...], dtype: [bool]}
  attrs: {n: {type: int, default: 2}}
  compute: |
    k = n * 3
    j = clamp(i * k - 7, -5, 100)
    y = where(m, 1.0, 0.0) * x + cast(j, float32) * k + cast(m, float32)
    z = cast(cast(x * 3, int32) + i, float32) > 1
    w, v, u = i + 1, y, z
Mixed:
  inputs:
    x: {shape: [...], dtype: [float16, bfloat16]}
    s: {shape: [...], dtype: [float32]}
  outputs:
    y: {shape: [...], dtype: [float16, bfloat16]}
    z: {shape: [...], dtype: [float32]}
    q: {shape: [...], dtype: [int8]}
  compute: |
    y = x * s
    z = cast(x * s + 1, float32)
    q = cast(x * s, int8)
Lengths:
  inputs: {x: {shape: [..., H], dtype: [float32, float16]}}
  compute: |
    n = x.norm(float("inf"), -1, True)
    y, z, w = normalize(x, dim=-1) * n, norm(x * 2, 1, -1), torch.linalg.vector_norm(x, dim=-1)
Remainders:
  inputs: {x: {shape: [...], dtype: [float32]}, y: {shape: [...]}}
  attrs: {n: {type: int, default: 2}}
  compute: |
    z = x % y + fmod(x, 3) - 2.5 % y
    w, v = x // y + n // y + fmod(n, y) + n % 3 - atan2(n, y), z
Modes:
  inputs: {x: {shape: [...], dtype: [float32]}}
  attrs: {mode: {type: str, default: mean}, n: {type: int, default: 2}}
  compute: |
    scale = 2 if mode == "mean" or n > 5 else 3
    y, z = x * scale if mode != "none" else -x, where(x > 0 and "mean" == mode, x, cast(mode == "sum", float32))
Listed:
  inputs: {x: {shape: [...], dtype: [float32]}, d: {shape: [...], dtype: [int32]}}
  attrs:
    w: {type: list_float, default: [1.5, 2.0]}
    k: {type: list_int, default: [3, 2, 5]}
    f: {type: list_bool, default: [true, false]}
  compute: |
    y, z = x * w[1] + w[0] ** k[1] if f[1] or k[0] > 1 else x - k[2] / w[1], d * k[1] + (k[0] if f[0] else 7)
Narrow:
  inputs:
    d: {shape: [...], dtype: [int32]}
    x: {shape: [...], dtype: [int8, uint8, int16]}
    y: {shape: [...], dtype: [int8, uint8, int16]}
  attrs: {n: {type: int, default: 90}}
  outputs:
    z: {dtype: [int8, uint8, int16]}
    w: {dtype: [int8, uint8, int16]}
    m: {dtype: [bool]}
    v: {dtype: [int32]}
    u: {dtype: [uint8]}
    q: {dtype: [int32]}
    r: {dtype: [int32]}
    b: {dtype: [int32]}
    c: {dtype: [int8, uint8, int16]}
  compute: |
    z = (x - y) * x + n * y - 7
    w, m = where(x * n > y, maximum(x + y, 5), -y), x + n >= y
    v, u = x * x + d, cast(d * 100, uint8)
    q, r = d // x + 7 // d - (d + 1) // n, d % 3 - fmod(d, x) + fmod(9, d) * (n % (d + x))
    b, c = (~d ^ x) + (d & 7 | x + 1 << 3) * (n | d >> 1), where((x > y) ^ m, bitwise_xor(x, y), ~x << 5)
Tested:
  inputs: {x: {shape: [..., H], dtype: [float32, float16]}, m: {shape: [..., H], dtype: [bool]}}
  compute: |
    b = any(x > 1, -1, keepdim=True)
    a, n, y, k = all(m, -1), count_nonzero(x, -1), where(b and m, x, -x), count_nonzero(b or m, -1)
"""


def module(ops: tuple[OpSpec, ...] | list[OpSpec]) -> ModuleType:
    """The project's _native.py, imported."""
    context = native_context("pkg", [Signature(kernel_alone(op), "pkg") for op in ops])
    assert context is not None
    text = render_form("code/torch/python/_native.py", context)
    package, owned, made = ModuleType("pkg"), ModuleType("pkg._opforge"), ModuleType("pkg._opforge._native")
    scalars = ModuleType("pkg._opforge._scalars")
    exec((templates_root() / "code/torch/python/_scalars.py").read_text(), scalars.__dict__)  # noqa: S102  (a form of ours)
    owned._scalars = scalars  # type: ignore[attr-defined]
    package._reference = ModuleType("pkg._reference")  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "pkg", package)
        patch.setitem(sys.modules, "pkg._opforge", owned)
        exec(text, made.__dict__)  # noqa: S102  (source of ours)
    return made


def called(function: Any, op: OpSpec, given: Mapping[str, Any], attrs: Mapping[str, float]) -> dict[str, torch.Tensor]:
    arguments = [given.get(tensor.name) for tensor in op.inputs]
    result = function(*arguments, *(attrs[attr.name] for attr in op.attrs))
    results = result if isinstance(result, tuple) else (result,)
    return dict(zip((tensor.name for tensor in op.outputs), results, strict=True))


def agree(function: Any, op: OpSpec, given: Mapping[str, Any], attrs: Mapping[str, float]) -> None:
    """In float64 it is what the graph says, to the last digits."""
    dtypes = {}
    for tensor in op.outputs:
        dtype = getattr(torch, tensor.dtypes[0])
        dtypes[tensor.name] = torch.float64 if dtype.is_floating_point else dtype
    wanted = evaluate(build_graph(op), given, attrs, dtypes)
    for name, value in called(function, op, given, attrs).items():
        assert value.dtype == wanted[name].dtype, name
        torch.testing.assert_close(value, wanted[name], rtol=1e-11, atol=1e-11, equal_nan=True)


def tensors(op: OpSpec, seed: int, dtype: torch.dtype = torch.float64) -> dict[str, torch.Tensor]:
    source = torch.Generator().manual_seed(seed)
    made = {}
    for place, tensor in enumerate(op.inputs):
        shape = SHAPES[(place + seed) % len(SHAPES)]
        if op.expression.axes.whole or any(other.dims != ("...",) for other in op.inputs):
            leading = (2, 1 if seed % 2 else 3)
            sizes = SIZES | {"1": 1}
            shape = tuple(size for dim in tensor.dims for size in (leading if dim == "..." else (sizes[dim],)))
        values = torch.randn(shape, generator=source, dtype=torch.float64) * 1.5
        kind = getattr(torch, tensor.dtypes[0])
        made[tensor.name] = values.to(dtype if kind.is_floating_point else kind)
        if kind == torch.bool:
            made[tensor.name] = values > 0
        if tensor.values.below in SIZES:
            made[tensor.name] = torch.randint(0, SIZES[tensor.values.below], shape, generator=source).to(kind)
    return made


def numbers(op: OpSpec) -> dict[str, float]:
    return {attr.name: ATTRS.get(attr.name, attr.default) for attr in op.attrs}  # type: ignore[arg-type, misc]


FUNCTIONS = """\
Functions:
  inputs:
    x: {shape: [...], dtype: [float32, float16]}
    y: {shape: [...]}
  attrs: {alpha: {type: float, default: 1.5}}
  compute: |
    z = softplus(x * 2, beta=alpha) + mish(y)
    w = addcmul(x, y, z, value=alpha) + elu(alpha) * threshold(y, 1, -1) + softplus(alpha, alpha)
    v = where(alpha > 1 and x > 0, celu(w), hardtanh(w, -2))
    m, u = isnan(x) or 0 < y < alpha and not isinf(z), v * 2
"""


def test_functions_are_calls_of_torchs() -> None:
    (op,) = parse_ops(FUNCTIONS, Path("opforge.yaml"))
    context = native_context("pkg", [Signature(kernel_alone(op), "pkg")])
    assert context is not None
    lines = context.ops[0].lines
    assert "softplus1 = torch.nn.functional.softplus(softplus1_x, alpha, 20.0)" in lines
    assert "mish1 = torch.nn.functional.mish(y)" in lines
    assert "addcmul1 = torch.addcmul(x, y, z, value=alpha)" in lines
    assert "hardtanh1 = torch.nn.functional.hardtanh(w, -2.0, 1.0)" in lines
    function = module([op]).functions
    for seed in range(3):
        agree(function, op, tensors(op, seed), numbers(op))


@pytest.mark.parametrize("name", CATALOG)
def test_the_catalog(name: str) -> None:
    op = catalog.entry(name)
    assert op is not None
    function = getattr(module([op]), snake(op.type))
    for seed in range(3):
        given = tensors(op, seed)
        agree(function, op, given, numbers(op))
        for optional in (tensor.name for tensor in op.inputs if tensor.optional):
            agree(function, op, {k: v for k, v in given.items() if k != optional}, numbers(op))
    first = next((t for t in op.inputs if t.dtypes[0] not in ("bool", "int8")), op.inputs[0])
    for dtype in first.dtypes:
        given = tensors(op, 1, getattr(torch, dtype))
        for tensor, value in zip(op.outputs, called(function, op, given, numbers(op)).values(), strict=True):
            rows = dict(zip(first.dtypes, tensor.dtypes, strict=False))
            assert value.dtype == getattr(torch, rows.get(dtype, tensor.dtypes[0]))


@pytest.mark.parametrize("op", parse_ops(ODD, None), ids=lambda op: op.type)
def test_what_the_catalog_has_not(op: OpSpec) -> None:
    function = getattr(module([op]), snake(op.type))
    for seed in range(4):
        given = tensors(op, seed)
        if op.type != "Mixed":
            agree(function, op, given, numbers(op))
        optional = [tensor.name for tensor in op.inputs if tensor.optional]
        for left_out in (optional[:1], optional[1:], optional) if optional else ():
            agree(function, op, {k: v for k, v in given.items() if k not in left_out}, numbers(op))


def test_outputs_have_the_dtype_of_the_spec() -> None:
    (op,) = (op for op in parse_ops(ODD, None) if op.type == "Mixed")
    function = module([op]).mixed
    for x in (torch.float16, torch.bfloat16):
        values = function(torch.ones(3, dtype=x), torch.ones(2, 1))
        assert [value.dtype for value in values] == [x, torch.float32, torch.int8]


@pytest.mark.parametrize("text", [GATE_OPS, PRODUCT_OPS], ids=["gates", "products"])
def test_projects(text: str) -> None:
    ops = [op for op in spec_of(text).ops if op.type != "Square"]
    made = module(ops)
    attrs = {"alpha": 0.75, "beta": 1, "dtype": 1.5, "t9": 3, "negative_slope": 0.25, "scale": 1.5}
    attrs |= {"some_long_attribute_name": 0.5, "text": "", "flag": True}  # type: ignore[dict-item]
    for op in ops:
        agree(getattr(made, snake(op.type)), op, tensors(op, 2), attrs)


@pytest.mark.parametrize("seed", range(60))
def test_random_ops(seed: int) -> None:
    op = random_op(seed)
    agree(getattr(module([op]), snake(op.type)), op, tensors(op, seed), ATTRS)


def test_every_step_rounds_in_the_tensors_dtype() -> None:
    swiglu, linear = catalog.entry("SwiGLU"), catalog.entry("Linear")
    assert swiglu is not None
    assert linear is not None
    x = torch.ones(1, 2050, dtype=torch.float16)
    gate, up = torch.full((2050, 1), 0.5, dtype=torch.float16), torch.zeros(2050, 1, dtype=torch.float16)
    gate[0], up[0] = 0.75, 5
    made = module([swiglu, linear])
    assert made.swi_glu(x, gate, up).item() == 5124  # 5128 where the products are kept in float32
    weight, values = torch.randn(4, 3, requires_grad=True), torch.randn(2, 3)
    made.linear(values, weight).sum().backward()
    torch.testing.assert_close(weight.grad, values.sum(0).expand(4, 3))


def test_what_is_written_by_hand_is_its_reference() -> None:
    texts = {file.path.name: file.text for file in render(spec_of(KINDS))}
    native = texts["_native.py"]
    assert "return golden.lists(x, more, axes, w, k, f, i, b, s)\n" in native
    assert "    r, s = golden.add_into(x, y)\n    x.copy_(r)\n    return x, s\n" in native
    assert "def select(" not in native  # nothing says what it computes
