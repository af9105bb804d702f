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


def _norm_quantised(x1, x2, gamma, scales1, scales2, zero_points1, zero_points2):
    x = x1 + x2
    normed = x * (x * x).mean(-1, keepdim=True).add(1e-6).rsqrt() * gamma
    pairs = ((scales1, zero_points1), (scales2, zero_points2))
    return *((normed / scale + zero.double()).round().clamp(-128, 127) for scale, zero in pairs), x


def _fake_quant(t, *size):
    return {
        "x": t.x(*size),
        "scale": t.scale(1, low=0.1, high=0.2),
        "zero_point": t.zero_point(1, low=3, high=4).round(),
        "axis": 0,
        "quant_min": 0,
        "quant_max": 15,
    }


def _fake_quantised(x, scale, zero_point, axis, quant_min, quant_max):
    steps = (x / scale + zero_point).round()
    return (steps.clamp(quant_min, quant_max) - zero_point) * scale, (quant_min <= steps) & (steps <= quant_max)


def _attention(t, batch, rows, columns, width):
    return {
        "query": t.query(batch, rows, width),
        "key": t.key(batch, columns, width),
        "value": t.value(batch, columns, width),
        "scale_value": width**-0.5,
        "head_num": 1,
    }


def _attended(query, key, value, scale_value, head_num):
    scores = query @ key.transpose(1, 2) * scale_value
    most = scores.amax(-1)
    weights = (scores - most[..., None]).exp()
    eight = [part[:, None, :, None].expand(-1, 1, -1, 8) for part in (most, weights.sum(-1))]
    return *eight, scores.softmax(-1) @ value


OPERATORS: dict[str, Operator] = {
    "src/math/flash_attention_score_with_large_head_dim": Operator(_attention, _attended, ((1, 128, 1152, 576),)),
    "src/math/trunc": Operator(_one("input_x", low=-9, high=9), lambda input_x: input_x.trunc(), _SIZES),
    "src/loss/mse_loss_v2": Operator(
        _two("input", "target"), lambda **given: ((given["input"] - given["target"]) ** 2).mean(), _SIZES
    ),
    "src/norm/add_rms_norm_quant_v2": Operator(
        _norm_quant, _norm_quantised, ((1, 16), (3, 50), (7, 129), (64, 1024)), steps=1
    ),
    "src/math/ccopy": Operator(
        lambda t, *size: {"x": torch.complex(torch.randn(*size), torch.randn(*size)), "n": size[0]},
        lambda x, n: x,
        ((1,), (7,), (64,), (1023,), (40_000,)),
    ),
    "src/math/is_finite": Operator(_with_infinities, lambda x: x.isfinite(), _SIZES),
    "src/quant/fake_quant_affine_cachemask": Operator(_fake_quant, _fake_quantised, ((1,), (7,), (64,), (1023,))),
    "src/math/matmul_api_constant": Operator(  # the tiling has these sizes, and no others
        lambda t, *size: {"a": t.a(1024, 256), "b": t.b(256, 640), "bias": t.bias(640)},
        lambda a, b, bias: a @ b + bias,
        ((1024, 256, 640),),
        shapes={"a": "[M, K]", "b": "[K, N]", "bias": "[N]", "c": "[M, N]"},
    ),
}
