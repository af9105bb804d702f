"""How operators of hicann/ops-transformer are called."""

import torch
from cases.vllm_ascend import SWIGLU_GROUPS
from entries import Operator


def _rope(t, batch, heads, length):
    shape = (batch, 1, length, 64)
    return {"x": t.x(batch, heads, length, 64), "cos": t.cos(*shape), "sin": t.sin(*shape)}


def _rotated(x, cos, sin):
    """Even elements come first, odd ones after them; then halves are rotated."""
    halves = torch.cat((x[..., ::2], x[..., 1::2]), -1)
    turned = torch.cat((-halves[..., 32:], halves[..., :32]), -1)
    return halves * cos + turned * sin


def _shuffled(count):
    return torch.randperm(count, generator=torch.Generator().manual_seed(count)).to(torch.int32)


def _routing_grad(t, tokens, top_k, hidden):
    rows = tokens * top_k
    return {"grad_expanded_x": t.grad_expanded_x(rows, hidden), "expanded_row_idx": _shuffled(rows), "top_k": top_k}


def _routed_grad(grad_expanded_x, expanded_row_idx, top_k):
    return grad_expanded_x[expanded_row_idx.long()].view(-1, top_k, grad_expanded_x.shape[1]).sum(1)


def _routing_quant(t, tokens, top_k, hidden):
    one = {"scale": torch.tensor([20.0]), "offset": torch.tensor([1.5])}
    return {"x": t.x(tokens, hidden), "expert_idx": t.expert_idx(tokens, top_k, high=8), **one, "expert_num": 8}


