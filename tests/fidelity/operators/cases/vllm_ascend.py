"""How operators of vllm-project/vllm-ascend are called."""

from dataclasses import replace

import torch
from entries import Operator


def _norm_quant(t, rows, columns):
    smooth = {name: t(name)(columns, low=0.5, high=1.5) for name in ("smooth_scale1", "smooth_scale2")}
    return {"x": t.x(rows, columns), "gamma": t.gamma(columns), **smooth}


def _normed_quant(x, gamma, smooth_scale1, smooth_scale2):
    normed = x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * gamma
    smoothed = normed * smooth_scale1, normed * smooth_scale2
    scales = [each.abs().amax(-1, keepdim=True) / 127 for each in smoothed]
    numbers = [(each / scale).round() for each, scale in zip(smoothed, scales, strict=True)]
    return *numbers, *(scale.squeeze(-1) for scale in scales)


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
    return {"x": (drawn / 8 - 4).to(t.dtype("x")), "bias": None, "k": k, "norm_type": 1, "out_flag": True}


def _gating_hash(t, rows, experts, k):
    return {**_gating(t, rows, experts, k), "input_ids": None, "tid2eid": None}


def _gated(x, k, **rest):
    del rest
    scores = torch.sigmoid(x)
    best = torch.topk(scores, k, -1)
    return best.values / (best.values.sum(-1, keepdim=True) + 1e-20), best.indices, scores


