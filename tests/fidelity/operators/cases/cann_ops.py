"""How operators of Hayden727/cann-ops are called."""

import torch
from entries import Operator

# Within one block of 32 bytes, tails of it, several tiles, several cores.
_SIZES = ((1,), (7,), (64,), (1023,), (33, 65), (40_000,))


def _one(name="x", **limits):
    return lambda t, *size: {name: t(name)(*size, **limits)}


def _two(first, second, **limits):
    return lambda t, *size: {first: t(first)(*size, **limits), second: t(second)(*size, **limits)}


def _with_infinities(t, *size):
    x = t.x(*size)
    x.flatten()[::3] = float("inf")
    x.flatten()[1::5] = -float("inf")
    x.flatten()[2::7] = float("nan")
    return {"x": x}


def _norm_quant(t, rows, columns):
    return {
        **{name: t(name)(rows, columns) for name in ("x1", "x2")},
        "gamma": t.gamma(columns),
        **{name: t(name)(columns, low=0.02, high=0.05) for name in ("scales1", "scales2")},
        "zero_points1": t.zero_points1(columns),
        "zero_points2": t.zero_points2(columns),
    }


def _norm_quantised(*, x1, x2, gamma, scales1, zero_points1, bias, **_):
    """Its second result is reserved, with random values."""
    x = x1 + x2
    normed = x * (x * x).mean(-1, keepdim=True).add(1e-6).rsqrt() * gamma + bias
    return (normed / scales1 + zero_points1.double()).round().clamp(-128, 127), None, x


def _fake_quant(t, rows, columns):
    """Each row has a scale and a zero point: the functions of aclnn bring the axis to the front."""
    return {
        "x": t.x(rows, columns),
        "scale": t.scale(rows, low=0.1, high=0.2),
        "zero_point": t.zero_point(rows, low=3, high=9).round(),
        "axis": 0,
        "quant_min": 0,
        "quant_max": 15,
    }


def _fake_quantised(*, x, scale, zero_point, quant_min, quant_max, **_):
    scale, zero_point = scale[:, None], zero_point[:, None]
    steps = (x / scale).round() + zero_point
    return (steps.clamp(quant_min, quant_max) - zero_point) * scale, (quant_min <= steps) & (steps <= quant_max)


def _attention(t, batch, rows, columns, width):
    return {
        "query": t.query(batch, rows, width),
        "key": t.key(batch, columns, width),
        "value": t.value(batch, columns, width),
        "scale_value": width**-0.5,
        "head_num": 1,
    }


def _attended(query, key, value, scale_value, **_):
    scores = query @ key.transpose(1, 2) * scale_value
    most = scores.amax(-1)
    weights = (scores - most[..., None]).exp()
    eight = [part[:, None, :, None].expand(-1, 1, -1, 8) for part in (most, weights.sum(-1))]
    return *eight, scores.softmax(-1) @ value


def _pooled(t, *size):
    """Gradients of a pooling whose windows do not overlap, with the places of the largest elements."""
    x = t.x(*size)
    _, places = torch.nn.functional.max_pool3d(x.double(), 2, return_indices=True)
    return {"x": x, "grad": t.grad(*places.shape), "argmax": places.to(t.dtype("argmax"))}


def _scattered(x, grad, argmax, **_):
    flat = torch.zeros_like(x).flatten(2)
    return flat.scatter_add(2, argmax.long().flatten(2), grad.flatten(2)).view(x.shape)


def _sampled(t, batch, channels, rows, columns, *points):
    grid = t.grid(batch, *points, 2, low=-1.1, high=1.1)
    # The default, 1, is for channels that come last.
    return {"x": t.x(batch, channels, rows, columns), "grid": grid, "scheduler_mode": 0}


def _windows(t, *size):
    return {"x": t.x(*size), "ksize": [2, 2, 2], "strides": [2, 2, 2], "pads": [0] * 6}


