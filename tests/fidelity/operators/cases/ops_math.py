"""How operators of hicann/ops-math are called."""

import torch
from entries import Operator

# Within one block of 32 bytes, tails of it, several tiles, several cores.
_SIZES = ((1,), (7,), (64,), (1023,), (33, 65), (40_000,))


def _one(name="x", **limits):
    return lambda t, *size: {name: t(name)(*size, **limits)}


def _two(first, second, **limits):
    return lambda t, *size: {first: t(first)(*size, **limits), second: t(second)(*size, **limits)}


def _alike(t, *size):
    """Two tensors of which about half of the elements are equal."""
    one, other = t.x1(*size), t.x2(*size)
    return {"x1": one, "x2": torch.where(torch.arange(one.numel()).view(one.shape) % 2 == 0, one, other)}


def _outer(t, rows, columns):
    return {"x": t.x(rows), "y": t.y(columns), "A": t.A(rows, columns), "alpha": 2.0}


def _with_infinities(t, *size):
    x = t.x(*size)
    x.flatten()[::3] = float("inf")
    x.flatten()[1::5] = -float("inf")
    x.flatten()[2::7] = float("nan")
    return {"x": x}


def _chunks(t, *lengths):
    return {"x": [t.x(length, 5 + place) for place, length in enumerate(lengths)], "dim": 0, "num_chunks": 3}


OPERATORS: dict[str, Operator] = {
    "experimental/math/sub_v2": Operator(  # its InferShape sets nothing
        _two("x1", "x2"), lambda x1, x2: x1 - x2, _SIZES, shapes={"y": "[...]"}
    ),
    "experimental/math/greater": Operator(_alike, lambda x1, x2: x1 > x2, _SIZES),
    "experimental/math/not_equal_v2": Operator(_alike, lambda x1, x2: x1 != x2, _SIZES),
    "math/is_inf": Operator(_with_infinities, lambda x: x.isinf(), _SIZES),
    "experimental/math/ger_v2": Operator(
        _outer,
        lambda x, y, A, alpha: A + alpha * x[:, None] * y[None, :],  # noqa: N803
        ((1, 1), (3, 16), (7, 33), (65, 1000)),
        shapes={"x": "[M]", "y": "[N]", "A": "[M, N]", "z": "[M, N]"},
    ),
    "conversion/chunk_cat": Operator(
        _chunks,
        lambda x, dim, num_chunks: torch._chunk_cat(x, dim, num_chunks),  # noqa: PLW0108  (called by these names)
        ((3,), (7, 9), (4, 64, 33)),
    ),
    "experimental/math/rsqrt_grad": Operator(  # the README's types; the definition has int8 and int32, too
        _two("y", "dy"), lambda y, dy: -0.5 * dy * y**3, _SIZES, columns=("float16", "bfloat16", "float32")
    ),
    "experimental/math/asin_grad": Operator(
        _two("y", "dy", low=-0.9, high=0.9), lambda y, dy: dy / (1 - y * y).sqrt(), _SIZES
    ),
    "experimental/math/sqrt": Operator(_one(low=0, high=9), lambda x: x.sqrt(), _SIZES),
    "experimental/math/sin": Operator(_one(low=-6, high=6), lambda x: x.sin(), _SIZES),
    "experimental/math/acos_v2": Operator(_one("self", low=-1, high=1), lambda **given: given["self"].acos(), _SIZES),
}
