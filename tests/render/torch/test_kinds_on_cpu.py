"""Ops written by hand with every kind of argument, imported: Meta functions, references, gradients, what is refused."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType

import pytest
import torch
from torch import Tensor

pytestmark = [pytest.mark.torch, pytest.mark.compiler, pytest.mark.usefixtures("kinds_ops")]


def random(*shape: int, grad: bool = False, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(sum(shape))).requires_grad_(grad)


OPCHECK: dict[str, tuple[str, Callable[[], tuple[object, ...]]]] = {
    "a list": ("concat", lambda: ([random(2, 3, grad=True), random(1, 3, grad=True)], random(3, 1, 3, grad=True))),
    "a list of one": ("concat", lambda: ([random(5)], random(5, grad=True))),
    "all": ("lists", lambda: (random(2, 3, grad=True), [random(3, grad=True), random(2, 1)], [1, 2], [0.5])),
    "what is optional left out": ("lists", lambda: (random(2, 3, grad=True), None, [1, 2], None)),
    "other attributes": ("lists", lambda: (random(0), [], [1], None, 6, [2.0, 1.0], [4], [True], "b")),
    "numbers": ("scaled", lambda: (random(3, grad=True), 2.5, [1, 2.0], None)),
    "numbers that are whole": ("scaled", lambda: (random(3, grad=True), 2, [], 1)),
    "leading dimensions with names": (
        "apart",
        lambda: (random(2, 3, grad=True), random(5, 4, 2), random(5, 4), [random(7), random(1, 6, grad=True)]),
    ),
    "in place": ("add_into", lambda: (random(3), random(3))),
    "two in place": ("both", lambda: (random(3), random(3))),
    "dtypes": ("mask", lambda: (random(3, grad=True), torch.tensor([True, False, True]), torch.ones(3).to(torch.int8))),
}


@pytest.mark.parametrize("case", OPCHECK)
def test_opcheck(case: str) -> None:
    name, arguments = OPCHECK[case]
    torch.library.opcheck(getattr(torch.ops.kinds_ops, name).default, arguments())


def test_outputs_have_the_dtypes_of_their_row(kinds_ops: ModuleType) -> None:
    mask = torch.tensor([True, False, True])
    for float_, integer, result in (
        (torch.float32, torch.int8, torch.int8),
        (torch.float16, torch.int32, torch.float32),
    ):
        r, t = kinds_ops.mask(torch.ones(3, dtype=float_), mask, torch.ones(3, dtype=integer))
        assert (r.dtype, t.dtype) == (torch.bool, result)


def test_in_place_gives_the_argument_back(kinds_ops: ModuleType) -> None:
    x, y = random(3), random(3)
    expected, product, version = x + y, x * y, x._version
    r, s = kinds_ops.add_into(x, y)
    assert r is x
    assert x._version > version
    assert torch.equal(r, expected)
    assert torch.equal(s, product)


def test_computed_dimensions(kinds_ops: ModuleType) -> None:
    for count, k, shape in ((1, 4, (1, 2, 3)), (5, 7, (5, 3, 5)), (2, -3, None)):
        meta = [random(4).to("meta"), None, list(range(count)), None, k]
        if shape is None:
            with pytest.raises(ValueError, match=r"lists: n would have the shape \[2, -2, 3\]"):
                kinds_ops.lists(*meta)
        else:
            assert kinds_ops.lists(*meta)[1].shape == shape


def test_gradients_of_references(kinds_ops: ModuleType) -> None:
    tensors = [random(*shape, grad=True, dtype=torch.float64) for shape in ((2, 3), (1, 3), (3, 1, 3))]

    def square(a: Tensor, b: Tensor, c: Tensor) -> Tensor:
        return kinds_ops.concat([a, b], c) ** 2

    assert torch.autograd.gradcheck(square, tensors)
    assert torch.autograd.gradgradcheck(square, tensors)


@pytest.mark.parametrize("dynamic", [False, True])
def test_compile(dynamic: bool, kinds_ops: ModuleType) -> None:
    def both(xs: list[Tensor], y: Tensor) -> Tensor:
        total, _ = kinds_ops.add_into(y.clone(), y)
        return kinds_ops.concat(xs, y)[..., :1] + total

    compiled = torch.compile(both, backend="aot_eager", fullgraph=True, dynamic=dynamic)
    for size in (3, 5):
        x, y = random(2, size), random(size)
        torch.testing.assert_close(compiled([x, x], y), both([x, x], y))


X = torch.ones(3)
BAD: dict[str, tuple[Callable[[ModuleType], object], type[Exception], str]] = {
    "an empty list": (lambda k: k.concat([], X), ValueError, "concat: xs must hold at least one tensor"),
    "text with NUL": (
        lambda k: k.lists(X, None, [], None, s="a\0b"),
        ValueError,
        "lists: s has a NUL character at 1, where it would end for aclnn",
    ),
    "a negative size": (
        lambda k: k.lists(X, None, [1], None, -4),
        ValueError,
        "lists: n would have the shape [1, -2, 3]",
    ),
    "a number that its dtype does not hold": (
        lambda k: k.scaled(X.half(), 1e30, [], None),
        ValueError,
        "scaled: alpha is 1e+30, which its dtype float16 does not hold",
    ),
    "one in a list": (
        lambda k: k.scaled(X, 1, [0, -1e39], None),
        ValueError,
        "scaled: betas[1] is -1e+39, which its dtype float32 does not hold",
    ),
    "a number beyond int64": (
        lambda k: k.scaled(X, 2**63, [], None),
        ValueError,
        "scaled: alpha is 9223372036854775808, which int64 does not hold",
    ),
    "no list": (lambda k: k.concat(X, X), TypeError, "concat: xs must be a list of Tensors, but it is a Tensor"),
    "None in a list": (lambda k: k.concat([X, None], X), TypeError, "concat: xs[1] must be a Tensor, but it is None"),
    "an int in a list": (lambda k: k.concat([X, 2], X), TypeError, "concat: xs[1] must be a Tensor, but it is an int"),
    "a rank in a list": (
        lambda k: k.concat([X, torch.tensor(1.0)], X),
        ValueError,
        "concat: xs[1] has 0 dimensions; [..., A] has at least 1",
    ),
    "a size in a list": (
        lambda k: k.concat([torch.ones(2), X], X),
        ValueError,
        "concat: A is 2 in xs[0] of shape [2] and 3 in xs[1] of shape [3]",
    ),
    "leading dimensions": (
        lambda k: k.concat([torch.ones(2, 3), torch.ones(4, 3)], X),
        ValueError,
        "concat: the leading dimensions of xs[0] of shape [2, 3] and xs[1] of shape [4, 3] "
        "do not broadcast: [2] and [4]",
    ),
    "leading dimensions with a name that differ": (
        lambda k: k.apart(X, torch.ones(4, 2), torch.ones(5), [X]),
        ValueError,
        "apart: ...w is [4] in w of shape [4, 2] and [5] in v of shape [5]",
    ),
    "other ranks of them": (
        lambda k: k.apart(X, torch.ones(2), torch.ones(5), [X]),
        ValueError,
        "apart: ...w is [] in w of shape [2] and [5] in v of shape [5]",
    ),
    "no room for what is behind them": (
        lambda k: k.apart(X, torch.tensor(1.0), X, [X]),
        ValueError,
        "apart: w has 0 dimensions; [...w, 2] has at least 1",
    ),
    "a dtype in a list": (
        lambda k: k.concat([X, X.int()], X),
        TypeError,
        "concat: xs[1] has dtype int32; supported: float32, float16",
    ),
    "two dtypes in a list": (
        lambda k: k.concat([X, X.half()], X),
        TypeError,
        "concat: (xs[0], xs[1], y) have dtypes (float32, float16, float32); supported together: "
        "(float32, float32, float32), (float16, float16, float16)",
    ),
    "a device in a list": (
        lambda k: k.concat([X, X.to("meta")], X),
        RuntimeError,
        "concat: xs[1] is on meta and xs[0] is on cpu; all arguments must be on one device",
    ),
    "text for a number": (
        lambda k: k.scaled(X, "a", [1]),
        TypeError,
        "scaled: alpha must be a number, but it is a str",
    ),
    "None for a number": (
        lambda k: k.scaled(X, None, [1]),
        TypeError,
        "scaled: alpha must be a number, but it is None",
    ),
    "text among numbers": (
        lambda k: k.scaled(X, 1, [1, "a"]),
        TypeError,
        "scaled: betas[1] must be a number, but it is a str",
    ),
    "a number for a list": (
        lambda k: k.lists(X, None, 3, None),
        TypeError,
        "lists: axes must be a list of numbers, but it is an int",
    ),
    "a result that does not fit": (
        lambda k: k.add_into(X[:1].clone(), X),
        ValueError,
        "add_into: x is written in place: it has shape [1], and the result has [3]",
    ),
    "a leaf in place": (
        lambda k: k.add_into(random(3, grad=True), X),
        RuntimeError,
        "add_into: x is written in place, which has no derivative, and requires grad; give x.detach(), or call it "
        "under torch.no_grad()",
    ),
    "an attribute beyond int32": (
        lambda k: k.counted(torch.ones(3, dtype=torch.int32), 2**31),
        ValueError,
        "counted: step must fit int32, which it is computed in, but it is 2147483648",
    ),
    "one below it, without data": (
        lambda k: k.counted(torch.ones(3, dtype=torch.int32, device="meta"), step=-(2**31) - 1),
        ValueError,
        "counted: step must fit int32, which it is computed in, but it is -2147483649",
    ),
    "no reference": (
        lambda k: k.select(X),
        RuntimeError,
        "kinds_ops.select has no CPU implementation: opforge.yaml gives it no `reference:`; move its tensors to an "
        'NPU with .to("npu")',
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments(case: str, kinds_ops: ModuleType) -> None:
    call, error, message = BAD[case]
    with pytest.raises(error) as caught:
        call(kinds_ops)
    assert str(caught.value) == message


def test_attributes_at_the_ends_of_int32(kinds_ops: ModuleType) -> None:
    ones = torch.ones(3, dtype=torch.int32)
    for step in (-(2**31), 2**31 - 1):
        assert kinds_ops.counted(ones, step, 0).tolist() == [step] * 3


def test_a_reference_that_says_otherwise(kinds_ops: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds_ops._ops.golden, "scaled", lambda x, *_: x[:1])
    with pytest.raises(
        RuntimeError, match=r"scaled: its reference gives y of shape \[1\], and opforge.yaml says \[3\]"
    ):
        kinds_ops.scaled(torch.ones(3), 1.0, [])


def test_a_reference_of_what_the_kernel_says_the_shape_of(kinds_ops: ModuleType) -> None:
    fitting_in = importlib.import_module(f"{kinds_ops.__name__}._opforge._by_hand").fitting_in
    rows = torch.ones(2, 5, dtype=torch.float16)
    kept = fitting_in("kept", "y", rows[:, :3], (2, 5), torch.float32)
    assert (kept.dtype, kept.is_contiguous(), kept.tolist()) == (torch.float32, True, [[1.0] * 3] * 2)
    for value, shown in ((torch.ones(6), r"\[6\]"), (torch.ones(3, 4), r"\[3, 4\]")):
        said = rf"kept: its reference gives y of shape {shown}, and opforge.yaml says at most \[2, 5\]"
        with pytest.raises(RuntimeError, match=said):
            fitting_in("kept", "y", value, (2, 5), torch.float32)


def test_a_module_whose_name_ends_like_a_generated_one() -> None:
    from opforge.render.layout import uses_module

    assert uses_module(["return _reference.f(x)"], "_reference")
    assert not uses_module(["return row_max_reference.f(x)"], "_reference")
