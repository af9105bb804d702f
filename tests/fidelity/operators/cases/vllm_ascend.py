"""How operators of vllm-project/vllm-ascend are called."""

import torch
from entries import Operator


def _norm_quant(t, rows, columns):
    x, gamma = t.x(rows, columns), t.gamma(columns)
    return {"x": x, "gamma": gamma, "smooth_scale1": t.smooth_scale1(columns, low=0.5, high=1.5)}


def _normed_quant(x, gamma, smooth_scale1):
    normed = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * gamma * smooth_scale1
    scale = normed.abs().amax(-1, keepdim=True) / 127
    return (normed / scale).round(), None, scale.squeeze(-1), None


def _add_norm(t, rows, columns):
    names = {name: t(name)(rows, columns) for name in ("x1", "x2")}
    return {**names, "gamma": t.gamma(columns), "beta": t.beta(columns)}


def _added_norm(x1, x2, gamma, beta):
    x = x1 + x2
    rstd = torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6)
    return x * rstd * gamma + beta, rstd, x


def _scatter(t, rows, columns, count):
    order = torch.randperm(rows, generator=torch.Generator().manual_seed(rows))[:count]
    indices = order.to(t.dtype("indices")).view(-1, 1)
    return {
        "var": t.var(rows, columns),
        "indices": indices,
        "updates": t.updates(count, columns),
        "strides": [columns],
    }


def _scattered(var, indices, updates, strides):
    del strides
    made = var.clone()
    made[indices[:, 0].long()] = updates
    return made


def _gating(t, rows, experts, k):
    """Rows of distinct values, so that the order is the same in each dtype."""
    drawn = torch.stack([torch.randperm(experts, generator=torch.Generator().manual_seed(row)) for row in range(rows)])
    return {"x": (drawn / 8 - 4).to(t.dtype("x")), "k": k, "norm_type": 1}


def _gated(x, k, norm_type):
    del norm_type
    scores = torch.sigmoid(x)
    best = torch.topk(scores, k, -1)
    return best.values / (best.values.sum(-1, keepdim=True) + 1e-20), best.indices, None


def _delta(t, batch, heads, depth):
    def normal(name):
        return torch.nn.functional.normalize(t(name)(batch, heads, depth).float(), dim=-1).to(t.dtype(name))

    return {
        "query": normal("query"),
        "key": normal("key"),
        "value": t.value(batch, heads, depth),
        "beta": t.beta(batch, heads, low=0, high=1),
        "state": t.state(batch, heads, depth, depth),
        "actual_seq_lengths": torch.ones(batch, dtype=torch.int32),
        "ssm_state_indices": torch.arange(batch, dtype=torch.int32),
        "g": t.g(batch, heads, low=-1, high=0),
        "scale_value": 0.5,
    }


def _delta_golden(*, query, key, value, beta, state, actual_seq_lengths, ssm_state_indices, g, scale_value):
    del actual_seq_lengths, ssm_state_indices
    kept = state * g.exp()[..., None, None]
    error = (value - torch.einsum("bhvk,bhk->bhv", kept, key)) * beta[..., None]
    kept = kept + error[..., None] * key[..., None, :]
    return torch.einsum("bhvk,bhk->bhv", kept, query) * scale_value, kept


