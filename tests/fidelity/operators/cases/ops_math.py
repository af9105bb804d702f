"""How operators of hicann/ops-math are called."""

import torch
from added_packages import ATVOSS
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


def _chunks(t, num_chunks, shapes):
    return {"x": [t.x(*shape) for shape in shapes], "dim": 0, "num_chunks": num_chunks}


def _coded(t, cores, loops):
    """What HansEncode writes where nothing fits into `fixed` but its header: `var` has the parts of all cores.

    An element is split into its highest byte, which `var` gets, and the others, which `mantissa` gets. The header has
    128 integers: the cores, the rounds of 64 elements, those of `fixed` and of `var`, and the bytes of each core.
    """
    dtype = t.dtype("mantissa")
    whole = t.mantissa(64 * loops).view(torch.uint8).view(64 * loops, dtype.itemsize)
    whole[:, :-1] &= 0x3F  # so that no part reads as NaN
    lengths = [64 * (loops // cores)] * cores
    lengths[-1] += 64 * (loops % cores)
    header = torch.zeros(whole.numel() // 4, dtype=torch.int32)
    header[1:5] = torch.tensor([cores, loops, 0, loops])
    header[64 : 64 + cores] = torch.tensor(lengths)
    high = whole[:, -1].contiguous()
    return {
        "mantissa": whole[:, :-1].contiguous().flatten().view(dtype),
        "fixed": header.view(dtype),
        "var": high.view(dtype),
        "pdf": torch.bincount(high, minlength=256).to(torch.int32)[None],
    }


def _decoded(mantissa, fixed, var, pdf):
    if 4 * var.numel() == fixed.numel():
        dtype = torch.float32
    else:  # the header's small integers are tinier as bfloat16
        dtype = torch.bfloat16 if fixed[fixed > 0].min() < 2.0**-30 else torch.float16
    high, low = (one.to(dtype).view(torch.uint8).view(fixed.numel(), -1) for one in (var, mantissa))
    return torch.cat((low, high), 1).flatten().view(dtype).double()


def _sorted(t):
    value, index = torch.sort(t.value(40, low=0, high=9).round())
    return {"value": value, "index": index.int(), "elementsNum": torch.tensor([24], dtype=t.dtype("elementsNum"))}


OPERATORS: dict[str, Operator] = {
    "experimental/math/sub_v2": Operator(  # its InferShape sets nothing
        _two("x1", "x2"), lambda x1, x2: x1 - x2, _SIZES, shapes={"y": "[...]"}
    ),
    "experimental/math/greater": Operator(_alike, lambda x1, x2: x1 > x2, _SIZES),
    "experimental/math/not_equal_v2": Operator(_alike, lambda x1, x2: x1 != x2, _SIZES),
    "math/is_inf": Operator(_with_infinities, lambda x: x.isinf(), _SIZES, include=ATVOSS),
    "experimental/math/ger_v2": Operator(
        _outer,
        lambda x, y, A, alpha: A + alpha * x[:, None] * y[None, :],  # noqa: N803
        ((1, 1), (3, 16), (7, 33), (65, 1000)),
        shapes={"x": "[M]", "y": "[N]", "A": "[M, N]", "z": "[M, N]"},
    ),
    "conversion/chunk_cat": Operator(
        _chunks,
        lambda x, dim, num_chunks: torch._chunk_cat(x, dim, num_chunks),  # noqa: PLW0108  (called by these names)
        (  # 1000 columns each
            (1, ((10, 100),)),
            (3, ((7, 100), (10, 100), (3, 300))),
            (3, ((5, 3, 20), (3, 8, 110))),
            (4, ((4, 600), (9, 100), (1, 100))),
            (7, ((7000,),)),
        ),
        shapes={"x": "[...x]", "y": "[num_chunks, 1000]"},
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
    "experimental/math/range": Operator(  # InferShape never reads the values; 64 elements each
        lambda t, start, end, step: {"start": [start], "end": [end], "step": [step]},
        lambda start, end, step: torch.arange(start[0], end[0], step[0], dtype=torch.float64),
        ((0.0, 64.0, 1.0), (1.0, 33.0, 0.5), (9.0, -23.0, -0.5)),
        shapes={"z": "[64]"},
    ),
    "math/hans_decode": Operator(
        _coded,
        _decoded,
        ((1, 8), (2, 33), (3, 200)),
        shapes={"mantissa": "[M]", "fixed": "[N]", "var": "[V]", "pdf": "[1, 256]", "output": "[N]"},
    ),
    # Operators that are called only.
    "experimental/math/is_pos_inf": Operator(columns=("float16", "float32", "bfloat16")),  # others are op_api's
    "experimental/math/reduce_max_v2": Operator(
        lambda t: {"x": t.x(3, 40), "axes": 0, "keepdims": 0}, shapes={"x": "[M, N]", "y": "[N]"}
    ),
    "conversion/fill_diagonal_v2": Operator(  # the part of each of 48 cores is whole lines of 128 bytes
        lambda t: {"x": t.x(64, 96), "fill_value": t.fill_value(1)}
    ),
    "conversion/diag_flat": Operator(  # the width is the number of elements
        _one(), sizes=((1,), (7,), (101,)), shapes={"x": "[N]", "y": "[N, N]"}
    ),
    "experimental/conversion/transposev": Operator(  # whole blocks of 32 bytes
        lambda t: {"x": t.x(4, 64), "perm": torch.tensor([1, 0], dtype=t.dtype("perm"))},
        shapes={"x": "[M, N]", "perm": "[2]", "out": "[N, M]"},
    ),
    "experimental/math/lin_space_d": Operator(  # only InferShape knows num
        lambda t: {"start": t.start(1), "end": t.end(1, low=9, high=12), "num": [64]}, shapes={"z": "[64]"}
    ),
    "conversion/masked_select_v3": Operator(
        lambda t: {"x": t.x(5, 77), "mask": t.mask(5, 77)}, shapes={"x": "[M, N]", "mask": "[M, N]", "y": "[M * N]"}
    ),
    "experimental/math/logdet": Operator(
        lambda t: {"self": t("self")(5, 16, 16)}, shapes={"self": "[B, N, N]", "out": "[B]"}
    ),
    "experimental/math/less": Operator(lambda t: {"x1": t.x1(4, 64), "x2": t.x2(4, 64)}),  # whole blocks of 256 bytes
    "experimental/math/pow2": Operator(  # whole blocks of 256 elements
        lambda t: {"x1": t.x1(4, 64, low=1, high=3), "x2": t.x2(4, 64, low=0, high=3)}
    ),
    "conversion/stack_ball_query": Operator(
        lambda t: {
            "xyz": t.xyz(3, 100),
            "center_xyz": t.center_xyz(12, 3),
            "xyz_batch_cnt": torch.tensor([40, 60], dtype=t.dtype("xyz_batch_cnt")),
            "center_xyz_batch_cnt": torch.tensor([5, 7], dtype=t.dtype("center_xyz_batch_cnt")),
            "max_radius": 1.0,
            "sample_num": 4,
        },
        shapes={
            "xyz": "[3, N]",
            "center_xyz": "[M, 3]",
            "xyz_batch_cnt": "[B]",
            "center_xyz_batch_cnt": "[B]",
            "idx": "[M, sample_num]",
        },
    ),
    "experimental/math/isin_part_v1": Operator(  # 24 elements and 16 test elements, sorted
        _sorted, shapes={"value": "[N]", "index": "[N]", "elementsNum": "[1]", "z": "[24]"}
    ),
    "experimental/math/sign_bits_pack": Operator(  # InferShape says eight times as much as the kernel writes
        lambda t: {"x": t.x(512), "size": 1}, shapes={"x": "[N]", "y": "[N // 8]"}
    ),
    "math/amp_update_scale": Operator(
        lambda t: {
            "current_scale": t.current_scale(1, low=1, high=2),
            "growth_tracker": t.growth_tracker(1),
            "found_inf": torch.zeros(1, dtype=t.dtype("found_inf")),
            "growth_factor": 2.0,
            "backoff_factor": 0.5,
            "growth_interval": 3,
        }
    ),
}