def _delta(t, batch, heads, depth):
    def normal(name):
        return torch.nn.functional.normalize(t(name)(batch, heads, depth).float(), dim=-1).to(t.dtype(name))

    return {
        "query": normal("query"),
        "key": normal("key"),
        "value": t.value(batch, heads, depth),
        "beta": t.beta(batch, heads, low=0, high=1),
        "state": t.state(batch, heads, depth, depth),
        # Where the first sequence begins, then the length of each.
        "actual_seq_lengths": torch.tensor([0] + [1] * batch, dtype=torch.int32),
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


def _grouped(t, groups, m, k):
    """The group list has pairs: an expert, and how many rows are its own. Weights are square."""
    ends = [(place + 1) * m // groups for place in range(groups)]
    pairs = [
        [groups - 1 - place, end - begin] for place, (begin, end) in enumerate(zip([0, *ends], ends, strict=False))
    ]
    pairs = torch.tensor(pairs).to(t.dtype("group_list"))
    return {"x": [t.x(m, k)], "weight": [t.weight(groups, k, k)], "group_list": pairs}


def _grouped_golden(x, weight, group_list):
    made, begin = [], 0
    for expert, count in group_list.tolist():
        made.append(x[0][begin : begin + count] @ weight[0][expert])
        begin += count
    return ([torch.cat(made)],)


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


def _partial_rotary(t, tokens, heads, depth):
    """The last 64 numbers of each head are rotated."""
    shape = (tokens, 1, 1, 64)
    x = t.x(tokens, 1, heads, depth)
    return {"x": x, "cos": t.cos(*shape), "sin": t.sin(*shape), "mode": 1, "partial_slice": [depth - 64, depth]}


def _indexer(t, length, count):
    """One batch in pages of 128, as one index per block. All scores differ, by their order's share of the largest."""
    pages = (length + 127) // 128
    order = torch.randperm(length, generator=torch.Generator().manual_seed(length))
    key = torch.zeros(pages * 128, 128)
    key[:length, :64], key[:length, 64:] = order.view(-1, 1) // 64, order.view(-1, 1) % 64
    query = torch.tensor([1.0, 1 / 64]).repeat_interleave(64) * (torch.arange(64).view(-1, 1) % 4 + 1) / 64
    return {
        "query": query.to(t.dtype("query")).view(1, 1, 64, 128),
        "key": key.to(t.dtype("key")).view(pages, 128, 1, 128),
        "weights": t.weights(1, 1, 64, low=0.5, high=1),
        "actual_seq_lengths_query": torch.tensor([1], dtype=torch.int32),
        "actual_seq_lengths_key": torch.tensor([length], dtype=torch.int32),
        "block_table": torch.arange(pages, dtype=torch.int32).flip(0).view(1, -1),
        "layout_key": "PA_BSND",
        "sparse_count": count,
        "sparse_mode": 3,
    }


def _indexed(query, key, weights, actual_seq_lengths_key, block_table, sparse_count, **rest):
    """The places of the largest scores, the largest first; then -1."""
    del rest
    keys = key[block_table[0].long()].flatten(0, 2)[: int(actual_seq_lengths_key[0])]
    scores = weights[0, 0] @ torch.relu(query[0, 0] @ keys.T)
    best = torch.argsort(scores, descending=True)[:sparse_count]
    return torch.nn.functional.pad(best, (0, sparse_count - len(best)), value=-1).view(1, 1, 1, -1), None


def _indexer_quant(t, length, count):
    pages = (length + 127) // 128
    drawn = {"query": t.query(1, 1, 64, 128), "key": t.key(pages, 128, 1, 128), "weights": t.weights(1, 1, 64)}
    arguments = {**_indexer(t, length, count), **drawn}
    scales = {
        "query_dequant_scale": t.query_dequant_scale(1, 1, 64, low=0.01, high=0.1),
        "key_dequant_scale": t.key_dequant_scale(pages, 128, 1, low=0.01, high=0.1),
    }
    return {**arguments, **scales, "query_quant_mode": 0, "key_quant_mode": 0}


def _indexer_on_one_core(t, length, count):
    """The metadata say that the first core does it all, before the second batch."""
    metadata = torch.zeros(1024, dtype=torch.int32)
    metadata[0], metadata[4] = 1, 1
    strides = {"stride": 128 * 128, "scale_stride": 128}
    return {**_indexer_quant(t, length, count), "metadata": metadata, **strides}


def _chosen(length, heads):
    """All of a short sequence is chosen, in some order; one batch in pages of 128."""
    pages = (length + 127) // 128
    indices = torch.full((1, 1, 1, 2048), -1, dtype=torch.int32)
    indices[..., :length] = torch.randperm(length, generator=torch.Generator().manual_seed(heads))
    return {
        "sparse_indices": indices,
        "block_table": torch.arange(pages, dtype=torch.int32).flip(0).view(1, -1),
        "actual_seq_lengths_query": torch.tensor([1], dtype=torch.int32),
        "actual_seq_lengths_kv": torch.tensor([length], dtype=torch.int32),
        "scale_value": 0.04,
        "layout_kv": "PA_BSND",
        "sparse_mode": 3,
    }


def _sparse_attention(t, heads, length):
    """The value is the key."""
    pages = (length + 127) // 128
    key = t.key(pages, 128, 1, 512)
    return {
        "query": t.query(1, 1, heads, 512),
        "key": key,
        "value": key.clone(),
        "query_rope": t.query_rope(1, 1, heads, 64),
        "key_rope": t.key_rope(pages, 128, 1, 64),
        **_chosen(length, heads),
    }


def _attended(query, keys, values, arguments):
    """Attention of one query over what is chosen of pages."""
    indices, table = arguments["sparse_indices"].flatten().long(), arguments["block_table"][0].long()
    indices = indices[indices >= 0]
    keys, values = (part[table].flatten(0, 2)[indices] for part in (keys, values))
    return torch.softmax(query @ keys.T * arguments["scale_value"], -1) @ values


def _sparse_attended(query, key, value, query_rope, key_rope, **rest):
    whole = torch.cat((query, query_rope), -1), torch.cat((key, key_rope), -1)
    return _attended(*whole, value, rest), None, None


def _quantised_attention(t, heads, length):
    """A key: 512 numbers of 8 bits, 64 of its rotary part, and the scale of each 128."""
    pages = (length + 127) // 128
    numbers, rope = t.key(pages, 128, 1, 512, low=-100, high=100), t.query(pages, 128, 1, 64)
    scales = torch.rand(pages, 128, 1, 4, generator=torch.Generator().manual_seed(length)) * 0.02 + 0.001
    key = torch.cat((numbers, rope.view(torch.int8), scales.view(torch.int8)), -1)
    key.dtype_of_rope = rope.dtype
    return {
        "query": t.query(1, 1, heads, 576),
        "key": key,
        "value": numbers.clone(),
        **_chosen(length, heads),
        "key_dequant_scale": None,
        "value_dequant_scale": None,
        "key_quant_mode": 2,
        "value_quant_mode": 2,
        "attention_mode": 2,
    }


def _quantised_attended(query, key, **rest):
    numbers, rope, scales = key.split((512, 128, 16), -1)
    scales = scales.contiguous().view(torch.float32).double().repeat_interleave(128, -1)
    rope = rope.contiguous().view(key.dtype_of_rope).double()
    values = numbers.double() * scales
    return _attended(query, torch.cat((values, rope), -1), values, rest), None, None


def _shared_window(t, length):
    """One query over the last tokens of one batch, on one core: the metadata say which."""
    pages = (length + 127) // 128
    metadata = torch.zeros(1024, dtype=torch.int32)
    metadata[0], metadata[4] = 1, 1  # the core works; it ends before the second batch
    return {
        "q": t.q(1, 1, 64, 512),
        "ori_kv": t.ori_kv(pages, 128, 1, 512),
        "ori_block_table": torch.arange(pages, dtype=torch.int32).view(1, -1),
        **dict.fromkeys(("cmp_kv", "ori_sparse_indices", "cmp_sparse_indices", "cmp_block_table", "cu_seqlens_q")),
        **dict.fromkeys(("cu_seqlens_ori_kv", "cu_seqlens_cmp_kv", "seqused_q")),
        "seqused_kv": torch.tensor([length], dtype=torch.int32),
        "sinks": t.sinks(64),
        "metadata": metadata,
        "softmax_scale": 0.04,
        "cmp_ratio": 4,
        "ori_mask_mode": 4,
        "cmp_mask_mode": 3,
        "ori_kv_stride": 128 * 512,
        "cmp_kv_stride": 128 * 512,
    }


def _compressed(t, length):
    """Every four tokens of one sequence become one."""
    return {
        "x": t.x(length, 1024, low=-0.2, high=0.2),
        "wkv": t.wkv(256, 1024, low=-0.2, high=0.2),
        "wgate": t.wgate(256, 1024, low=-0.2, high=0.2),
        "state_cache": t.state_cache(3, 16, 512),
        "ape": t.ape(4, 256),
        "norm_weight": t.norm_weight(128),
        "rope_sin": t.rope_sin(length // 4 + 1, 64),
        "rope_cos": t.rope_cos(length // 4 + 1, 64),
        "state_block_table": torch.tensor([[1, 2]], dtype=torch.int32),
        "cu_seqlens": torch.tensor([0, length], dtype=torch.int32),
        "seqused": None,
        "start_pos": torch.zeros(1, dtype=torch.int32),
        "rope_head_dim": 64,
        "cmp_ratio": 4,
        "coff": 2,
        "rotary_mode": 2,
        "state_cache_stride_dim0": 16 * 512,
    }


def _swiglu_groups(t, groups, m, k, n):
    """Experts have the rows of x in turn, of which the group list has the ends. Weights are passed in FRACTAL_NZ."""
    ends = [(place + 1) * m // groups for place in range(groups)]
    return {
        "x": t.x(m, k, low=-5, high=6),
        "weight": t.weight(groups, k, n, low=-5, high=6),
        "weight_scale": t.weight_scale(groups, n, low=0.001, high=0.01),
        "x_scale": t.x_scale(m, low=0.001, high=0.01),
        "weight_assistance_matrix": None,
        "group_list": torch.tensor(ends, dtype=torch.int64),
    }


def _swiglu_grouped(x, weight, weight_scale, x_scale, group_list, **rest):
    del rest
    made, begin = [], 0
    for expert, end in enumerate(group_list.tolist()):
        product = x[begin:end].double() @ weight[expert].double() * weight_scale[expert]
        left, right = (product * x_scale[begin:end, None]).chunk(2, -1)
        made.append(left * torch.sigmoid(left) * right)
        begin = end
    gated = torch.cat(made)
    scale = gated.abs().amax(-1) / 127
    return (gated / scale[:, None]).round(), scale


def _swiglu_groups_of_lists(t, groups, m, k, n):
    """As above, with one tensor for all experts in each list."""
    given = _swiglu_groups(t, groups, m, k, n)
    del given["weight_assistance_matrix"]
    return given | {name: [given[name]] for name in ("weight", "weight_scale")} | {"swiglu_limit": 0.0}


def _swiglu_grouped_of_lists(weight, weight_scale, **rest):
    return _swiglu_grouped(weight=weight[0], weight_scale=weight_scale[0], **rest)


def _swiglu_groups_v2(t, groups, m, k, n):
    unused = {"weight_assist_matrix": [t.weight_assist_matrix(1)], "bias": None, "smooth_scale": None}
    return _swiglu_groups_of_lists(t, groups, m, k, n) | unused


def _scored_blocks(t, blocks, chosen):
    """Two tokens of one sequence, for each of which some blocks of 128 keys are chosen."""
    indices = torch.zeros(1, 2, 16, dtype=torch.int32)
    indices[..., :chosen] = torch.arange(chosen, dtype=torch.int32)
    return {
        "query": t.query(2, 8, 128),
        "key": t.key(blocks, 128, 1, 128),
        "value": t.value(blocks, 128, 1, 128),
        "selectIdx": indices,
        "blockTable": torch.arange(blocks, dtype=torch.int32).view(1, -1),
        "selectNumIdx": torch.full((1, 2), chosen, dtype=torch.int32),
        "actualSeqLengths": torch.tensor([2], dtype=torch.int32),
        "actualSeqLengthsKv": torch.tensor([128 * blocks], dtype=torch.int32),
        "scaleValue": 0.09,
    }


def _caches(t, layers, blocks):
    """Two heads of 16 numbers each; a block has 16 tokens, which came from two devices."""
    names = {name: [t(name)(blocks, 16, 2, 16) for _ in range(layers)] for name in ("KCache", "VCache")}
    counts = {"blockSize": 16, "headNum": 2, "headDim": 16, "splitNum": 2, "layerNum": layers}
    return {**names, "blockIDs": torch.arange(blocks - 1), **counts}


def _chunk_states(t, tokens, heads):
    return {
        "k": t.k(1, heads, tokens, 128, low=-0.2, high=0.2),
        "w": t.w(1, heads, tokens, 128, low=-0.2, high=0.2),
        "u": t.u(1, heads, tokens, 128, low=-0.2, high=0.2),
        "g": t.g(1, heads, tokens, low=-0.1, high=0),
        "inital_state": t.inital_state(1, heads, 128, 128),
        "cu_seqlens": None,
        "chunk_indices": None,
        "output_final_state": True,
        "chunk_size": 64,
        "inital_state_stride0": heads * 128 * 128,
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
    """Each request begins with four tokens, which are compressed into one."""
    return {
        "ropeCos": t.ropeCos(64, 64),
        "ropeSin": t.ropeSin(64, 64),
        "cuSeqlens": torch.arange(requests + 1, dtype=torch.int32) * 4,
        "startPos": torch.zeros(requests, dtype=torch.int32),
        "kvBlockTable": torch.arange(requests, dtype=torch.int32).view(-1, 1) + 1,
        "kvBlockSize": 128,
        "slotMappingFormat": 2,
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
        "bias": t.bias(channels),
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
        "cu_seqlens": None,
        "chunk_offsets": None,
        "scale": 0.1,
        "chunk_size": 64,
    }


def _k2q_scratch(q2k, batches, rows):
    """What the stages before scatter leave: rows of batches, batches of tokens, and where each group's edges go.

    There are fewer tokens than cores: each token is a group.
    """
    heads, tokens, _ = q2k.shape
    batch_of = torch.arange(tokens) * batches // tokens
    row_of = torch.arange(batches * rows).view(batches, rows)
    row = row_of[batch_of][:, None].expand(tokens, 1, rows)
    counts = torch.zeros(tokens, heads, batches * rows, dtype=torch.int64)
    for head in range(heads):
        chosen = torch.gather(row[:, 0], 1, q2k[head].long())
        counts[:, head].scatter_add_(1, chosen, torch.ones_like(chosen))
    total = counts.sum(0)
    begins = total.cumsum(-1) - total + counts.cumsum(0) - counts
    parts = (row_of, batch_of, counts, begins, total)
    return torch.cat([part.flatten() for part in parts]).to(torch.int32)


def _k2q_begins(tokens, batches):
    """Where each batch's tokens begin, and their end."""
    batch_of = (torch.arange(tokens) * batches // tokens).tolist()
    return torch.tensor([*(batch_of.index(batch) for batch in range(batches)), tokens], dtype=torch.int32)


def _k2q(t, heads, tokens, topk, batches, rows):
    """Every edge has a row: each place of the outputs is written."""
    q2k = t.q2k(heads, tokens, topk, high=rows)
    return {
        "q2k": q2k,
        "cu_seqlens": _k2q_begins(tokens, batches),
        "scratch": _k2q_scratch(q2k, batches, rows),
        "total_rows": batches * rows,
        "max_kv": rows,
        "use_simt": 0,
        "q_global_offset": 0,
    }


def _k2q_golden(q2k, cu_seqlens, max_kv, **rest):
    """The edges of each head by their rows: the query's place in its batch, and which of its choices it is."""
    del rest
    heads, tokens, topk = q2k.shape
    begins = cu_seqlens.long()
    batch_of = torch.searchsorted(begins, torch.arange(tokens), right=True) - 1
    place = (torch.arange(tokens) - begins[batch_of]).repeat_interleave(topk)
    order = torch.sort((q2k + batch_of[:, None] * max_kv).view(heads, -1), stable=True).indices
    return place[order], (order % topk)


def _k2q_attrs(heads, tokens, topk, batches, rows):
    return {
        "total_rows": batches * rows,
        "max_kv": rows,
        "num_heads": heads,
        "num_tokens": tokens,
        "topk": topk,
    }


def _k2q_meta(t, heads, tokens, topk, batches, rows):
    size = batches * rows * (1 + heads) + tokens * (1 + 2 * heads * batches * rows)
    return {
        "cu_seqlens": _k2q_begins(tokens, batches),
        "cu_block_lens": torch.arange(batches + 1, dtype=torch.int32) * rows,
        "scratch": t.scratch(size),
        "order_method": 0,
        **_k2q_attrs(heads, tokens, topk, batches, rows),
    }


def _k2q_hist(t, heads, tokens, topk, batches, rows):
    q2k = t.q2k(heads, tokens, topk, high=rows)
    counts = {"total_rows": batches * rows, "max_kv": rows, "use_simt": 0, "batch": batches}
    return {"q2k": q2k, "scratch": _k2q_scratch(q2k, batches, rows), **counts}


def _k2q_rows(t, heads, tokens, topk, batches, rows):
    q2k = torch.arange(heads * tokens * topk).view(heads, tokens, topk) % rows
    scratch = _k2q_scratch(q2k, batches, rows)
    attrs = {**_k2q_attrs(heads, tokens, topk, batches, rows), "use_simt": 0, "batch": batches}
    del t
    return {"scratch": scratch, **attrs}


def _k2q_tiles(t, heads, tokens, topk, batches, rows):
    """Each row has as many edges as the next."""
    made = _k2q_rows(t, heads, tokens, topk, batches, rows)
    each = torch.arange(batches * rows + 1) * tokens * topk // (batches * rows)
    return {**made, "row_ptr": each.to(torch.int32).expand(heads, -1).contiguous()}


def _kv_block(t, groups):
    return {
        "keyIn": t.keyIn(groups * 16, 1, 128),
        "keyCacheIn": t.keyCacheIn(groups, 16, 1, 128),
        "groupLen": torch.full((groups,), 16, dtype=torch.int32),
        "groupKeyIdx": torch.arange(groups, dtype=torch.int32) * 16,
        "groupKeyCacheIdx": torch.arange(groups, dtype=torch.int32) * 16,
        "blockSize": 16,
    }


_EMPTY = "[S - S]"
_DRAFTED = "[T + (num_padding_slots_per_request - 1) * R]"
_QUANTISED = {"weights": "[B, S, N]", "query_dequant_scale": "[B, S, N]", "key_dequant_scale": "[P, K, 1]"}
_LENGTHS = {"actual_seq_lengths_query": "[A]", "actual_seq_lengths_key": "[C]", "block_table": "[E, M]"}
_INDEXED = {"query": "[B, S, N, D]", "key": "[P, K, G, D]", "weights": "[B, S, N]", **_LENGTHS}
_FOUND = {"sparse_indices": "[B, S, G, sparse_count]"}

SWIGLU_GROUPS = Operator(
    _swiglu_groups,
    _swiglu_grouped,
    sizes=((2, 16, 64, 128), (3, 37, 128, 256)),
    shapes={
        "x": "[M, K]",
        "weight": "[E, K, N]",
        "weight_scale": "[E, N]",
        "x_scale": "[M]",
        "group_list": "[E]",
        "y": "[M, N // 2]",
        "y_scale": "[M]",
    },
    steps=1,
)

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
            "y2": "[..., N]",
            "scale1": "[...]",
            "scale2": "[...]",
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
        _gating_hash,
        _gated,
        ((1, 32, 4), (7, 64, 6), (50, 64, 8)),
        shapes={
            "x": "[N, E]",
            "bias": "[E]",
            "input_ids": "[N]",
            "tid2eid": "[V, K]",
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
    "csrc/moe/moe_grouped_matmul": Operator(_grouped, _grouped_golden, ((2, 32, 256), (3, 50, 320))),
    "csrc/moe/hc_post": Operator(
        _hc_post,
        sizes=((1, 3, 4, 64),),
        shapes={
            "x": "[B, S, D]",
            "residual": "[B, S, H, D]",
            "post": "[B, S, H]",
            "comb": "[B, S, H, H]",
            "y": "[B, S, H, D]",
        },
    ),
    "csrc/moe/hc_pre": Operator(
        _hc_pre,
        sizes=((1, 1),),
        shapes={
            "x": "[B, S, H, D]",
            "hc_fn": "[M, F]",
            "hc_scale": "[C]",
            "hc_base": "[M]",
            "y": "[B, S, D]",
            "post": "[B, S, hc_mult]",
            "comb_frag": "[B, S, hc_mult, hc_mult]",
        },
    ),
    "csrc/attention/inplace_partial_rotary_mul": Operator(_partial_rotary, sizes=((3, 2, 128),)),
    "csrc/attention/lightning_indexer": Operator(
        _indexer,
        _indexed,
        ((100, 2048), (256, 2048), (2304, 2048)),
        shapes={**_INDEXED, **_FOUND, "sparse_values": _EMPTY},
    ),
    "csrc/attention/lightning_indexer_vllm": Operator(
        _indexer, _indexed, ((100, 2048), (256, 2048), (2304, 2048)), shapes={**_INDEXED, **_FOUND}
    ),
    "csrc/attention/lightning_indexer_quant": Operator(
        _indexer_quant, sizes=((256, 2048),), shapes={**_INDEXED, **_QUANTISED, **_FOUND}
    ),
    "csrc/attention/vllm_quant_lightning_indexer": Operator(
        _indexer_on_one_core, sizes=((256, 2048),), shapes={**_INDEXED, **_QUANTISED, **_FOUND, "sparse_values": _EMPTY}
    ),
    "csrc/attention/sparse_flash_attention": Operator(
        _sparse_attention,
        _sparse_attended,
        ((16, 100), (64, 300)),
        shapes={
            "query": "[B, S, N, D]",
            "attention_out": "[B, S, N, D]",
            "softmax_max": _EMPTY,
            "softmax_sum": _EMPTY,
        },
        close=2,  # the weights are rounded before the second product
    ),
    "csrc/attention/kv_quant_sparse_flash_attention": Operator(
        _quantised_attention,
        _quantised_attended,
        ((16, 100), (64, 300)),
        shapes={
            "query": "[B, S, N, D]",
            "attention_out": "[B, S, N, D - rope_head_dim]",
            "softmax_max": _EMPTY,
            "softmax_sum": _EMPTY,
        },
        close=2,  # keys are rounded where they are dequantised, and weights before the second product
    ),
    "csrc/moe/dequant_swiglu_quant": Operator(_swiglu_quant, sizes=((4, 64),), columns=("int32",)),
    "csrc/attention/compressor_metadata": Operator(
        _metadata,
        sizes=((2,),),
        shapes={
            "ropeCos": "[P, D]",
            "ropeSin": "[P, D]",
            "cuSeqlens": "[C]",
            "startPos": "[R]",
            "kvBlockTable": "[R, M]",
            "compressCos": "[R, D]",
            "compressSin": "[R, D]",
            "slotMapping": "[R, 2]",
        },
    ),
    "csrc/moe/copy_and_expand_eagle_inputs": Operator(
        _eagle,
        sizes=((2, 4),),
        shapes={
            "target_token_ids": "[T]",
            "target_positions": "[T]",
            "next_token_ids": "[R]",
            "query_start_loc": "[Q]",
            "query_end_loc": "[R]",
            **dict.fromkeys(("out_input_ids", "out_positions"), _DRAFTED),
            **dict.fromkeys(("out_is_rejected_token_mask", "out_is_masked_token_mask"), _DRAFTED),
            "out_new_token_indices": "[R * num_padding_slots_per_request]",
            "out_hidden_state_mapping": "[T]",
        },
    ),
    "csrc/moe/causal_conv1d": Operator(_conv, sizes=((2, 5, 256),)),
    "csrc/moe/chunk_fwd_o": Operator(_chunks, sizes=((64, 1),)),
    "csrc/attention/store_kv_block": Operator(_kv_block, sizes=((2,),)),
    "csrc/attention/k2q_csr/k2q_csr_scatter": Operator(
        _k2q,
        _k2q_golden,
        ((1, 8, 2, 1, 4), (2, 15, 3, 2, 5), (2, 24, 9, 3, 11)),
        shapes={
            "q2k": "[H, T, K]",
            "cu_seqlens": "[B]",
            "scratch": "[S]",
            "q_ind": "[H, T * K]",
            "slot": "[H, T * K]",
        },
    ),
    "csrc/attention/k2q_csr/k2q_csr_meta": Operator(_k2q_meta, sizes=((2, 15, 3, 2, 5),)),
    "csrc/attention/k2q_csr/k2q_csr_hist": Operator(_k2q_hist, sizes=((2, 15, 3, 2, 5),)),
    "csrc/attention/k2q_csr/k2q_csr_row_prefix": Operator(
        _k2q_rows,
        sizes=((2, 15, 3, 2, 5),),
        shapes={"scratch": "[S]", "row_ptr": "[num_heads, total_rows + 1]"},
    ),
    "csrc/attention/k2q_csr/k2q_csr_tile_prefix": Operator(_k2q_tiles, sizes=((2, 15, 3, 2, 5),)),
    "csrc/attention/sparse_attn_sharedkv": Operator(
        _shared_window,
        sizes=((128,),),
        shapes={"q": "[B, S, N, D]", "attn_out": "[B, S, N, D]", "softmax_lse": _EMPTY},
    ),
    "csrc/moe/transpose_kv_cache_by_block": Operator(_caches, sizes=((2, 4),)),
    "csrc/moe/chunk_gated_delta_rule_fwd_h": Operator(
        _chunk_states,
        sizes=((128, 1),),
        shapes={
            "k": "[B, G, T, K]",
            "w": "[B, H, T, K]",
            "u": "[B, H, T, V]",
            "g": "[B, H, T]",
            "inital_state": "[N, H, K, V]",
            "h": "[B, H, (T + chunk_size - 1) // chunk_size, K, V]",
            "v_new": "[B, H, T, V]",
            "final_state": "[B, H, K, V]",
        },
    ),
    "csrc/attention/compressor": Operator(
        _compressed,
        sizes=((8,),),
        shapes={
            "x": "[T, H]",
            "norm_weight": "[D]",
            "rope_sin": "[R, C]",
            "rope_cos": "[R, C]",
            "cmp_kv": "[R, D]",
        },
    ),
    "csrc/gmm/grouped_matmul_swiglu_quant": SWIGLU_GROUPS,
    "csrc/gmm/grouped_matmul_swiglu_quant_v2": replace(
        SWIGLU_GROUPS,
        arguments=_swiglu_groups_v2,
        golden=_swiglu_grouped_of_lists,
        shapes=SWIGLU_GROUPS.shapes | {"y": "[M, K]"},  # N is a dimension of lists alone; here it is 2 * K
    ),
    "csrc/gmm/grouped_matmul_swiglu_quant_weight_nz_tensor_list": replace(
        SWIGLU_GROUPS,
        arguments=_swiglu_groups_of_lists,
        golden=_swiglu_grouped_of_lists,
        shapes=SWIGLU_GROUPS.shapes | {"y": "[M, K]"},
    ),
    "csrc/attention/sparse_attention_score": Operator(_scored_blocks, sizes=((3, 2),), columns=("float16", "bfloat16")),
}