def _routed_quant(x, expert_idx, scale, offset, expert_num):
    del expert_num
    order = torch.sort(expert_idx.flatten(), stable=True).indices
    place = torch.empty_like(order)
    place[order] = torch.arange(len(order))
    made = (x[order // expert_idx.shape[1]] * scale + offset).round().clamp(-128, 127)
    return made, place, None, None, None


def _add_groups(t, groups, k, m, n):
    ends = [(place + 1) * k // groups for place in range(groups)]
    y = t.y(groups * m, n)
    return {"x": t.x(k, m), "weight": t.weight(k, n), "group_list": torch.tensor(ends, dtype=torch.int64), "y": y}


def _added_groups(x, weight, group_list, y):
    made, begin = [], 0
    for end in group_list.tolist():
        made.append(x[begin:end].T @ weight[begin:end])
        begin = end
    return y + torch.cat(made)


def _swin(t, batch, height):
    """Pictures are 256 wide, and the kernel works on 8 rows of one at a time."""
    channels = 128
    return {
        "x": t.x(batch, height * 256, channels),
        "gamma": t.gamma(channels),
        "beta": t.beta(channels),
        "weight": t.weight(channels, 3 * channels, low=-0.1, high=0.1),
        "bias": t.bias(3 * channels),
        "head_num": 4,
        "head_dim": 32,
        "seq_length": 64,
    }


def _swin_golden(*, x, gamma, beta, weight, bias, head_num, head_dim, seq_length):
    """Windows of 8 x 8."""
    batch, _, channels = x.shape
    normed = torch.nn.functional.layer_norm(x, (channels,), gamma, beta, 1e-5)
    windows = normed.view(batch, -1, 8, 32, 8, channels).transpose(2, 3).reshape(-1, seq_length, channels)
    every = (windows @ weight + bias).view(-1, seq_length, 3, head_num, head_dim)
    return tuple(every[:, :, part].transpose(1, 2) for part in range(3))


def _permute(t, tokens, top_k, hidden):
    indices = t.indices(tokens, top_k, high=8)
    return {"tokens": t.tokens(tokens, hidden), "indices": indices, "range": [0, tokens * top_k]}


def _permuted(tokens, indices, **_):
    order = torch.sort(indices.flatten(), stable=True).indices
    return tokens[order // indices.shape[1]], torch.sort(order).indices, None


def _unpermute_grad(t, tokens, top_k, hidden):
    return {
        "unpermuted_tokens_grad": t.unpermuted_tokens_grad(tokens, hidden),
        "sorted_indices": _shuffled(tokens * top_k),
        "permuted_tokens": t.permuted_tokens(tokens * top_k, hidden),
        "probs": t.probs(tokens, top_k),
        "restore_shape": [tokens, hidden],
        "range": [0, tokens * top_k],
        "topk_num": top_k,
    }


def _unpermuted_grad(unpermuted_tokens_grad, sorted_indices, permuted_tokens, probs, **_):
    order = sorted_indices.long()
    grad = torch.empty_like(permuted_tokens)
    grad[order] = (unpermuted_tokens_grad[:, None] * probs[..., None]).flatten(0, 1)
    tokens = permuted_tokens[order].view(*probs.shape, -1)
    return grad, (tokens * unpermuted_tokens_grad[:, None]).sum(-1)


def _finalize(t, tokens, top_k, hidden):
    return {
        "expanded_x": t.expanded_x(tokens * top_k, hidden),
        "expanded_row_idx": _shuffled(tokens * top_k),
        "x1": t.x1(tokens, hidden),
        "bias": t.bias(8, hidden),
        "scales": t.scales(tokens, top_k),
        "expert_idx": t.expert_idx(tokens, top_k, high=8),
    }


def _finalized(expanded_x, expanded_row_idx, x1, bias, scales, expert_idx):
    """The places of the tokens' first experts come first, then those of the second ones."""
    tokens, top_k = scales.shape
    rows = expanded_x[expanded_row_idx.view(top_k, tokens).T.long()]
    return x1 + ((rows + bias[expert_idx.long()]) * scales[..., None]).sum(1)


def _routing_v3(t, tokens, top_k, hidden):
    """Not quantised: of two output dtypes for the same inputs, calls from PyTorch use the wider one."""
    return {
        "x": t.x(tokens, hidden),
        "expert_idx": t.expert_idx(tokens, top_k, high=8),
        "active_num": tokens * top_k,
        "expert_capacity": 0,
        "expert_num": 8,
        "drop_pad_mode": 0,
        "expert_tokens_num_type": 1,
        "expert_tokens_num_flag": True,
        "quant_mode": -1,
        "active_expert_range": [0, 8],
        "row_idx_type": 0,
    }


def _routed_v3(x, expert_idx, expert_num, **_):
    experts = expert_idx.flatten()
    order = torch.sort(experts, stable=True).indices
    place = torch.empty_like(order)
    place[order] = torch.arange(len(order))
    return x[order // expert_idx.shape[1]], place, torch.bincount(experts, minlength=expert_num), None


def _re_routing(t, ranks, experts, hidden):
    counts = t.expert_token_num_per_rank(ranks, experts, low=1, high=4)
    total = int(counts.sum())
    return {
        "tokens": t.tokens(total, hidden),
        "expert_token_num_per_rank": counts,
        "per_token_scales": t.per_token_scales(total),
    }


def _token_permute_grad(t, tokens, top_k, hidden):
    return {
        "permuted_output_grad": t.permuted_output_grad(tokens * top_k, hidden),
        "sorted_indices": _shuffled(tokens * top_k),
        "num_topk": top_k,
    }


def _routing_quant_v1(t, tokens, top_k, hidden):
    rows = torch.arange(tokens * top_k, dtype=torch.int32).view(top_k, tokens).T.contiguous()
    expert = t.expert_idx(tokens, top_k, high=8)
    return {
        "x": t.x(tokens, hidden),
        "row_idx": rows,
        "expert_idx": expert,
        "active_num": tokens,
        "scale": 20.0,
        "offset": 1.5,
    }


def _routed_quant_v1(x, row_idx, expert_idx, active_num, scale, offset):
    del active_num
    experts, order = torch.sort(expert_idx.flatten(), stable=True)
    rows = row_idx.flatten()[order].long()
    place = torch.empty_like(rows)
    place[rows] = torch.arange(len(rows))
    return (x[rows % len(x)] * scale + offset).round().clamp(-128, 127), place, experts


_MASKS = ("pse_shift", "atten_mask", "actual_seq_lengths")
_QUANT = ("quant_scale1", "quant_scale2", "quant_offset2")


def _prompt(t, batch, heads, length, depth):
    shape = (batch, length, heads * depth)
    made = {name: t(name)(*shape) for name in ("query", "key", "value")}
    left_out = (*_MASKS, "actual_seq_lengths_kv", "deq_scale1", "deq_scale2", *_QUANT)
    return {**made, **dict.fromkeys(left_out), "num_heads": heads}


def _incre(t, batch, heads, length, depth):
    """A key of 8 bits has scales and offsets by channel, for itself and for the value."""
    hidden = heads * depth
    made = {name: [t(name)(batch, length, hidden)] for name in ("key", "value")}
    made |= dict.fromkeys((*_MASKS, "dequant_scale1", "dequant_scale2", *_QUANT))
    made |= dict.fromkeys(("antiquant_scale", "antiquant_offset", "block_table", "kv_padding_size"))
    if t.dtype("key") == torch.int8:
        made["antiquant_scale"] = t.antiquant_scale(2, hidden, low=0.1, high=0.5)
        made["antiquant_offset"] = t.antiquant_offset(2, hidden, low=-2, high=2)
    return {"query": t.query(batch, 1, hidden), **made, "num_heads": heads}


def _attention(query, key, value, antiquant_scale, antiquant_offset, num_heads, **_):
    key, value = key[0], value[0]
    if antiquant_scale is not None:
        key, value = ((x + antiquant_offset[i]) * antiquant_scale[i] for i, x in enumerate((key, value)))
    heads = [x.unflatten(2, (num_heads, -1)).transpose(1, 2) for x in (query, key, value)]
    scores = torch.softmax(heads[0] @ heads[1].transpose(2, 3), -1)
    return (scores @ heads[2]).transpose(1, 2).reshape(query.shape)


def _compress(t, length, heads, depth):
    return {
        "input": t.input(length, heads, depth),
        "weight": t.weight(32, heads),
        "actSeqLenOptional": [length],
        "layoutOptional": "TND",
        "compressBlockSize": 32,
        "compressStride": 16,
        "actSeqLenType": 0,
    }


def _compressed_blocks(input, weight, compressBlockSize, compressStride, **_):  # noqa: A002, N803
    blocks = input.unfold(0, compressBlockSize, compressStride)
    return torch.einsum("tndw,wn->tnd", blocks, weight)


def _selected(t, batch, heads, kv_heads, length, count):
    """Selected blocks of 64 in pages of 64; the last block of a sequence may be part of one."""
    pages = -(-length // 64)
    generator = torch.Generator().manual_seed(length)
    blocks = torch.stack([torch.randperm(pages, generator=generator)[:count] for _ in range(batch * kv_heads)])
    table = torch.randperm(batch * pages, generator=generator).view(batch, pages)
    return {
        "query": t.query(batch, 1, heads, 192),
        "key": t.key(batch * pages, 64, kv_heads, 192),
        "value": t.value(batch * pages, 64, kv_heads, 128),
        "topk_indices": blocks.view(batch, 1, kv_heads, count).to(torch.int32),
        "atten_mask": None,
        "block_table": table.to(torch.int32),
        "actual_q_seq_lengths": [1] * batch,
        "actual_kv_seq_lengths": [length] * batch,
        "input_layout": "BSND",
        "num_heads": heads,
        "num_key_value_heads": kv_heads,
        "selected_block_size": 64,
        "selected_block_count": count,
        "block_size": 64,
        "scale_value": 192**-0.5,
        "sparse_mode": 0,
    }


def _selected_golden(query, key, value, topk_indices, block_table, actual_kv_seq_lengths, scale_value, **_):
    batch, _, heads, _ = query.shape
    group = heads // key.shape[2]
    made = query.new_empty(batch, 1, heads, value.shape[3])
    for one in range(batch):
        length = int(actual_kv_seq_lengths[one])
        pages = block_table[one].long()
        keys, values = (x[pages].flatten(0, 1)[:length] for x in (key, value))
        for head in range(heads):
            chosen = topk_indices[one, 0, head // group].tolist()
            rows = [row for block in chosen for row in range(block * 64, min(block * 64 + 64, length))]
            scores = keys[rows, head // group] @ query[one, 0, head] * scale_value
            made[one, 0, head] = scores.softmax(-1) @ values[rows, head // group]
    return made


def _compressed_infer(t, batch, heads, length):
    pages = -(-length // 128)
    return {
        "query": t.query(batch, heads, 192),
        "key": t.key(batch * pages, 128, 192),
        "value": t.value(batch * pages, 128, 128),
        "blockTableOptional": torch.arange(batch * pages, dtype=torch.int32).view(batch, pages),
        "actualCmpKvSeqLenOptional": torch.full((batch,), length, dtype=torch.int64),
        "numHeads": heads,
        "numKeyValueHeads": 1,
        "selectBlockSize": 64,
        "selectBlockCount": 4,
        "compressBlockSize": 32,
        "compressStride": 16,
        "scaleValue": 192**-0.5,
        "layoutOptional": "TND",
        "pageBlockSize": 128,
        "sparseMode": 0,
    }


def _compressed_infer_golden(query, key, value, actualCmpKvSeqLenOptional, scaleValue, **_):  # noqa: N803
    """The pages of each batch lie one after the other."""
    batch = len(query)
    made = []
    for one, length in enumerate(actualCmpKvSeqLenOptional.tolist()):
        keys, values = (x.view(batch, -1, x.shape[-1])[one, :length] for x in (key, value))
        made.append(torch.softmax(query[one] @ keys.T * scaleValue, -1) @ values)
    return torch.stack(made), None


def _compressed(t, kv_heads, tokens, group, blocks):
    """Compressed keys of blocks of 32 in steps of 16; 4 of them are one selected block."""
    masks = {"atten_mask": (tokens, blocks), "topk_mask": (tokens, blocks // 4)}
    return {
        "query": t.query(kv_heads, tokens, group, 192),
        "key": t.key(blocks, kv_heads, 192),
        "value": t.value(blocks, kv_heads, 128),
        **{name: torch.zeros(shape, dtype=t.dtype(name)) for name, shape in masks.items()},
        "actual_seq_qlen": [tokens],
        "actual_cmp_seq_kvlen": [blocks],
        "actual_sel_seq_kvlen": [blocks // 4],
        "scale_value": 192**-0.5,
        "head_num": kv_heads * group,
        "input_layout": "TND",
        "sparse_mode": 1,
        "compress_block_size": 32,
        "compress_stride": 16,
        "select_block_size": 64,
        "select_block_count": 2,
    }


def _compressed_golden(query, key, value, scale_value, **_):
    scores = torch.einsum("ntgd,knd->ntgk", query, key) * scale_value
    return None, None, torch.einsum("ntgk,knv->ntgv", scores.softmax(-1), value), None


def _rope_cache(t, batch, length, heads, depth):
    """A fused projection of ``heads`` queries, one key and one value; the caches have room for 8 more."""
    hidden = (heads + 2) * depth
    made = {
        "x": t.x(batch, length, hidden),
        **{name: t(name)(batch, length, 1, depth) for name in ("cos", "sin")},
        **{name: t(name)(batch, length + 8, 1, depth) for name in ("k_cache", "v_cache")},
        "indices": torch.arange(batch, dtype=torch.int32),
        **{name: t(name)(depth, low=0.1, high=1) for name in ("scale_k", "scale_v")},
        **dict.fromkeys(("offset_k", "offset_v", "weight_scale", "activation_scale", "bias")),
        "size_splits": [heads * depth, depth, depth],
        "kv_output": True,
    }
    if t.dtype("x") == torch.int32:  # sums of products: with the weights' scales
        made |= {"weight_scale": t.weight_scale(hidden, low=0.1, high=1), "bias": t.bias(hidden)}
    return made


def _rope_cached(x, cos, sin, size_splits, weight_scale=None, bias=None, **_):
    """A bias of integers is added before the scale."""
    if weight_scale is not None:
        x = x * weight_scale + bias if bias.is_floating_point() else (x + bias) * weight_scale
    depth = cos.shape[-1]
    parts = [part.unflatten(-1, (-1, depth)) for part in x.split(size_splits, -1)]

    def turned(part):
        return part * cos + torch.cat((-part[..., depth // 2 :], part[..., : depth // 2]), -1) * sin

    return turned(parts[0]), turned(parts[1]), parts[2]


def _swin_ffn(t, side):
    """One picture, in windows of 8 x 8."""
    shape = (side * side // 64, 64, 128)
    return {
        "x1": t.x1(*shape),
        "x2": t.x2(128, 128, low=-0.1, high=0.1),
        "bias": t.bias(128),
        "x3": t.x3(*shape),
        "shifts": [4, 4],
    }


def _swin_ffn_golden(x1, x2, bias, x3, shifts):
    """The windows go back to their places in the picture, which is then moved."""
    side = int((len(x1) * 64) ** 0.5)
    windows = (x1 @ x2 + bias).view(side // 8, side // 8, 8, 8, 128)
    picture = windows.transpose(1, 2).reshape(side, side, 128)
    return picture.roll(shifts, (0, 1)).reshape(x1.shape) + x3


def _mla_prolog(t, batch, length, heads):
    """Weights of int8 are of the second of its products, with caches of int8 in one column."""
    hidden, low, rank, depth, turned = 7168, 1536, 512, 128, 64
    tokens = (batch, length)
    made = {
        "token_x": t.token_x(*tokens, hidden, low=-1, high=1),
        "weight_dq": t.weight_dq(hidden, low, low=-0.03, high=0.03),
        "weight_uk": t.weight_uk(heads, depth, rank, low=-0.1, high=0.1),
        "weight_dkv_kr": t.weight_dkv_kr(hidden, rank + turned, low=-0.03, high=0.03),
        "rmsnorm_gamma_cq": t.rmsnorm_gamma_cq(low, low=0.5, high=1.5),
        "rmsnorm_gamma_ckv": t.rmsnorm_gamma_ckv(rank, low=0.5, high=1.5),
        "rope_sin": t.rope_sin(*tokens, turned, low=-1, high=1),
        "rope_cos": t.rope_cos(*tokens, turned, low=-1, high=1),
        "cache_index": _shuffled(32)[: batch * length].view(tokens).long(),
        "kv_cache": t.kv_cache(2, 16, 1, rank),
        "kr_cache": t.kr_cache(2, 16, 1, turned),
        "cache_mode": "PA_BSND",
    }
    columns = heads * (depth + turned)
    if t.dtype("weight_uq_qr") == torch.int8:
        made["weight_uq_qr"] = t.weight_uq_qr(low, columns, low=-30, high=30)
        made["dequant_scale_w_uq_qr"] = t.dequant_scale_w_uq_qr(1, columns, low=0.001, high=0.003)
        if t.dtype("kv_cache") == torch.int8:
            made["quant_scale_ckv"] = t.quant_scale_ckv(1, rank, low=10, high=30)
            made["quant_scale_ckr"] = t.quant_scale_ckr(1, turned, low=10, high=30)
    else:
        made["weight_uq_qr"] = t.weight_uq_qr(low, columns, low=-0.05, high=0.05)
    return made


def _mla_prolog_golden(
    token_x, weight_dq, weight_uq_qr, weight_uk, weight_dkv_kr, rmsnorm_gamma_cq, rmsnorm_gamma_ckv, rope_sin, rope_cos,
    cache_index, kv_cache, kr_cache, cache_mode, dequant_scale_w_uq_qr=None, quant_scale_ckv=None, quant_scale_ckr=None,
):  # fmt: skip
    del cache_mode
    compressed = torch.rms_norm(token_x @ weight_dq, rmsnorm_gamma_cq.shape, rmsnorm_gamma_cq, 1e-5)
    if dequant_scale_w_uq_qr is not None:
        scale = compressed.abs().amax(-1, keepdim=True) / 127
        compressed = (compressed / scale).round() * scale
        weight_uq_qr = weight_uq_qr.double() * dequant_scale_w_uq_qr
    heads = (compressed @ weight_uq_qr).unflatten(-1, (weight_uk.shape[0], -1))
    query = torch.einsum("bsnd,ndk->bsnk", heads[..., :128], weight_uk)
    rope = _rotated(heads[..., 128:], rope_cos.unsqueeze(2), rope_sin.unsqueeze(2))
    keys = token_x @ weight_dkv_kr
    latent = torch.rms_norm(keys[..., :512], rmsnorm_gamma_ckv.shape, rmsnorm_gamma_ckv, 1e-5)
    rows = latent, _rotated(keys[..., 512:], rope_cos, rope_sin)
    caches = []
    for cache, row, scale in zip((kv_cache, kr_cache), rows, (quant_scale_ckv, quant_scale_ckr), strict=True):
        made = row if scale is None else (row * scale).round().clamp(-128, 127)
        kept = cache.double().flatten(0, 2)
        kept[cache_index.flatten()] = made.flatten(0, 1)
        caches.append(kept.view(cache.shape))
    return query, rope, *caches, None


_MLA_PROLOG = {
    "token_x": "[B, S, H]",
    "weight_dq": "[H, Q]",
    "weight_uq_qr": "[Q, M]",
    "weight_uk": "[N, D, K]",
    "weight_dkv_kr": "[H, W]",
    "rmsnorm_gamma_cq": "[Q]",
    "rmsnorm_gamma_ckv": "[K]",
    **dict.fromkeys(("rope_sin", "rope_cos"), "[B, S, R]"),
    "cache_index": "[B, S]",
    "kv_cache": "[P, Z, 1, K]",
    "kr_cache": "[P, Z, 1, R]",
    "query": "[B, S, N, K]",
    "query_rope": "[B, S, N, R]",
}


OPERATORS: dict[str, Operator] = {
    "posembedding/interleave_rope": Operator(
        _rope,
        _rotated,
        ((1, 1, 1), (2, 3, 5), (1, 8, 33)),
        shapes={"x": "[B, N, S, 64]", "cos": "[B, 1, S, 64]", "sin": "[B, 1, S, 64]", "y": "[B, N, S, 64]"},
    ),
    "moe/moe_init_routing_v2_grad": Operator(
        _routing_grad,
        _routed_grad,
        ((1, 1, 16), (7, 3, 50), (33, 2, 1000)),
        shapes={"grad_expanded_x": "[R, H]", "expanded_row_idx": "[R]", "grad_x": "[R // top_k, H]"},
    ),
    "moe/moe_init_routing_quant_v2": Operator(
        _routing_quant,
        _routed_quant,
        ((1, 1, 32), (7, 3, 50), (16, 4, 128)),
        shapes={
            "x": "[N, H]",
            "expert_idx": "[N, K]",
            "scale": "[1]",
            "offset": "[1]",
            "expanded_x": "[N * K, H]",
            "expanded_row_idx": "[N * K]",
            "expert_tokens_count_or_cumsum": "[expert_num]",
            "expert_tokens_before_capacity": "[expert_num]",
            "dynamic_quant_scale": "[N * K]",
        },
        steps=1,
    ),
    "gmm/grouped_matmul_add": Operator(
        _add_groups,
        _added_groups,
        ((1, 16, 16, 16), (3, 96, 64, 48), (2, 70, 33, 50)),
        shapes={"x": "[K, M]", "weight": "[K, N]", "group_list": "[G]", "y": "[R, N]"},
    ),
    "ffn/swin_transformer_ln_qkv": Operator(
        _swin,
        _swin_golden,
        ((1, 8), (3, 16)),
        shapes={
            "x": "[B, S, C]",
            "gamma": "[C]",
            "beta": "[C]",
            "weight": "[C, Q]",
            "bias": "[Q]",
            "query_output": "[B * S * C // 8192, 4, 64, 32]",
            "key_output": "[B * S * C // 8192, 4, 64, 32]",
            "value_output": "[B * S * C // 8192, 4, 64, 32]",
        },
    ),
    "attention/incre_flash_attention": Operator(
        _incre,
        _attention,
        ((1, 1, 64, 64), (2, 3, 130, 64)),
        columns=("float16",),
    ),
    "attention/prompt_flash_attention": Operator(_prompt, sizes=((1, 2, 64, 64),), columns=("float16",)),
    "moe/moe_token_permute_with_ep": Operator(
        _permute,
        _permuted,
        sizes=((4, 2, 32), (7, 3, 50)),
        shapes={
            "tokens": "[T, H]",
            "indices": "[T, K]",
            "permute_tokens": "[T * K, H]",
            "sorted_indices": "[T * K]",
            "permute_probs": "[T * K]",
        },
    ),
    "moe/moe_token_unpermute_with_ep_grad": Operator(
        _unpermute_grad,
        _unpermuted_grad,
        sizes=((10, 3, 64), (7, 2, 50)),
        shapes={
            "unpermuted_tokens_grad": "[T, H]",
            "sorted_indices": "[R]",
            "permuted_tokens": "[R, H]",
            "probs": "[T, K]",
            "permuted_tokens_grad": "[R, H]",
            "probs_grad": "[T, topk_num]",
        },
    ),
    "moe/moe_finalize_routing_v2": Operator(
        _finalize,
        _finalized,
        sizes=((4, 2, 32), (7, 2, 50)),
        shapes={
            "expanded_x": "[R, H]",
            "expanded_row_idx": "[R]",
            "x1": "[N, H]",
            "x2": "[N, H]",
            "bias": "[E, H]",
            "scales": "[N, K]",
            "expert_idx": "[N, K]",
            "y": "[R // 2, H]",  # two experts for each token
        },
        close=2,  # the sums are made in half precision
    ),
    "moe/moe_init_routing_v3": Operator(
        _routing_v3,
        _routed_v3,
        sizes=((4, 2, 32), (7, 3, 50)),
        shapes={
            "x": "[N, H]",
            "expert_idx": "[N, K]",
            "expanded_x": "[N * K, H]",
            "expanded_row_idx": "[N * K]",
            "expert_tokens_count_or_cumsum": "[expert_num]",
            "expanded_scale": "[N * K]",
        },
    ),
    "moe/moe_re_routing": Operator(
        _re_routing,
        sizes=((2, 4, 64), (3, 5, 50)),
        shapes={
            "tokens": "[A, H]",
            "expert_token_num_per_rank": "[R, E]",
            "per_token_scales": "[A]",
            "permute_tokens": "[A, H]",
            "permute_per_token_scales": "[A]",
            "permute_token_idx": "[A]",
            "expert_token_num": "[E]",
        },
    ),
    "moe/moe_token_permute_grad": Operator(
        _token_permute_grad,
        sizes=((4, 2, 32), (7, 3, 50)),
        shapes={"permuted_output_grad": "[R, H]", "sorted_indices": "[R]", "input_grad": "[R // num_topk, H]"},
    ),
    "moe/moe_init_routing_quant": Operator(
        _routing_quant_v1,
        _routed_quant_v1,
        sizes=((4, 2, 32), (7, 3, 50)),
        shapes={
            "x": "[N, H]",
            "row_idx": "[N, K]",
            "expert_idx": "[N, K]",
            "expanded_x": "[N * K, H]",
            "expanded_row_idx": "[N * K]",
            "expanded_expert_idx": "[N * K]",
        },
        steps=1,
    ),
    "attention/nsa_compress": Operator(
        _compress,
        _compressed_blocks,
        sizes=((64, 2, 32), (200, 5, 64)),
        shapes={
            "input": "[T, N, D]",
            "weight": "[W, N]",
            "actSeqLenOptional": "[B]",
            "output": "[(T - compressBlockSize) // compressStride + 1, N, D]",
        },
    ),
    "attention/nsa_selected_attention_infer": Operator(
        _selected,
        _selected_golden,
        ((1, 1, 1, 64, 1), (2, 8, 2, 200, 3)),
        shapes={
            "query": "[B, S, N, D]",
            "key": "[P, Z, M, D]",
            "value": "[P, Z, M, V]",
            "topk_indices": "[B, S, M, C]",
            **dict.fromkeys(("actual_q_seq_lengths", "actual_kv_seq_lengths"), "[B]"),
            "attention_out": "[B, S, N, V]",
        },
    ),
    "attention/nsa_compress_attention_infer": Operator(
        _compressed_infer,
        _compressed_infer_golden,
        sizes=((2, 4, 48),),
        shapes={
            "query": "[T, N, D]",
            "key": "[P, Z, H]",
            "value": "[P, Z, W]",
            "output": "[T, N, W]",  # of one head of keys
            "topkIndicesOut": "[T, numKeyValueHeads, selectBlockCount]",
        },
    ),
    "attention/nsa_compress_attention": Operator(
        _compressed,
        _compressed_golden,
        sizes=((1, 32, 4, 16),),
        shapes={
            "query": "[N, T, G, D]",
            "key": "[K, N, D]",
            "value": "[K, N, V]",
            **dict.fromkeys(("softmax_max", "softmax_sum"), "[T, N * G, 8]"),
            "attention_out": "[N, T, G, V]",
            "topk_indices_out": "[N, T, select_block_count]",
        },
    ),
    "posembedding/dequant_rope_quant_kvcache": Operator(
        _rope_cache,
        _rope_cached,
        sizes=((2, 3, 2, 64),),
        shapes={
            "x": "[B, S, X]",
            **dict.fromkeys(("cos", "sin"), "[B, S, 1, D]"),
            "indices": "[B]",
            **dict.fromkeys(("scale_k", "scale_v"), "[Q]"),
            "q": "[B, S, (X - 2 * Q) // D, D]",
            **dict.fromkeys(("k", "v"), "[B, S, Q // D, D]"),
        },
        close=2,  # the terms of a sum, in half precision, are larger than the sum
    ),
    "gmm/grouped_matmul_swiglu_quant": SWIGLU_GROUPS,
    "attention/mla_prolog": Operator(
        _mla_prolog,
        lambda **given: _mla_prolog_golden(**given)[:4],
        ((1, 2, 2),),
        _MLA_PROLOG,
        ("bfloat16",),
        close=2,  # as below
        steps=1,
    ),
    "attention/mla_prolog_v2": Operator(
        _mla_prolog,
        _mla_prolog_golden,
        ((1, 1, 1), (2, 3, 4)),
        {**_MLA_PROLOG, "dequant_scale_q_nope": "[1]"},
        ("bfloat16",),
        close=2,  # int8 weights multiply what was quantised, and bfloat16 lies between two products
        steps=1,
    ),
    "ffn/swin_attention_ffn": Operator(_swin_ffn, _swin_ffn_golden, ((64,), (128,))),
}
