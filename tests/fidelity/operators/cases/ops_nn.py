"""How operators of hicann/ops-nn are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from added_packages import ATVOSS, JSON
from entries import Operator, Tensors
from torch.nn import functional

Shapes = Sequence[tuple[int, ...]]

FLAT = ((1, 8), (1, 7), (33, 65), (5, 1009), (64, 1024))
LISTS: Sequence[tuple[Shapes]] = (
    (((8,),),),
    (((7,), (1,), (33, 5)),),
    (((64, 128), (1009,)),),
    (((5, 3, 129), (2, 16), (31,), (4099,)),),
)


def _list(t: Tensors, name: str, shapes: Shapes, **limits: float) -> list[torch.Tensor]:
    return [t(name)(*shape, **limits) for shape in shapes]


def _whole(shapes: Shapes) -> list[float]:
    """A number for each tensor of a list; whole, as some columns have integers."""
    return [float(2 + place) for place in range(len(shapes))]


def _of_list(**limits: float) -> Any:
    return lambda t, shapes: {"x": _list(t, "x", shapes, **limits)}


def _with_scalars(**limits: float) -> Any:
    return lambda t, shapes: {"x": _list(t, "x", shapes, **limits), "scalars": _whole(shapes)}


def _rows(names: Sequence[str]) -> Any:
    """Tensors of one shape."""
    return lambda t, *shape: {name: t(name)(*shape) for name in names}


def _swish_grad(grad: torch.Tensor, x: torch.Tensor, **_: Any) -> torch.Tensor:
    gate = torch.sigmoid(x)
    return grad * (gate + x * gate * (1 - gate))


def _cross_entropy_grad(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return torch.softmax(logits, -1) - functional.one_hot(target.long(), logits.shape[-1])


def _dua_arguments(t: Tensors, rows: int, size: int) -> dict[str, Any]:
    return {
        "x1": t.x1(rows, size),
        "x2": t.x2(rows, size),
        "gamma": t.gamma(size),
        "beta": t.beta(size),
        "bias": t.bias(size),
        "scales1": t.scales1(size, low=0.05, high=0.1),
        "scales2": t.scales2(size, low=0.1, high=0.2),
        "zero_points1": t.zero_points1(size),
        "zero_points2": t.zero_points2(size),
        "dtype": 2,
        "additional_output": True,
    }


def _dua_quantize_add_layer_norm(**a: Any) -> tuple[torch.Tensor, ...]:
    x = a["x1"] + a["x2"] + a["bias"]
    normed = functional.layer_norm(x, x.shape[-1:], a["gamma"], a["beta"], 1e-5)
    made = [normed / a[f"scales{i}"] + a[f"zero_points{i}"] for i in (1, 2)]
    return (*(one.round().clamp(-128, 127) for one in made), x)


def _adam_w_arguments(t: Tensors, *shape: int) -> dict[str, Any]:
    numbers = {
        "beta1_power": 0.9,
        "beta2_power": 0.99,
        "lr": 0.1,
        "weight_decay": 0.05,
        "beta1": 0.9,
        "beta2": 0.99,
        "epsilon": 1e-2,
    }
    tensors = {name: t(name)(*shape) for name in ("var", "m", "grad")}
    ones = {name: torch.full((1,), value, dtype=t.dtype(name)) for name, value in numbers.items()}
    return {**tensors, "v": t.v(*shape, low=0.1, high=2), **ones}


def _adam_w(**a: Any) -> tuple[torch.Tensor, ...]:
    m = a["beta1"] * a["m"] + (1 - a["beta1"]) * a["grad"]
    v = a["beta2"] * a["v"] + (1 - a["beta2"]) * a["grad"] ** 2
    root = (v / (1 - a["beta2_power"] * a["beta2"])).sqrt() + a["epsilon"]
    step = m / (1 - a["beta1_power"] * a["beta1"]) / root
    return a["var"] * (1 - a["lr"] * a["weight_decay"]) - a["lr"] * step, m, v


def _pool_arguments(t: Tensors, *shape: int) -> dict[str, Any]:
    x = t.x(*shape)
    pooled, argmax = functional.max_pool3d(x.double(), 2, 2, return_indices=True)
    settings = {"ksize": [2, 2, 2], "strides": [2, 2, 2], "pads": [0, 0, 0]}
    return {"x": x, "grad": t.grad(*pooled.shape), "argmax": argmax.int(), **settings}


def _pool_grad(x: torch.Tensor, grad: torch.Tensor, argmax: torch.Tensor, **_: Any) -> torch.Tensor:
    return torch.zeros_like(x).flatten(2).scatter_add(2, argmax.long().flatten(2), grad.flatten(2)).view_as(x)


def _hard_swish_grad(**a: Any) -> torch.Tensor:
    x = a["self"]
    inside = x / 3 + 0.5
    slope = torch.where(x <= -3, torch.zeros_like(x), torch.where(x >= 3, torch.ones_like(x), inside))
    return a["gradOutput"] * slope


def _group_norm_arguments(t: Tensors, n: int, c: int, size: int, groups: int) -> dict[str, Any]:
    scale = torch.tensor([0.05])
    rows = {"x": t.x(n, c, size), "gamma": t.gamma(c), "beta": t.beta(c), "quantScale": scale}
    return {**rows, "num_groups": groups}


def _group_norm_silu_quant(**a: Any) -> tuple[torch.Tensor, ...]:
    x, groups = a["x"], a["num_groups"]
    grouped = x.reshape(x.shape[0], groups, -1)
    rstd = 1 / (grouped.var(-1, unbiased=False) + 1e-5).sqrt()
    made = functional.silu(functional.group_norm(x, groups, a["gamma"], a["beta"], 1e-5)) / a["quantScale"]
    return made.round().clamp(-128, 127), grouped.mean(-1), rstd


def _step_arguments(t: Tensors, queries: int, sequences: int) -> dict[str, Any]:
    names = ("input_tokens", "input_positions", "seq_lens", "slot_mapping")
    made = {name: t(name)(sequences, low=1, high=60) for name in names}
    made["sampled_token_ids"] = t.sampled_token_ids(queries, 1, high=1000)
    made["block_tables"] = t.block_tables(sequences, 8, high=100)
    return {
        **made,
        "spec_token": None,
        "accepted_num": None,
        "num_seqs": sequences,
        "num_queries": queries,
        "block_size": 8,
    }


def _advance_step(**a: Any) -> tuple[torch.Tensor, ...]:
    count, size = a["num_queries"], a["block_size"]
    tokens, positions, lens, slots = (
        a[name].clone() for name in ("input_tokens", "input_positions", "seq_lens", "slot_mapping")
    )
    at = lens[:count].clone()
    tokens[:count] = a["sampled_token_ids"].flatten()
    positions[:count] = at
    slots[:count] = a["block_tables"][:count].gather(1, (at // size)[:, None])[:, 0] * size + at % size
    lens[:count] += 1
    tokens[count:], positions[count:], slots[count:] = 0, 0, -1  # the padding, as vLLM writes it
    return tokens, positions, lens, slots


def _deep_norm_arguments(t: Tensors, rows: int, size: int) -> dict[str, Any]:
    return {"x": t.x(rows, size), "gx": t.gx(rows, size), "beta": t.beta(size), "gamma": t.gamma(size)}


def _deep_norm(x: torch.Tensor, gx: torch.Tensor, beta: torch.Tensor, gamma: torch.Tensor) -> tuple[torch.Tensor, ...]:
    whole = 0.3 * x + gx
    mean = whole.mean(-1, keepdim=True)
    rstd = 1 / (whole.var(-1, unbiased=False, keepdim=True) + 1e-6).sqrt()
    return mean, rstd, (whole - mean) * rstd * gamma + beta


def _modulate_arguments(t: Tensors, batch: int, rows: int, size: int) -> dict[str, Any]:
    return {"x": t.x(batch, rows, size), "scale": t.scale(batch, size), "shift": t.shift(batch, size)}


def _modulate(x: torch.Tensor, scale: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
    return x * (1 + scale[:, None]) + shift[:, None]


def _matmul_arguments(t: Tensors, batch: int, m: int, k: int, n: int) -> dict[str, Any]:
    orders = {"perm_x1": [0, 1, 2], "perm_x2": [0, 1, 2], "perm_y": [1, 0, 2]}
    return {"x1": t.x1(batch, m, k), "x2": t.x2(batch, k, n), "bias": None, "scale": None, **orders}


def _add_layer_norm(t: Tensors) -> dict[str, Any]:
    return {**{name: t(name)(5, 64) for name in ("x1", "x2")}, "gamma": t.gamma(64), "beta": t.beta(64)}


_NORMED = {
    **dict.fromkeys(("x1", "x2", "y", "x"), "[..., N]"),
    **dict.fromkeys(("gamma", "beta"), "[N]"),
    **dict.fromkeys(("mean", "rstd"), "[..., 1]"),
}

OPERATORS: dict[str, Operator] = {
    "foreach/foreach_sub_scalar_list": Operator(
        _with_scalars(),
        lambda x, scalars: [one - number for one, number in zip(x, scalars, strict=True)],
        LISTS,
    ),
    "experimental/activation/swish_grad": Operator(_rows(("grad", "x", "y")), _swish_grad, FLAT),
    "experimental/loss/cross_entropy_grad": Operator(
        lambda t, rows, size: {"logits": t.logits(rows, size), "target": t.target(rows, high=size)},
        _cross_entropy_grad,
        ((8, 16), (1, 7), (33, 129), (50, 1000)),
    ),
    "norm/dua_quantize_add_layer_norm": Operator(
        _dua_arguments, _dua_quantize_add_layer_norm, ((1, 64), (7, 128), (50, 1000)), steps=1
    ),
    "experimental/optim/apply_adam_w": Operator(_adam_w_arguments, _adam_w, FLAT),
    "foreach/foreach_tan": Operator(_of_list(low=-1.2, high=1.2), lambda x: [torch.tan(one) for one in x], LISTS),
    "foreach/foreach_pow_scalar_list": Operator(
        _with_scalars(low=0.5, high=2),
        lambda x, scalars: [one**number for one, number in zip(x, scalars, strict=True)],
        LISTS,
    ),
    "pooling/max_pool3d_grad_with_argmax": Operator(
        _pool_arguments,
        _pool_grad,
        ((1, 16, 4, 4, 4), (1, 3, 2, 6, 10), (2, 5, 4, 8, 14)),
        shapes=dict.fromkeys(("x", "y"), "[N, C, D, H, W]"),
    ),
    "activation/hard_swish_grad_v2": Operator(_rows(("gradOutput", "self")), _hard_swish_grad, FLAT),
    "foreach/foreach_log10": Operator(_of_list(low=0.1, high=5), lambda x: [torch.log10(one) for one in x], LISTS),
    "norm/group_norm_silu_quant": Operator(
        _group_norm_arguments,
        _group_norm_silu_quant,
        ((2, 8, 16, 2), (1, 6, 33, 3), (3, 4, 1009, 2)),
        shapes={
            **dict.fromkeys(("x", "yOut"), "[N, C, L]"),
            **dict.fromkeys(("meanOut", "rstdOut"), "[N, num_groups]"),
        },
        steps=1,
    ),
    "optim/advance_step": Operator(_step_arguments, _advance_step, ((8, 16), (1, 7), (33, 40))),
    "norm/deep_norm": Operator(
        _deep_norm_arguments,
        _deep_norm,
        ((8, 64), (1, 32), (7, 129), (50, 1000)),
        shapes={
            **dict.fromkeys(("x", "gx", "y"), "[..., N]"),
            **dict.fromkeys(("beta", "gamma"), "[N]"),
            **dict.fromkeys(("mean", "rstd"), "[..., 1]"),
        },
    ),
    "foreach/foreach_round_off_number": Operator(
        lambda t, shapes: {"x": _list(t, "x", shapes), "roundMode": torch.full((1,), 2, dtype=t.dtype("roundMode"))},
        lambda x, roundMode: [torch.floor(one) for one in x],  # noqa: N803  (2: towards minus infinity)
        LISTS,
    ),
    "vfusion/modulate": Operator(_modulate_arguments, _modulate, ((2, 4, 64), (1, 7, 33), (3, 50, 1000))),
    "matmul/transpose_batch_mat_mul": Operator(
        _matmul_arguments,
        lambda x1, x2, **_: (x1 @ x2).transpose(0, 1),
        ((2, 32, 64, 32), (3, 17, 48, 33), (4, 128, 128, 256)),
        include=JSON,
    ),
    # Operators that are called only.
    "foreach/foreach_sub_list": Operator(
        lambda t, shapes: {
            **{name: _list(t, name, shapes) for name in ("x1", "x2")},
            "alpha": torch.full((1,), 2, dtype=t.dtype("alpha")),
        },
        sizes=LISTS[:2],
    ),
    "foreach/foreach_div_scalar_list": Operator(_with_scalars(), sizes=LISTS[:2]),
    "foreach/foreach_addcmul_scalar_list": Operator(
        lambda t, shapes: {
            **{name: _list(t, name, shapes) for name in ("x1", "x2", "x3")},
            "scalars": t.scalars(len(shapes), low=1, high=3),
        },
        sizes=LISTS[:2],
    ),
    "index/scatter_list": Operator(
        lambda t: {
            "var": _list(t, "var", ((4, 16, 32), (4, 16, 32))),
            "indice": torch.tensor([1, 2], dtype=t.dtype("indice")),
            "updates": t.updates(2, 4, 1, 32),
        }
    ),
    "rnn/thnn_fused_lstm_cell_grad": Operator(
        lambda t: {
            **{name: t(name)(3, 16) for name in ("dhy", "dc", "cx", "cy")},
            "storage": t.storage(3, 64),
            "has_bias": True,  # else db stays unwritten
        },
        shapes={
            **dict.fromkeys(("dhy", "dc", "cx", "cy", "dc_prev"), "[N, H]"),
            **dict.fromkeys(("storage", "dgates"), "[N, G]"),
            "db": "[G]",
        },
    ),
    "experimental/index/index": Operator(
        lambda t: {
            "x": t.x(16, 32),
            "indexed_sizes": [1],
            "indexed_strides": torch.ones(1, dtype=t.dtype("indexed_strides")),
            "indices": [torch.tensor([0, 3, 15, 7, 1], dtype=t.dtype("indices"))],
        },
        shapes={"y": "[5, 32]"},
    ),
    "quant/group_quant": Operator(
        lambda t: {
            "x": t.x(6, 64),
            "scale": t.scale(2, 64),
            "group_index": torch.tensor([2, 6], dtype=t.dtype("group_index")),
        },
    ),
    "pooling/avg_pool3_d_grad": Operator(
        lambda t: {
            "orig_input_shape": [1, 32, 4, 8, 8],  # NCDHW, whatever the format of the gradients
            "grads": t.grads(1, 2, 4, 4, 32),
            "ksize": [2, 2, 2],
            "strides": [2, 2, 2],
            "pads": [0, 0, 0],
        },
        shapes={"output": "[1, 4, 8, 8, 32]"},
        include=JSON,
    ),
    "norm/add_rms_norm_quant": Operator(
        lambda t: {
            **{name: t(name)(5, 64) for name in ("x1", "x2")},
            **{name: t(name)(64) for name in ("gamma", "beta")},  # without beta, scales2 goes beyond UB
            **{name: t(name)(64, low=0.1, high=1) for name in ("scales1", "scales2")},  # else y2 stays unwritten
        },
        shapes={
            **dict.fromkeys(("x1", "x2", "y1", "y2", "x"), "[..., N]"),
            **dict.fromkeys(("gamma", "beta", "scales1", "scales2"), "[N]"),
        },
    ),
    "norm/rms_norm_dynamic_quant": Operator(lambda t: {"x": t.x(5, 64), "gamma": t.gamma(64)}),
    "norm/add_layer_norm": Operator(_add_layer_norm, shapes=_NORMED),
    "norm/inplace_add_layer_norm": Operator(
        _add_layer_norm, shapes={name: shape for name, shape in _NORMED.items() if name in ("x1", "x2", "mean", "rstd")}
    ),
    "norm/batch_norm_v3": Operator(
        lambda t: {
            "x": t.x(2, 5, 4, 6),
            **{name: t(name)(5, low=0.5, high=2) for name in ("weight", "bias", "running_mean", "running_var")},
        }
    ),
    "index/repeat_interleave_grad": Operator(
        lambda t: {
            "y_grad": t.y_grad(10, 8),
            "repeats": torch.tensor([2, 3, 1, 4], dtype=t.dtype("repeats")),
            "axis": 0,
        },
        shapes={"x_grad": "[4, 8]"},
        include=ATVOSS,
    ),
    "experimental/loss/smooth_l1_loss_grad_v2": Operator(
        lambda t: {**_rows(("predict", "label", "dout"))(t, 3, 40), "sigma": 1.0, "reduction": "none"},
        shapes=dict.fromkeys(("predict", "label", "dout", "gradient"), "[...]"),
    ),
    "experimental/activation/soft_plus_v2": Operator(lambda t: {"x": t.x(64, 256)}),  # 128 parts of whole blocks
    "experimental/activation/elu_grad_v2": Operator(  # outputs of float for 16-bit inputs: with is_result only
        lambda t: {"dy": t.dy(3, 40), "x": t.x(3, 40), "is_result": True}
    ),
}
