// What the device's compiler brings by itself and a host's parser needs to read declarations for it: its keywords, its
// types, and the enumerations of its built-in functions by name. Nothing is computed with it.
#ifndef FIDELITY_DEVICE_PRELUDE_H
#define FIDELITY_DEVICE_PRELUDE_H

#include <stddef.h>
#include <stdint.h>

#define __aicore__
#define __host__
#define __host_aicore__
#define __global__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __biasbuf__
#define __ssbuf__
#define __vector__
#define __cube__
#define __mix__(...)
#define __sync_noalias__
#define __sync_alias__
#define __check_sync_alias__
#define __sync_in__
#define __sync_out__
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __inout_pipe__(...)
#define __BLOCK_LOCAL__
#define __WORKGROUP_LOCAL__
#define __simd_callee__
#define __simd_vf__
#define __simt_callee__
#define __simt_vf__
#define __VEC_SCOPE__
#define __no_simd_vf_fusion__

struct half {
    half() = default;
    constexpr half(float) {}
    constexpr operator float() const { return 0; }
};
struct bfloat16_t {
    bfloat16_t() = default;
    constexpr bfloat16_t(float) {}
    constexpr operator float() const { return 0; }
};
using float16_t = half;
using float32_t = float;
#define FIDELITY_OPAQUE(name) \
    struct name {             \
        uint8_t bits;         \
    };
FIDELITY_OPAQUE(int4x2_t)
FIDELITY_OPAQUE(hifloat8_t)
FIDELITY_OPAQUE(float4_e1m2x2_t)
FIDELITY_OPAQUE(float4_e2m1x2_t)
FIDELITY_OPAQUE(float8_e4m3_t)
FIDELITY_OPAQUE(float8_e5m2_t)
FIDELITY_OPAQUE(float8_e8m0_t)
#undef FIDELITY_OPAQUE

enum pipe_t {
    PIPE_S,
    PIPE_V,
    PIPE_M,
    PIPE_MTE1,
    PIPE_MTE2,
    PIPE_MTE3,
    PIPE_ALL,
    PIPE_MTE4,
    PIPE_MTE5,
    PIPE_V2,
    PIPE_FIX
};
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
enum QuantMode_t { NoQuant };
enum pad_t { PAD_NONE };
enum atomic_type_t { ATOMIC_NONE };
enum atomic_op_t { ATOMIC_SUM };
uint64_t get_imm(uint64_t offset);

#endif
