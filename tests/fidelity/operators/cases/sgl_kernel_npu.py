"""How operators of sgl-project/sgl-kernel-npu are called."""

import torch
from entries import Operator


def _attention(t, heads, length):
    names = {name: t(name)(1, heads, length, 128) for name in ("query", "key", "value")}
    masks = dict.fromkeys(("atten_mask", "alibi_mask", "drop_mask"))
    return {**names, **masks, "scale_value": 0.1, "head_num": heads, "input_layout": "BNSD"}


def _estimate(t, heads, length):
    shape = (1, heads, length, 128)
    counts = {"num_heads": heads, "num_key_value_heads": heads}
    return {"query": t.query(*shape), "key": t.key(*shape), **counts, "scale_value": 0.1}


def _every_block(t, heads, length):
    blocks = (length + 127) // 128
    names = {name: t(name)(1, heads, length, 128) for name in ("query", "key", "value")}
    return {
        **names,
        **dict.fromkeys(("pse_shift", "atten_mask", "actual_seq_lengths", "actual_seq_lengths_kv")),
        **dict.fromkeys(("deq_scale1", "quant_scale1", "deq_scale2", "quant_scale2", "quant_offset2")),
        "sparse_mask": torch.ones(1, heads, blocks, blocks).to(t.dtype("sparse_mask")),
        "sparse_count_table": torch.full((1, heads, blocks), blocks, dtype=torch.int32),
        "num_heads": heads,
        "scale_value": 0.1,
        "input_layout": "BNSD",
        "num_key_value_heads": heads,
        "sparse_size": 128,
    }


def _attended(query, key, value, scale_value, **rest):
    del rest
    return torch.softmax(query @ key.transpose(2, 3) * scale_value, -1) @ value


_SHAPES = dict.fromkeys(("query", "key", "value"), "[B, N, S, D]")
_ESTIMATED = dict.fromkeys(("query", "key"), "[B, N, S, D]")
_BLOCKS = "(S + sparse_size - 1) // sparse_size"

OPERATORS: dict[str, Operator] = {
    "csrc/attentions/csrc/ops/ada_block_sparse_attention": Operator(
        _every_block,
        _attended,
        ((1, 128), (2, 256)),
        columns=("float16", "bfloat16"),
        close=4,  # of float16 the scores, too, are in half precision
    ),
    "csrc/attentions/csrc/ops/sparse_block_estimate": Operator(
        _estimate,
        sizes=((1, 256),),
        shapes={
            **_ESTIMATED,
            "sparse_mask": f"[B, N, {_BLOCKS}, {_BLOCKS}]",
            "sparse_count_table": f"[B, N, {_BLOCKS}]",
        },
    ),
    "csrc/attentions/csrc/ops/laser_attention": Operator(
        _attention,
        sizes=((2, 256),),
        shapes={**_SHAPES, "softmax_log_max_sum": "[B, N, S]", "attention_out": "[B, N, S, D]"},
    ),
}