def _grouped(t, groups, m, k, n):
    ends = torch.tensor([(place + 1) * m // groups for place in range(groups)]).to(t.dtype("group_list"))
    return {"x": [t.x(m, k)], "weight": [t.weight(groups, k, n)], "group_list": ends}


def _grouped_golden(x, weight, group_list):
    made, begin = [], 0
    for place, end in enumerate(group_list.tolist()):
        made.append(x[0][begin:end] @ weight[0][place])
        begin = end
    return (torch.cat(made),)


def _hc_post(t, batch, length, copies, depth):
    return {
        "x": t.x(batch, length, depth),
        "residual": t.residual(batch, length, copies, depth),
        "post": t.post(batch, length, copies),
        "comb": t.comb(batch, length, copies, copies),
    }


def _hc_pre(t, batch, length):
    return {
        "x": t.x(batch, length, 4, 4096),
        "hc_fn": t.hc_fn(24, 4 * 4096, low=-0.1, high=0.1),
        "hc_scale": t.hc_scale(3),
        "hc_base": t.hc_base(24),
    }


def _partial_rotary(t, batch, length, heads, depth):
    shape = (batch, length, 1, 64)
    x = t.x(batch, length, heads, depth)
    return {"x": x, "cos": t.cos(*shape), "sin": t.sin(*shape), "mode": 1, "partial_slice": [depth - 64, depth]}


def _indexer(t, length, count):
    """One batch in pages of 128, as one index per block."""
    pages = (length + 127) // 128
    key = t.key(pages, 128, 1, 128)
    return {
        "query": t.query(1, 1, 64, 128),
        "key": key,
        "weights": t.weights(1, 1, 64),
        "actual_seq_lengths_query": torch.tensor([1], dtype=torch.int32),
        "actual_seq_lengths_key": torch.tensor([length], dtype=torch.int32),
        "block_table": torch.arange(pages, dtype=torch.int32).view(1, -1),
        "layout_key": "PA_BSND",
        "sparse_count": count,
        "sparse_mode": 3,
    }


def _indexer_quant(t, length, count):
    pages = (length + 127) // 128
    arguments = _indexer(t, length, count)
    scales = {
        "query_dequant_scale": t.query_dequant_scale(1, 1, 64, low=0.01, high=0.1),
        "key_dequant_scale": t.key_dequant_scale(pages, 128, 1, low=0.01, high=0.1),
    }
    return {**arguments, **scales, "query_quant_mode": 0, "key_quant_mode": 0}


def _sparse_attention(t, heads, length):
    """All of a short sequence is chosen."""
    indices = torch.full((1, 1, 1, 2048), -1, dtype=torch.int32)
    indices[..., :length] = torch.arange(length, dtype=torch.int32)
    pages = (length + 127) // 128
    return {
        "query": t.query(1, 1, heads, 512),
        "key": t.key(pages, 128, 1, 512),
        "value": t.value(pages, 128, 1, 512),
        "sparse_indices": indices,
        "block_table": torch.arange(pages, dtype=torch.int32).view(1, -1),
        "actual_seq_lengths_query": torch.tensor([1], dtype=torch.int32),
        "actual_seq_lengths_kv": torch.tensor([length], dtype=torch.int32),
        "query_rope": t.query_rope(1, 1, heads, 64),
        "key_rope": t.key_rope(pages, 128, 1, 64),
        "scale_value": 0.04,
        "layout_kv": "PA_BSND",
        "sparse_mode": 3,
    }


def _swiglu_quant(t, rows, columns):
    return {
        "x": t.x(rows, 2 * columns),
        "weight_scale": t.weight_scale(1, 2 * columns, low=0.01, high=0.1),
        "activation_scale": t.activation_scale(rows, low=0.01, high=0.1),
        "quant_scale": t.quant_scale(1, columns, low=0.5, high=1.5),
        "quant_mode": "dynamic",
    }


def _metadata(t, requests):
    return {
        "ropeCos": t.ropeCos(64, 64),
        "ropeSin": t.ropeSin(64, 64),
        "cuSeqlens": torch.arange(requests + 1, dtype=torch.int32) * 4,
        "startPos": torch.zeros(requests, dtype=torch.int32),
        "kvBlockTable": torch.arange(requests, dtype=torch.int32).view(-1, 1),
        "kvBlockSize": 128,
        "slotMappingFormat": 0,
        "cmpRatio": 4,
        "actualNumReqs": requests,
    }


def _eagle(t, requests, each):
    del t
    tokens = requests * each
    begins = torch.arange(requests, dtype=torch.int32) * each
    return {
        "target_token_ids": torch.arange(tokens, dtype=torch.int32),
        "target_positions": torch.arange(tokens, dtype=torch.int32),
        "next_token_ids": torch.arange(requests, dtype=torch.int32) + 100,
        "query_start_loc": torch.cat((begins, torch.tensor([tokens], dtype=torch.int32))),
        "query_end_loc": begins + each - 1,
        "padding_token_id": 0,
        "parallel_drafting_token_id": 7,
        "num_padding_slots_per_request": 2,
        "shift_input_ids": True,
        "total_input_tokens": tokens,
    }


def _conv(t, batch, length, channels):
    return {
        "x": t.x(batch * length, channels),
        "weight": t.weight(4, channels),
        "convStates": t.convStates(batch, 3, channels),
        "queryStartLoc": torch.arange(batch + 1).to(t.dtype("queryStartLoc")) * length,
        "cacheIndices": torch.arange(batch).to(t.dtype("cacheIndices")),
    }


def _chunks(t, tokens, heads):
    count = (tokens + 63) // 64
    return {
        "q": t.q(1, heads, tokens, 128),
        "k": t.k(1, heads, tokens, 128),
        "v": t.v(1, heads, tokens, 128),
        "h": t.h(1, heads, count, 128, 128),
        "g": t.g(1, heads, tokens, low=-1, high=0),
        "scale": 0.1,
        "chunk_size": 64,
    }


def _k2q(t, batches, tokens, topk):
    """The whole scratch area is zero: a call of the stage alone."""
    rows = batches * 4
    sizes = batches * 4 + batches * tokens + 3 * 40 * rows
    return {
        "q2k": t.q2k(1, batches * tokens, topk, high=4),
        "cu_seqlens": torch.arange(batches + 1, dtype=torch.int32) * tokens,
        "scratch": torch.zeros(sizes, dtype=torch.int32),
        "total_rows": rows,
        "max_kv": 4,
        "use_simt": 0,
        "q_global_offset": 0,
    }


def _kv_block(t, groups):
    return {
        "keyIn": t.keyIn(groups * 16, 1, 128),
        "keyCacheIn": t.keyCacheIn(groups, 16, 1, 128),
        "groupLen": torch.full((groups,), 16, dtype=torch.int32),
        "groupKeyIdx": torch.arange(groups, dtype=torch.int32) * 16,
        "groupKeyCacheIdx": torch.arange(groups, dtype=torch.int32) * 16,
        "blockSize": 16,
    }


_QUANTISED = {"weights": "[B, S, N]", "query_dequant_scale": "[B, S, N]", "key_dequant_scale": "[P, K, 1]"}
_INDEXED = {"query": "[B, S, N, D]", "key": "[P, K, G, D]", "weights": "[B, S, N]"}
_FOUND = {"sparse_indices": "[B, S, G, sparse_count]"}

OPERATORS: dict[str, Operator] = {
    "csrc/attention/rms_norm_dynamic_quant": Operator(
        _norm_quant,
        _normed_quant,
        ((1, 64), (5, 200), (33, 1000)),
        shapes={
            "x": "[..., N]",
            "gamma": "[N]",
            "smooth_scale1": "[N]",
            "smooth_scale2": "[N]",
            "beta": "[N]",
            "y1": "[..., N]",
            "y2": "[1]",
            "scale1": "[...]",
            "scale2": "[1]",
        },
        steps=1,
    ),
    "csrc/moe/add_rms_norm_bias": Operator(
        _add_norm,
        _added_norm,
        ((1, 64), (5, 200), (33, 1000)),
        shapes={
            "x1": "[..., N]",
            "x2": "[..., N]",
            "gamma": "[N]",
            "beta": "[N]",
            "y": "[..., N]",
            "rstd": "[..., 1]",
            "x": "[..., N]",
        },
    ),
    "csrc/moe/scatter_nd_update_v2": Operator(_scatter, _scattered, ((4, 16, 2), (50, 7, 33), (300, 64, 100))),
    "csrc/moe/moe_gating_top_k_hash": Operator(
        _gating,
        _gated,
        ((1, 32, 4), (7, 64, 6), (50, 64, 8)),
        shapes={
            "x": "[N, E]",
            "bias": "[E]",
            "input_ids": "[N]",
            "tid2eid": "[V, k]",
            "y": "[N, k]",
            "expert_idx": "[N, k]",
            "out": "[N, E]",
        },
        close=4,  # a bfloat16 is divided by a sum of bfloat16
    ),
    "csrc/moe/moe_gating_top_k": Operator(
        _gating,
        sizes=((7, 64, 6),),
        shapes={"x": "[N, E]", "bias": "[E]", "y": "[N, k]", "expert_idx": "[N, k]", "out": "[N, E]"},
    ),
    "csrc/attention/recurrent_gated_delta_rule": Operator(
        _delta,
        _delta_golden,
        ((1, 1, 16), (3, 2, 64), (5, 4, 128)),
        shapes={
            "query": "[T, K, D]",
            "key": "[T, K, D]",
            "value": "[T, N, V]",
            "beta": "[T, N]",
            "state": "[P, N, V, D]",
            "actual_seq_lengths": "[B]",
            "ssm_state_indices": "[T]",
            "g": "[T, N]",
            "gk": "[T, N, D]",
            "num_accepted_tokens": "[B]",
            "out": "[T, N, V]",
        },
    ),
    "csrc/moe/moe_grouped_matmul": Operator(_grouped, _grouped_golden, ((2, 32, 32, 32), (3, 50, 64, 48))),
    "csrc/moe/hc_post": Operator(
        _hc_post,
        sizes=((1, 3, 4, 64),),
        shapes={"x": "[B, S, D]", "residual": "[B, S, H, D]", "post": "[B, S, H]", "comb": "[B, S, H, H]"},
    ),
    "csrc/moe/hc_pre": Operator(
        _hc_pre,
        sizes=((1, 1),),
        shapes={
            "x": "[B, S, hc_mult, D]",
            "hc_fn": "[M, F]",
            "hc_scale": "[C]",
            "hc_base": "[M]",
            "y": "[B, S, D]",
            "post": "[B, S, hc_mult]",
            "comb_frag": "[B, S, hc_mult, hc_mult]",
        },
    ),
    "csrc/attention/inplace_partial_rotary_mul": Operator(_partial_rotary, sizes=((1, 3, 2, 128),)),
    "csrc/attention/lightning_indexer": Operator(
        _indexer, sizes=((256, 2048),), shapes={**_INDEXED, **_FOUND, "sparse_values": "[0]"}
    ),
    "csrc/attention/lightning_indexer_vllm": Operator(_indexer, sizes=((256, 2048),), shapes={**_INDEXED, **_FOUND}),
    "csrc/attention/lightning_indexer_quant": Operator(
        _indexer_quant, sizes=((256, 2048),), shapes={**_INDEXED, **_QUANTISED, **_FOUND}
    ),
    "csrc/attention/vllm_quant_lightning_indexer": Operator(
        _indexer_quant, sizes=((256, 2048),), shapes={**_INDEXED, **_QUANTISED, **_FOUND, "sparse_values": "[0]"}
    ),
    "csrc/attention/sparse_flash_attention": Operator(
        _sparse_attention,
        sizes=((16, 100),),
        shapes={"softmax_max": "[0]", "softmax_sum": "[0]"},
    ),
    "csrc/moe/dequant_swiglu_quant": Operator(_swiglu_quant, sizes=((4, 64),), columns=("int32",)),
    "csrc/attention/compressor_metadata": Operator(_metadata, sizes=((2,),)),
    "csrc/moe/copy_and_expand_eagle_inputs": Operator(_eagle, sizes=((2, 4),)),
    "csrc/moe/causal_conv1d": Operator(_conv, sizes=((2, 5, 256),)),
    "csrc/moe/chunk_fwd_o": Operator(_chunks, sizes=((64, 1),)),
    "csrc/attention/store_kv_block": Operator(_kv_block, sizes=((2,),)),
    "csrc/attention/k2q_csr/k2q_csr_scatter": Operator(
        _k2q,
        sizes=((1, 8, 2),),
        shapes={"q2k": "[H, T, K]", "cu_seqlens": "[B]", "scratch": "[S]", "q_ind": "[H, T * K]", "slot": "[H, T * K]"},
    ),
}