def _windows_back(t, *size):
    batch, *inner, channels = size
    grads = t.grads(batch, *(length // 2 for length in inner), channels)
    shape = torch.tensor(size, dtype=t.dtype("orig_input_shape"))
    return {"orig_input_shape": shape, "grads": grads, "ksize": [2, 2, 2], "strides": [2, 2, 2], "pads": [0] * 6}


def _norm(t, rows, columns):
    return {"x1": t.x1(rows, columns), "x2": t.x2(rows, columns), "gamma": t.gamma(columns)}


def _sorted_rows(t, rows, columns, added):
    index, places = torch.randint(rows, (added,), generator=torch.Generator().manual_seed(rows)).sort()
    return {
        "var": t.var(rows, columns),
        "value": t.value(added, columns),
        "sorted_index": index.to(t.dtype("sorted_index")),
        "pos": places.to(t.dtype("pos")),
    }


def _classes(t, rows, classes):
    return {"input": t("input")(rows, classes), "target": t.target(rows, high=classes)}


def _groups(t, batch, channels, inner, groups):
    return {
        **{name: t(name)(batch, channels, inner) for name in ("dy", "x")},
        **{name: t(name)(batch, groups, low=0.5, high=1.5) for name in ("mean", "rstd")},
        **{name: t(name)(channels) for name in ("gamma", "beta")},
        "num_groups": groups,
    }


def _sub_rows(t, rows, columns, added):
    generator = torch.Generator().manual_seed(added)
    few = added <= rows  # no row twice
    index = (
        torch.randperm(rows, generator=generator)[:added] if few else torch.randint(rows, (added,), generator=generator)
    )
    return {
        "var": t.var(rows, columns),
        "indices": index.to(t.dtype("indices")),
        "updates": t.updates(added, columns),
    }


def _subtracted(var, indices, updates):
    return var.index_add(0, indices.long(), -updates)


def _softmax_grad(t, rows, columns, inner):
    return {
        "softmaxOutput": t.softmaxOutput(rows, columns, low=0, high=2 / columns),
        "gradOutput": t.gradOutput(rows, inner),
        "values": t("values")(columns, inner),
    }


def _upsampled(t, batch, channels, length):
    size = torch.tensor([2 * length], dtype=t.dtype("size"))
    return {"x": t.x(batch, channels, 1, length), "size": size, "align_corners": False, "scale": 0.5}


def _sigmoid_chain(t, *size):
    return {"input": t.input(*size), **{name: t(name)(1) for name in ("mulscalar1", "mulscalar2", "addscalar3")}}


def _twice(t, rows, columns):
    return {
        **{name: t(name)(rows, columns) for name in ("mul0_input0", "mul0_input1")},
        **{name: t(name)(1) for name in ("mul1_input0", "add_y")},
        **{name: t(name)(1, columns) for name in ("gamma", "beta")},
    }


OPERATORS: dict[str, Operator] = {
    "src/math/flash_attention_score_with_large_head_dim": Operator(
        _attention,
        _attended,
        ((1, 128, 1152, 576),),
        shapes={
            "query": "[B, S, D]",
            **dict.fromkeys(("key", "value"), "[B, T, D]"),
            **dict.fromkeys(("softmax_max", "softmax_sum"), "[B, 1, S, 8]"),
            "attention_out": "[B, S, D]",
        },
    ),
    "src/math/trunc": Operator(_one("input_x", low=-9, high=9), lambda input_x: input_x.trunc(), _SIZES),
    "src/loss/mse_loss_v2": Operator(
        _two("input", "target"), lambda **given: ((given["input"] - given["target"]) ** 2).mean(), _SIZES
    ),
    "src/norm/add_rms_norm_quant_v2": Operator(
        lambda t, rows, columns: {**_norm_quant(t, rows, columns), "bias": t.bias(columns)},
        _norm_quantised,
        ((1, 16), (3, 50), (7, 129), (64, 1024)),
        steps=1,
    ),
    "src/math/ccopy": Operator(
        lambda _, *size: {"x": torch.complex(torch.randn(*size), torch.randn(*size)), "n": size[0]},
        lambda x, **_: x,
        ((1,), (7,), (64,), (1023,), (40_000,)),
    ),
    "src/math/is_finite": Operator(_with_infinities, lambda x: x.isfinite(), _SIZES),
    "src/quant/fake_quant_affine_cachemask": Operator(
        _fake_quant, _fake_quantised, ((1, 1), (3, 7), (2, 64), (5, 1023))
    ),
    # Aligned rows, rows with a tail, and rows that are changed more than once.
    "src/math/scatter_sub": Operator(_sub_rows, _subtracted, ((4, 64, 3), (7, 33, 5), (4, 64, 9))),
    "src/math/matmul_api_constant": Operator(  # the tiling has these sizes, and no others
        lambda t, *_: {"a": t.a(1024, 256), "b": t.b(256, 640), "bias": t.bias(640)},
        lambda a, b, bias: a @ b + bias,
        ((1024, 256, 640),),
        shapes={"a": "[M, K]", "b": "[K, N]", "bias": "[N]", "c": "[M, N]"},
    ),
    "src/pooling/max_pool3d_grad_with_argmax": Operator(
        lambda t, *size: {**_pooled(t, *size), "ksize": [2, 2, 2], "strides": [2, 2, 2], "pads": [0, 0, 0]},
        _scattered,
        ((1, 16, 4, 4, 6), (2, 3, 2, 8, 10)),
    ),
    "src/image/grid_sample": Operator(
        _sampled,
        lambda x, grid, **_: torch.nn.functional.grid_sample(x, grid, align_corners=False),
        ((1, 4, 5, 7, 8, 16), (2, 3, 16, 33, 3, 6)),  # 128 points are a tile
        columns=("float16", "float32"),  # of images; volumes take bfloat16, too
        shapes={"x": "[N, C, H, W]", "grid": "[N, R, S, 2]", "y": "[N, C, R, S]"},
    ),
    # Windows of 2 that do not overlap halve each length, or double it on the way back.
    "src/pooling/avg_pool3_d": Operator(
        _windows,
        sizes=((1, 4, 4, 6, 16),),
        shapes={"x": "[N, D, H, W, C]", "y": "[N, D // 2, H // 2, W // 2, C]"},
    ),
    "src/pooling/avg_pool3_d_grad": Operator(
        _windows_back,
        sizes=((1, 4, 4, 6, 16),),
        shapes={"orig_input_shape": "[5]", "grads": "[N, D, H, W, C]", "output": "[N, D * 2, H * 2, W * 2, C]"},
    ),
    "src/math/inplace_fused_matmul_softmax_grad": Operator(_softmax_grad, sizes=((12, 64, 32), (5, 50, 24))),
    # The op has no InferShape, and "size" is a tensor on the device: here it always doubles the length.
    "src/image/upsample_linear1d": Operator(
        _upsampled, sizes=((1, 2, 16),), shapes={"x": "[N, C, 1, L]", "size": "[1]", "y": "[N, C, 2 * L]"}
    ),
    "src/math/mul_sigmoid_mul_add_custom": Operator(_sigmoid_chain, sizes=((32, 32),)),  # the README's sizes
    "src/image/upsample_bilinear2d_grad": Operator(
        lambda t: {"grad_output": t.grad_output(1, 2, 8, 8), "output_size": [8, 8], "input_size": [1, 2, 4, 4]},
        shapes={"grad_output": "[N, C, H, W]", "grad_input": "[N, C, H // 2, W // 2]"},
    ),
    "src/norm/add_rms_norm_quant": Operator(_norm_quant, sizes=((3, 64),)),
    "src/norm/inplace_add_rms_norm": Operator(
        _norm,
        sizes=((3, 64),),
        shapes={**dict.fromkeys(("x1", "x2"), "[N, H]"), "gamma": "[H]", "rstd": "[N, 1]"},
    ),
    "src/index/scatter_add_with_sorted": Operator(_sorted_rows, sizes=((8, 16, 24),)),
    "src/math/mul_mul_reduce_mean_d_twice": Operator(_twice, sizes=((90, 1024),)),  # the README's sizes
    "src/loss/cross_entropy_loss": Operator(_classes, sizes=((5, 33),)),
    "src/norm/group_norm_swish_grad": Operator(_groups, sizes=((2, 8, 16, 4),)),
    "src/image/upsample_nearest_exact3d_grad": Operator(
        lambda t: {
            "grad_output": t.grad_output(1, 2, 4, 4, 4),
            "input_size": [1, 2, 2, 2, 2],
            "output_size": [4, 4, 4],
        },
        shapes={"grad_output": "[N, C, D, H, W]", "y": "[N, C, D // 2, H // 2, W // 2]"},
    ),
    "src/pooling/adaptive_max_pool3d_grad": Operator(_pooled, sizes=((1, 16, 4, 4, 4),)),
    "src/foreach/foreach_norm": Operator(  # the op has no InferShape
        lambda t, order, *sizes: {"x": [t.x(size) for size in sizes], "scalar": order},
        lambda x, scalar: [torch.linalg.vector_norm(one, scalar)[None] for one in x],
        ((2, 100), (1, 7, 64, 3), (2, 40_000, 1)),
        shapes={"y": "{shape: [1], dynamic: x}"},
    ),
}
