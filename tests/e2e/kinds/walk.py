"""What the generated tests of kinds/opforge.yaml do not ask: views, arguments at their ends, gradients alone.

The test of every kind puts it among them, as tests/test_walk.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import kinds
import pytest
import torch
import torch_npu  # noqa: F401  (device "npu")
from torch import Tensor
from torch.testing import assert_close

OPS = torch.ops.kinds
VIEWS: dict[str, Callable[[Tensor], Tensor]] = {
    "transposed": torch.t,
    "expanded": lambda x: x[:1].expand(x.shape),
    "sliced": lambda x: x[:, ::2],
    "shifted": lambda x: x[1:, 1:],
}
# Of torch.library.opcheck, what does not say "NYI" for gradients on a device of torch_npu.
CHECKS = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
DEVICES = pytest.mark.parametrize("device", ["npu", "cpu"])


def random(*shape: int, device: str, seed: int = 0, grad: bool = False) -> Tensor:
    generator = torch.Generator().manual_seed(sum(shape) + seed)
    return torch.randn(shape, generator=generator).to(device).requires_grad_(grad)


def flat(values: Any) -> list[Tensor]:
    """The tensors among arguments or results."""
    if isinstance(values, (list, tuple)):
        return [tensor for value in values for tensor in flat(value)]
    return [values] if isinstance(values, Tensor) else []


def on_cpu(values: Any) -> Any:
    if isinstance(values, (list, tuple)):
        return [on_cpu(value) for value in values]
    return values.detach().cpu().clone() if isinstance(values, Tensor) else values


def equal(actual: Any, wanted: Any) -> None:
    assert_close(actual, wanted, equal_nan=True)


def calls(x: Tensor) -> dict[str, tuple[Any, ...]]:
    """Arguments for each op that writes to none of them, made of one tensor of two dimensions."""
    return {
        "mixed_scale": (x, x),
        "choose": (x > 0, x, x * 2),
        "is_greater": (x, x.flip(0)),
        "truncate": (x,),
        "maybe_bias": (x, x[0]),
        "sum_and_difference": (x, x[:, :1]),
        "weighted": (x, x[0]),
        "scaled_by_number": (x, 2.5),
        "every_attribute": (x, 3, 0.5),
        "sum_of_list": ([x, x.flip(1), x],),
        "pick_row": (x, [1]),
        "weighted_by_list": (x[0], [0.5, 1.5]),
    }


@DEVICES
def test_views(device: str) -> None:
    """Views go in as they are, and results come out without gaps, in memory of their own."""
    for view in VIEWS.values():
        for name, arguments in calls(view(random(6, 6, device=device))).items():
            overload = getattr(OPS, name).default
            torch.library.opcheck(overload, arguments)
            results = flat(overload(*arguments))
            for result, golden in zip(results, flat(overload(*on_cpu(arguments))), strict=True):
                assert result.is_contiguous()
                equal(result.cpu(), golden)
            memory = [tensor.untyped_storage().data_ptr() for tensor in flat(arguments)]
            assert not {result.untyped_storage().data_ptr() for result in results} & set(memory)


@DEVICES
def test_gradients(device: str) -> None:
    """Each tensor alone has its gradient, and no other gets one; opcheck follows them."""
    for name, arguments in calls(random(4, 4, device=device)).items():
        overload = getattr(OPS, name).default
        for place in range(len(flat(arguments))):
            count = iter(range(100))

            def leaf(value: Any) -> Any:
                if isinstance(value, list) and flat(value):
                    return [leaf(item) for item in value]
                if not isinstance(value, Tensor):
                    return value
                mine = next(count) == place and value.is_floating_point()  # noqa: B023  (called in this turn)
                return value.detach().clone().requires_grad_(mine)

            given = [leaf(value) for value in arguments]
            results = [result for result in flat(overload(*given)) if result.requires_grad]
            if results:
                sum(result.sum() for result in results).backward()
                for i, tensor in enumerate(flat(given)):
                    assert (tensor.grad is not None) == (i == place), f"{name}: the gradient of tensor {i}"
            torch.library.opcheck(overload, tuple(given), test_utils=CHECKS)


@DEVICES
def test_lists(device: str) -> None:
    for count in (1, 2, 65, 200):
        xs = [random(5, 3, device=device, seed=i, grad=True) for i in range(count)]
        total = kinds.sum_of_list(xs)
        total.sum().backward()
        assert_close(total.detach().cpu(), sum(on_cpu(xs)), rtol=1e-4, atol=1e-4)
        equal([x.grad.cpu() for x in xs], [torch.ones(5, 3)] * count)
    twice = random(3, device=device, grad=True)
    kinds.sum_of_list([twice, twice]).sum().backward()
    equal(twice.grad.cpu(), torch.full((3,), 2.0))
    x = random(5, device=device)
    with pytest.raises(TypeError, match=r"sum_of_list: xs\[1\] must be a Tensor, but it is None"):
        kinds.sum_of_list([x, None])
    with pytest.raises(ValueError, match=r"xs\[0\] of shape \[5\] and xs\[1\] of shape \[4\]"):
        kinds.sum_of_list([x, x[:4]])
    with pytest.raises(TypeError, match=r"sum_of_list: xs\[1\] has dtype float16"):
        kinds.sum_of_list([x, x.half()])


@DEVICES
def test_attributes(device: str) -> None:
    """By position, by keyword, by default; texts, numbers and lists at their ends."""
    x = random(3, device=device)
    wanted = x.cpu() * 0.5 + 1
    for arguments, named in (
        ((1, 0.5), {}),
        ((1, 0.5, False, "xé", [1, 2], [0.25, math.nan], [True, False]), {}),
        (
            (),
            {
                "scale": 0.5,
                "count": 1,
                "mode": "日本 \n\"'\\ %s",
                "axes": (2**62, -(2**63)),
                "weights": (),
                "flags": (),
            },
        ),
        ((), {"flags": [True] * 5000, "weights": [0.1] * 5000, "axes": list(range(5000)), "scale": 0.5, "count": True}),
        ((1, 0.5), {"mode": "x" * 100_000, "loud": False}),
    ):
        equal(kinds.every_attribute(x, *arguments, **named).cpu(), wanted)
        equal(OPS.every_attribute(x, *arguments, **named).cpu(), wanted)
    for scale in (math.inf, -math.inf, math.nan, 1e300):
        equal(kinds.every_attribute(x, 1, scale).cpu(), x.cpu() * scale + 1)
    with pytest.raises(RuntimeError, match="'axes'"):
        kinds.every_attribute(x, 1, 0.5, axes=[2**63])
    with pytest.raises(RuntimeError, match="'count'"):
        kinds.every_attribute(x, 1.5, 0.5)
    with pytest.raises(RuntimeError, match="'mode'"):
        kinds.every_attribute(x, 1, 0.5, mode=None)
    for gain in (2, 2.5, True, math.nan, -math.inf):
        equal(kinds.scaled_by_number(x, gain).cpu(), x.cpu() * gain)
    with pytest.raises(TypeError, match="gain must be a number, but it is None"):
        kinds.scaled_by_number(x, None)


@DEVICES
def test_optional(device: str) -> None:
    for arguments in ((), (None,)):
        x = random(3, device=device, grad=True)
        kinds.maybe_bias(x, *arguments).sum().backward()
        golden = on_cpu(x).requires_grad_()
        torch.nn.functional.silu(golden).sum().backward()
        equal(x.grad.cpu(), golden.grad)
    bias = random(3, device=device, grad=True)
    OPS.maybe_bias(random(2, 3, device=device), bias=bias).sum().backward()
    equal(bias.grad.cpu(), torch.full((3,), 2.0))
    first, second = (random(3, device=device, seed=i, grad=True) for i in range(2))
    kinds.sum_and_difference(first, second)[1].sum().backward()  # one of two results
    equal((first.grad.cpu(), second.grad.cpu()), (torch.ones(3), -torch.ones(3)))


@DEVICES
def test_values(device: str) -> None:
    """What the host reads."""
    for row, picked in (([1], 1), ((0, 1), 1), ([], 0), ([2**40], 0), ([-1], 3)):
        x = random(4, 3, device=device, grad=True)
        kinds.pick_row(x, row).sum().backward()
        equal(x.grad.cpu(), torch.eye(4)[picked][:, None].expand(4, 3))
    with pytest.raises(TypeError, match="row must be a list of numbers, but it is a Tensor"):
        kinds.pick_row(x, torch.tensor([1]))
    x = random(3, device=device, grad=True)
    kinds.weighted_by_list(x, [1.0, 2.0]).sum().backward()
    equal(x.grad.cpu(), torch.full((3,), 6.0))


@DEVICES
def test_in_place(device: str) -> None:
    """The argument itself comes back, changed; others stay; no gradient is lost without a word."""
    x, y = random(7, device=device), random(7, device=device, seed=1)
    before = on_cpu(x)
    assert kinds.add_into(x, y, 2.0) is x
    equal(x.cpu(), before + 2.0 * y.cpu())
    one, other = on_cpu([x, y])
    p, q = kinds.two_into(x, y)
    assert p is x
    assert q is y
    equal((x.cpu(), y.cpu()), (one + other, one - other))
    one, other = on_cpu([x, y])
    p, q = kinds.into_and_beside(x, y)
    assert p is x
    equal((x.cpu(), y.cpu(), q.cpu()), (one + other, other, one - other))
    for offset, flags in ((None, None), (0.5, []), (-1.0, [False, True]), (0.0, [False])):
        one = on_cpu(x)
        parts = [random(7, device=device, seed=i) for i in range(3)]
        r, s = kinds.mix_into(x, parts, [0.5, 0.25], offset, [1.0, 2.0], flags)
        assert r is x
        golden = one * 0.75 + sum(on_cpu(parts)) + (offset or 0.0)
        equal((r.cpu(), s.cpu()), (golden, golden * (-3.0 if any(flags or ()) else 3.0)))
    wide = torch.zeros(7, 2, device=device)
    kinds.add_into(wide[:, 0], y)  # with gaps between its elements
    equal(wide.cpu(), torch.stack([y.cpu(), torch.zeros(7)], 1))
    z = random(7, device=device, grad=True)
    for call in (kinds.add_into, OPS.add_into, kinds.two_into):
        with pytest.raises(RuntimeError, match=r"y is .*in place, which has no derivative"):
            call(random(7, device=device), z)
    with pytest.raises(RuntimeError, match=r"mix_into: parts is .*in place"):
        kinds.mix_into(random(7, device=device), [z], [1.0], None, [1.0], None)
    with torch.no_grad():
        kinds.add_into(z, y)
    saved = z * 2
    squared = saved * saved
    kinds.add_into(saved.detach(), y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        squared.sum().backward()
